// SPDX-License-Identifier: Apache-2.0
// What a GPU kernel does, by its name.
//
// Threading:  pure.
// Ownership:  none.
// Units:      none.
// Errors:     none.
// Cost:       one pass over the name.
#pragma once

#include <string_view>

#include "model/spans.h"

namespace runglass {

// kComm for the kernels of NCCL and RCCL (their names hold "nccl" or "rccl", in any case), else kCompute.
SpanCategory kernelCategory(std::string_view name);

}  // namespace runglass
