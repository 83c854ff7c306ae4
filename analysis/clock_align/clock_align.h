// SPDX-License-Identifier: Apache-2.0
// Estimates the offsets of clocks that recorded the end of the same collectives. The kernel: matched ends in, shifts out.
//
// A blocking collective ends on all its members at about the same moment, whichever member began last. The median difference of ends is
// therefore the offset of two clocks; the residuals after that offset is removed bound its error. Starts are never compared, so that a
// straggler is not aligned away. Clocks that share no collective are joined through clocks that do. Piecewise offset estimation from
// causally related events of a trace (clocks drift): Duda, Harrus, Haddad and Bernard, "Estimating global time in distributed systems",
// ICDCS 1987; Becker, Rabenseifner and Wolf, "Implications of non-constant clock drifts for the timestamps of concurrent events", IEEE
// Cluster 2008. Rows (operations) and columns (clocks) are balanced by Tukey's median polish ("Exploratory Data Analysis", 1977, chapter
// 11), which is robust against a few odd ends in a hundred.
//
// Threading:  pure; any thread.
// Units:      ns. A shift is added to a clock's time: positive moves it later. A knot's `at` is the clock's own time.
// Errors:     an impossible estimate is a refusal, with its reason as text. Times outside any plausible clock are left out.
// Cost:       O(ends x log ends).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/time.h"

namespace runglass {

inline constexpr std::size_t kMinMatches = 20;  // per clock, in total and in each window
inline constexpr DurNs kAlignWindow = 60 * kNsPerSecond;
inline constexpr DurNs kMinError = kNsPerUs;  // no clock stamps more precisely

// Operations in columns: the end time that each clock recorded. An operation has at least two clocks, each once.
struct MatchedOps {
  struct End {
    std::uint32_t clock = 0;
    TimeNs time = 0;
  };
  std::vector<End> ends;
  std::vector<std::size_t> first = {0};  // op i is ends[first[i]] up to, not including, ends[first[i + 1]]
  std::vector<bool> message;             // between two clocks, from the first to the second; else the ends coincide
  std::size_t size() const { return message.size(); }
  std::span<const End> op(std::size_t i) const { return std::span(ends).subspan(first[i], first[i + 1] - first[i]); }
  // Does nothing where `op` has fewer than two ends.
  void add(std::span<const End> op, bool is_message);
};

struct AlignKnot {
  TimeNs at = 0;
  DurNs shift = 0;
};

struct AlignedClock {
  std::int64_t matches = 0;
  bool aligned = false;          // false: too few matches, or none with the aligned clocks
  std::vector<AlignKnot> knots;  // by time; empty: its shift is within its error
  DurNs shift = 0;               // median
  DurNs error = 0;               // 95 % of its ends are within this of the others'
  DurNs before = 0, after = 0;   // median distance of its ends from the median of the others
};

enum class ClockAlignVerdict : std::uint8_t {
  kShift,    // some clock is off by more than its error
  kAgree,    // no clock is
  kRefused,  // no estimate is possible; `words` is the reason
};

struct ClockAlign {
  ClockAlignVerdict verdict = ClockAlignVerdict::kRefused;
  std::string words;
  std::int64_t matches = 0;  // operations compared
  std::size_t windows = 0;
  DurNs before = 0, after = 0;  // of the clock with the largest median distance from the others
  std::vector<AlignedClock> clocks;
};

// `names` label the clocks; `own_error` is the error of each clock as known without this estimate (absent: not known).
ClockAlign alignClocks(const MatchedOps& ops, std::span<const std::string> names, std::span<const std::optional<DurNs>> own_error);

}  // namespace runglass
