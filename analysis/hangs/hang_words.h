// SPDX-License-Identifier: Apache-2.0
// The one sentence of a `hang` or `stall` finding.
//
// Threading:  pure.
// Ownership:  values.
// Units:      as HangEvidence.
// Errors:     none; what is not known is not said.
// Cost:       O(listed members).
#pragma once

#include <string>
#include <vector>

#include "analysis/hangs/hang_evidence.h"

namespace runglass {

// "63 of 64 ranks wait at step 150; root: all_reduce #150 of dp 6, where rank 21 (sim-0002) has not entered: computing in backward"
std::string hangSentence(const HangEvidence& evidence);
std::string stallSentence(const HangEvidence& evidence, DurNs length, bool ended);
// "0-3, 8, 9", at most `most` parts.
std::string rankList(std::vector<std::int32_t> ranks, std::size_t most = 6);

}  // namespace runglass
