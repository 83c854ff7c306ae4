// SPDX-License-Identifier: Apache-2.0
// Limits of a hub for one agent and for all.
//
// Units:      bytes, ns, counts.
// Errors:     excess is refused, or left out and counted; see wire.* in the issue catalogue.
#pragma once

#include <cstddef>

#include "model/time.h"

namespace runglass {

// Nodes of the last kNodesSeenWithin. Beyond that limit, a node with its own credential still gets kAlwaysUuids.
inline constexpr std::size_t kMaxNodes = 65'536, kMaxBudgets = 65'536;
inline constexpr DurNs kNodesSeenWithin = 30LL * 24 * 3600 * kNsPerSecond;
// Limits of uuids per node: a node gets a new one at each installation, a container without a machine-id at each start.
inline constexpr std::ptrdiff_t kMaxUuidsOfNode = 4'096, kAlwaysUuids = 8;
inline constexpr std::size_t kMaxName = 256;          // of nodes, agents, sessions
inline constexpr std::size_t kSmall = 256;            // estimate for small queued items
inline constexpr std::size_t kMaxBatch = 960U << 10;  // its message is below 1 MiB with the cost of its frames (Http2Guard)
inline constexpr int kMaxClaims = 16'384;  // lease claims per agent and second: four heartbeats with the maximum number of leases
// Definitions held: of an agent for its own node, for each of its further nodes, in total; and of all agents of a hub.
inline constexpr std::size_t kDefinitions = 48U << 20, kDefinitionsOfNode = 64U << 10, kMaxDefinitions = 64U << 20;
inline constexpr std::size_t kMaxDefinitionsOfHub = 1U << 30;
inline constexpr DurNs kMaxClockAhead = 366LL * 24 * 3600 * kNsPerSecond;  // readings of a node's clock further in the future are ignored

}  // namespace runglass
