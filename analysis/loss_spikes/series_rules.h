// SPDX-License-Identifier: Apache-2.0
// The published rules applied to a stored loss: read once for all of them, and cached.
//
// Threading:  one cache may serve several threads, each with its own Reader; two simultaneous requests for a series compute it twice.
// Ownership:  answers are shared and immutable; the cache holds the newest of each series.
// Units:      as RuleHits; times are ns since the epoch as the Reader corrects them.
// Errors:     the Reader's; CANCELLED when `stop` fires, which leaves the cache as it was.
// Cost:       O(points) for all rules together (0.2 microseconds per point) and 24 bytes per point in the meantime; a growing series is
//             judged again at most every kRulesAgain.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "analysis/loss_spikes/published_rules.h"
#include "model/mutex.h"
#include "model/time.h"
#include "storage/reader.h"

namespace runglass {

struct SeriesRules {
  std::array<RuleHits, 6> hits;               // in the order of publishedRules()
  std::array<std::vector<TimeNs>, 6> times;   // of the hits; empty: the series has no clock
  std::array<std::vector<double>, 6> values;  // of the hits
};
using SharedRules = std::shared_ptr<const SeriesRules>;

inline constexpr DurNs kRulesAgain = 5 * kNsPerSecond;

class RulesCache {
 public:
  // `series` as returned by the Reader; points from step `superseded_from` on are left out. `now`: any steady clock.
  Result<SharedRules> rules(Reader& reader, const Series& series, std::optional<std::int64_t> superseded_from, TimeNs now,
                            const std::stop_token& stop);

 private:
  struct Entry {
    std::int64_t sample_count = 0;
    std::optional<std::int64_t> superseded_from;
    TimeNs judged = 0;
    SharedRules rules;
  };
  Mutex m_mutex;
  std::unordered_map<SeriesId, Entry> m_entries RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
