// SPDX-License-Identifier: Apache-2.0
// The wavefront of a job that stands still: which communicator waits for whom, and in which order they came to stand.
//
// A communicator whose missing members wait in another one is blocked by that one; what remains are the roots: members that compute, are
// behind, stopped or silent, different operations under one sequence number, all inside and nobody leaves, members that stay in what others
// have left, or a circle. (PyTorch's torchfrtrace matches per communicator; the order between them and "who says nothing is the suspect"
// are MegaScale's, NSDI'24, section 5.) Each pair of a send or receive is a communicator of two; the numbers of its two ends are not
// compared.
//
// Threading:  pure.
// Ownership:  borrows during the call.
// Units:      as Progress.
// Errors:     none. Ranks without progress are silent only where the caller says so.
// Cost:       O(members of all communicators in which somebody waits, log groups).
#pragma once

#include <span>
#include <vector>

#include "analysis/hangs/hang_evidence.h"
#include "model/events.h"
#include "model/topology.h"

namespace runglass {

// How far a rank is in a communicator, in numbers of its collectives.
struct GroupReach {
  std::int64_t group = 0;
  std::optional<std::int64_t> enqueued, completed;
};

struct WavefrontRank {
  std::int32_t rank = 0;
  std::string node;
  std::optional<Progress> progress;
  bool silent = false;
  std::vector<GroupReach> reach = {};  // of communicators in which it is known
  std::string process_state = {};      // where its process cannot run: "T (stopped)". Then it waits for nobody, whatever it reported
};

struct Wavefront {
  std::vector<HangGroup> groups;      // by depth, then by when their first member began to wait; lists are cut
  std::vector<HangMember> culprits;   // of all roots, by rank, whole
  std::vector<std::int32_t> blocked;  // ranks that wait, by rank
};

// Ranks by rank, each once.
Wavefront findWavefront(std::span<const WavefrontRank> ranks, std::span<const CommGroup> groups);

}  // namespace runglass
