// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu_idle/idle_cause.h"

#include <array>

namespace runglass {
namespace {

struct CauseText {
  const char *name, *words, *remedy;
};
constexpr std::array<CauseText, kIdleCauseCount> kTexts = {
    {{"checkpoint", "checkpoint saves", "Save asynchronously or less often"},
     {"data", "data loading", "Raise num_workers and prefetch_factor, and set pin_memory"},
     {"gc", "garbage collection", "Collect on all ranks in the same step (gc.disable(), then gc.collect() every N steps)"},
     {"logging", "logging and metric reports", "Log every N steps, and read metrics back asynchronously"},
     {"sync", "synchronisation calls", "Remove .item(), .cpu() and synchronize() calls from the step"},
     {"allocation", "memory allocation calls",
      "Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, and call no empty_cache() in the step"},
     {"copy_call", "copy calls of the host", "Set pin_memory, and copy with non_blocking=True"},
     {"small_kernels", "small kernels (launch-bound)", "Fuse kernels (torch.compile, fused optimizer) or use CUDA graphs"},
     {"cpu_saturation", "CPU saturation", "Start fewer worker processes and threads (OMP_NUM_THREADS) per node, or pin them to cores"},
     {"memory_stall", "page compaction and reclaim", "Leave more host memory free: smaller caches, fewer workers"},
     {"host_bound", "launches issued late (host-bound)", "Use CUDA graphs or torch.compile, so that the host launches less"},
     {"launch", "launch latency", "Use CUDA graphs, so that launches are issued together"},
     {"queued", "work queued, not begun", ""},
     {"unexplained", "unexplained", ""},
     {"thermal", "thermal or power-brake throttle", "Check cooling and power supply of the named GPU"},
     {"power_cap", "power cap", "Raise the power limit (nvidia-smi -pl) where the site allows it"}}};

}  // namespace

const char* idleCauseName(IdleCause cause) { return kTexts[static_cast<std::size_t>(cause)].name; }
const char* idleCauseWords(IdleCause cause) { return kTexts[static_cast<std::size_t>(cause)].words; }
const char* idleRemedy(IdleCause cause) { return kTexts[static_cast<std::size_t>(cause)].remedy; }

std::optional<IdleCause> idleCauseFromName(std::string_view name) {
  for (std::size_t i = 0; i < kTexts.size(); ++i)
    if (name == kTexts[i].name) return static_cast<IdleCause>(i);
  return std::nullopt;
}

}  // namespace runglass
