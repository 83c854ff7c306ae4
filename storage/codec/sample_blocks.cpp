// SPDX-License-Identifier: Apache-2.0
#include "storage/codec/sample_blocks.h"

#include <algorithm>
#include <limits>

namespace runglass {
namespace {

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

}  // namespace

bool SampleBlocks::pass(BlockMark& next, BlockMark& passed) const {
  if (next.point >= m_points || next.at > m_body.size()) return false;
  ByteReader in(m_body.substr(next.at));
  const std::size_t n = sizeOf(next);
  std::int64_t column[kBlockPoints];
  passed = next;
  if (!decodeIntBlock(in, n, next.x, column)) return false;
  passed.first = column[0];
  passed.last = column[n - 1];
  passed.earliest = kHighest;
  if (m_has_time) {
    if (!decodeIntBlock(in, n, next.time, column)) return false;
    for (std::size_t i = 0; i < n; ++i)
      if (column[i] != kAbsent) passed.earliest = std::min(passed.earliest, column[i]);
  }
  if (!passValueBlock(in, n, next.value)) return false;
  next.at = static_cast<std::uint32_t>(m_body.size() - in.left());
  next.point += static_cast<std::uint32_t>(n);
  return true;
}

bool SampleBlocks::find(const BlockMark& block, PointBound bound, std::optional<FoundPoint>& found) const {
  found.reset();
  if (block.point >= m_points || block.at > m_body.size()) return false;
  ByteReader in(m_body.substr(block.at));
  const std::size_t n = sizeOf(block);
  BlockMark state = block;
  std::int64_t x[kBlockPoints], time[kBlockPoints];
  double value[kBlockPoints];
  if (!decodeIntBlock(in, n, state.x, x)) return false;
  if (m_has_time && !decodeIntBlock(in, n, state.time, time)) return false;
  if (!decodeValueBlock(in, n, state.value, value)) return false;
  std::size_t behind = n;
  if (bound.of == PointBound::Of::kX) {
    behind = static_cast<std::size_t>(std::upper_bound(x, x + n, bound.last) - x);
  } else {
    while (behind > 0 && (!m_has_time || time[behind - 1] == kAbsent || time[behind - 1] > bound.last)) --behind;
  }
  if (behind > 0) found = FoundPoint{x[behind - 1], value[behind - 1], m_has_time ? time[behind - 1] : kAbsent};
  return true;
}

bool EncodedChunk::open(std::string_view blob, std::size_t n, std::int64_t x0) {
  if (n == 0 || n > kChunkPoints || !sampleChunkBody(blob, n, m_body)) return false;
  m_points = n;
  m_has_time = sampleChunkHasTime(blob);
  m_next = {};
  m_next.x.last = x0;
  m_marks.clear();
  m_marks.reserve((n + kBlockPoints - 1) / kBlockPoints);
  return true;
}

// Marks blocks until one ends after x.
bool EncodedChunk::passTo(std::int64_t x) {
  const SampleBlocks blocks(m_body, m_points, m_has_time);
  while (m_next.point < m_points && (m_marks.empty() || m_marks.back().last <= x)) {
    BlockMark passed;
    if (!blocks.pass(m_next, passed)) return false;
    m_marks.push_back(passed);
  }
  return true;
}

bool EncodedChunk::newest(PointBound bound, std::optional<FoundPoint>& found) {
  found.reset();
  const bool by_time = bound.of == PointBound::Of::kTime;
  if (!passTo(by_time ? kHighest : bound.last)) return false;
  const SampleBlocks blocks(m_body, m_points, m_has_time);
  if (!by_time) {
    const auto behind = std::ranges::upper_bound(m_marks, bound.last, {}, &BlockMark::first);
    return behind == m_marks.begin() || blocks.find(*(behind - 1), bound, found);
  }
  for (auto mark = m_marks.rbegin(); mark != m_marks.rend() && !found; ++mark) {
    if (mark->earliest <= bound.last && mark->earliest != kHighest && !blocks.find(*mark, bound, found)) return false;
  }
  return true;
}

TimeNs EncodedChunk::earliest() const {
  TimeNs earliest = kHighest;
  for (const BlockMark& mark : m_marks) earliest = std::min(earliest, mark.earliest);
  return earliest;
}

}  // namespace runglass
