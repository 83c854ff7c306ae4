// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/csv/csv_table.h"

#include <re2/re2.h>
#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "collectors/importers/input/run_name.h"
#include "collectors/text/wall_time.h"

namespace runglass {
namespace {

constexpr std::int64_t kMaxEvents = 1'000'000, kMaxPhases = 10'000;

int columnOf(const std::vector<std::string>& names, const std::string& name) {
  const auto it = name.empty() ? names.end() : std::ranges::find(names, name);
  return it == names.end() ? -1 : static_cast<int>(it - names.begin());
}

DurNs unitOf(CsvLayout::TimeFormat format) {
  switch (format) {
    case CsvLayout::TimeFormat::kMilliseconds:
      return kNsPerMs;
    case CsvLayout::TimeFormat::kMicroseconds:
      return kNsPerUs;
    case CsvLayout::TimeFormat::kNanoseconds:
      return 1;
    default:
      return kNsPerSecond;
  }
}

}  // namespace

bool CsvTable::fits(const CsvLayout& layout, const Record& header) {
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(header, [&](std::string_view cell) { return trimmed(cell) == name; });
  };
  return (layout.time.empty() || has(layout.time)) && std::ranges::all_of(layout.require, has);
}

void CsvTable::header(const Record& header) {
  m_width = header.size();
  for (const std::string_view cell : header) m_names.emplace_back(trimmed(cell));
  m_time = columnOf(m_names, m_layout.time), m_index = columnOf(m_names, m_layout.index), m_uuid = columnOf(m_names, m_layout.uuid);
  m_model = columnOf(m_names, m_layout.model), m_phase = columnOf(m_names, m_layout.phase);
  m_host = m_layout.host.empty() ? hostColumn() : columnOf(m_names, m_layout.host);
  for (const std::string& label : m_layout.labels) {
    if (const int at = columnOf(m_names, label); at >= 0)
      m_labels.emplace_back(displayName(label), static_cast<std::size_t>(at));
    else
      note("csv.missing_column", label);
  }
  for (const CsvColumn& column : m_layout.columns) {
    const std::string_view suffix = column.unit != nullptr ? column.unit->suffix : std::string_view();
    bool found = false;
    const RE2 regex(column.match.empty() ? "^$" : column.match, RE2::Quiet);
    for (std::size_t i = 0; i < m_names.size(); ++i) {
      std::string index;
      const bool fits = column.match.empty()                  ? m_names[i] == column.name
                        : regex.NumberOfCapturingGroups() > 0 ? RE2::FullMatch(m_names[i], regex, &index)
                                                              : RE2::FullMatch(m_names[i], regex);
      if (!fits) continue;
      Column used{.at = i,
                  .metric = column.metric.empty() ? metricNameOf(m_names[i], suffix) : column.metric,
                  .what = &column,
                  .device_index = {},
                  .device = {}};
      std::int32_t number = 0;
      if (!column.device_kind.empty() && std::from_chars(index.data(), index.data() + index.size(), number).ec == std::errc())
        used.device_index = number;
      m_columns.push_back(std::move(used));
      found = true;
      if (column.match.empty()) break;  // of two columns with the same name the first counts
    }
    if (!found) note("csv.missing_column", column.name + column.match);
  }
}

// Without a column in the layout: one with a usual name and no other meaning.
int CsvTable::hostColumn() const {
  constexpr std::array<std::string_view, 6> kNames = {"hostname", "host", "host_name", "node", "nodename", "node_name"};
  for (std::size_t i = 0; i < m_names.size(); ++i)
    if (std::ranges::find(kNames, std::string_view(lowered(m_names[i]))) != kNames.end() &&
        std::ranges::find(m_layout.labels, m_names[i]) == m_layout.labels.end() &&
        std::ranges::find(m_layout.columns, m_names[i], &CsvColumn::name) == m_layout.columns.end())
      return static_cast<int>(i);
  return -1;
}

void CsvTable::toHostOf(const Record& record) {
  const std::string_view host = cell(record, m_host);
  if (m_host < 0 || host == m_host_now) return;
  m_host_now = host;
  m_series.onHost(host);
  for (Column& column : m_columns) column.device = {};  // the cached devices belong to the previous host
}

std::string_view CsvTable::cell(const Record& record, int column) const {
  return column < 0 ? std::string_view() : trimmed(record[static_cast<std::size_t>(column)]);
}

