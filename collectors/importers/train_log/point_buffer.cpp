// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A column holds the last kRecent points of its series, recorded or not, so that duplicates are detected across a resume.
// 2. `early` is only non-empty in the owner's column and never grows beyond kMaxEarly.
// 3. Within `waiting`, points keep the order of the log.
#include "collectors/importers/train_log/point_buffer.h"

#include <algorithm>
#include <bit>

namespace runglass::train_log {
namespace {
constexpr std::size_t kMaxEarly = 1024;

bool sameValue(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

std::string identity(const SeriesKey& key) {
  std::string text = key.metric;
  for (const std::string* part : {&key.source, &key.labels, &key.unit}) (text += '\x1f') += *part;
  return key.rank ? text + '\x1f' + std::to_string(*key.rank) : text;
}
}  // namespace

void PointBuffer::open(AttemptId attempt, Recorder& out) {
  finish(out);
  m_columns.clear();
  m_attempt = attempt;
}

PointBuffer::Column* PointBuffer::column(const SeriesKey& key, Recorder& out) {
  const std::string id = identity(key);
  if (const auto it = m_columns.find(id); it != m_columns.end()) return &it->second;
  if (m_columns.size() >= kMaxSeries) {
    ++m_refused;
    return nullptr;
  }
  SeriesKey full = key;
  full.attempt = m_attempt;
  full.kind = SeriesKind::kScalar;
  Column& column = m_columns[id];
  column.id = out.series(full);
  return &column;
}

const PointBuffer::Point* PointBuffer::find(const Column& column, std::int64_t step) {
  const std::size_t n = std::min(column.seen, kRecent);
  for (std::size_t i = 0; i < n; ++i)
    if (const Point& point = column.recent[(column.seen - 1 - i) % kRecent]; point.step == step) return &point;
  return nullptr;
}

void PointBuffer::add(const SeriesKey& key, bool owner, std::optional<std::int32_t> rank, const Point& point, Recorder& out) {
  Column* shared = column(key, out);
  if (!shared) return;
  const Point* known = find(*shared, point.step);
  if (owner) {
    if (known && sameValue(known->value, point.value))
      ++m_copies;
    else
      put(*shared, point, out);
    settle(*shared, point, out);
    return;
  }
  SeriesKey own = key;
  own.rank = rank;
  if (!known && shared->early.size() < kMaxEarly && (shared->seen == 0 || point.step > shared->recent[(shared->seen - 1) % kRecent].step)) {
    shared->early.push_back({own, point});
  } else if (known && sameValue(known->value, point.value)) {
    ++m_copies;
  } else if (Column* column_of_rank = column(own, out)) {
    put(*column_of_rank, point, out);
  }
}

// The owner's point for a step decides on the points that waited for it.
void PointBuffer::settle(Column& owner, const Point& point, Recorder& out) {
  if (owner.early.empty()) return;
  std::vector<Early> decided;
  std::erase_if(owner.early, [&](const Early& early) {
    if (early.point.step > point.step) return false;
    if (early.point.step == point.step && sameValue(early.point.value, point.value))
      ++m_copies;
    else
      decided.push_back(early);
    return true;
  });
  for (const Early& early : decided)
    if (Column* own = column(early.key, out)) put(*own, early.point, out);
}

void PointBuffer::put(Column& column, const Point& point, Recorder& out) {
  column.recent[column.seen++ % kRecent] = point;
  if (!point.record) return;
  column.waiting.push_back(point);
  ++m_points;
  if (column.waiting.size() >= kBatch) hand(column, out);
}

// Points with a time and points without one are passed on in separate calls, so that no time is invented.
void PointBuffer::hand(Column& column, Recorder& out) {
  std::vector<std::int64_t> steps;
  std::vector<TimeNs> times;
  std::vector<double> values;
  for (std::size_t i = 0; i < column.waiting.size();) {
    const bool timed = column.waiting[i].time.has_value();
    steps.clear(), times.clear(), values.clear();
    for (; i < column.waiting.size() && column.waiting[i].time.has_value() == timed; ++i) {
      steps.push_back(column.waiting[i].step);
      if (timed) times.push_back(*column.waiting[i].time);
      values.push_back(column.waiting[i].value);
    }
    out.scalars(column.id, steps, times, values);
  }
  column.waiting.clear();
}

void PointBuffer::flush(Recorder& out) {
  for (auto& [id, column] : m_columns) hand(column, out);
}

void PointBuffer::finish(Recorder& out) {
  std::vector<Early> left;
  for (auto& [id, column] : m_columns) {
    left.insert(left.end(), column.early.begin(), column.early.end());
    column.early.clear();
  }
  for (const Early& early : left)
    if (Column* own = column(early.key, out)) put(*own, early.point, out);
  flush(out);
}

}  // namespace runglass::train_log
