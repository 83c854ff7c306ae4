// SPDX-License-Identifier: Apache-2.0
#include "analysis/run_summary/roles.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "model/step_metrics.h"

namespace runglass {
namespace {

// Best first; written in the normal form of normalTag().
constexpr std::string_view kLoss[] = {"loss",
                                      "lm loss",
                                      "train loss",
                                      "training loss",
                                      "loss train",
                                      "train lm loss",
                                      "total loss",
                                      "train inner loss",
                                      "global avg loss",
                                      "reduced train loss",
                                      "loss metrics global avg loss"};
constexpr std::string_view kGradNorm[] = {"grad norm", "gradient norm", "global grad norm", "train grad norm", "grad norm total",
                                          "gradnorm",  "gnorm"};
constexpr std::string_view kLearningRate[] = {"learning rate", "lr", "train lr", "train learning rate", "lr default"};
constexpr std::string_view kTokens[] = {"tokens per s", "tokens per sec", "tokens per second", "tokens s",        "tokens sec",
                                        "tok s",        "tok sec",        "throughput tokens", "throughput(tps)", "wps"};
constexpr std::string_view kTokensPerGpu[] = {"tokens per gpu per s", "tokens per s per gpu", "tokens per gpu", "tps"};
constexpr std::string_view kMfu[] = {"mfu", "mfu ratio", "model flops utilization"};
constexpr std::string_view kFlops[] = {"flops per s per gpu", "throughput per gpu",      "model flops per s",    "tflops per gpu",
                                       "flops per s",         "effective flops per gpu", "approx flops per gpu", "flops"};
constexpr std::string_view kSamples[] = {"samples per s", "samples per sec", "samples per second", "samples sec", "samples s"};
constexpr std::string_view kStepTime[] = {"step time ns",   "step ns",   "step time", "elapsed time per iteration",
                                          "iteration time", "iter time", "step avg"};
constexpr std::string_view kLossScale[] = {"loss scale"};
constexpr std::string_view kBatchSize[] = {"global batch size", "batch size", "total batch size", "train batch size"};
constexpr std::string_view kEpoch[] = {"epoch", "train epoch"};

std::span<const std::string_view> namesOf(Role role) {
  switch (role) {
    case Role::kLoss:
      return kLoss;
    case Role::kGradNorm:
      return kGradNorm;
    case Role::kLearningRate:
      return kLearningRate;
    case Role::kTokensPerSecond:
      return kTokens;
    case Role::kTokensPerGpu:
      return kTokensPerGpu;
    case Role::kFlopsPerGpu:
      return kFlops;
    case Role::kSamplesPerSecond:
      return kSamples;
    case Role::kMfu:
      return kMfu;
    case Role::kStepTime:
      return kStepTime;
    case Role::kLossScale:
      return kLossScale;
    case Role::kBatchSize:
      return kBatchSize;
    case Role::kEpoch:
      return kEpoch;
  }
  return {};
}

std::string_view canonicalOf(Role role) {
  switch (role) {
    case Role::kLoss:
      return "loss";
    case Role::kGradNorm:
      return "grad_norm";
    case Role::kLearningRate:
      return "learning_rate";
    case Role::kTokensPerSecond:
      return "tokens_per_s";
    case Role::kTokensPerGpu:
      return "tokens_per_gpu_per_s";
    case Role::kFlopsPerGpu:
      return "flops_per_s";
    case Role::kSamplesPerSecond:
      return "samples_per_s";
    case Role::kMfu:
      return "mfu_ratio";
    case Role::kStepTime:
      return kStepTimeMetric;
    case Role::kLossScale:
      return "loss_scale";
    case Role::kBatchSize:
      return "global_batch_size";
    case Role::kEpoch:
      return "epoch";
  }
  return {};
}

// The value of "canonical" in a label set, which the store keeps as compact JSON; "" where there is none.
std::string_view canonicalIn(std::string_view labels) {
  constexpr std::string_view kKey = "\"canonical\":\"";
  const std::size_t at = labels.find(kKey);
  if (at == std::string_view::npos) return {};
  labels.remove_prefix(at + kKey.size());
  return labels.substr(0, labels.find('"'));
}

std::string normalTag(std::string_view tag) {
  std::string normal;
  for (const char c : tag) {
    const bool separator = c == '_' || c == '-' || c == '/' || c == '.' || c == ' ';
    if (separator && (normal.empty() || normal.back() == ' ')) continue;
    normal += separator ? ' ' : (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  while (!normal.empty() && normal.back() == ' ') normal.pop_back();
  return normal;
}

bool isEvaluation(std::string_view normal) {
  return std::ranges::any_of(std::array<std::string_view, 4>{"eval", "valid", "test", "val "},
                             [&](std::string_view word) { return normal.find(word) != std::string_view::npos; });
}

}  // namespace

std::optional<int> roleFit(std::string_view tag, Role role, std::string_view labels) {
  const std::string normal = normalTag(tag);
  if (isEvaluation(normal)) return std::nullopt;
  const auto names = namesOf(role);
  const auto found = std::ranges::find(names, std::string_view(normal));
  const std::string_view canonical = canonicalIn(labels);
  if (canonical.empty() ? found == names.end() : canonical != canonicalOf(role)) return std::nullopt;
  return static_cast<int>(found - names.begin());
}

const Series* pickSeries(std::span<const Series> series, Role role) {
  const Series* best = nullptr;
  std::tuple<int, bool, std::int64_t> best_key;
  for (const Series& candidate : series) {
    if (candidate.sample_count == 0 || isEvaluation(normalTag(candidate.key.source) + ' ')) continue;
    if (role == Role::kStepTime && candidate.key.unit != "ns") continue;
    if (role == Role::kFlopsPerGpu && candidate.key.unit != "flops_per_s") continue;
    const std::optional<int> fit = roleFit(candidate.key.metric, role, candidate.key.labels);
    if (!fit) continue;
    const std::tuple<int, bool, std::int64_t> key{*fit, candidate.key.rank.has_value(), -candidate.sample_count};
    if (best == nullptr || key < best_key) {
      best = &candidate;
      best_key = key;
    }
  }
  return best;
}

}  // namespace runglass
