// SPDX-License-Identifier: Apache-2.0
// PointBuffer: the scalar series of one attempt in one log; drops duplicates from a second logger and passes points on in batches.
//
// Threading:  one thread.
// Ownership:  borrows the Recorder per call.
// Units:      x = step.
// Errors:     series beyond kMaxSeries are refused and counted.
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
    bool record = true;  // false: from an earlier import; used only to detect duplicates
  };

  // Begins the next attempt, after passing the buffered points to the old one.
  void open(AttemptId attempt, Recorder& out);
  // `owner`: this line is from the rank whose values represent the whole run. An equal value of another rank is a duplicate; a different
  // one becomes that rank's own series.
  void add(const SeriesKey& key, bool owner, std::optional<std::int32_t> rank, const Point& point, Recorder& out);
  void flush(Recorder& out);   // passes on the decided points
  void finish(Recorder& out);  // and those that waited for the owner's value

  std::int64_t points() const { return m_points; }
  std::int64_t copies() const { return m_copies; }
  std::int64_t refused() const { return m_refused; }

 private:
  static constexpr std::size_t kRecent = 16;
  struct Early {  // another rank's point for a step that the owner has not printed yet
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
