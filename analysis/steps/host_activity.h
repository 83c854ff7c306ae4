// SPDX-License-Identifier: Apache-2.0
// What the host did in a span, by its category and name: traces of profilers call a data loader, a collection or a synchronisation by
// their names only.
//
// Threading:  pure; any thread.
// Errors:     none: a name that says nothing is kOther.
// Cost:       O(length of the name); ask once a name.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/spans.h"

namespace runglass {

enum class HostActivity : std::uint8_t {
  kNone = 0,  // says nothing about what was done: a marker around many things
  kCheckpoint,
  kDataload,
  kGc,
  kLogging,     // logs, metrics, prints
  kSync,        // waits for the device
  kAllocation,  // of memory: cudaMalloc and cudaFree wait for the device too
  kCopyCall,    // copies between host and device, as calls
  kWork,        // operators, launches and all other calls
};
inline constexpr int kHostActivityCount = 9;

// Names are those of PyTorch's profiler (enumerate(DataLoader)#...next), of its Python functions ("torch/utils/data/dataloader.py(701):
// __next__"), of CUDA's and HIP's calls, of user annotations ("save_checkpoint", "log_metrics"). Activation checkpointing saves nothing
// and is kWork or kNone; aten::log is arithmetic.
HostActivity hostActivity(SpanCategory category, std::string_view name);

// What it means for the parts of a step: the category, or kDataload, kGc, kCheckpoint where the name says so.
SpanCategory categoryOfActivity(HostActivity activity, SpanCategory category);

}  // namespace runglass
