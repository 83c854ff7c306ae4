// SPDX-License-Identifier: Apache-2.0
// 1. m_stack is the path of the last line read; a deeper line is below it, whether it has a value or not.
// 2. Readings wait until the end of their GPU, because its identity may come after them.
#include "collectors/importers/nvidia_smi/smi_query.h"

#include <charconv>
#include <map>
#include <nlohmann/json.hpp>

#include "collectors/importers/input/run_name.h"
#include "collectors/importers/nvidia_smi/smi_fields.h"

namespace runglass::nvidia_smi {

void SmiQuery::begin() {
  end();
  m_time.reset();
  m_gpus = 0;
}

void SmiQuery::line(std::string_view text) {
  const std::string_view content = trimmed(text);
  if (content.empty()) return;
  const std::size_t indent = text.find_first_not_of(" \t");
  if (indent == 0 && content.starts_with("GPU ") && content.find(" : ") == std::string_view::npos) {
    end();
    m_in_gpu = true;
    ++m_gpus;
    m_bus = content.substr(4);
    return;
  }
  const std::size_t colon = content.find(" : ");
  const std::string_view key = trimmed(content.substr(0, colon));
  const std::string_view value = colon == std::string_view::npos ? std::string_view() : trimmed(content.substr(colon + 3));
  if (!m_in_gpu) return top(key, value);
  while (!m_stack.empty() && m_stack.back().first >= indent) m_stack.pop_back();
  if (m_stack.size() >= kMaxDepth) return m_sink.note("nvidia_smi.too_many", "levels of indentation");
  m_stack.emplace_back(indent, lowered(key.substr(0, 256)));
  if (colon != std::string_view::npos) field(path(), value);
}

std::string SmiQuery::path() const {
  std::string all;
  for (const auto& [indent, key] : m_stack) all.append(all.empty() ? "" : "/").append(key);
  return all;
}

void SmiQuery::top(std::string_view key, std::string_view text) {
  if (key == "Timestamp") {
    m_time = m_sink.time(text);
    if (!m_time) m_sink.note("nvidia_smi.no_time", text);
  } else if (m_sink.recording && key == "Driver Version") {
    m_sink.series.fact("driver_version", text);
    m_driver = text;
  } else if (m_sink.recording && key == "CUDA Version") {
    m_sink.series.fact("cuda_driver_version", text);
    m_cuda = text;
  }
}

void SmiQuery::field(std::string_view text_path, std::string_view text) {
  if (text_path.starts_with("processes/")) return process(m_stack.back().second, text);
  if (text_path == "processes") return;
  if (text_path == "gpu uuid") m_uuid = absenceOf(text) ? "" : text;
  if (text_path == "product name") m_model = text;
  if (text_path == "minor number") {
    std::int32_t minor = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), minor).ec == std::errc() && minor >= 0) m_minor = minor;
  }
  if (const auto fact = gpuFact(text_path, text)) std::visit([&](auto value) { m_facts[std::string(fact->key)] = value; }, fact->value);
  if (isIdentity(text_path)) return;
  if (m_readings.size() >= kMaxReadings) return m_sink.note("nvidia_smi.too_many", "fields of a GPU");
  m_readings.push_back(
      {.path = std::string(text_path), .text = std::string(text.substr(0, 256)), .labels = {}, .recording = m_sink.recording});
}

void SmiQuery::process(std::string_view key, std::string_view text) {
  if (key == "process id") {
    m_pid = text;
    m_process.clear();
  } else if (key == "name") {
    m_process = text;
  } else if (key == "used gpu memory" && m_readings.size() < kMaxReadings) {
    nlohmann::json pairs = {{"pid", displayName(m_pid)}};
    if (!m_process.empty()) pairs["name"] = displayName(m_process);
    m_readings.push_back({.path = "used_gpu_memory",
                          .text = std::string(text.substr(0, 256)),
                          .labels = pairs.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                          .recording = m_sink.recording});
  }
}

void SmiQuery::end() {
  if (m_in_gpu && !m_readings.empty()) {
    const bool recording = m_sink.recording;
    m_sink.recording = m_readings.back().recording;
    if (m_time && m_sink.recording) {
      const DeviceId device =
          m_sink.series.device({.uuid = m_uuid, .index = m_minor ? m_minor : std::optional(m_gpus - 1), .bus_id = m_bus, .model = m_model});
      if (!m_facts.empty()) {
        m_facts["pci"] = displayName(m_bus);
        if (!m_driver.empty()) m_facts["driver"] = displayName(m_driver);
        if (!m_cuda.empty()) m_facts["cuda"] = displayName(m_cuda);
        m_sink.facts(device, *m_time, m_facts);
      }
      std::set<std::string> taken;
      unsigned reasons = 0;
      bool has_reasons = false;
      std::map<std::string, double> ecc;
      for (const Reading& reading : m_readings) {
        m_sink.recording = reading.recording;
        if (const unsigned bit = reasonBit(reading.path)) {
          const Quantity flag = parseQuantity(reading.text);
          has_reasons = has_reasons || (flag.value && reading.recording);
          reasons |= flag.value == 1.0 ? bit : 0;
        } else {
          hand(reading, device, taken);
          if (const std::string_view total = eccTotal(reading.path); !total.empty() && reading.recording)
            if (const Quantity errors = parseQuantity(reading.text); errors.value) ecc[std::string(total)] += *errors.value;
        }
      }
      for (const auto& [total, errors] : ecc) m_sink.put(device, total, "", *m_time, {.value = errors});
      if (has_reasons) m_sink.put(device, "clock_event_reasons", "", *m_time, {.value = static_cast<double>(reasons)});
    } else if (!m_time) {
      m_sink.note("nvidia_smi.no_time", "GPU " + m_bus);
    }
    m_sink.recording = recording;
  }
  m_in_gpu = false;
  m_stack.clear();
  m_readings.clear();
  m_facts = nlohmann::json::object();
  m_minor.reset();
  m_bus.clear(), m_uuid.clear(), m_model.clear(), m_pid.clear(), m_process.clear();
}

void SmiQuery::hand(const Reading& reading, DeviceId device, std::set<std::string>& taken) {
  const bool is_process = !reading.labels.empty();
  const Field* const known = is_process ? findColumn(reading.path) : findPath(reading.path);
  Quantity quantity = parseQuantity(reading.text, known != nullptr ? findUnit(known->unit) : nullptr);
  std::string metric;
  if (reading.path == "gpu recovery action") {
    if (const auto action = recoveryAction(reading.text)) quantity = {.value = action};
  } else if (reading.path == "performance state" && reading.text.starts_with("P")) {
    quantity = parseQuantity(std::string_view(reading.text).substr(1));
  }
  if (quantity.absence) return m_sink.absent(*quantity.absence, reading.path);
  if (!quantity.value) return known != nullptr ? m_sink.unreadable(reading.path) : m_sink.text(reading.path);
  if (known != nullptr)
    metric = known->metric;
  else if (reading.path == "performance state")
    metric = "performance_state";
  else
    metric = metricNameOf(reading.path, quantity.unit != nullptr ? quantity.unit->suffix : std::string_view());
  // "Current" and "Device Current" of one link are the same metric: the first counts.
  if (!taken.insert(metric + reading.labels).second) return;
  m_sink.put(device, metric, reading.labels, *m_time, quantity);
}

}  // namespace runglass::nvidia_smi
