// SPDX-License-Identifier: Apache-2.0
// Roles: which of a run's series is "the loss", "tokens per second", ... although every framework names them differently, and the other
// meanings of a tag's words. The only place that interprets tags.
//
// Threading:  any thread; no state.
// Ownership:  pick returns a pointer into the caller's span.
// Units:      where a role needs one, see pickSeries().
// Errors:     nullptr if no series fits.
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
  kBatchSize,  // samples per step, over all ranks
  kEpoch,
  kValidationLoss,
};

// How well a tag fits: 0 is the best known name, larger is worse; absent: it does not fit. A known name fits best, regardless of case and
// separators (_ - / . and space); then a tag whose words have the same meaning, the better the fewer other words it has:
// "Train/Samples/train_loss", "loss/train/total", "train_loss_step". A policy loss of reinforcement learning is the training loss if there
// is no other. Evaluations ("eval", "val", "test") fit only kValidationLoss; auxiliary, reward and critic losses fit none. A source's own
// statement of the meaning (label "canonical") overrides the name.
std::optional<int> roleFit(std::string_view tag, Role role, std::string_view labels = {});

// The best fitting series with data: by name, then global before per rank, then the longest. kStepTime must be in ns, kFlopsPerGpu in
// FLOP/s.
const Series* pickSeries(std::span<const Series> series, Role role);

// Whether its words or its source denote an evaluation.
bool isEvaluation(const SeriesKey& key);
// Whether one of its words is a loss, a perplexity or a gradient: NaN and Inf in it are a fault, whatever the role of the series.
bool isLossOrGradient(std::string_view tag);
// Whether one of its words belongs to reinforcement or preference learning.
bool isReinforcement(std::string_view tag);
// Why there is no training loss, with the available scalars: "no scalar is known as a training loss: a, b and 12 more".
std::string noLossText(std::span<const Series> series, std::size_t shown = 8);

}  // namespace runglass
