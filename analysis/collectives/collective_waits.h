// SPDX-License-Identifier: Apache-2.0
// Which calls on different ranks are one collective, and how much of each call was waiting for the last member to begin.
//
// Transfer = end - max(start over the members), the rest is waiting: Lin et al., "Understanding Stragglers in Large Model Training Using
// What-if Analysis", OSDI '25, section 3. Calls are matched by (communicator, number), or else by their order within a step, or by their
// ends.
//
// Threading:  pure functions.
// Ownership:  values.
// Units:      TimeNs, corrected by the clock map; an open call ends at the highest int64.
// Errors:     none: what cannot be told is a kind of WaitPart. Nothing is claimed below the error of the clocks.
// Cost:       O(n log n) of the calls.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "model/spans.h"

namespace runglass {

struct CollectiveCall {
  std::int32_t rank = -1;
  TrackId track;
  std::int64_t id = 0;
  TimeNs t0 = 0, t1 = 0;
  std::int64_t group = kAbsent, seq = kAbsent, step = kAbsent;
  std::string name;
  std::int64_t bytes = kAbsent;
};

// The calls of one collective, or of a send and its receive, one for each rank, by begin.
struct CollectiveSet {
  enum class Match : std::uint8_t {
    kMatched,
    kAlone,     // no other member's call is in the store
    kTwice,     // a rank has several calls of this number
    kDiffers,   // its members ran different operations
    kCounts,    // without numbers, and not as many calls on every member
    kDisjoint,  // one ended before another began
    kEnds,      // without a communicator, and they do not end together
  };
  std::vector<CollectiveCall> calls;
  Match match = Match::kMatched;
  std::size_t members = 0;  // of the communicator; 0: not known
  bool pair = false;        // a send and its receive
  bool whole() const { return pair || (members > 0 && calls.size() >= members); }
};

// Ranks of each communicator; one that is not here has unknown members.
using GroupMembers = std::map<std::int64_t, std::vector<std::int32_t>>;

// With a number (seq): the calls of the same communicator and number. Without: the n-th call of a communicator on each rank is the same one
// where all members have as many calls, of the same names in the same order: in the whole run if `calls` are all of it, else in a step.
// What is left is matched by its ends: a blocking collective ends on no member before the last one has begun, so that one call of the same
// name on every member, all begun before the first of them ends, are one collective. Calls without a communicator (profilers before PyTorch
// 2.2, Nsight Systems) are of one that all ranks with such calls are members of; they must end together as well (within 100 µs, or a tenth
// of the longest), which collectives of two smaller communicators do by chance only.
// Where `stop` fires, the sets are incomplete.
std::vector<CollectiveSet> matchCalls(std::vector<CollectiveCall> calls, const GroupMembers& members, bool all_of_run = false,
                                      const std::stop_token& stop = {});

// How far the clocks of two ranks may be apart.
struct ClockGap {
  enum class Kind : std::uint8_t { kSame, kCompared, kUnknown, kNodeUnknown } kind = Kind::kSame;
  DurNs error = 0;  // of kCompared
};
using ClockGapOf = std::function<ClockGap(std::int32_t, std::int32_t)>;

struct WaitPart {
  enum class Kind : std::uint8_t {
    kWaited,      // from its begin to `until`
    kLast,        // the others waited for it
    kBelowError,  // the order is not certain
    kNotClocked,  // clocks that were never compared
    kBuffered,    // a send that ended before its receive began
    kUnmatched,   // see `match`
  } kind = Kind::kUnmatched;
  CollectiveSet::Match match = CollectiveSet::Match::kMatched;
  TimeNs t0 = 0, t1 = 0, until = 0;
  DurNs apart = 0;          // its begin and that of `other`
  std::int32_t other = -1;  // whom it waited for, or who waited longest for it
  ClockGap gap;             // to `other`
  std::size_t calls = 0, members = 0;
  bool whole = false;
};
WaitPart waitOf(const CollectiveSet& set, std::size_t call, const ClockGapOf& gap);

// The spans' communication calls; other spans are left out. A call whose source names no communicator has the group kAbsent.
std::vector<CollectiveCall> callsOf(std::int32_t rank, TrackId track, const SpanColumns& spans);

}  // namespace runglass
