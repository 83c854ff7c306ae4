// SPDX-License-Identifier: Apache-2.0
#include "storage/codec/sample_blocks.h"

#include <algorithm>

namespace runglass {

bool SampleBlocks::pass(BlockMark& next, BlockMark& passed) const {
  if (next.point >= m_points || next.at > m_body.size()) return false;
  ByteReader in(m_body.substr(next.at));
  const std::size_t n = sizeOf(next);
  std::int64_t column[kBlockPoints];
  passed = next;
  if (!decodeIntBlock(in, n, next.x, column)) return false;
  passed.first = column[0];
  passed.last = column[n - 1];
  if (m_has_time && !decodeIntBlock(in, n, next.time, column)) return false;
  if (!passValueBlock(in, n, next.value)) return false;
  next.at = static_cast<std::uint32_t>(m_body.size() - in.left());
  next.point += static_cast<std::uint32_t>(n);
  return true;
}

bool SampleBlocks::find(const BlockMark& block, std::int64_t bound, FoundPoint& found) const {
  if (block.point >= m_points || block.at > m_body.size()) return false;
  ByteReader in(m_body.substr(block.at));
  const std::size_t n = sizeOf(block);
  BlockMark state = block;
  std::int64_t x[kBlockPoints], time[kBlockPoints];
  double value[kBlockPoints];
  if (!decodeIntBlock(in, n, state.x, x)) return false;
  if (m_has_time && !decodeIntBlock(in, n, state.time, time)) return false;
  if (!decodeValueBlock(in, n, state.value, value)) return false;
  const auto behind = static_cast<std::size_t>(std::upper_bound(x, x + n, bound) - x);
  if (behind == 0) return false;
  found = {x[behind - 1], value[behind - 1]};
  return true;
}

bool EncodedChunk::open(std::string_view blob, std::size_t n, std::int64_t x0) {
  if (n == 0 || n > kChunkPoints || !sampleChunkBody(blob, n, m_body)) return false;
  m_points = n;
  m_has_time = sampleChunkHasTime(blob);
  m_next = {};
  m_next.x.last = x0;
  m_marks.clear();
  return true;
}

bool EncodedChunk::newest(std::int64_t bound, std::optional<FoundPoint>& found) {
  found.reset();
  const SampleBlocks blocks(m_body, m_points, m_has_time);
  while (m_next.point < m_points && (m_marks.empty() || m_marks.back().last <= bound)) {
    BlockMark passed;
    if (!blocks.pass(m_next, passed)) return false;
    m_marks.push_back(passed);
  }
  const auto behind = std::ranges::upper_bound(m_marks, bound, {}, &BlockMark::first);
  if (behind == m_marks.begin()) return true;
  return blocks.find(*(behind - 1), bound, found.emplace());
}

}  // namespace runglass
