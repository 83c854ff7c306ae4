// SPDX-License-Identifier: Apache-2.0
// Aligning by hand: the other ranks' begin or end of the operation that one chose, onto the chosen rank's.
//
// Threading:  on the thread of the Reader.
// Ownership:  values.
// Units:      TimeNs as the Reader shows them, its alignment included.
// Errors:     the Reader's; NOT_FOUND where the span is gone or no other clock tells of the operation; CANCELLED when `stop` fires.
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

// The same operation is the one of the same communicator and number; of spans without them, the one of the same name, step and micro-batch,
// counted in the order of each rank. A node is moved as one, by the median of its ranks; without nodes, each rank by itself. What aligned
// the attempt before stays in, the new shifts come on top. The error is the length of the shorter of the two calls: both were in it.
Result<ClockAlignment> alignToCall(Reader& reader, const ChosenCall& chosen, AlignEdge edge, std::stop_token stop);

}  // namespace runglass
