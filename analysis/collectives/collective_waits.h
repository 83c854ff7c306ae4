// SPDX-License-Identifier: Apache-2.0
// Matches the calls of different ranks into collectives, and splits each call into waiting for the last member to begin and transfer.
//
// Transfer = end - max(start over the members), the rest is waiting: Lin et al., "Understanding Stragglers in Large Model Training Using
// What-if Analysis", OSDI '25, section 3. Calls are matched by (communicator, sequence number), else by their order within a step, else by
// their ends.
//
// Threading:  pure functions.
// Units:      TimeNs, corrected by the clock map; an open call ends at the maximum int64.
// Errors:     each undecidable case is a kind of WaitPart. No order is inferred below the clocks' error.
// Cost:       O(n log n) in the calls.
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

// The calls of one collective, or of a send and its receive, one per rank, by start.
struct CollectiveSet {
  enum class Match : std::uint8_t {
    kMatched,
    kAlone,     // no other member's call is stored
    kTwice,     // a rank has several calls with this number
    kDiffers,   // its members ran different operations
    kCounts,    // no numbers, and members have different numbers of calls
    kDisjoint,  // one call ended before another began
    kEnds,      // no communicator, and the calls do not end together
  };
  std::vector<CollectiveCall> calls;
  Match match = Match::kMatched;
  std::size_t members = 0;  // of the communicator; 0: unknown
  bool pair = false;        // a send and its receive
  bool whole() const { return pair || (members > 0 && calls.size() >= members); }
};

// Ranks of each communicator; a communicator that is not listed has unknown members.
using GroupMembers = std::map<std::int64_t, std::vector<std::int32_t>>;

// With a sequence number: calls of the same communicator and number match. Without: the n-th calls of a communicator on each rank match if
// all members have the same number of calls, with the same names in the same order: over the whole run if `calls` cover it, else within a
// step.
// The remaining calls are matched by their ends: a blocking collective ends on no member before the last one has begun, so that calls of
// the same name on every member that all begin before the first of them ends are one collective. Calls without a communicator (profilers
// before PyTorch 2.2, Nsight Systems) are assigned to one communicator of all ranks with such calls; they must also end together (within
// 100 µs, or a tenth of the longest call), which collectives of two smaller communicators do only by chance.
// Where `stop` fires, the sets are incomplete.
std::vector<CollectiveSet> matchCalls(std::vector<CollectiveCall> calls, const GroupMembers& members, bool all_of_run = false,
                                      const std::stop_token& stop = {});

// The clock error between two ranks.
struct ClockGap {
  enum class Kind : std::uint8_t { kSame, kCompared, kUnknown, kNodeUnknown } kind = Kind::kSame;
  DurNs error = 0;  // of kCompared
};
using ClockGapOf = std::function<ClockGap(std::int32_t, std::int32_t)>;

struct WaitPart {
  enum class Kind : std::uint8_t {
    kWaited,      // from its start to `until`
    kLast,        // the others waited for it
    kBelowError,  // the order of starts is below the clocks' error
    kNotClocked,  // the clocks were never compared
    kBuffered,    // a send that ended before its receive began
    kUnmatched,   // see `match`
  } kind = Kind::kUnmatched;
  CollectiveSet::Match match = CollectiveSet::Match::kMatched;
  TimeNs t0 = 0, t1 = 0, until = 0;
  DurNs apart = 0;          // between its start and that of `other`
  std::int32_t other = -1;  // the rank that it waited for, or that waited longest for it
  ClockGap gap;             // to `other`
  std::size_t calls = 0, members = 0;
  bool whole = false;
};
WaitPart waitOf(const CollectiveSet& set, std::size_t call, const ClockGapOf& gap);

// The communication calls among the spans. A call whose source names no communicator has the group kAbsent.
std::vector<CollectiveCall> callsOf(std::int32_t rank, TrackId track, const SpanColumns& spans);

}  // namespace runglass
