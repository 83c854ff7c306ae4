// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/timeline/kernel_category.h"

#include <algorithm>
#include <array>
#include <string>

namespace runglass {
namespace {

// Libraries and their device code, anywhere in a name: NCCL, RCCL, HCCL (hcom_allReduce__), MSCCL and MSCCL++, oneCCL, XCCL, MCCL, UCCL,
// CNCL, NVSHMEM, rocSHMEM, DeepEP, MoRI, Transformer Engine's userbuffers, PyTorch's symmetric memory.
constexpr std::array<std::string_view, 17> kLibraries = {"nccl",    "rccl",   "hccl",   "hcom_",       "msccl",           "oneccl",
                                                         "xccl",    "mccl",   "uccl",   "cncl",        "nvshmem",         "rocshmem",
                                                         "deep_ep", "deepep", "mori::", "userbuffers", "symmetric_memory"};

// Operations, in the name of the function without separators: the all-reduce kernels of vLLM, SGLang and AITER
// (cross_device_reduce_1stage), TensorRT-LLM and FlashInfer (allreduce_fusion_kernel_oneshot_lamport, moeA2ADispatchKernel), PyTorch
// (multimem_all_reduce_kernel).
constexpr std::array<std::string_view, 8> kOperations = {"crossdevicereduce", "allreduce", "allgather", "reducescatter",
                                                         "alltoall",          "all2all",   "moea2a",    "sendrecv"};

// Reductions within a warp or block, whose names contain the same words.
constexpr std::array<std::string_view, 3> kWithinAKernel = {"warpallreduce", "blockallreduce", "warpallgather"};

bool hasOneOf(std::string_view text, auto&& words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

std::string lower(std::string_view text) {
  std::string low(text);
  std::ranges::transform(low, low.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return low;
}

// Without template arguments and parameters, which do not show what a kernel does.
std::string functionOf(std::string text) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  for (std::size_t at = text.find(kAnonymous); at != std::string::npos; at = text.find(kAnonymous)) text.erase(at, kAnonymous.size());
  text.resize(std::min(text.size(), text.find_first_of("<(")));
  std::erase_if(text, [](char c) { return c == '_' || c == '-' || c == ' '; });
  return text;
}

}  // namespace

SpanCategory kernelCategory(std::string_view name) {
  const std::string low = lower(name);
  if (hasOneOf(low, kLibraries)) return SpanCategory::kComm;
  const std::string function = functionOf(low);
  return hasOneOf(function, kOperations) && !hasOneOf(function, kWithinAKernel) ? SpanCategory::kComm : SpanCategory::kCompute;
}

SpanCategory KernelCategories::of(std::string_view name) {
  if (const auto known = m_known.find(name); known != m_known.end()) return known->second;
  const SpanCategory category = kernelCategory(name);
  if (m_known.size() < kMaxNames) m_known.emplace(name, category);
  return category;
}

}  // namespace runglass
