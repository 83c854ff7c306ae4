// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. While m_ordered, m_body holds whole blocks of m_block points, all before m_raw, which is shorter than one block; x never decreases.
//    m_pyramid is that of m_body, where blocks have 256 points.
// 2. While not m_ordered, m_body is empty and m_raw holds everything in order of arrival.
// 3. A row is encoded in blocks of 256 points, whatever the block length in memory.
#include "storage/codec/series_buffer.h"

#include <algorithm>
#include <numeric>

#include "model/result.h"

namespace runglass {
namespace {

constexpr std::uint8_t kZstdPause = 15;

template <class T>
void reorder(std::vector<T>& column, const std::vector<std::uint32_t>& order) {
  std::vector<T> sorted(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) sorted[i] = column[order[i]];
  column = std::move(sorted);
}

}  // namespace

void sortPoints(RawPoints& points) {
  if (std::is_sorted(points.x.begin(), points.x.end())) return;
  std::vector<std::uint32_t> order(points.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return points.x[a] < points.x[b]; });
  reorder(points.x, order);
  if (!points.time.empty()) reorder(points.time, order);
  reorder(points.value, order);
}

std::size_t SeriesBuffer::append(const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n) {
  n = std::min(n, m_limit - std::min(m_limit, points()));
  if (n == 0) return 0;
  if (points() == 0) {
    m_has_time = time != nullptr;
    m_min_x = m_max_x = m_last_x = x[0];
  }
  dirty = true;
  bool ordered = x[0] >= m_last_x;
  for (std::size_t i = 1; i < n; ++i) ordered &= x[i] >= x[i - 1];
  m_last_x = x[n - 1];
  if (ordered) {
    m_max_x = std::max(m_max_x, m_last_x);
  } else {
    const auto [low, high] = std::minmax_element(x, x + n);
    m_min_x = std::min(m_min_x, *low);
    m_max_x = std::max(m_max_x, *high);
    if (m_ordered) fallBackToRaw();
  }
  put(x, time, value, n);
  return n;
}

void SeriesBuffer::put(const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n) {
  for (std::size_t done = 0; done < n;) {
    // In order, the raw block holds at most one block of points and never has capacity for more; out of order, it holds the whole chunk.
    const std::size_t m = m_ordered ? std::min(m_block - m_raw.size(), n - done) : n - done;
    const auto add = [&](auto& column, const auto* values) {
      const std::size_t after = column.size() + m;
      if (m_ordered && after > column.capacity()) column.reserve(std::max(after, std::min(m_block, 2 * column.size())));
      column.insert(column.end(), values + done, values + done + m);
    };
    add(m_raw.x, x);
    if (time != nullptr) add(m_raw.time, time);
    add(m_raw.value, value);
    done += m;
    if (m_ordered && m_raw.size() == m_block) encodeRaw();
  }
}

void SeriesBuffer::encodeRaw() {
  MappedValues mapped;
  m_body.append(m_raw.x.data(), m_has_time ? m_raw.time.data() : nullptr, m_raw.value.data(), m_raw.size(), mapped);
  if (m_block == kBlockPoints) {
    if (!m_pyramid) {
      m_pyramid = std::make_unique<Pyramid>();
      m_pyramid->reserve(m_limit / kPyramidRadix);
    }
    appendPyramid(m_raw.x.data(), m_raw.value.data(), m_raw.size(), mapped, *m_pyramid);
  }
  m_raw.clear();
}

void SeriesBuffer::setLimit(std::size_t limit, std::size_t block) {
  m_limit = limit;
  if (block == m_block) return;
  const RawPoints all = m_ordered ? decoded() : RawPoints();
  m_block = block;
  if (!m_ordered) return;
  m_body.clear();
  m_pyramid.reset();
  m_raw = {};
  put(all.x.data(), m_has_time ? all.time.data() : nullptr, all.value.data(), all.size());
}

void SeriesBuffer::fallBackToRaw() {
  m_raw = decoded();
  m_body.clear();
  m_pyramid.reset();
  m_ordered = false;
}

RawPoints SeriesBuffer::decoded() const {
  RawPoints all;
  const std::size_t encoded = m_body.points();
  all.x.reserve(points()), all.value.reserve(points());
  all.x.resize(encoded), all.value.resize(encoded);
  if (m_has_time) all.time.reserve(points()), all.time.resize(encoded);
  RG_CHECK(encoded == 0 || decodeSampleBody(m_body.bytes(), m_has_time, encoded, m_block, m_body.firstX(), all.x.data(), all.time.data(),
                                            all.value.data()));
  all.x.insert(all.x.end(), m_raw.x.begin(), m_raw.x.end());
  all.time.insert(all.time.end(), m_raw.time.begin(), m_raw.time.end());
  all.value.insert(all.value.end(), m_raw.value.begin(), m_raw.value.end());
  if (!m_ordered) sortPoints(all);
  return all;
}

