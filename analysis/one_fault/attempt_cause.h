// SPDX-License-Identifier: Apache-2.0
// The cause of the end of an attempt, from its events: a fault of a machine, the first rank to fail, or a hang. The other events are its
// consequences, so that one fault gives one finding: of hardware_faults, job_failure and hangs one publishes it.
//
// Events are ordered by time, those without a time by their position in the log. A fault that the run survived is no cause: steps ended
// after it, its link or node was back, or the collectives that timed out began later. Where this is not known, the hang keeps its finding.
//
// Threading:  pure.
// Cost:       O(events^2) in the failures of an attempt, O(events) in the others.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "model/events.h"
#include "model/topology.h"

namespace runglass {

// Until the watchdogs of the peers have fired.
inline constexpr DurNs kAftermath = 20 * 60 * kNsPerSecond;

enum class EndedBy : std::uint8_t { kNothing, kMachine, kProcess, kHang };

struct AttemptCause {
  EndedBy by = EndedBy::kNothing;
  const Event* first = nullptr;     // the fault, the failure, or the first timeout
  std::vector<const Event*> after;  // failures and timeouts of other ranks, in the order of the events
};
// The nodes of an attempt's ranks.
struct NodesOfRanks {
  std::map<std::int32_t, NodeId> of_rank;
  std::map<NodeId, NodeId> aliases;  // programs print a node's name with or without its domain
  std::set<NodeId> nodes;            // of all ranks; empty if the node of any rank is not known

  NodeId oneName(NodeId node) const;
  // Of the rank that failed, or of the event itself.
  NodeId of(const Event& event) const;
};
// `events`: of endEvents().
AttemptCause causeOf(const Attempt& attempt, std::span<const Event> events, const NodesOfRanks& places);

// Whether an exception, a signal or a fault ended it.
bool hasFailed(const Run& run, std::span<const Attempt> attempts, const Attempt& attempt);

// 0: a cause; 1: an abort or a kill, which a watchdog or a launcher may have sent; 2: a consequence of a failure elsewhere, since the
// launcher ends the other ranks, and their collectives and connections fail.
int distanceFromCause(const Event& event);

// Whether the times, steps and positions of the two allow that the event is a consequence of the fault.
bool mayFollowFrom(const Event& event, const Event& fault);

// "mlx5_core 0000:5e:00.0 ib0: Link down" and "... Link up" are about one link if the text before the last colon is the same.
std::string linkOf(const Event& event);

// The time within which a fault explains the event: that of a collective's watchdog may be longer than kAftermath.
DurNs aftermathOf(const Event& event);

}  // namespace runglass
