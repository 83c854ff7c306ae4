// SPDX-License-Identifier: GPL-3.0-or-later
// Many curves as one: what they reached, their median, each one's mean. Of bins that were asked for with equal ranges and counts.
//
// Threading:  pure.
// Ownership:  values.
// Units:      those of the bins.
// Errors:     none: where no curve has anything the answer's bins are empty.
// Cost:       O(curves x bins), the median O(curves log curves) a bin.
#pragma once

#include <span>
#include <vector>

#include "widgets/charts/plot_data.h"

namespace runglass {

// Each bin's mean as a line.
SharedBins meansOf(std::vector<Bin> bins);
// Makes room in `band` for what `bins` reached; an empty band is filled.
void widenBand(std::vector<Bin>& band, const std::vector<Bin>& bins);
// Of the curves' means, bin by bin.
SharedBins medianOf(std::span<const SharedBins> curves);

}  // namespace runglass
