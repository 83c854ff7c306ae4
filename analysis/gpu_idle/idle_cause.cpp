// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu_idle/idle_cause.h"

#include <array>

namespace runglass {
namespace {

struct CauseText {
  const char *name, *words;
};
constexpr std::array<CauseText, kIdleCauseCount> kTexts = {{{"checkpoint", "checkpoint saves"},
                                                            {"data", "data loading"},
                                                            {"gc", "garbage collection"},
                                                            {"logging", "logging and metric reports"},
                                                            {"sync", "synchronisation calls"},
                                                            {"allocation", "memory allocation calls"},
                                                            {"copy_call", "copy calls of the host"},
                                                            {"small_kernels", "small kernels (launch-bound)"},
                                                            {"cpu_saturation", "CPU saturation"},
                                                            {"memory_stall", "page compaction and reclaim"},
                                                            {"host_bound", "launches issued late (host-bound)"},
                                                            {"launch", "launch latency"},
                                                            {"queued", "work queued, not begun"},
                                                            {"unexplained", "unexplained"},
                                                            {"thermal", "thermal or power-brake throttle"},
                                                            {"power_cap", "power cap"}}};

}  // namespace

const char* idleCauseName(IdleCause cause) { return kTexts[static_cast<std::size_t>(cause)].name; }
const char* idleCauseWords(IdleCause cause) { return kTexts[static_cast<std::size_t>(cause)].words; }

std::optional<IdleCause> idleCauseFromName(std::string_view name) {
  for (std::size_t i = 0; i < kTexts.size(); ++i)
    if (name == kTexts[i].name) return static_cast<IdleCause>(i);
  return std::nullopt;
}

}  // namespace runglass
