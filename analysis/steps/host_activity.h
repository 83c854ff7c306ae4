// SPDX-License-Identifier: Apache-2.0
// The activity of the host in a span, by category and name: profilers' traces identify a data loader, a collection or a synchronization
// only by name.
//
// Threading:  pure; any thread.
// Errors:     a name without a known meaning gives kWork or kNone.
// Cost:       O(length of the name); call once per name.
#pragma once

#include <cstdint>
#include <string_view>

#include "model/spans.h"

namespace runglass {

enum class HostActivity : std::uint8_t {
  kNone = 0,  // no activity of its own: a marker around many things
  kCheckpoint,
  kDataload,
  kGc,
  kLogging,     // logs, metrics, prints
  kSync,        // waits for the device
  kAllocation,  // of memory: cudaMalloc and cudaFree also wait for the device
  kCopyCall,    // calls that copy between host and device
  kWork,        // operators, launches and all other calls
};
inline constexpr int kHostActivityCount = 9;

// Known names: PyTorch's profiler (enumerate(DataLoader)#...next), its Python functions ("torch/utils/data/dataloader.py(701): __next__"),
// CUDA and HIP calls, user annotations ("save_checkpoint", "log_metrics"). Activation checkpointing saves nothing and is kWork or kNone;
// aten::log is arithmetic.
HostActivity hostActivity(SpanCategory category, std::string_view name);

// The category of a span for the parts of a step: kDataload, kGc or kCheckpoint by its activity, else its own category.
SpanCategory categoryOfActivity(HostActivity activity, SpanCategory category);

}  // namespace runglass
