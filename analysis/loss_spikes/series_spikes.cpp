// SPDX-License-Identifier: Apache-2.0
// Invariant: an entry's detector has received every point up to its last_x, or up to its superseded_from.
#include "analysis/loss_spikes/series_spikes.h"

#include <algorithm>
#include <chrono>

#include "model/series_extent.h"

namespace runglass {
namespace {

constexpr std::int64_t kSlicePoints = 1 << 18;
constexpr std::size_t kMaxSeriesEntries = 4'096;

// Exclusive end of the points that count.
std::int64_t endOf(const Series& series, std::optional<std::int64_t> superseded_from) {
  const std::int64_t end = endOf(series);
  return superseded_from ? std::min(end, *superseded_from) : end;
}

void pushAll(LossSpikeDetector& detector, const ScalarColumns& points) {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (i + 1 == points.size() || points.step[i + 1] != points.step[i]) detector.push(points.step[i], points.value[i]);
}

// Sets the times of the peaks within these points.
void addTimes(std::vector<SeriesSpike>& known, const std::vector<LossSpike>& spikes, const ScalarColumns& points) {
  known.resize(spikes.size());
  for (std::size_t i = 0; i < spikes.size(); ++i) {
    known[i].spike = spikes[i];
    if (points.time.empty() || spikes[i].peak_step < points.step.front() || spikes[i].peak_step > points.step.back()) continue;
    const auto after = std::ranges::upper_bound(points.step, spikes[i].peak_step);
    known[i].peak_time = points.time[static_cast<std::size_t>(after - points.step.begin()) - 1];
  }
}

}  // namespace

// In slices, so that a stop takes effect soon and two million points are never in memory at once.
Status SpikeCache::readOn(Reader& reader, const Series& series, std::int64_t from, Entry& entry, const std::stop_token& stop) {
  std::vector<SeriesSpike> known = entry.spikes ? *entry.spikes : std::vector<SeriesSpike>{};
  const std::int64_t end = endOf(series, entry.superseded_from);
  const std::int64_t slices = (series.sample_count - entry.read) / kSlicePoints + 1;
  const std::uint64_t width =
      end > from ? (static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(from)) / static_cast<std::uint64_t>(slices) + 1 : 1;
  while (from < end) {
    if (stop.stop_requested()) return {Code::kCancelled, "find loss spikes: superseded"};
    const std::uint64_t left = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(from);
    const std::int64_t to = left <= width ? end : from + static_cast<std::int64_t>(width);
    RG_ASSIGN(const ScalarColumns points, reader.scalars(series.id, from, to, stop));
    pushAll(entry.detector, points);
    entry.read += static_cast<std::int64_t>(points.size());
    if (points.size() > 0) addTimes(known, entry.detector.spikes(), points);
    from = to;
  }
  entry.spikes = std::make_shared<const std::vector<SeriesSpike>>(std::move(known));
  return {};
}

Result<SharedSpikes> SpikeCache::spikes(Reader& reader, const Series& series, std::optional<std::int64_t> superseded_from, TimeNs now,
                                        const std::stop_token& stop) {
  std::shared_ptr<const Entry> known;
  {
    const MutexLock lock(m_mutex);
    if (const auto found = m_entries.find(series.id); found != m_entries.end()) known = found->second;
  }
  if (known && known->sample_count == series.sample_count && known->last_x == series.last_x && known->superseded_from == superseded_from)
    return known->spikes;
  auto next = std::make_shared<Entry>();
  // All stored points were read, so that only the end can be new.
  bool grown = known && !superseded_from && !known->superseded_from && known->read == known->sample_count &&
               series.sample_count > known->sample_count && series.last_x > known->last_x;
  if (grown) {
    *next = *known;
    next->sample_count = series.sample_count;
    next->last_x = series.last_x;
    RG_TRY(readOn(reader, series, known->last_x + 1, *next, stop));
    grown = next->read == series.sample_count;  // else points were added before the end
  }
  if (!grown) {
    if (known && known->superseded_from == superseded_from && now - known->reread < kSpikeReread) return known->spikes;
    *next = {.sample_count = series.sample_count,
             .last_x = series.last_x,
             .superseded_from = superseded_from,
             .detector = LossSpikeDetector(m_limits),
             .reread = now};
    RG_TRY(readOn(reader, series, series.first_x, *next, stop));
  }
  const MutexLock lock(m_mutex);
  if (m_entries.size() >= kMaxSeriesEntries) m_entries.clear();
  SharedSpikes answer = next->spikes;
  m_entries[series.id] = std::move(next);
  return answer;
}

Result<SharedSpikes> SpikeCache::spikes(Reader& reader, const Series& series, std::optional<std::int64_t> superseded_from,
                                        const std::stop_token& stop) {
  return spikes(reader, series, superseded_from,
                std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(), stop);
}

}  // namespace runglass
