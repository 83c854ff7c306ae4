// SPDX-License-Identifier: Apache-2.0
// What an operation of a training step is, by the names that veScale, StragglerAnalysis, BytePS and their likes give it.
//
// Threading:  pure.
// Ownership:  none.
// Units:      none.
// Errors:     none.
// Cost:       O(name): for once per distinct name.
#pragma once

#include <string_view>

#include "model/spans.h"

namespace runglass {

// "forward-compute", "optimizer-clip-main-grad" -> kCompute; "*-send", "*-all-reduce", "nccl..." -> kComm; "gc" -> kGc; "dataload..." ->
// kDataload; "checkpoint..." -> kCheckpoint. Where the name does not say, a `category` that is one of ours ("memcpy"), else kOther.
SpanCategory opCategory(std::string_view name, std::string_view category);

}  // namespace runglass
