// SPDX-License-Identifier: Apache-2.0
// TraceRanks: the ranks that a trace speaks of and where each sits in the parallel layout, as event after event says it.
//
// Threading:  one thread.
// Ownership:  values.
// Units:      ranks and coordinates from 0.
// Errors:     a rank that is told to be in two places keeps the first one; disagreements() counts the others.
// Cost:       a hash look-up per note(), none while the rank stays the same and says nothing new.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/recorder.h"

namespace runglass {

// Absent where nobody says it.
struct Coordinates {
  std::optional<std::int32_t> tp, pp, dp, cp, ep;
  friend bool operator==(const Coordinates&, const Coordinates&) = default;
};

class TraceRanks {
 public:
  void note(std::int32_t rank, const Coordinates& at);
  // Declares all ranks, cp computed from `layout` where a trace says the others only.
  void declare(Recorder& out, AttemptId attempt, const Layout& layout) const;
  std::int64_t disagreements() const { return m_disagreements; }
  // Ranks that have no place in the layout, by its sizes as far as they are known.
  std::int64_t outside(const Layout& layout) const;

 private:
  std::map<std::int32_t, Coordinates> m_ranks;
  std::optional<std::int32_t> m_newest;
  Coordinates m_newest_said;
  std::int64_t m_disagreements = 0;
};

// Of rank = ((pp * dp_size + dp) * cp_size + cp) * tp_size + tp, the order in which ByteDance's jobs and Megatron-LM number ranks; absent
// where a size or coordinate is missing or the numbers do not fit together.
std::optional<std::int32_t> contextRank(std::int32_t rank, const Coordinates& at, const Layout& layout);

}  // namespace runglass
