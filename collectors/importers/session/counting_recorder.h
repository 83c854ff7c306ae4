// SPDX-License-Identifier: Apache-2.0
// CountingRecorder: passes everything on and counts it, so that an import's report holds what was recorded and nothing else.
//
// Threading:  as the Recorder behind it.
// Ownership:  borrows that Recorder.
// Units:      counts.
// Errors:     those of the Recorder behind.
// Cost:       an addition per call.
#pragma once

#include <map>
#include <string>

#include "model/recorder.h"

namespace runglass {

class CountingRecorder : public Recorder {
 public:
  explicit CountingRecorder(Recorder& next) : m_next(next) {}

  std::int64_t points = 0, span_count = 0, event_count = 0;
  std::map<std::string, std::int64_t> issue_counts;

  NodeId node(const Node& value) override { return m_next.node(value); }
  DeviceId device(const Device& value) override { return m_next.device(value); }
  RunId run(const Run& value) override { return m_next.run(value); }
  AttemptId attempt(const Attempt& value) override { return m_next.attempt(value); }
  void rank(const Rank& value) override { m_next.rank(value); }
  void fact(const Fact& value) override { m_next.fact(value); }
  void checkpoint(const Checkpoint& value) override { m_next.checkpoint(value); }
  void group(const CommGroup& value) override { m_next.group(value); }
  SeriesId series(const SeriesKey& key) override { return m_next.series(key); }
  TrackId track(const TrackKey& key) override { return m_next.track(key); }
  void samples(SeriesId id, std::span<const TimeNs> time, std::span<const double> value) override {
    points += static_cast<std::int64_t>(time.size());
    m_next.samples(id, time, value);
  }
  void scalars(SeriesId id, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) override {
    points += static_cast<std::int64_t>(step.size());
    m_next.scalars(id, step, time, value);
  }
  void spans(TrackId id, const SpanColumns& columns) override {
    span_count += static_cast<std::int64_t>(columns.size());
    m_next.spans(id, columns);
  }
  void event(const Event& value) override {
    ++event_count;
    m_next.event(value);
  }
  void log(const LogLine& value) override { m_next.log(value); }
  void progress(const Progress& value) override { m_next.progress(value); }
  void issue(const Issue& value) override {
    issue_counts[value.code] += value.count;
    m_next.issue(value);
  }
  void label(const Label& value) override { m_next.label(value); }
  void clock(const ClockReading& value) override { m_next.clock(value); }
  Status flush() override { return m_next.flush(); }

 private:
  Recorder& m_next;
};

}  // namespace runglass
