// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/top_frame.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "analysis/views/fleet.h"
#include "app/cli/plain_text.h"
#include "app/cli/run_choice.h"
#include "collectors/hub/alerts/alert_message.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass::ctl {
namespace {

// The series that can fill a column, the best first.
struct Source {
  TopColumn column;
  const char* metric;
};
constexpr Source kDeviceSources[] = {{TopColumn::kBusy, "sm_active_ratio"}, {TopColumn::kBusy, "gpu_busy_ratio"},
                                     {TopColumn::kPower, "power_watts"},    {TopColumn::kTemperature, "temperature_celsius"},
                                     {TopColumn::kClock, "sm_clock_hertz"}, {TopColumn::kMemory, "gpu_memory_used_bytes"}};

class TopReading {
 public:
  TopReading(Reader& reader, TimeNs now) : m_reader(reader), m_now(now) {}

  Result<TopData> read(const std::string& wanted) {
    const Result<Run> run = wantedRun(m_reader, {}, wanted);
    if (run.ok()) {
      RG_ASSIGN(m_data.summary, readRunSummary(m_reader, *run, {}));
    } else if (run.status().code() != Code::kNotFound || !wanted.empty()) {
      return run.status();
    }
    RG_ASSIGN(m_fleet, readFleet(m_reader, run.ok() ? run->id : RunId(), m_now));
    addRows();
    RG_TRY(addProgress());
    for (const Source& source : kDeviceSources) RG_TRY(fillDevices(source));
    RG_TRY(fillStepTimes());
    std::ranges::stable_sort(m_data.rows, {}, [](const TopRow& row) { return std::tie(row.node, row.device, row.rank); });
    return std::move(m_data);
  }

 private:
  static std::size_t at(TopColumn column) { return static_cast<std::size_t>(column); }

  // A row for each rank with its GPU; for a run without named ranks, or without a run, one for each GPU.
  void addRows() {
    std::map<NodeId, std::string> names;
    for (const Node& node : m_fleet.nodes) names[node.id] = node.name;
    std::map<DeviceId, const Device*> devices;
    for (const Device& device : m_fleet.devices) devices[device.id] = &device;
    const auto add = [&](const Device* device, NodeId node, std::optional<std::int32_t> rank) {
      const Place place{.node = device != nullptr ? device->node : node, .device = device != nullptr ? device->id : DeviceId()};
      m_places.push_back(place);
      const std::string name = device == nullptr ? "-" : device->kind + (device->index ? std::to_string(*device->index) : "?");
      m_data.rows.push_back({.node = names[place.node], .device = name, .what = "", .rank = rank});
    };
    for (const Rank& rank : m_fleet.ranks) {
      m_by_rank[rank.rank] = m_data.rows.size();
      const auto device = devices.find(rank.device);
      add(device == devices.end() ? nullptr : device->second, rank.node, rank.rank);
    }
    if (m_fleet.ranks.empty())
      for (const Device& device : m_fleet.devices) add(&device, device.node, {});
  }

  Status addProgress() {
    if (!m_data.summary) return {};
    RG_ASSIGN(const std::vector<Progress> progress, m_reader.progress(m_data.summary->run.id));
    for (const Progress& one : progress) {
      const auto row = m_by_rank.find(one.rank);
      if (row == m_by_rank.end()) continue;
      if (one.step) m_data.rows[row->second].value[at(TopColumn::kStep)] = static_cast<double>(*one.step);
      const RunState state = m_data.summary->run.state;
      if (state != RunState::kRunning && state != RunState::kStalled) continue;  // the last known operation may have ended
      const std::string what = one.op.empty() ? one.phase : one.op;
      m_data.rows[row->second].what = what + (one.since && m_now > *one.since ? " " + durationText(m_now - *one.since) : "");
    }
    return {};
  }

  struct Shown {
    const Series* series;
    std::size_t row;
  };
  // The newest values that are recent enough.
  template <class Take>
  Status newest(const std::vector<Shown>& shown, Take take) {
    std::vector<SeriesId> ids;
    for (const Shown& one : shown) ids.push_back(one.series->id);
    RG_ASSIGN(const std::vector<LatestSample> samples, m_reader.latest(ids));
    std::map<SeriesId, const LatestSample*> by_id;
    for (const LatestSample& sample : samples) by_id[sample.series] = &sample;
    for (const Shown& one : shown) {
      const auto sample = by_id.find(one.series->id);
      if (sample == by_id.end()) continue;
      const std::optional<TimeNs> time =
          one.series->key.kind == SeriesKind::kScalar ? sample->second->time : std::optional(sample->second->x);
      if (!time || m_now - *time <= kTopFresh) take(m_data.rows[one.row], *sample->second);
    }
    return {};
  }

  Status fillDevices(const Source& source) {
    std::vector<Shown> shown;
    for (std::size_t i = 0; i < m_places.size(); ++i)
      if (m_places[i].device)
        for (const Series* series : m_fleet.find(m_places[i].node, m_places[i].device, source.metric)) shown.push_back({series, i});
    return newest(shown, [&](TopRow& row, const LatestSample& sample) {
      auto& value = row.value[at(source.column)];
      if (!value) value = sample.value;
    });
  }

  Status fillStepTimes() {
    std::vector<Shown> shown;
    for (const auto& [rank, row] : m_by_rank)
      if (const Series* series = m_fleet.stepTime(rank)) shown.push_back({series, row});
    return newest(shown, [&](TopRow& row, const LatestSample& sample) {
      row.value[at(TopColumn::kStepTime)] = sample.value;
      auto& step = row.value[at(TopColumn::kStep)];
      if (!step || *step < static_cast<double>(sample.x)) step = static_cast<double>(sample.x);
    });
  }

