// SPDX-License-Identifier: Apache-2.0
// TraceRanks: the ranks in a trace and their positions in the parallel layout, collected event by event.
//
// Threading:  one thread.
// Units:      ranks and coordinates from 0.
// Errors:     a rank with two different positions keeps the first one; disagreements() counts the others.
// Cost:       a hash look-up per note(), none for a repetition of the previous one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "model/recorder.h"

namespace runglass {

// Absent if not recorded.
struct Coordinates {
  std::optional<std::int32_t> tp, pp, dp, cp, ep;
  friend bool operator==(const Coordinates&, const Coordinates&) = default;
};

class TraceRanks {
 public:
  void note(std::int32_t rank, const Coordinates& at);
  // Declares all ranks; cp is computed from `layout` if a trace has only the others.
  void declare(Recorder& out, AttemptId attempt, const Layout& layout) const;
  std::int64_t disagreements() const { return m_disagreements; }
  // Number of ranks without a position in the layout, according to the known sizes.
  std::int64_t outside(const Layout& layout) const;

 private:
  std::map<std::int32_t, Coordinates> m_ranks;
  std::optional<std::int32_t> m_newest;
  Coordinates m_newest_said;
  std::int64_t m_disagreements = 0;
};

// The cp coordinate, from rank = ((pp * dp_size + dp) * cp_size + cp) * tp_size + tp, the rank order of ByteDance's jobs and Megatron-LM;
// absent if a size or coordinate is missing or the numbers do not fit together.
std::optional<std::int32_t> contextRank(std::int32_t rank, const Coordinates& at, const Layout& layout);

}  // namespace runglass
