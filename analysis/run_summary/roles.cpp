// SPDX-License-Identifier: Apache-2.0
#include "analysis/run_summary/roles.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/step_metrics.h"

namespace runglass {
namespace {

// Best first; in the normal form of normalTag().
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
    case Role::kValidationLoss:
      return {};  // matched by its words only
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
    case Role::kValidationLoss:
      return "validation_loss";
  }
  return {};
}

// The value of "canonical" in a label set, which the store keeps as compact JSON; "" if there is none.
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

using Words = std::vector<std::string>;

bool isUpper(char c) { return c >= 'A' && c <= 'Z'; }
bool isLower(char c) { return c >= 'a' && c <= 'z'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }

// "trainloss" is "train loss", "gradnorm" and "gnorm" are "grad norm".
void addWord(Words& words, std::string word) {
  while (!word.empty() && isDigit(word.back())) word.pop_back();
  if (word.empty()) return;
  constexpr std::string_view kLossEnd = "loss";
  if (word == "gradnorm" || word == "gnorm") {
    words.insert(words.end(), {"grad", "norm"});
  } else if (word == "crossentropy" || word == "xent") {
    words.insert(words.end(), {"cross", "entropy"});
  } else if (word.size() > kLossEnd.size() && word.ends_with(kLossEnd)) {
    words.push_back(word.substr(0, word.size() - kLossEnd.size()));
    words.emplace_back(kLossEnd);
  } else {
    words.push_back(std::move(word));
  }
}

Words wordsOf(std::string_view tag) {
  Words words;
  std::string word;
  for (std::size_t i = 0; i < tag.size(); ++i) {
    const char c = tag[i];
    const bool within = isUpper(c) || isLower(c) || isDigit(c);
    const bool starts = isUpper(c) && i > 0 && (isLower(tag[i - 1]) || (isUpper(tag[i - 1]) && i + 1 < tag.size() && isLower(tag[i + 1])));
    if (!within || starts) addWord(words, std::exchange(word, {}));
    if (within) word += isUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  addWord(words, std::move(word));
  return words;
}

template <std::size_t kCount>
bool isOneOf(std::string_view word, const std::array<std::string_view, kCount>& set) {
  return std::ranges::find(set, word) != set.end();
}
template <std::size_t kCount>
bool anyOf(const Words& words, const std::array<std::string_view, kCount>& set) {
  return std::ranges::any_of(words, [&](const std::string& word) { return isOneOf(word, set); });
}
bool has(const Words& words, std::string_view word) { return std::ranges::find(words, word) != words.end(); }
bool hasPair(const Words& words, std::string_view first, std::string_view second) {
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i - 1] == first && words[i] == second) return true;
  return false;
}

constexpr std::array<std::string_view, 4> kEvaluationWords = {"val", "test", "testing", "holdout"};
// Words of terms added to a loss, or of losses of other models trained along.
constexpr std::array<std::string_view, 17> kBesideWords = {"aux", "auxiliary", "moe",     "balance", "balancing", "router",
                                                           "z",   "mtp",       "kl",      "reward",  "rewards",   "critic",
                                                           "cri", "vf",        "entropy", "alpha",   "commitment"};
// Words of numbers about losses or gradients that are neither.
constexpr std::array<std::string_view, 18> kAboutWords = {"scale",       "scaler",   "scaling", "mask", "coef",   "coeff",
                                                          "coefficient", "count",    "num",     "time", "tokens", "std",
                                                          "var",         "variance", "min",     "max",  "ratio",  "clip"};
constexpr std::array<std::string_view, 28> kNeutralWords = {"train",     "training", "samples", "sample",  "step",    "steps",    "iter",
                                                            "iteration", "batch",    "epoch",   "avg",     "mean",    "average",  "total",
                                                            "global",    "reduced",  "lm",      "running", "smooth",  "smoothed", "value",
                                                            "per",       "token",    "metrics", "model",   "overall", "sum",      "inner"};
constexpr std::array<std::string_view, 6> kPolicyWords = {"policy", "actor", "pg", "ppo", "act", "surrogate"};
constexpr std::array<std::string_view, 7> kPartWords = {"layer", "layers", "weight", "bias", "block", "blocks", "embedding"};
constexpr std::array<std::string_view, 8> kRateAboutWords = {"decay",   "warmup", "multiplier", "mult",
                                                             "initial", "base",   "schedule",   "weight"};
constexpr std::array<std::string_view, 8> kContextWords = {"train",      "training", "perf",   "performance",
                                                           "throughput", "metrics",  "timing", "system"};

bool isEvaluation(const Words& words) {
  return std::ranges::any_of(words, [](std::string_view word) {
    return word.starts_with("eval") || word.starts_with("valid") || isOneOf(word, kEvaluationWords);
  });
}

bool isLoss(const Words& words) {
  return has(words, "loss") || has(words, "losses") || has(words, "nll") || hasPair(words, "cross", "entropy");
}
bool isGradient(const Words& words) {
  return has(words, "grad") || has(words, "grads") || has(words, "gradient") || has(words, "gradients");
}

// A cross entropy is not an entropy bonus, and "loss value" is not the loss of a value function.
bool isBeside(Words words) {
  if (hasPair(words, "value", "loss") || hasPair(words, "value", "function")) return true;
  for (std::size_t i = 1; i < words.size(); ++i)
    if (words[i - 1] == "cross" && words[i] == "entropy") words[i].clear();
  return anyOf(words, kBesideWords);
}

