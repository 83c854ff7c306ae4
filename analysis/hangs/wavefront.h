// SPDX-License-Identifier: Apache-2.0
// The wavefront of a job without progress: which ranks each communicator waits for, and in which order the communicators blocked.
//
// A communicator whose missing members wait in another one is blocked by that one. The roots remain: members that compute, are behind,
// stopped or silent, or whose GPU has not started what their host enqueued; different operations under one sequence number; all members
// inside without completing; members still in an operation that others have left; or a cycle. (PyTorch's torchfrtrace matches per
// communicator; the order between communicators and the rule that silent ranks are suspects are MegaScale's, NSDI'24, section 5.) Each pair
// of a send or receive is a communicator of two; the sequence numbers of its two ends are not compared.
//
// Threading:  pure.
// Ownership:  borrows during the call.
// Units:      as Progress.
// Errors:     ranks without progress are silent only where the caller marks them so.
// Cost:       O(members of all communicators with waiting ranks, x log groups).
#pragma once

#include <span>
#include <vector>

#include "analysis/hangs/hang_evidence.h"
#include "model/events.h"
#include "model/topology.h"

namespace runglass {

// A rank's progress in a communicator, in sequence numbers of its collectives.
struct GroupReach {
  std::int64_t group = 0;
  std::optional<std::int64_t> enqueued, completed;
  std::optional<std::int64_t> started = {};  // by its GPU
};

struct WavefrontRank {
  std::int32_t rank = 0;
  std::string node;
  std::optional<Progress> progress;
  bool silent = false;
  std::vector<GroupReach> reach = {};  // of communicators where it is known
  std::string process_state = {};      // where its process cannot run: "T (stopped)". It then waits for no rank, whatever its progress is
};

struct Wavefront {
  std::vector<HangGroup> groups;      // by depth, then by when their first member began to wait; lists are cut
  std::vector<HangMember> culprits;   // of all roots, by rank, complete
  std::vector<std::int32_t> blocked;  // waiting ranks, by rank
};

// `ranks`: sorted, each once.
Wavefront findWavefront(std::span<const WavefrontRank> ranks, std::span<const CommGroup> groups);

}  // namespace runglass
