// SPDX-License-Identifier: Apache-2.0
// Which processes of a machine are trainers, by the kernel's name of them (/proc/PID/comm, at most 15 bytes).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace runglass {

// Python and PyTorch's threads, launchers, Ray's and vLLM's workers.
inline bool isTrainerProcess(std::string_view name) {
  constexpr std::array<std::string_view, 9> kBegins = {"python", "pt_",    "torchrun", "deepspeed", "accelerate",
                                                       "ray::",  "VLLM::", "train",    "cuda-Evt"};
  return std::ranges::any_of(kBegins, [name](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace runglass
