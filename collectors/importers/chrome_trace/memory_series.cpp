// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/chrome_trace/memory_series.h"

#include <nlohmann/json.hpp>

#include "collectors/importers/chrome_trace/event_slicer.h"
#include "collectors/importers/chrome_trace/trace_event.h"

namespace runglass {
namespace {

// c10::DeviceType, for the types that are profiled.
std::string deviceName(std::int64_t type, std::int64_t index) {
  const char* const name = type == 0 ? "cpu" : type == 1 ? "cuda" : type == 6 ? "hip" : type == 12 ? "xpu" : nullptr;
  if (type == 0) return name;
  return (name != nullptr ? name : "device type " + std::to_string(type)) + ":" + std::to_string(index);
}

}  // namespace

bool MemorySeries::put(AttemptId attempt, std::optional<std::int32_t> rank, TimeNs time, std::string_view args) {
  simdjson::ondemand::document document;
  simdjson::ondemand::object object;
  if (args.empty() ||
      m_parser.iterate(simdjson::padded_string_view(args.data(), args.size(), args.size() + EventSlicer::kPadding)).get(document) !=
          simdjson::SUCCESS ||
      document.get_object().get(object) != simdjson::SUCCESS)
    return false;
  std::optional<std::int64_t> type, index, change, allocated, reserved;
  for (auto field : object) {
    std::string_view key;
    simdjson::ondemand::value v;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS || field.value().get(v) != simdjson::SUCCESS) return false;
    if (key == "Device Type")
      type = integerOf(v);
    else if (key == "Device Id")
      index = integerOf(v);
    else if (key == "Bytes")
      change = integerOf(v);
    else if (key == "Total Allocated")
      allocated = integerOf(v);
    else if (key == "Total Reserved")
      reserved = integerOf(v);
  }
  const bool totals = allocated || reserved;
  if (!type || (!totals && !change)) return false;
  const std::pair key(*type, index.value_or(-1));
  if (m_devices.size() >= kMaxDevices && !m_devices.contains(key)) return false;
  Device& device = m_devices[key];
  const auto sample = [&](const char* metric, SeriesId& series, std::int64_t value) {
    if (!series) {
      const nlohmann::json labels = {{"device", deviceName(key.first, key.second)}};
      series = m_out.series({.attempt = attempt, .rank = rank, .metric = metric, .labels = labels.dump(), .unit = "bytes"});
    }
    m_out.sample(series, time, static_cast<double>(value));
  };
  if (allocated) sample("allocator_allocated_bytes", device.allocated, *allocated);
  if (reserved) sample("allocator_reserved_bytes", device.reserved, *reserved);
  if (!totals) sample("allocator_change_bytes", device.change, *change);
  return true;
}

}  // namespace runglass
