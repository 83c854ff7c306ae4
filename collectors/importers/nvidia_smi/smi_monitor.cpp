// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/nvidia_smi/smi_monitor.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/importers/input/run_name.h"
#include "collectors/importers/nvidia_smi/smi_fields.h"

namespace runglass::nvidia_smi {
namespace {

std::vector<std::string_view> words(std::string_view line) {
  constexpr std::size_t kMax = 256;
  std::vector<std::string_view> all;
  for (std::size_t at = 0; all.size() < kMax;) {
    at = line.find_first_not_of(" \t", at);
    if (at == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    all.push_back(line.substr(at, end - at));
    at = end;
  }
  return all;
}

}  // namespace

bool SmiMonitor::isHeader(std::string_view line) {
  if (!line.starts_with("#")) return false;
  const auto names = words(line.substr(1));
  const auto gpu = std::ranges::find(names, "gpu");
  if (gpu == names.end() || gpu - names.begin() > 2 || names.size() < 2) return false;
  return std::ranges::any_of(names, [](std::string_view name) { return name == "pid" || findMonitorColumn(name) != nullptr; });
}

void SmiMonitor::header(std::string_view line) {
  m_columns.clear();
  m_processes = false;
  m_date = m_time = m_gpu = m_pid = -1;
  const auto names = words(line.substr(1));
  m_processes = std::ranges::find(names, "pid") != names.end();
  for (const std::string_view name : names) {
    const int at = static_cast<int>(m_columns.size());
    Column column{.printed = lowered(name), .metric = {}};
    if (column.printed == "date") {
      m_date = at;
    } else if (column.printed == "time") {
      m_time = at;
    } else if (column.printed == "gpu") {
      m_gpu = at;
    } else if (column.printed == "pid") {
      m_pid = at;
    } else if (m_processes && (column.printed == "type" || column.printed == "command")) {
      column.known = true;  // words
    } else if (const Field* const field = m_processes ? findProcessColumn(column.printed) : findMonitorColumn(column.printed)) {
      column.known = true;
      column.metric = field->metric;
      column.unit = findUnit(field->unit);
    } else {
      column.metric = metricNameOf("dmon_" + column.printed, "");
    }
    m_columns.push_back(std::move(column));
  }
}

void SmiMonitor::units(std::string_view line) {
  const auto names = words(line.substr(1));
  if (names.size() != m_columns.size()) return;
  for (std::size_t i = 0; i < names.size(); ++i) {
    Column& column = m_columns[i];
    if (column.known || column.metric.empty()) continue;
    column.unit = findUnit(names[i]);
    if (column.unit != nullptr) column.metric = metricNameOf("dmon_" + column.printed, column.unit->suffix);
  }
}

bool SmiMonitor::row(std::string_view line) {
  auto cells = words(line);
  if (cells.empty() || cells.front().front() < '0' || cells.front().front() > '9') return false;
  std::string labels;
  if (m_processes) {
    // The command is the last column, and the only one that can contain spaces.
    if (cells.size() > m_columns.size() && m_columns.back().printed == "command") {
      cells[m_columns.size() - 1] = trimmed(line.substr(static_cast<std::size_t>(cells[m_columns.size() - 1].data() - line.data())));
      cells.resize(m_columns.size());
    }
    const std::string_view pid = static_cast<std::size_t>(m_pid) < cells.size() ? cells[static_cast<std::size_t>(m_pid)] : "-";
    if (pid == "-") return true;  // no process on this GPU
    nlohmann::json pairs = {{"pid", displayName(pid)}};
    if (cells.size() == m_columns.size() && m_columns.back().printed == "command") pairs["name"] = displayName(cells.back());
    labels = pairs.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  if (cells.size() != m_columns.size()) {
    m_sink.note("nvidia_smi.ragged_row", std::to_string(cells.size()) + " fields, not " + std::to_string(m_columns.size()));
    return true;
  }
  std::optional<TimeNs> time;
  if (m_date >= 0 && m_time >= 0)
    time = m_sink.time(std::string(cells[static_cast<std::size_t>(m_date)]) + " " + std::string(cells[static_cast<std::size_t>(m_time)]));
  if (!time) {
    m_sink.note("nvidia_smi.no_time", m_processes ? "pmon: run it with -o DT" : "dmon: run it with -o DT");
    return true;
  }
  std::int32_t index = 0;
  const std::string_view gpu = cells[static_cast<std::size_t>(m_gpu)];
  if (std::from_chars(gpu.data(), gpu.data() + gpu.size(), index).ec != std::errc() || index < 0) {
    m_sink.note("nvidia_smi.no_device", gpu);
    return true;
  }
  if (!m_sink.recording) return true;
  const DeviceId device = m_sink.series.device({.index = index});
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Column& column = m_columns[i];
    if (column.metric.empty()) continue;
    const Quantity quantity = parseQuantity(cells[i], column.unit);
    if (quantity.absence)
      m_sink.absent(*quantity.absence, column.printed);
    else if (!quantity.value)
      m_sink.unreadable(column.printed);
    else
      m_sink.put(device, column.metric, labels, *time, quantity);
  }
  return true;
}

}  // namespace runglass::nvidia_smi
