// SPDX-License-Identifier: Apache-2.0
// Roles: which of a run's series is "the loss", "tokens per second", ... although every framework calls it differently.
//
// Threading:  any thread; no state.
// Ownership:  pick returns a pointer into the caller's span.
// Units:      none; a role that needs a unit says so.
// Errors:     none: nothing suitable is nullptr.
// Cost:       O(series).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
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
};

// How well a tag fits: 0 is the best known name, larger is worse; absent: it does not. Case and the separators _ - / . and space do not
// matter. Names of evaluations ("eval", "valid", "test") never fit. A source that says what its tag means (label "canonical") is believed
// whatever the name.
std::optional<int> roleFit(std::string_view tag, Role role, std::string_view labels = {});

// The best fitting series with data: by name, then global before per rank, then the longest. kStepTime must be in ns, kFlopsPerGpu in
// FLOP/s.
const Series* pickSeries(std::span<const Series> series, Role role);

}  // namespace runglass
