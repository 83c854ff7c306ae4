// SPDX-License-Identifier: Apache-2.0
// What a GPU kernel does, by its name.
//
// Threading:  pure; an object on one thread.
// Ownership:  none.
// Units:      none.
// Errors:     none.
// Cost:       twenty searches of the name; of a known one a look-up.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "model/spans.h"

namespace runglass {

// kComm for kernels of communication libraries (NCCL, RCCL, HCCL, NVSHMEM, DeepEP, ...) and for all-reduce kernels of inference engines and
// PyTorch, by their names; else kCompute. A name without its namespace may hide the library: ask with the full one where there are two.
SpanCategory kernelCategory(std::string_view name);

// Remembers what it was asked: a trace has millions of kernels of few hundred names.
class KernelCategories {
 public:
  SpanCategory of(std::string_view name);

 private:
  static constexpr std::size_t kMaxNames = 4'096;
  std::map<std::string, SpanCategory, std::less<>> m_known;
};

}  // namespace runglass
