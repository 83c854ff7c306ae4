// SPDX-License-Identifier: Apache-2.0
// The places of an attempt's ranks from what a store knows. Coordinates that ranks did not say are never stored: whoever shows places asks
// here, so that a better source or another order is seen at once and everywhere.
//
// Threading:  on the thread of the Reader.
// Units:      as layout_places.h.
// Errors:     the Reader's.
// Cost:       placeLayout() and five reads.
#pragma once

#include <string>

#include "analysis/layout/layout_places.h"
#include "storage/reader.h"

namespace runglass {

Result<LayoutQuestion> readLayoutQuestion(Reader& reader, const Run& run, const Attempt& attempt);
// The ranks of an attempt, and those of `also` that it does not list, with the coordinates that are known, by rank.
Result<std::vector<Rank>> placedRanks(Reader& reader, AttemptId attempt, std::span<const std::int32_t> also = {});

}  // namespace runglass
