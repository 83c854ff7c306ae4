// SPDX-License-Identifier: Apache-2.0
// How far clocks are apart that saw the same collectives end. The kernel: matched ends in, shifts out.
//
// A blocking collective ends on all its members at about the same moment, whoever began it last. The median difference of ends is therefore
// the offset of two clocks, and what is left of the differences after it was taken out says how well it is known. Begins are never
// compared: a straggler stays one. Clocks that share no collective are joined through those that do. Estimating offsets from causally
// related events of a trace, and piecewise, because clocks drift: Duda, Harrus, Haddad and Bernard, "Estimating global time in distributed
// systems", ICDCS 1987; Becker, Rabenseifner and Wolf, "Implications of non-constant clock drifts for the timestamps of concurrent events",
// IEEE Cluster 2008. Rows (operations) and columns (clocks) are balanced by Tukey's median polish ("Exploratory Data Analysis", 1977,
// chapter 11), so that one odd end in a hundred moves nothing.
//
// Threading:  pure; any thread.
// Ownership:  values.
// Units:      ns. A shift is added to a clock's time: positive moves it later. A knot's `at` is the clock's own time.
// Errors:     none: what cannot be told is a refusal in words. Times that no clock can mean are left out.
// Cost:       O(ends x log ends).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/time.h"

namespace runglass {

inline constexpr std::size_t kMinMatches = 20;  // of a clock, in all and in a window
inline constexpr DurNs kAlignWindow = 60 * kNsPerSecond;
inline constexpr DurNs kMinError = kNsPerUs;  // nobody stamps better

// Operations in columns: what clocks said when they ended; an operation has at least two clocks, each once.
struct MatchedOps {
  struct End {
    std::uint32_t clock = 0;
    TimeNs time = 0;
  };
  std::vector<End> ends;
  std::vector<std::size_t> first = {0};  // op i is ends[first[i]] up to ends[first[i + 1]]
  std::vector<bool> message;             // of two clocks: from the first one to the second; else: ends together
  std::size_t size() const { return message.size(); }
  std::span<const End> op(std::size_t i) const { return std::span(ends).subspan(first[i], first[i + 1] - first[i]); }
  // Nothing where there are not two ends.
  void add(std::span<const End> op, bool is_message);
};

struct AlignKnot {
  TimeNs at = 0;
  DurNs shift = 0;
};

struct AlignedClock {
  std::int64_t matches = 0;
  bool aligned = false;          // false: too few matches, or none with those that were aligned
  std::vector<AlignKnot> knots;  // by time; none: its shift is within its error
  DurNs shift = 0;               // the median one
  DurNs error = 0;               // 95 of 100 of its ends are this near to the others'
  DurNs before = 0, after = 0;   // median distance of its ends from the others' middle
};

enum class ClockAlignVerdict : std::uint8_t {
  kShift,    // some clock is off by more than its error
  kAgree,    // none is
  kRefused,  // nothing can be told: `words` say why
};

struct ClockAlign {
  ClockAlignVerdict verdict = ClockAlignVerdict::kRefused;
  std::string words;
  std::int64_t matches = 0;  // operations that were compared
  std::size_t windows = 0;
  DurNs before = 0, after = 0;  // of the clock that is farthest from the others, by its median distance
  std::vector<AlignedClock> clocks;
};

// `names` say which clock, `own_error` how well each is known without this (absent: it is not).
ClockAlign alignClocks(const MatchedOps& ops, std::span<const std::string> names, std::span<const std::optional<DurNs>> own_error);

}  // namespace runglass
