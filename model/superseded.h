// SPDX-License-Identifier: Apache-2.0
// Which points a later attempt of a run made again: after a rewind a step exists twice, and the newer one counts.
//
// Threading:  pure.
// Units:      steps (the x of scalar series: iterations, samples, epochs, as each series counts).
// Cost:       O(series), a hash each.
#pragma once

#include <span>
#include <unordered_map>

#include "model/samples.h"

namespace runglass {

// For each scalar series of `all` that a later attempt began again (the same metric, source and labels, on any rank): the step from which
// on its points are superseded. Curves of one run may count steps and samples, so each is compared with its like only.
// `all` holds every attempt's series of the runs in question; attempts of a run have growing ids.
std::unordered_map<SeriesId, std::int64_t> supersededFrom(std::span<const Series> all);

}  // namespace runglass
