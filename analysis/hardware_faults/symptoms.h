// SPDX-License-Identifier: Apache-2.0
// Correlation: one fault of many symptoms. An Xid 79, a node that falls silent and 63 collective time-outs are one lost GPU.
//
// What the fault catalogue calls secondary is never the root near another event; of the others the most severe one is, of equal ones
// the first. What happens to peers afterwards (time-outs, dead processes, lost heartbeats) is attached, not told again.
//
// Threading:  pure.
// Ownership:  values.
// Units:      TimeNs.
// Errors:     none. The events of one attempt without a time are of one moment, in the order in which they are given.
// Cost:       O(events log events).
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/events.h"
#include "model/fault_catalog.h"

namespace runglass {

inline constexpr DurNs kSameFault = 60 * kNsPerSecond;                // events on one node this close together have one cause
inline constexpr DurNs kRepeats = 600 * kNsPerSecond;                 // the same event on the same device again: one finding
inline constexpr DurNs kProgramRepeats = 24LL * 3600 * kNsPerSecond;  // ... where the program is the first suspect: it is started again
inline constexpr DurNs kAftermath = 20 * 60 * kNsPerSecond;           // until the watchdogs of the peers have spoken
inline constexpr DurNs kAtOnce = 10 * kNsPerSecond;                   // nodes that fall silent within it have one cause
inline constexpr double kManyNodes = 0.2;                             // more than this share at once: the hub or the network
inline constexpr DurNs kFlap = 30 * 60 * kNsPerSecond;                // a link that is up again within it flapped

enum class FaultCause : std::uint8_t {
  kDevice = 0,   // of one GPU, link or node
  kApplication,  // the same fault of the process on several devices: suspect the program first
  kLinkFlap,     // a link went down and came up
  kSilent,       // a node said nothing any more, and nobody knows why
  kHub,          // many nodes at once
};

struct CorrelatedFault {
  FaultCause cause = FaultCause::kDevice;
  Event root;
  const FaultInfo* info = nullptr;    // of the root; null: silence
  std::vector<Event> symptoms;        // by time, without the root and its repeats
  std::map<std::string, int> counts;  // of the symptoms, by kind (and code)
  int repeats = 0;                    // of the root
  std::vector<NodeId> nodes;          // that share it
  TimeNs start = 0, last = 0;         // its newest repeat; of undated events 0, as is their root's time absent
  std::optional<TimeNs> end;          // it was over: link up, node back
};

// Events of one run's nodes and attempts; those without a time in the order of their log. `node_count`: of the run.
std::vector<CorrelatedFault> correlate(std::span<const Event> events, std::size_t node_count);

}  // namespace runglass
