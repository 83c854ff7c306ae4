// SPDX-License-Identifier: Apache-2.0
// Reduces blocks of 64 samples to bins. Internal to storage.
//
// Ownership:  slices borrow their pyramids.
// Units:      as model/samples.h; a block's x1 is inclusive.
// Cost:       O(blocks + bins log blocks).
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/samples.h"
#include "storage/codec/pyramid.h"

namespace runglass {

// A range of a pyramid's blocks.
struct BlockSlice {
  const Pyramid* pyramid;
  std::size_t from, to;
};

// The blocks of all slices as one sequence, by x0.
class Blocks {
 public:
  explicit Blocks(std::vector<BlockSlice> slices) : m_slices(std::move(slices)) {
    for (const BlockSlice& slice : m_slices) {
      m_begin.push_back(m_size);
      m_size += slice.to - slice.from;
    }
  }
  std::size_t size() const { return m_size; }
  std::int64_t x0(std::size_t i) const { return at(i, &Pyramid::x0); }
  std::int64_t x1(std::size_t i) const { return at(i, &Pyramid::x1); }
  // The first block that begins at or after x.
  std::size_t firstFrom(std::int64_t x) const {
    std::size_t low = 0, high = m_size;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (x0(middle) < x) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
  // The blocks [begin, end) as slices.
  std::vector<BlockSlice> slices(std::size_t begin, std::size_t end) const {
    std::vector<BlockSlice> out;
    for (std::size_t s = 0; s < m_slices.size(); ++s) {
      const BlockSlice& slice = m_slices[s];
      const std::size_t size = slice.to - slice.from;
      const std::size_t from = std::clamp(begin, m_begin[s], m_begin[s] + size) - m_begin[s];
      const std::size_t to = std::clamp(end, m_begin[s], m_begin[s] + size) - m_begin[s];
      if (from < to) out.push_back({slice.pyramid, slice.from + from, slice.from + to});
    }
    return out;
  }
  void addTo(Bin& bin, std::size_t begin, std::size_t end) const;

 private:
  std::size_t sliceOf(std::size_t i) const {
    return static_cast<std::size_t>(std::upper_bound(m_begin.begin(), m_begin.end(), i) - m_begin.begin()) - 1;
  }
  std::int64_t at(std::size_t i, std::vector<std::int64_t> Pyramid::*column) const {
    const std::size_t s = sliceOf(i);
    return (m_slices[s].pyramid->*column)[m_slices[s].from + i - m_begin[s]];
  }
  std::vector<BlockSlice> m_slices;
  std::vector<std::size_t> m_begin;
  std::size_t m_size = 0;
};

// Bins that tile [x0, x1). An inner edge is never inside a block: it is moved to the block's end. Blocks that overlap are in one bin.
std::vector<Bin> reduceBlocks(const Blocks& blocks, std::int64_t x0, std::int64_t x1, std::size_t bins);

}  // namespace runglass
