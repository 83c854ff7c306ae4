// SPDX-License-Identifier: Apache-2.0
#include "analysis/steps/host_activity.h"

#include <algorithm>
#include <array>
#include <string>

namespace runglass {
namespace {

constexpr std::size_t kMaxName = 512;  // the rest carries no further meaning

std::string lowered(std::string_view name) {
  std::string text(name.substr(0, kMaxName));
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  return text;
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool isLetter(char c) { return c >= 'a' && c <= 'z'; }

// `word` between characters that are not letters: "log" in "train/log_metrics", not in "logits" or "catalog".
bool hasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !isLetter(text[at - 1])) && (end == text.size() || !isLetter(text[end]))) return true;
  }
  return false;
}

template <std::size_t N>
bool hasAny(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return has(text, part); });
}

HostActivity ofCall(std::string_view call) {
  if (has(call, "synchronize")) return HostActivity::kSync;
  if (has(call, "memcpy")) return HostActivity::kCopyCall;
  constexpr std::array<std::string_view, 7> kAllocations = {"malloc",         "free",      "hostalloc", "hostregister",
                                                            "hostunregister", "memcreate", "memmap"};
  if (hasAny(call, kAllocations)) return HostActivity::kAllocation;
  return HostActivity::kWork;
}

bool isCheckpoint(std::string_view text) {
  if (has(text, "torch/serialization.py")) return has(text, ": save") || has(text, ": _save");
  if (has(text, "torch/distributed/checkpoint/") || has(text, "dist_checkpointing/")) return true;
  if (has(text, "torch.save")) return true;
  return (has(text, "checkpoint") || hasWord(text, "ckpt")) && hasWord(text, "save");
}

bool isDataload(std::string_view text) {
  constexpr std::array<std::string_view, 7> kNames = {"dataloader", "data_loader", "data-loader",      "dataload",
                                                      "data_load",  "data-load",   "torch/utils/data/"};
  if (hasAny(text, kNames)) return true;
  constexpr std::array<std::string_view, 6> kBatches = {"load_batch",  "get_batch", "next_batch",
                                                        "fetch_batch", "get-batch", "batch-generator"};
  return hasAny(text, kBatches);
}

bool isGc(std::string_view text) {
  return text == "gc" || text.starts_with("gc ") || text.starts_with("gc:") || has(text, "gc.collect") || has(text, "gc_collect") ||
         has(text, "python gc") || has(text, "garbage collect") || has(text, "garbage-collect") || has(text, "garbage_collect") ||
         text == "<built-in function collect>";
}

bool isLogging(std::string_view text) {
  constexpr std::array<std::string_view, 4> kNames = {"logging/__init__.py", "wandb", "tensorboard", "<built-in function print>"};
  if (hasAny(text, kNames)) return true;
  // A function of another file is not logging because its name contains "log": math has one.
  if (has(text, ".py(") || text.starts_with("<built-in")) return false;
  constexpr std::array<std::string_view, 5> kWords = {"log", "logging", "logger", "print", "mlflow"};
  return std::ranges::any_of(kWords, [&](std::string_view word) { return hasWord(text, word); });
}

}  // namespace

HostActivity hostActivity(SpanCategory category, std::string_view name) {
  switch (category) {
    case SpanCategory::kCheckpoint:
      return HostActivity::kCheckpoint;
    case SpanCategory::kDataload:
      return HostActivity::kDataload;
    case SpanCategory::kGc:
      return HostActivity::kGc;
    case SpanCategory::kSync:
      return HostActivity::kSync;
    case SpanCategory::kRuntime:
      return ofCall(lowered(name));
    case SpanCategory::kCpuOp:
    case SpanCategory::kAnnotation:
    case SpanCategory::kOther:
      break;
    case SpanCategory::kCompute:
    case SpanCategory::kComm:
    case SpanCategory::kMemcpy:
    case SpanCategory::kMemset:
    case SpanCategory::kIdle:
      return HostActivity::kNone;
  }
  const HostActivity otherwise = category == SpanCategory::kCpuOp ? HostActivity::kWork : HostActivity::kNone;
  const std::string text = lowered(name);
  if (text.starts_with("aten::") || text.starts_with("nccl:") || text.starts_with("autograd::")) return otherwise;
  if (isCheckpoint(text)) return HostActivity::kCheckpoint;
  if (isDataload(text)) return HostActivity::kDataload;
  if (isGc(text)) return HostActivity::kGc;
  if (category != SpanCategory::kCpuOp && isLogging(text)) return HostActivity::kLogging;
  return otherwise;
}

SpanCategory categoryOfActivity(HostActivity activity, SpanCategory category) {
  if (activity == HostActivity::kCheckpoint) return SpanCategory::kCheckpoint;
  if (activity == HostActivity::kDataload) return SpanCategory::kDataload;
  if (activity == HostActivity::kGc) return SpanCategory::kGc;
  return category;
}

}  // namespace runglass