// For a tag that is not a known name: the cost of its words beyond those that the role needs.
constexpr int kByWords = 100;
template <class Needed>
int costOf(const Words& words, Needed needed) {
  constexpr int kPolicy = 20, kOther = 10;
  int cost = kByWords;
  for (const std::string& word : words)
    if (!needed(word) && !isOneOf(word, kNeutralWords)) cost += isOneOf(word, kPolicyWords) ? kPolicy : kOther;
  return cost;
}

std::optional<int> lossByWords(const Words& words) {
  if (!isLoss(words) || isBeside(words) || isGradient(words) || anyOf(words, kAboutWords)) return std::nullopt;
  return costOf(words, [](std::string_view word) {
    return word == "loss" || word == "nll" || word == "cross" || word == "entropy" || word.starts_with("eval") ||
           word.starts_with("valid") || isOneOf(word, kEvaluationWords);
  });
}

// Matches the name without leading context words.
std::optional<int> withoutContext(std::string_view normal, std::span<const std::string_view> names) {
  for (int dropped = 1;; ++dropped) {
    const std::size_t space = normal.find(' ');
    if (space == std::string_view::npos || !isOneOf(normal.substr(0, space), kContextWords)) return std::nullopt;
    normal.remove_prefix(space + 1);
    if (std::ranges::find(names, normal) != names.end()) return kByWords + dropped;
  }
}

std::optional<int> byWords(std::string_view normal, const Words& words, Role role) {
  const auto isScale = [](std::string_view word) { return word == "scale" || word == "scaler"; };
  switch (role) {
    case Role::kLoss:
    case Role::kValidationLoss:
      return lossByWords(words);
    case Role::kGradNorm:
      if (!isGradient(words) || !has(words, "norm") || isBeside(words) || anyOf(words, kAboutWords) || anyOf(words, kPartWords))
        return std::nullopt;
      return costOf(words, [](std::string_view word) { return word.starts_with("grad") || word == "norm"; });
    case Role::kLearningRate:
      if ((!has(words, "lr") && !hasPair(words, "learning", "rate")) || isBeside(words) || anyOf(words, kAboutWords) ||
          anyOf(words, kRateAboutWords))
        return std::nullopt;
      return costOf(words, [](std::string_view word) { return word == "lr" || word == "learning" || word == "rate"; });
    case Role::kLossScale:
      if ((!has(words, "loss") && !isGradient(words)) || !std::ranges::any_of(words, isScale)) return std::nullopt;
      return costOf(words, [&](std::string_view word) { return word == "loss" || word == "grad" || isScale(word); });
    default:
      return withoutContext(normal, namesOf(role));
  }
}

}  // namespace

std::optional<int> roleFit(std::string_view tag, Role role, std::string_view labels) {
  const Words words = wordsOf(tag);
  const std::string_view canonical = canonicalIn(labels);
  const bool validation = role == Role::kValidationLoss;
  if (canonical.empty() ? isEvaluation(words) != validation : isEvaluation(words) && !validation) return std::nullopt;
  const auto names = namesOf(role);
  const std::string normal = normalTag(tag);
  const auto found = std::ranges::find(names, std::string_view(normal));
  if (!canonical.empty()) return canonical == canonicalOf(role) ? std::optional(static_cast<int>(found - names.begin())) : std::nullopt;
  return found != names.end() ? std::optional(static_cast<int>(found - names.begin())) : byWords(normal, words, role);
}

const Series* pickSeries(std::span<const Series> series, Role role) {
  const Series* best = nullptr;
  std::tuple<int, bool, std::int64_t> best_key;
  for (const Series& candidate : series) {
    if (candidate.sample_count == 0) continue;
    if (role == Role::kStepTime && candidate.key.unit != "ns") continue;
    if (role == Role::kFlopsPerGpu && candidate.key.unit != "flops_per_s") continue;
    const bool validates = isEvaluation(wordsOf(candidate.key.source));
    if (validates && role != Role::kValidationLoss) continue;
    // A source of evaluations names its loss like a training loss.
    const Role named = validates && !isEvaluation(wordsOf(candidate.key.metric)) ? Role::kLoss : role;
    const std::optional<int> fit = roleFit(candidate.key.metric, named, candidate.key.labels);
    if (!fit) continue;
    const std::tuple<int, bool, std::int64_t> key{*fit, candidate.key.rank.has_value(), -candidate.sample_count};
    if (best == nullptr || key < best_key) {
      best = &candidate;
      best_key = key;
    }
  }
  return best;
}

bool isEvaluation(const SeriesKey& key) {
  return isEvaluation(wordsOf(key.metric)) || isEvaluation(wordsOf(key.source)) || isEvaluation(wordsOf(key.labels));
}

bool isLossOrGradient(std::string_view tag) {
  const Words words = wordsOf(tag);
  return isLoss(words) || isGradient(words) || has(words, "perplexity") || has(words, "ppl");
}

bool isReinforcement(std::string_view tag) {
  constexpr std::array<std::string_view, 7> kWords = {"reward", "rewards", "critic", "actor", "advantage", "advantages", "policy"};
  const Words words = wordsOf(tag);
  return anyOf(words, kWords) || hasPair(words, "act", "loss");
}

std::string noLossText(std::span<const Series> series, std::size_t shown) {
  std::set<std::string_view> tags;
  for (const Series& one : series)
    if (one.key.kind == SeriesKind::kScalar && one.sample_count > 0) tags.insert(one.key.metric);
  if (tags.empty()) return "no scalar is recorded";
  std::string text = "no scalar is known as a training loss: ";
  std::size_t count = 0;
  for (const std::string_view tag : tags) {
    if (count == shown) break;
    text.append(count++ == 0 ? "" : ", ").append(tag);
  }
  if (tags.size() > shown) text += " and " + std::to_string(tags.size() - shown) + " more";
  return text;
}

}  // namespace runglass
