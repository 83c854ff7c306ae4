// SPDX-License-Identifier: Apache-2.0
// PointBuffer: the scalar series of one attempt in one log; drops what a second logger repeats and hands points on in batches.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder per call.
// Units:      x = step.
// Errors:     none; series beyond kMaxSeries are refused and counted.
// Cost:       a hash look-up per point; buffers at most kBatch points of a series.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/recorder.h"

namespace runglass::train_log {

class PointBuffer {
 public:
  static constexpr std::size_t kMaxSeries = 4096;
  static constexpr std::size_t kBatch = 4096;

  struct Point {
    std::int64_t step = 0;
    std::optional<TimeNs> time;
    double value = 0;
    bool record = true;  // false: known from an earlier import; only remembered
  };

  // The next attempt: what is buffered goes to the old one first.
  void open(AttemptId attempt, Recorder& out);
  // `owner`: this line comes from the rank whose values stand for the whole run. Another rank's equal value is a copy;
  // a different one becomes that rank's own series.
  void add(const SeriesKey& key, bool owner, std::optional<std::int32_t> rank, const Point& point, Recorder& out);
  void flush(Recorder& out);   // hands on what is decided
  void finish(Recorder& out);  // and what waited for the owner's value

  std::int64_t points() const { return m_points; }
  std::int64_t copies() const { return m_copies; }
  std::int64_t refused() const { return m_refused; }

 private:
  static constexpr std::size_t kRecent = 16;
  struct Early {  // another rank's point whose step the owner has not printed yet
    SeriesKey key;
    Point point;
  };
  struct Column {
    SeriesId id;
    std::array<Point, kRecent> recent;
    std::size_t seen = 0;
    std::vector<Point> waiting;
    std::vector<Early> early;
  };
  Column* column(const SeriesKey& key, Recorder& out);
  void put(Column& column, const Point& point, Recorder& out);
  void hand(Column& column, Recorder& out);
  void settle(Column& column, const Point& point, Recorder& out);
  static const Point* find(const Column& column, std::int64_t step);

  AttemptId m_attempt;
  std::unordered_map<std::string, Column> m_columns;
  std::int64_t m_points = 0, m_copies = 0, m_refused = 0;
};

}  // namespace runglass::train_log
