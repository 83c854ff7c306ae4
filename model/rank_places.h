// SPDX-License-Identifier: Apache-2.0
// RankPlaces: the nodes of an attempt's ranks, where recorded.
//
// Threading:  that of its Recorder.
// Units:      counts.
// Errors:     an attempt that cannot be read has no ranks.
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
  // Ranks on `node`; for node 0: on any node.
  virtual std::int64_t ranksOn(AttemptId attempt, NodeId node) = 0;
  virtual bool hasEnded(AttemptId attempt) = 0;
  // The newest attempt that has a rank on a node; 0: none.
  virtual AttemptId newestPlaced(RunId run) = 0;
};

}  // namespace runglass
