// SPDX-License-Identifier: Apache-2.0
// The sentence of a `hang` or `stall` finding. Unknown parts are left out.
#pragma once

#include "analysis/hangs/hang_evidence.h"
#include "analysis/words/message.h"

namespace runglass {

// "63 of 64 ranks wait at step 150; root: all_reduce #150 of dp 6, where rank 21 (sim-0002) has not
// entered: computing in backward"
words::Message hangMessage(const HangEvidence& evidence);
// For an ongoing stall, or an ended one.
words::Message stallMessage(const HangEvidence& evidence, DurNs length, bool ended);

}  // namespace runglass
