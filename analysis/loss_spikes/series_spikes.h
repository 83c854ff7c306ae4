// SPDX-License-Identifier: Apache-2.0
// Spikes of a stored loss: reads every point once, continues where it stopped when the series has grown, and caches the result.
//
// Threading:  one cache may serve several threads, each with its own Reader; two simultaneous requests for a series compute it twice.
// Ownership:  answers are shared and immutable; the cache holds the newest of each series.
// Units:      steps; times are ns since the epoch as the Reader corrects them.
// Errors:     the Reader's; CANCELLED when `stop` fires, which leaves the cache as it was.
// Cost:       O(new points); a hash lookup without new points. 3 KiB per series, 256 Ki points (6 MiB) held while reading.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "analysis/loss_spikes/loss_spikes.h"
#include "model/mutex.h"
#include "model/time.h"
#include "storage/reader.h"

namespace runglass {

struct SeriesSpike {
  LossSpike spike;
  std::optional<TimeNs> peak_time;  // absent: the series has no clock
};
using SharedSpikes = std::shared_ptr<const std::vector<SeriesSpike>>;

// A series that changed other than by new steps at its end is read again from its start, at most once in this time.
inline constexpr DurNs kSpikeReread = 2 * kNsPerSecond;

// Only scalar series; the caller chooses those that are losses. Among points with equal steps the newest counts.
class SpikeCache {
 public:
  explicit SpikeCache(SpikeLimits limits = kLossLimits) : m_limits(limits) {}
  // `series` as returned by the Reader; points from step `superseded_from` on are left out (model/superseded.h). `now`: any steady clock.
  Result<SharedSpikes> spikes(Reader& reader, const Series& series, std::optional<std::int64_t> superseded_from, TimeNs now,
                              const std::stop_token& stop);
  Result<SharedSpikes> spikes(Reader& reader, const Series& series, std::optional<std::int64_t> superseded_from,
                              const std::stop_token& stop);

 private:
  struct Entry {
    std::int64_t sample_count = 0, last_x = 0;
    std::optional<std::int64_t> superseded_from;
    LossSpikeDetector detector;
    std::int64_t read = 0;  // points, including repeated steps
    TimeNs reread = 0;      // when it was last read from its start
    SharedSpikes spikes;
  };
  static Status readOn(Reader& reader, const Series& series, std::int64_t from, Entry& entry, const std::stop_token& stop);

  const SpikeLimits m_limits;
  Mutex m_mutex;
  std::unordered_map<SeriesId, std::shared_ptr<const Entry>> m_entries RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
