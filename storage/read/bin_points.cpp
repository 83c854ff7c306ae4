// SPDX-License-Identifier: Apache-2.0
#include "storage/read/bin_points.h"

#include <cmath>

namespace runglass {
namespace {

// Adds values [begin, end); accumulates in locals, so that the loop avoids memory access.
void addRun(Bin& bin, const double* begin, const double* end) {
  while (begin < end && bin.count == 0) {
    const double v = *begin++;
    if (std::isnan(v)) {
      ++bin.nan_count;
      continue;
    }
    bin.first = bin.last = bin.min = bin.max = v;
    bin.sum += v;
    bin.count = 1;
  }
  double min = bin.min, max = bin.max, sum = bin.sum, last = bin.last;
  std::int64_t count = bin.count;
  for (; begin < end; ++begin) {
    const double v = *begin;
    if (std::isnan(v)) {
      ++bin.nan_count;
      continue;
    }
    min = v < min ? v : min;
    max = v > max ? v : max;
    sum += v;
    last = v;
    ++count;
  }
  bin.min = min, bin.max = max, bin.sum = sum, bin.last = last, bin.count = count;
}

}  // namespace

// x0 + width * k / bins, split up so that nothing overflows.
std::int64_t binEdge(std::int64_t x0, std::int64_t x1, std::size_t bins, std::size_t k) {
  const std::uint64_t width = static_cast<std::uint64_t>(x1) - static_cast<std::uint64_t>(x0);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(x0) + width / bins * k + width % bins * k / bins);
}

std::vector<Bin> emptyBins(std::int64_t x0, std::int64_t x1, std::size_t bins) {
  std::vector<Bin> out(bins);
  std::int64_t edge = x0;
  for (std::size_t k = 0; k < bins; ++k) {
    out[k].x0 = edge;
    out[k].x1 = edge = binEdge(x0, x1, bins, k + 1);
  }
  return out;
}

void addPoints(std::vector<Bin>& bins, const std::vector<std::int64_t>& x, const std::vector<double>& value) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < x.size();) {
    while (k + 1 < bins.size() && bins[k + 1].x0 <= x[i]) ++k;
    std::size_t end = x.size();
    if (k + 1 < bins.size()) {
      end = i + 1;
      while (end < x.size() && x[end] < bins[k].x1) ++end;
    }
    addRun(bins[k], value.data() + i, value.data() + end);
    i = end;
  }
}

}  // namespace runglass
