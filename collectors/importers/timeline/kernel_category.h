// SPDX-License-Identifier: Apache-2.0
// Category of a GPU kernel, by its name.
//
// Threading:  kernelCategory(): any; a KernelCategories on one thread.
// Cost:       twenty searches of the name; a look-up for a known one.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "model/spans.h"

namespace runglass {

// kComm for kernels of communication libraries (NCCL, RCCL, HCCL, NVSHMEM, DeepEP, ...) and for all-reduce kernels of inference engines and
// PyTorch, by their names; else kCompute. A name without its namespace can lack the library: pass the full one if both exist.
SpanCategory kernelCategory(std::string_view name);

// Caches results: a trace has millions of kernels with a few hundred names.
class KernelCategories {
 public:
  SpanCategory of(std::string_view name);

 private:
  static constexpr std::size_t kMaxNames = 4'096;
  std::map<std::string, SpanCategory, std::less<>> m_known;
};

}  // namespace runglass
