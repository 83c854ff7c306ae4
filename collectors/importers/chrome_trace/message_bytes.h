// SPDX-License-Identifier: Apache-2.0
// The size of a collective's message, by what PyTorch says about it.
//
// Threading:  pure.
// Ownership:  none.
// Units:      bytes, of the larger side as nccl-tests counts them: the output of an all-gather, the input of a reduce-scatter.
// Errors:     absent where no side is said, the type is unknown or the product has no place in 64 bits.
// Cost:       a look-up among two dozen names.
#pragma once

#include <cstdint>
#include <optional>

#include "collectors/importers/chrome_trace/trace_event.h"

namespace runglass {

std::optional<std::int64_t> messageBytes(const TraceEvent& event);

}  // namespace runglass
