// SPDX-License-Identifier: Apache-2.0
// Correlation: reduces many symptoms to one fault. An Xid 79, a node that falls silent and 63 collective timeouts are one lost GPU.
//
// An event that the fault catalogue marks as secondary is never the root near another event; among the others the most severe is, among
// equals the first. Consequences for peers (timeouts, dead processes, lost heartbeats) are attached as symptoms, not published separately.
//
// Threading:  pure.
// Units:      TimeNs.
// Errors:     events of one attempt without a time count as simultaneous, in the given order.
// Cost:       O(events x log events).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/one_fault/attempt_cause.h"
#include "model/events.h"
#include "model/fault_catalog.h"

namespace runglass {

inline constexpr DurNs kSameFault = 60 * kNsPerSecond;                // events on one node this close together have one cause
inline constexpr DurNs kRepeats = 600 * kNsPerSecond;                 // the same event on the same device within this time: one finding
inline constexpr DurNs kProgramRepeats = 24LL * 3600 * kNsPerSecond;  // ... where the program is the first suspect: it is restarted
inline constexpr DurNs kAtOnce = 10 * kNsPerSecond;                   // nodes that fall silent within this time have one cause
inline constexpr double kManyNodes = 0.2;               // of all nodes; if more fall silent at once, the cause is the hub or the network
inline constexpr DurNs kFlap = 30 * 60 * kNsPerSecond;  // a link that is up again within this time flapped

enum class FaultCause : std::uint8_t {
  kDevice = 0,   // of one GPU, link or node
  kApplication,  // the same fault of the process on several devices: the program is the first suspect
  kLinkFlap,     // a link went down and came up
  kSilent,       // a node fell silent for an unknown reason
  kHub,          // many nodes at once
};

struct CorrelatedFault {
  FaultCause cause = FaultCause::kDevice;
  Event root;
  const FaultInfo* info = nullptr;    // of the root; null: silence
  std::vector<Event> symptoms;        // by time, without the root and its repeats
  std::map<std::string, int> counts;  // number of symptoms by kind (and code)
  int repeats = 0;                    // of the root
  std::vector<NodeId> nodes;          // affected nodes
  TimeNs start = 0, last = 0;         // its newest repeat; 0 for undated events, whose root has no time
  std::optional<TimeNs> end;          // when it ended: link up, node back
};

// Events of one run's nodes and attempts; events without a time in log order. `node_count`: of the run.
std::vector<CorrelatedFault> correlate(std::span<const Event> events, std::size_t node_count);

}  // namespace runglass
