// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/nvidia_smi/smi_sink.h"

#include <cmath>

#include "collectors/importers/input/run_name.h"

namespace runglass::nvidia_smi {

std::optional<TimeNs> SmiSink::time(std::string_view text) {
  const auto wall = parseWallTime(text);
  if (!wall) return std::nullopt;
  if (wall->zoned) return wall->time;
  if (!m_zone) {
    // Time zones are multiples of a quarter hour, from -12 to +14 hours.
    constexpr DurNs kQuarter = 900 * kNsPerSecond, kMaxMinutes = 5;
    m_zone = 0;
    bool known = false;
    if (m_taken_at) {
      const DurNs apart = wall->time - *m_taken_at;
      const DurNs zone = static_cast<DurNs>(std::llround(static_cast<double>(apart) / static_cast<double>(kQuarter))) * kQuarter;
      known = std::abs(apart - zone) <= kMaxMinutes * 60 * kNsPerSecond && std::abs(zone) <= 56 * kQuarter;
      if (known) m_zone = zone;
    }
    if (!known) note("nvidia_smi.no_time_zone", text);
  }
  return wall->time - *m_zone;
}

void SmiSink::put(DeviceId device, const std::string& metric, std::string_view labels, TimeNs time, const Quantity& quantity) {
  if (!recording) return;
  if (!device)
    note("nvidia_smi.too_many", "devices");
  else
    series.put(device, metric, labels, time, *quantity.value, metric.ends_with("_total") || metric.find("_counters_") != std::string::npos);
}

void SmiSink::facts(DeviceId device, TimeNs time, nlohmann::json facts) {
  if (!recording || !device || facts.empty()) return;
  facts["vendor"] = "NVIDIA";
  std::string text = facts.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string& last = m_facts[device.value];
  if (last == text) return;
  last = std::move(text);
  m_out.event(
      {.time = time, .attempt = series.attempt(), .node = series.node(), .device = device, .kind = "device_facts", .message = last});
}

void SmiSink::put(const GpuReading& reading) {
  if (!recording) return;
  const DeviceId device = series.device({.uuid = reading.uuid, .index = reading.index, .bus_id = reading.bus, .model = reading.model});
  for (const GpuReading::Value& value : reading.values) {
    if (value.quantity.absence)
      absent(*value.quantity.absence, value.field);
    else if (!value.quantity.value)
      unreadable(value.field);
    else
      put(device, value.metric, value.labels, reading.time, value.quantity);
  }
  for (const std::string& instance : reading.instances) series.instance(device, instance, {});
  facts(device, reading.time, reading.facts);
}

void SmiSink::absent(Absence why, std::string_view field) { note("nvidia_smi." + std::string(absenceName(why)), field); }

void SmiSink::note(const std::string& code, std::string_view what, std::int64_t count) {
  if (!recording) return;
  Note& noted = m_notes[code];
  noted.count += count;
  if (noted.names.size() < kMaxNamed)
    noted.names.insert(displayName(what));
  else
    noted.more = noted.more || !noted.names.contains(displayName(what));
}

void SmiSink::tell() {
  if (series.leftOut() > 0) note("nvidia_smi.too_many", "series", series.leftOut());
  for (const auto& [code, noted] : m_notes) {
    std::string names;
    for (const std::string& name : noted.names) names.append(names.empty() ? "" : ", ").append(name);
    if (noted.more) names += ", ...";
    m_out.issue({.code = code, .source = m_target.path, .count = noted.count, .detail = names});
  }
  m_notes.clear();
}

}  // namespace runglass::nvidia_smi