RawPoints SeriesBuffer::arrivedAfter(std::size_t reported) const {
  const auto cut = [](const RawPoints& points, std::size_t from) {
    RawPoints rest;
    if (from >= points.size()) return rest;
    const auto at = static_cast<std::ptrdiff_t>(from);
    rest.x.assign(points.x.begin() + at, points.x.end());
    if (!points.time.empty()) rest.time.assign(points.time.begin() + at, points.time.end());
    rest.value.assign(points.value.begin() + at, points.value.end());
    return rest;
  };
  // Unordered: the raw block is in order of arrival. Ordered: order of arrival and order of x are the same.
  if (reported >= m_body.points()) return cut(m_raw, reported - m_body.points());
  return cut(decoded(), reported);
}

Pyramid SeriesBuffer::blocks() const {
  Pyramid all;
  const bool known = m_ordered && (m_pyramid || m_body.points() == 0);
  const RawPoints points = known ? RawPoints() : decoded();
  const RawPoints& rest = known ? m_raw : points;
  if (known && m_pyramid) all = *m_pyramid;
  appendPyramid(rest.x.data(), rest.value.data(), rest.size(), all);
  return all;
}

std::optional<FoundPoint> SeriesBuffer::newestRaw(PointBound bound) const {
  const bool by_time = bound.of == PointBound::Of::kTime;
  if (by_time && m_raw.time.empty()) return std::nullopt;
  std::optional<std::size_t> newest;
  for (std::size_t i = m_raw.size(); i-- > 0;) {
    const std::int64_t key = by_time ? m_raw.time[i] : m_raw.x[i];
    if (key > bound.last || (by_time && key == kAbsent) || (newest && m_raw.x[i] <= m_raw.x[*newest])) continue;
    newest = i;
    if (m_ordered) break;
  }
  if (!newest) return std::nullopt;
  return FoundPoint{m_raw.x[*newest], m_raw.value[*newest], m_raw.time.empty() ? kAbsent : m_raw.time[*newest]};
}

std::optional<FoundPoint> SeriesBuffer::newest(PointBound bound) const {
  std::optional<FoundPoint> found = newestRaw(bound);
  if (found || m_body.points() == 0) return found;
  const bool by_time = bound.of == PointBound::Of::kTime;
  const SampleBlocks blocks(m_body.bytes(), m_body.points(), m_has_time, m_block);
  BlockMark next, passed;
  next.x.last = m_body.firstX();
  std::vector<BlockMark> marks;  // of the blocks that may contain a match
  marks.reserve(m_body.points() / m_block);
  while (next.point < m_body.points()) {
    RG_CHECK(blocks.pass(next, passed));
    if ((by_time ? passed.earliest : passed.first) <= bound.last)
      marks.push_back(passed);
    else if (!by_time)
      break;
  }
  for (auto mark = marks.rbegin(); mark != marks.rend() && !found; ++mark) RG_CHECK(blocks.find(*mark, bound, found));
  return found;
}

ChunkRow SeriesBuffer::row(bool final, Pyramid* pyramid) {
  ChunkRow row;
  row.id = chunk_id;
  row.x0 = m_min_x;
  row.x1 = m_max_x;
  row.n = static_cast<std::uint32_t>(points());
  const bool try_zstd = final && m_zstd_pause == 0;
  bool paid = false;
  SampleBody body;
  Pyramid built;
  RawPoints rest;
  if (m_ordered && m_block == kBlockPoints) {
    // A final row empties the buffer, so the content is moved; the raw block stays allocated.
    body = final ? std::move(m_body) : m_body;
    if (final && m_pyramid) built = std::move(*m_pyramid);
    rest = m_raw;
  } else {
    rest = decoded();
  }
  MappedValues mapped;
  for (std::size_t at = 0; at < rest.size(); at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, rest.size() - at);
    body.append(rest.x.data() + at, m_has_time ? rest.time.data() + at : nullptr, rest.value.data() + at, n, mapped);
    if (final) appendPyramid(rest.x.data() + at, rest.value.data() + at, n, mapped, built);
  }
  row.blob = sealSampleChunk(body.bytes(), m_has_time, try_zstd, &paid);
  if (final) {
    if (m_zstd_pause > 0) {
      --m_zstd_pause;
    } else if (!paid) {
      m_zstd_pause = kZstdPause;
    }
    *pyramid = std::move(built);
    clear();
  }
  return row;
}

void SeriesBuffer::clear() {
  m_body.clear();
  m_pyramid.reset();
  // The raw block of an unordered chunk may have grown to many times a block: its memory is released.
  if (m_ordered)
    m_raw.clear();
  else
    m_raw = {};
  m_ordered = true;
  m_has_time = false;
  chunk_id = 0;
  dirty = false;
}

std::size_t SeriesBuffer::bytes() const {
  const std::size_t raw = (m_raw.x.capacity() + m_raw.time.capacity()) * sizeof(std::int64_t) + m_raw.value.capacity() * sizeof(double);
  return sizeof *this + m_body.bytes().capacity() + raw + (m_pyramid ? sizeof *m_pyramid + m_pyramid->bytes() : 0);
}

}  // namespace runglass
