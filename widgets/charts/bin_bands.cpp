// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/charts/bin_bands.h"

#include <algorithm>

#include "analysis/statistics/median.h"

namespace runglass {

SharedBins meansOf(std::vector<Bin> bins) {
  for (Bin& bin : bins)
    if (bin.count > 0) bin.first = bin.last = bin.min = bin.max = bin.sum / static_cast<double>(bin.count);
  return std::make_shared<const std::vector<Bin>>(std::move(bins));
}

void widenBand(std::vector<Bin>& band, const std::vector<Bin>& bins) {
  if (band.empty()) return void(band = bins);
  for (std::size_t i = 0; i < std::min(band.size(), bins.size()); ++i) {
    Bin& into = band[i];
    const Bin& from = bins[i];
    if (from.count == 0) continue;
    into.min = into.count == 0 ? from.min : std::min(into.min, from.min);
    into.max = into.count == 0 ? from.max : std::max(into.max, from.max);
    into.count += from.count;
  }
}

SharedBins medianOf(std::span<const SharedBins> curves) {
  auto out = std::make_shared<std::vector<Bin>>();
  if (curves.empty()) return out;
  std::vector<double> means;
  for (std::size_t i = 0; i < curves.front()->size(); ++i) {
    Bin bin = (*curves.front())[i];
    bin.count = bin.nan_count = 0;
    means.clear();
    for (const SharedBins& curve : curves)
      if (i < curve->size() && (*curve)[i].count > 0) {
        const Bin& own = (*curve)[i];
        means.push_back(own.sum / static_cast<double>(own.count));
        bin.count += own.count;
      }
    if (const auto middle = median(means)) {
      bin.first = bin.last = bin.min = bin.max = *middle;
      bin.sum = *middle * static_cast<double>(bin.count);
    }
    out->push_back(bin);
  }
  return out;
}

}  // namespace runglass