std::optional<TimeNs> CsvTable::timeOf(std::string_view text) {
  if (m_layout.time_format != CsvLayout::TimeFormat::kWall) return parseEpoch(text, unitOf(m_layout.time_format));
  const auto wall = parseWallTime(text);
  if (!wall) return std::nullopt;
  if (wall->zoned) return wall->time;
  if (!m_layout.has_zone && !m_notes.contains("csv.no_time_zone")) note("csv.no_time_zone", std::string(text));
  return wall->time - m_layout.zone_minutes * 60 * kNsPerSecond;
}

DeviceId CsvTable::deviceOf(const Record& record) {
  DeviceName name{.kind = m_layout.device_kind, .uuid = cell(record, m_uuid), .index = {}, .bus_id = {}, .model = cell(record, m_model)};
  const std::string_view digits = cell(record, m_index);
  std::int32_t index = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), index);
  if (parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size() && index >= 0) name.index = index;
  return name.index || !name.uuid.empty() ? m_series.device(name) : DeviceId{};
}

std::string CsvTable::labelsOf(const Record& record) const {
  if (m_labels.empty()) return {};
  nlohmann::json pairs;
  for (const auto& [name, at] : m_labels) pairs[name] = displayName(trimmed(record[at]));
  return pairs.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void CsvTable::events(const Record& record) {
  for (const CsvEvent& event : m_layout.events) {
    const std::string_view text = cell(record, columnOf(m_names, event.time));
    if (absenceOf(text)) {
      note("csv.absent", event.time);
      continue;
    }
    const auto time = timeOf(text);
    if (!time) {
      note("csv.no_time", displayName(text));
      continue;
    }
    if (++m_events > kMaxEvents) return note("csv.too_many", "events");
    m_newest_event = std::max(m_newest_event.value_or(*time), *time);
    m_out.event({.time = time,
                 .attempt = m_series.attempt(),
                 .node = m_series.node(),
                 .kind = event.kind,
                 .code = displayName(cell(record, columnOf(m_names, event.code))),
                 .message = displayName(cell(record, columnOf(m_names, event.message)))});
  }
}

void CsvTable::phase(const Record& record, TimeNs time, bool recorded) {
  const std::string_view now = cell(record, m_phase);
  std::string& before = m_phase_now[m_host_now];
  if (m_phase < 0 || now == before || now.size() > 256) return;
  before = now;
  if (recorded || now.empty()) return;
  if (++m_events > kMaxPhases) return note("csv.too_many", "phases");
  m_out.event({.time = time, .attempt = m_series.attempt(), .node = m_series.node(), .kind = "phase", .message = displayName(now)});
}

void CsvTable::record(const Record& record, bool recorded) {
  if (record.size() != m_width) {
    if (!recorded) note("csv.ragged_row", std::to_string(record.size()) + " fields, not " + std::to_string(m_width));
    return;
  }
  toHostOf(record);
  if (!m_layout.events.empty() && !recorded) events(record);
  if (m_columns.empty()) return;
  const auto time = timeOf(cell(record, m_time));
  if (!time) {
    if (!recorded) note("csv.no_time", displayName(cell(record, m_time)));
    return;
  }
  phase(record, *time, recorded);
  if (recorded) return;
  const DeviceId of_row = deviceOf(record);
  if ((m_index >= 0 || m_uuid >= 0) && !of_row) return note("csv.no_device", displayName(cell(record, m_index)));
  const std::string labels = labelsOf(record);
  for (Column& column : m_columns) {
    const std::string_view text = trimmed(record[column.at]);
    const Quantity quantity = parseQuantity(text, column.what->unit);
    if (quantity.absence) {
      note("csv.absent", m_names[column.at]);
    } else if (!quantity.value) {
      note("csv.unreadable_value", m_names[column.at] + ": " + displayName(text));
    } else {
      if (column.device_index && !column.device)
        column.device = m_series.device({.kind = column.what->device_kind, .index = column.device_index});
      m_series.put(column.device_index ? column.device : of_row, column.metric, labels, *time, *quantity.value, column.what->counter);
    }
  }
}

void CsvTable::note(const std::string& code, const std::string& detail, std::int64_t count) {
  auto& [counted, first] = m_notes[code];
  counted += count;
  if (first.empty()) first = displayName(detail);
}

void CsvTable::tell() {
  if (m_series.leftOut() > 0) note("csv.too_many", "series", m_series.leftOut());
  for (const auto& [code, noted] : m_notes)
    m_out.issue({.code = code, .source = m_target.path, .count = noted.first, .detail = noted.second});
  m_notes.clear();
}

}  // namespace runglass
