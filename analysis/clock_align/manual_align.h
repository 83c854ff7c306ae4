// SPDX-License-Identifier: Apache-2.0
// Manual alignment: moves the other ranks' start or end of the chosen operation onto the chosen rank's.
//
// Threading:  on the thread of the Reader.
// Units:      TimeNs as the Reader returns them, current alignment included.
// Errors:     the Reader's; NOT_FOUND where the span no longer exists or no other clock recorded the operation; CANCELLED when `stop`
//             fires.
// Cost:       O(spans near the chosen one) where the others' calls are near, else O(spans).
#pragma once

#include <stop_token>

#include "model/edits.h"
#include "model/ids.h"
#include "storage/reader.h"

namespace runglass {

enum class AlignEdge : std::uint8_t { kBegin, kEnd };

struct ChosenCall {
  RunId run;
  AttemptId attempt;
  TrackId track;
  std::int32_t rank = 0;
  std::int64_t id = 0;
  TimeNs t0 = 0;
};

// The same operation has the same communicator and sequence number; spans without them match by name, step, micro-batch and ordinal on
// their rank. A node is shifted as one, by the median of its ranks; without nodes, each rank by itself. Shifts are added to the attempt's
// current alignment. The error is the length of the shorter of the two calls, since both ranks were in the call at the same time.
Result<ClockAlignment> alignToCall(Reader& reader, const ChosenCall& chosen, AlignEdge edge, std::stop_token stop);

}  // namespace runglass
