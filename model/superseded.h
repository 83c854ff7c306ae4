// SPDX-License-Identifier: Apache-2.0
// Points that a later attempt of a run repeated: after a rewind a step exists twice, and the newer one counts.
//
// Units:      steps (the x of scalar series: iterations, samples or epochs, as each series counts).
// Cost:       O(series), one hash each.
#pragma once

#include <span>
#include <unordered_map>

#include "model/samples.h"

namespace runglass {

// For each scalar series of `all` that a later attempt started again (the same metric, source and labels, on any rank): the step from which
// its points are superseded. Curves of one run may count steps or samples, so each series is compared only with series of the same metric.
// `all` holds every attempt's series of the runs in question; attempt ids grow within a run.
std::unordered_map<SeriesId, std::int64_t> supersededFrom(std::span<const Series> all);

}  // namespace runglass
