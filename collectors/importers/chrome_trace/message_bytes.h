// SPDX-License-Identifier: Apache-2.0
// Message size of a collective, from the arguments that PyTorch records.
//
// Threading:  pure.
// Units:      bytes, of the larger side as nccl-tests counts them: the output of an all-gather, the input of a reduce-scatter.
// Errors:     absent if no side is recorded, the type is unknown or the product exceeds 64 bits.
// Cost:       a look-up among two dozen names.
#pragma once

#include <cstdint>
#include <optional>

#include "collectors/importers/chrome_trace/trace_event.h"

namespace runglass {

std::optional<std::int64_t> messageBytes(const TraceEvent& event);

}  // namespace runglass
