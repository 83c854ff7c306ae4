// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/nvidia_smi/smi_table.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "collectors/importers/input/run_name.h"

namespace runglass::nvidia_smi {
namespace {

constexpr std::size_t kMaxColumns = 1'024;

// nvidia-smi never quotes.
void split(std::string_view line, std::vector<std::string_view>& cells) {
  cells.clear();
  while (cells.size() < kMaxColumns) {
    const std::size_t comma = line.find(',');
    cells.push_back(trimmed(line.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

bool isColumnName(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
  });
}

}  // namespace

bool SmiTable::isHeader(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  if (line.empty() || line.front() < 'A' || line.find(',') == std::string_view::npos) return false;
  std::vector<std::string_view> cells;
  split(line, cells);
  bool known = false, owner = false;
  for (const std::string_view cell : cells) {
    const std::string_view name = splitHeader(cell).name;
    if (!isColumnName(name)) return false;
    const std::string low = lowered(name);
    known = known || findColumn(low) != nullptr;
    owner = owner || low == "gpu_uuid" || low == "gpu_bus_id";
  }
  return known || (owner && cells.size() > 2);
}

void SmiTable::header(std::string_view line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  split(line, m_cells);
  m_columns.clear();
  std::set<std::string> taken;
  for (const std::string_view cell : m_cells) {
    const HeaderName header = splitHeader(cell);
    Column column{.printed = lowered(header.name), .metric = {}, .unit = findUnit(header.unit)};
    if (const Field* const field = findColumn(column.printed)) {
      column.known = true;
      if (column.unit == nullptr) column.unit = findUnit(field->unit);
    }
    column.state = column.printed == "pstate";
    column.recovery = column.printed == "gpu_recovery_action";
    m_columns.push_back(std::move(column));
  }
  const auto at = [&](std::initializer_list<std::string_view> names) {
    const auto it = std::ranges::find_if(m_columns, [&](const Column& c) { return std::ranges::find(names, c.printed) != names.end(); });
    return it == m_columns.end() ? -1 : static_cast<int>(it - m_columns.begin());
  };
  m_time = at({"timestamp"}), m_index = at({"index", "gpu"}), m_uuid = at({"uuid", "gpu_uuid"});
  m_bus = at({"pci.bus_id", "gpu_bus_id", "gpu_bus"}), m_name = at({"name", "gpu_name"}), m_driver = at({"driver_version"});
  m_pid = at({"pid"}), m_process = at({"process_name"});
  for (Column& column : m_columns) {
    if (isIdentity(column.printed)) continue;
    const std::string suffix = column.unit != nullptr ? std::string(column.unit->suffix) : std::string();
    std::string own = column.state ? "performance_state" : metricNameOf(column.printed, suffix);
    const Field* const field = findColumn(column.printed);
    // power.limit is the requested limit, enforced.power.limit the effective one: the former is the limit only if the latter is not
    // printed.
    const bool second = column.printed == "power.limit" && at({"enforced.power.limit"}) >= 0;
    std::string metric = second ? "power_limit_requested_watts" : field != nullptr ? std::string(field->metric) : own;
    if (!taken.insert(metric).second) {
      if (!taken.insert(own).second) {
        m_sink.note("nvidia_smi.repeated_column", column.printed);
        continue;
      }
      metric = own;
    }
    column.metric = metric;
  }
}

std::string_view SmiTable::cell(int column) const {
  if (column < 0) return {};
  const std::string_view text = m_cells[static_cast<std::size_t>(column)];
  return absenceOf(text) ? std::string_view() : text;
}

void SmiTable::row(std::string_view line) {
  split(line, m_cells);
  if (m_cells.size() == 1 && m_cells.front().empty()) return;
  if (m_cells.size() != m_columns.size())
    return m_sink.note("nvidia_smi.ragged_row", std::to_string(m_cells.size()) + " fields, not " + std::to_string(m_columns.size()));
  const auto time = m_sink.time(cell(m_time));
  if (!time) return m_sink.note("nvidia_smi.no_time", m_time < 0 ? "no column timestamp" : m_cells[static_cast<std::size_t>(m_time)]);
  DeviceName name{.uuid = cell(m_uuid), .index = {}, .bus_id = cell(m_bus), .model = cell(m_name)};
  std::int32_t index = 0;
  const std::string_view digits = cell(m_index);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && index >= 0) name.index = index;
  if (!name.index && name.uuid.empty() && name.bus_id.empty()) m_sink.note("nvidia_smi.no_device", "neither index, uuid nor pci.bus_id");
  std::string labels;
  if (m_pid >= 0) {
    nlohmann::json pairs = {{"pid", displayName(cell(m_pid))}};
    if (m_process >= 0) pairs["name"] = displayName(cell(m_process));
    labels = pairs.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  if (!m_sink.recording) return;
  const DeviceId device = m_sink.series.device(name);
  if (m_driver >= 0) m_sink.series.fact("driver_version", cell(m_driver));
  nlohmann::json facts = nlohmann::json::object();
  for (std::size_t i = 0; i < m_columns.size(); ++i)
    if (const auto fact = gpuFact(m_columns[i].printed, m_cells[i]))
      std::visit([&](auto value) { facts[std::string(fact->key)] = value; }, fact->value);
  if (!facts.empty()) {
    if (m_driver >= 0) facts["driver"] = displayName(cell(m_driver));
    if (m_bus >= 0) facts["pci"] = displayName(cell(m_bus));
    m_sink.facts(device, *time, facts);
  }
  for (std::size_t i = 0; i < m_columns.size(); ++i)
    if (!m_columns[i].metric.empty()) value(m_columns[i], m_cells[i], device, labels, *time);
}

void SmiTable::value(const Column& column, std::string_view text, DeviceId device, std::string_view labels, TimeNs time) {
  Quantity quantity = parseQuantity(text, column.unit);
  if (column.recovery) {
    if (const auto action = recoveryAction(text)) quantity = {.value = action};
  } else if (column.state && text.size() > 1 && text.front() == 'P') {
    quantity = parseQuantity(text.substr(1));
  }
  if (quantity.absence) return m_sink.absent(*quantity.absence, column.printed);
  if (!quantity.value) return column.known ? m_sink.unreadable(column.printed) : m_sink.text(column.printed);
  // Without a unit in the header (with noheader, units are in the values) the value's unit determines the name.
  const bool unit_in_value = !column.known && column.unit == nullptr && quantity.unit != nullptr && !quantity.unit->suffix.empty();
  m_sink.put(device, unit_in_value ? metricNameOf(column.printed, quantity.unit->suffix) : column.metric, labels, time, quantity);
}

}  // namespace runglass::nvidia_smi
