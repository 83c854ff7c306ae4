// SPDX-License-Identifier: Apache-2.0
// RankPlaces: on which nodes the ranks of an attempt are, as far as recorded.
//
// Threading:  that of its Recorder.
// Units:      counts.
// Errors:     none; an attempt that cannot be read has no ranks.
// Cost:       hash look-ups. The first call for an attempt that is not in memory loads its rows, as any record of the attempt does.
#pragma once

#include <cstdint>

#include "model/ids.h"

namespace runglass {

class RankPlaces {
 public:
  virtual ~RankPlaces() = default;
  // Absent (0): no node is recorded for it.
  virtual NodeId nodeOf(AttemptId attempt, std::int32_t rank) = 0;
  // Ranks on `node`; of node 0: on any node.
  virtual std::int64_t ranksOn(AttemptId attempt, NodeId node) = 0;
  virtual bool hasEnded(AttemptId attempt) = 0;
  // The newest attempt that has a rank on a node; 0: the run has none.
  virtual AttemptId newestPlaced(RunId run) = 0;
};

}  // namespace runglass
