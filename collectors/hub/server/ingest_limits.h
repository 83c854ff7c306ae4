// SPDX-License-Identifier: Apache-2.0
// What a hub takes of one agent and of all, whatever they say.
//
// Threading:  constants.
// Ownership:  none.
// Units:      bytes, ns, counts.
// Errors:     what is beyond is refused, or left out and counted; see wire.* in the issue catalogue.
// Cost:       none.
#pragma once

#include <cstddef>

#include "model/time.h"

namespace runglass {

// Nodes of the last kNodesSeenWithin. Where they are so many, a node with a credential of its own gets kAlwaysUuids all the same.
inline constexpr std::size_t kMaxNodes = 65'536, kMaxBudgets = 65'536;
inline constexpr DurNs kNodesSeenWithin = 30LL * 24 * 3600 * kNsPerSecond;
// A node gets a new one when it is installed anew, a container without a machine-id at each start.
inline constexpr std::ptrdiff_t kMaxUuidsOfNode = 4'096, kAlwaysUuids = 8;
inline constexpr std::size_t kMaxName = 256;  // of nodes, agents, sessions
inline constexpr std::size_t kSmall = 256;    // of what waits, where it holds next to nothing
inline constexpr std::size_t kMaxBatch = 2U << 20;
inline constexpr int kMaxClaims = 16'384;  // of leases, of an agent a second: four heartbeats with all that it may hold
// Definitions that are held, of an agent: for its own node, for each further one that it speaks for, in all; and of all agents of a hub.
inline constexpr std::size_t kDefinitions = 48U << 20, kDefinitionsOfNode = 64U << 10, kMaxDefinitions = 64U << 20;
inline constexpr std::size_t kMaxDefinitionsOfHub = 1U << 30;
inline constexpr DurNs kMaxClockAhead = 366LL * 24 * 3600 * kNsPerSecond;  // further in the future a node's clock counts for nothing

}  // namespace runglass
