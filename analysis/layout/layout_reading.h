// SPDX-License-Identifier: Apache-2.0
// Reads the coordinates of an attempt's ranks. Derived coordinates are never stored: every view reads them here, so that a better source or
// another order takes effect at once and everywhere.
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
// The attempt's ranks, and those of `also` that it does not list, with their known coordinates, by rank.
Result<std::vector<Rank>> placedRanks(Reader& reader, AttemptId attempt, std::span<const std::int32_t> also = {});

}  // namespace runglass