  Reader& m_reader;
  const TimeNs m_now;
  TopData m_data;
  Fleet m_fleet;
  struct Place {
    NodeId node;
    DeviceId device;  // 0: none
  };
  std::vector<Place> m_places;  // by row
  std::map<std::int32_t, std::size_t> m_by_rank;
};

std::string cellText(TopColumn column, const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return "-";
  switch (column) {
    case TopColumn::kBusy:
      return percentText(*value, 0);
    case TopColumn::kPower:
      return valueText(*value, "watts");
    case TopColumn::kTemperature:
      return valueText(*value, "celsius");
    case TopColumn::kClock:
      return valueText(*value, "hertz");
    case TopColumn::kMemory:
      return bytesText(*value);
    case TopColumn::kStep:
      return countText(static_cast<std::int64_t>(*value));
    case TopColumn::kStepTime:
      return valueText(*value, "ns");
  }
  return "-";
}

std::string padded(const std::string& text, int width) {
  std::string cell = fitted(text, static_cast<std::size_t>(std::abs(width)));
  // A terminal shows a character of several bytes, as the degree sign, in one column.
  const auto shown = std::ranges::count_if(cell, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80; });
  cell.insert(width < 0 ? cell.size() : 0, static_cast<std::size_t>(std::max<std::ptrdiff_t>(std::abs(width) - shown, 0)), ' ');
  return cell;
}

std::string rowText(const TopRow& row) {
  std::string text = padded(row.node, -18) + ' ' + padded(row.device, -6) + ' ' + padded(row.rank ? std::to_string(*row.rank) : "-", 6);
  static constexpr int kWidths[] = {6, 7, 6, 10, 10, 10, 10};
  for (std::size_t i = 0; i < kTopColumns; ++i) text += ' ' + padded(cellText(static_cast<TopColumn>(i), row.value[i]), kWidths[i]);
  return text + "  " + row.what;
}

std::string headText(TopSort sort) {
  const auto mark = [sort](const char* name, TopSort by) { return (sort == by ? std::string("*") : std::string()) + name; };
  return padded(mark("node", TopSort::kPlace), -18) + ' ' + padded("gpu", -6) + ' ' + padded("rank", 6) + ' ' +
         padded(mark("busy", TopSort::kBusy), 6) + ' ' + padded(mark("power", TopSort::kPower), 7) + ' ' +
         padded(mark("temp", TopSort::kTemperature), 6) + ' ' + padded("clock", 10) + ' ' + padded("memory", 10) + ' ' +
         padded("step", 10) + ' ' + padded(mark("step time", TopSort::kStepTime), 10) + "  doing";
}

std::string summaryText(const TopData& data, TimeNs now) {
  if (!data.summary) return "no run yet";
  const RunSummary& s = *data.summary;
  std::string text = fitted(s.run.name, 40) + ": " + stateWord(s, now).word;
  if (s.last_step) text += ", step " + countText(*s.last_step);
  if (s.throughput.tokens_per_s) text += ", " + shortCountText(*s.throughput.tokens_per_s) + " tokens/s";
  if (s.nodes_total > 0) text += ", " + std::to_string(s.nodes_heard) + " of " + std::to_string(s.nodes_total) + " nodes";
  if (s.last_data) text += ", data " + durationText(now - *s.last_data) + " old";
  return text;
}

}  // namespace

Result<TopData> readTop(Reader& reader, const std::string& run, TimeNs now) { return TopReading(reader, now).read(run); }

std::vector<std::string> topLines(TopData data, const TopView& view, TimeNs now) {
  // Unknown values come last in every order.
  const auto by = [&](TopColumn column, double sign) {
    std::ranges::stable_sort(data.rows, {}, [&](const TopRow& row) {
      const auto& value = row.value[static_cast<std::size_t>(column)];
      return value && std::isfinite(*value) ? sign * *value : std::numeric_limits<double>::infinity();
    });
  };
  if (view.sort == TopSort::kBusy) by(TopColumn::kBusy, 1);  // idle ones first
  if (view.sort == TopSort::kPower) by(TopColumn::kPower, 1);
  if (view.sort == TopSort::kTemperature) by(TopColumn::kTemperature, -1);
  if (view.sort == TopSort::kStepTime) by(TopColumn::kStepTime, -1);
  std::vector<std::string> lines = {(data.copy_age.empty() ? "" : data.copy_age + "; ") + summaryText(data, now), headText(view.sort)};
  constexpr std::size_t kFrameLines = 3;
  const std::size_t room = view.height > kFrameLines ? view.height - kFrameLines : 1;
  const std::size_t first = std::min(view.first, data.rows.size() - std::min(data.rows.size(), room));
  const std::size_t last = std::min(data.rows.size(), first + room);
  for (std::size_t i = first; i < last; ++i) lines.push_back(rowText(data.rows[i]));
  lines.push_back(std::to_string(data.rows.empty() ? 0 : first + 1) + " to " + std::to_string(last) + " of " +
                  std::to_string(data.rows.size()) + "   sort: n(ode) b(usy) p(ower) t(emp) s(tep time)   move: j k space   q(uit)");
  for (std::string& one : lines) one = fitted(one, view.width);
  if (lines.size() > view.height) lines.resize(std::max<std::size_t>(view.height, 1));
  return lines;
}

}  // namespace runglass::ctl
