// SPDX-License-Identifier: Apache-2.0
// Compares a store with a Fleet's data: every series complete, in order, value by value.
#include <limits>
#include <map>

#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/soak/fleet_values.h"
#include "tests/soak/row.h"
#include "tests/soak/soak_fleet.h"

namespace runglass::soak {

std::string Fleet::Comparison::text() const {
  if (exact()) return soak::text("%.2f M points acknowledged and stored, none lost or doubled", static_cast<double>(stored) / 1e6);
  return soak::text("%lld points acknowledged, %lld stored, %lld series differ (%s), %llu batches dropped by agents",
                    static_cast<long long>(recorded), static_cast<long long>(stored), static_cast<long long>(wrong_series),
                    first_wrong.c_str(), static_cast<unsigned long long>(dropped_batches));
}

Fleet::Comparison Fleet::compare(const std::string& store) const {
  Comparison out{.recorded = recorded(), .dropped_batches = droppedBatches()};
  auto reader = openStore(store).reader();
  if (!reader.ok()) {
    out.differ(reader.status().message());
    return out;
  }
  compareSamples(**reader, out);
  if (m_plan.training) compareTraining(**reader, out);
  return out;
}

void Fleet::compareSamples(Reader& reader, Comparison& out) const {
  std::map<std::pair<std::int64_t, std::string>, SeriesId> stored;
  std::map<std::string, DeviceId> devices;
  const auto all_devices = reader.devices();
  const auto all_series = reader.series({});
  if (!all_devices.ok() || !all_series.ok()) return out.differ("devices or series cannot be read");
  for (const Device& device : *all_devices) devices[device.uuid] = device.id;
  for (const Series& series : *all_series)
    if (series.key.device) stored[{series.key.device.value, series.key.metric}] = series.id;
  for (std::size_t i = 0; i < m_members.size(); ++i) {
    const Member& member = *m_members[i];
    for (std::size_t s = 0; s < member.samples.size(); ++s) {
      const std::size_t gpu = s / static_cast<std::size_t>(m_plan.metrics), m = s % static_cast<std::size_t>(m_plan.metrics);
      const std::string device = deviceUuid(m_plan.name, static_cast<int>(i), static_cast<int>(gpu));
      const auto found = stored.find({devices[device].value, metricName(static_cast<int>(m))});
      if (found == stored.end()) {
        if (member.polls > 0) out.differ(device + " has no " + metricName(static_cast<int>(m)));
        continue;
      }
      const auto samples = reader.samples(found->second, {});
      if (!samples.ok()) {
        out.differ(samples.status().message());
        continue;
      }
      out.stored += static_cast<std::int64_t>(samples->size());
      bool same = static_cast<std::int64_t>(samples->size()) == member.polls;
      for (std::size_t k = 0; same && k < samples->size(); ++k)
        same = samples->value[k] == valueOf(s, static_cast<std::int64_t>(k)) && (k == 0 || samples->time[k] > samples->time[k - 1]);
      if (!same)
        out.differ(text("%s %s: %zu of %lld", device.c_str(), metricName(static_cast<int>(m)).c_str(), samples->size(),
                        static_cast<long long>(member.polls)));
    }
  }
}

void Fleet::compareTraining(Reader& reader, Comparison& out) const {
  std::map<std::pair<std::int32_t, std::string>, SeriesId> stored;
  const auto runs = reader.runs();
  const auto all_series = reader.series({.kind = SeriesKind::kScalar});
  if (!runs.ok() || runs->empty() || !all_series.ok()) return out.differ("the run or its series cannot be read");
  for (const Series& series : *all_series)
    if (series.key.rank) stored[{*series.key.rank, series.key.metric + series.key.labels}] = series.id;
  const auto progress = reader.progress(runs->front().id);
  std::map<std::int32_t, std::int64_t> last;
  if (progress.ok())
    for (const Progress& one : *progress) last[one.rank] = one.step.value_or(-1);
  for (std::size_t i = 0; i < m_members.size(); ++i) {
    const Member& member = *m_members[i];
    for (int gpu = 0; gpu < m_plan.gpus; ++gpu) {
      const std::int32_t rank = static_cast<std::int32_t>(i) * m_plan.gpus + gpu;
      if (member.polls > 0 && last[rank] != member.polls)
        out.differ(
            text("progress of rank %d: %lld of %lld", rank, static_cast<long long>(last[rank]), static_cast<long long>(member.polls)));
      for (const auto& [metric, labels] : scalarNames()) {
        const auto found = stored.find({rank, metric + labels});
        if (found == stored.end()) {
          if (member.steps > 0) out.differ(text("rank %d has no %s", rank, metric.c_str()));
          continue;
        }
        const auto scalars = reader.scalars(found->second, 0, std::numeric_limits<std::int64_t>::max());
        const std::int64_t count = scalars.ok() ? static_cast<std::int64_t>(scalars->size()) : -1;
        out.stored += std::max<std::int64_t>(0, count);
        bool same = count == member.steps;
        for (std::int64_t k = 0; same && k < count; ++k) same = scalars->step[static_cast<std::size_t>(k)] == k + 1;
        if (!same)
          out.differ(
              text("rank %d %s: %lld of %lld", rank, metric.c_str(), static_cast<long long>(count), static_cast<long long>(member.steps)));
      }
    }
  }
}

Fleet::Watcher::Watcher(const std::string& store) {
  auto reader = openStore(store).reader();
  RG_CHECK(reader.ok());
  m_reader = std::move(reader).value();
  const auto series = m_reader->series({.metric = "power_watts"});
  RG_CHECK(series.ok());
  const std::size_t every = std::max<std::size_t>(1, series->size() / 16);
  for (std::size_t i = 0; i < series->size(); i += every) m_series.push_back((*series)[i].id);
}

Fleet::Watcher::~Watcher() = default;

// Of the series with the largest lag: a picture is as old as its oldest part.
std::optional<double> Fleet::Watcher::age() {
  const auto latest = m_reader->latest(m_series);
  if (!latest.ok() || latest->size() < m_series.size()) return std::nullopt;
  TimeNs oldest = std::numeric_limits<TimeNs>::max();
  for (const LatestSample& one : *latest) oldest = std::min(oldest, one.time.value_or(0));
  return static_cast<double>(wallNow() - oldest) / 1e9;
}

}  // namespace runglass::soak
