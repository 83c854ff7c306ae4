// SPDX-License-Identifier: Apache-2.0
// HangEvidence: which ranks wait for which in a `hang` or `stall` finding, as the JSON object in Finding::evidence.
//
// Threading:  both functions are pure.
// Units:      TimeNs, DurNs, steps; lists are cut at kMaxListed, their counts are not.
// Errors:     parse: INVALID_ARGUMENT not an object or a field of the wrong type (names it); missing fields keep their defaults.
// Cost:       O(text).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

inline constexpr std::size_t kMaxListed = 64;

// The state of a rank that others wait for.
enum class HangStanding : std::uint8_t {
  kComputing = 0,  // it is in no collective
  kBehind,         // it last reported an earlier operation of the same communicator
  kWaiting,        // it waits in another communicator, which is the one to look at
  kSilent,         // it reported nothing: absence is evidence
  kAwaited,        // the timeouts of others name it as the peer that sent nothing
  kEnqueued,       // its host has enqueued the operation, its GPU has not started it, while others have
  kMismatched,     // it called another operation than most members, or passed another size
  kStopped,        // its process cannot run
  kOutlier,        // its stack differs from those of the others
};
// "computing", "behind", "waiting", "silent", "awaited", "enqueued", "mismatched", "stopped", "outlier".
const char* hangStandingName(HangStanding standing);

struct HangMember {
  std::int32_t rank = 0;
  std::string node;  // name; "": unknown
  HangStanding standing = HangStanding::kComputing;
  std::string op;                          // current operation
  std::optional<std::int64_t> group, seq;  // of that operation
  std::optional<std::int64_t> completed;   // its newest operation in the communicator that waits for it
  std::optional<TimeNs> since;
  std::string process_state;  // "T (stopped)"
  std::string frame;          // where its stack diverges from that of most ranks
};

// Why a communicator's operation does not complete.
enum class HangReason : std::uint8_t {
  kMissing = 0,  // members have not entered
  kMismatched,   // members called different operations for the same sequence number
  kStuck,        // all members are inside: the transport or a GPU is stuck
  kDeadlock,     // communicators wait for each other in a cycle
  kNotLeft,      // some members have completed it, others have not
};
const char* hangReasonName(HangReason reason);  // "missing", "mismatched", "stuck", "deadlock", "not_left"

struct HangGroup {
  std::int64_t id = 0;  // 0: the ranks name no communicator
  std::string kind, name, op;
  // Of kMismatched: the operation of the other members, or their size, in `size_unit` ("bytes", "elements").
  std::string other_op;
  std::optional<std::int64_t> size, other_size;
  std::string size_unit;
  HangReason reason = HangReason::kMissing;
  std::optional<std::int64_t> seq;
  std::optional<TimeNs> since;  // when its first member began to wait
  std::int64_t members = 0, inside = 0, missing_count = 0;
  std::vector<HangMember> missing;       // culprits first; for kNotLeft the members that have not left it
  std::vector<std::int64_t> blocked_by;  // communicators in which missing members wait
  std::int32_t depth = 0;                // 0: a root; 1: waits for a root; ...
};

struct HangEvidence {
  std::string source;  // "progress", "flight_recorder", "events", "steps", "log"
  std::string phase;   // of the ranks: "steady", ...
  std::optional<std::int64_t> step;
  std::optional<TimeNs> since, as_of;
  std::optional<DurNs> limit;     // the limit that was exceeded
  std::int64_t world = 0;         // ranks of the layout, or known ranks
  std::int64_t blocked = 0;       // waiting ranks
  std::int64_t silent = 0;        // silent ranks
  std::optional<DurNs> watchdog;  // absent: it is off, or no rank waits in a collective
  std::optional<TimeNs> watchdog_at;
  std::string watchdog_source;     // "default" or the fact that set it
  std::int64_t timeouts = 0;       // collective_timeout events
  std::int64_t reporting = 0;      // ranks with a recorded progress or dump
  std::int64_t stacks = 0;         // ranks with a captured stack
  std::int64_t common_stacks = 0;  // ranks in the largest cluster
  std::string common_frame;        // of the largest cluster
  std::string unclear;  // why there are no culprits: "one_rank", "no_wait", "no_group", "no_members", "no_progress", "no_dumps", "no_rank",
                        // "all_timed_out", "few_timed_out", "unknown_world", "several_collectives", "no_majority", "all_inside"
  std::vector<HangMember> culprits;  // members of any root that do not wait themselves
  std::int64_t culprit_count = 0;
  std::vector<HangGroup> groups;  // roots first, by when their first member began to wait
  std::int64_t group_count = 0;
};

std::string printHangEvidence(const HangEvidence& evidence);
Result<HangEvidence> parseHangEvidence(std::string_view json);

}  // namespace runglass
