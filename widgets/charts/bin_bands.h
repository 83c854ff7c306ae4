// SPDX-License-Identifier: GPL-3.0-or-later
// Many curves as one: their range, their median, each curve's mean. All bins must have been queried with equal ranges and counts.
//
// Threading:  pure.
// Units:      those of the bins.
// Errors:     none: where no curve has data the resulting bins are empty.
// Cost:       O(curves x bins), the median O(curves log curves) a bin.
#pragma once

#include <span>
#include <vector>

#include "widgets/charts/plot_data.h"

namespace runglass {

// The mean of each bin, as a line.
SharedBins meansOf(std::vector<Bin> bins);
// Widens `band` to include the range of `bins`; an empty band is filled with it.
void widenBand(std::vector<Bin>& band, const std::vector<Bin>& bins);
// Median of the curves' means, bin by bin.
SharedBins medianOf(std::span<const SharedBins> curves);

}  // namespace runglass
