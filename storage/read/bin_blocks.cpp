// SPDX-License-Identifier: Apache-2.0
#include "storage/read/bin_blocks.h"

#include "storage/read/bin_points.h"

namespace runglass {
namespace {

void addEntries(Bin& bin, const Pyramid& p, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) {
    bin.nan_count += p.nan_count[i];
    if (p.count[i] == 0) continue;
    if (bin.count == 0) {
      bin.first = p.first[i];
      bin.min = p.min[i];
      bin.max = p.max[i];
    } else {
      if (p.min[i] < bin.min) bin.min = p.min[i];
      if (p.max[i] > bin.max) bin.max = p.max[i];
    }
    bin.count += p.count[i];
    bin.sum += p.sum[i];
    bin.last = p.last[i];
  }
}

}  // namespace

void Blocks::addTo(Bin& bin, std::size_t begin, std::size_t end) const {
  while (begin < end) {
    const std::size_t s = sliceOf(begin);
    const BlockSlice& slice = m_slices[s];
    const std::size_t stop = std::min(end, m_begin[s] + slice.to - slice.from);
    addEntries(bin, *slice.pyramid, slice.from + begin - m_begin[s], slice.from + stop - m_begin[s]);
    begin = stop;
  }
}

std::vector<Bin> reduceBlocks(const Blocks& entries, std::int64_t x0, std::int64_t x1, std::size_t bins) {
  std::vector<Bin> out = emptyBins(x0, x1, bins);
  const std::size_t end = entries.size();
  std::size_t next = 0;
  for (std::size_t k = 0; k < bins; ++k) {
    std::size_t stop = end;
    std::int64_t edge = x1;
    if (k + 1 < bins) {
      edge = std::max(binEdge(x0, x1, bins, k + 1), out[k].x0);
      stop = std::clamp(entries.firstFrom(edge), next, end);
      // The block before the edge overlaps it: move the edge to that block's end, and to a block that begins after that.
      while (stop > 0 && stop < end && entries.x1(stop - 1) >= entries.x0(stop)) ++stop;
      if (stop > 0 && entries.x1(stop - 1) >= edge) edge = entries.x1(stop - 1) < x1 ? entries.x1(stop - 1) + 1 : x1;
      out[k + 1].x0 = edge;
    }
    out[k].x1 = edge;
    entries.addTo(out[k], next, stop);
    next = stop;
  }
  return out;
}

}  // namespace runglass
