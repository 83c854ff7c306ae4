// SPDX-License-Identifier: Apache-2.0
// Roles: which of a run's series is "the loss", "tokens per second", ... although every framework calls it differently, and
// what else a tag's words say of a series. The only place that reads meaning from tags.
//
// Threading:  any thread; no state.
// Ownership:  pick returns a pointer into the caller's span.
// Units:      none; a role that needs a unit says so.
// Errors:     none: nothing suitable is nullptr.
// Cost:       O(series).
//
// The words of a tag are its parts between separators and at changes of case, in lower case and without trailing digits;
// "trainloss" is two of them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "model/samples.h"

namespace runglass {

enum class Role : std::uint8_t {
  kLoss,
  kGradNorm,
  kLearningRate,
  kTokensPerSecond,
  kTokensPerGpu,
  kFlopsPerGpu,
  kSamplesPerSecond,
  kMfu,
  kStepTime,
  kLossScale,
  kBatchSize,  // samples of a step, all ranks together
  kEpoch,
  kValidationLoss,
};

// How well a tag fits: 0 is the best known name, larger is worse; absent: it does not. A known name fits best, whatever its
// case and separators (_ - / . and space); then one of which the words say the same, the better the fewer other words it has:
// "Train/Samples/train_loss", "loss/train/total", "train_loss_step". A policy loss of reinforcement learning is the training
// loss where there is no other. Evaluations ("eval", "val", "test") fit no role but kValidationLoss; auxiliary, reward and
// critic losses fit none. A source that says what its tag means (label "canonical") is believed whatever the name.
std::optional<int> roleFit(std::string_view tag, Role role, std::string_view labels = {});

// The best fitting series with data: by name, then global before per rank, then the longest. kStepTime must be in ns, kFlopsPerGpu in
// FLOP/s.
const Series* pickSeries(std::span<const Series> series, Role role);

// Its words or its source speak of an evaluation.
bool isEvaluation(const SeriesKey& key);
// One of its words is a loss, a perplexity or a gradient: NaN and Inf in it are trouble, whatever the role of the series.
bool isLossOrGradient(std::string_view tag);
// One of its words belongs to reinforcement or preference learning.
bool isReinforcement(std::string_view tag);
// Why there is no training loss, with the scalars that there are: "no scalar is known as a training loss: a, b and 12 more".
std::string noLossText(std::span<const Series> series, std::size_t shown = 8);

}  // namespace runglass
