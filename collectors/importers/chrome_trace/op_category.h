// SPDX-License-Identifier: Apache-2.0
// Category of an operation of a training step, by the names that veScale, StragglerAnalysis, BytePS and similar tools use.
//
// Threading:  pure.
// Cost:       O(name): call it once per distinct name.
#pragma once

#include <string_view>

#include "model/spans.h"

namespace runglass {

// "forward-compute", "optimizer-clip-main-grad" -> kCompute; "*-send", "*-all-reduce", "nccl..." -> kComm; "gc" -> kGc; "dataload..." ->
// kDataload; "checkpoint..." -> kCheckpoint. If the name is not specific, a known `category` ("memcpy"), else kOther.
SpanCategory opCategory(std::string_view name, std::string_view category);

}  // namespace runglass
