// SPDX-License-Identifier: Apache-2.0
// CountingRecorder: passes a file's records on and counts them, so that an import's report has exactly the recorded data.
//
// Threading:  as the next Recorder.
// Ownership:  borrows both.
// Units:      counts.
// Errors:     those of the next Recorder, and FAILED_PRECONDITION for a file whose times are on another clock than its run's: they would be
//             decades apart. From then on nothing of the file is recorded.
// Cost:       an addition per call.
#pragma once

#include <map>
#include <string>

#include "storage/writer.h"

namespace runglass {

class CountingRecorder : public Recorder {
 public:
  // `store`: contains the existing runs to which the file may belong; null: only new runs.
  explicit CountingRecorder(Recorder& next, Writer* store = nullptr) : m_next(next), m_store(store) {}

  const Status& refused() const { return m_refused; }

  std::int64_t points = 0, span_count = 0, event_count = 0;
  std::map<std::string, std::int64_t> issue_counts;

  NodeId node(const Node& value) override { return m_refused.ok() ? m_next.node(value) : NodeId{}; }
  DeviceId device(const Device& value) override { return m_refused.ok() ? m_next.device(value) : DeviceId{}; }
  RunId run(const Run& value) override {
    const auto have = m_store == nullptr ? Result<Run>(Run()) : m_store->findRun(value.name);
    if (have.ok() && hasClock(have->time_domain) && hasClock(value.time_domain) && have->time_domain != value.time_domain)
      m_refused =
          Status(Code::kFailedPrecondition,
                 have->time_domain == TimeDomain::kUtc
                     ? "its times count from a start of its own and run '" + value.name + "' has UTC times: import it without --run"
                     : "its times are UTC and those of run '" + value.name + "' count from a start of its own: import it without --run");
    return m_refused.ok() ? m_next.run(value) : RunId{};
  }
  AttemptId attempt(const Attempt& value) override { return m_refused.ok() ? m_next.attempt(value) : AttemptId{}; }
  void rank(const Rank& value) override {
    if (m_refused.ok()) m_next.rank(value);
  }
  void fact(const Fact& value) override {
    if (m_refused.ok()) m_next.fact(value);
  }
  void checkpoint(const Checkpoint& value) override {
    if (m_refused.ok()) m_next.checkpoint(value);
  }
  void group(const CommGroup& value) override {
    if (m_refused.ok()) m_next.group(value);
  }
  SeriesId series(const SeriesKey& key) override { return m_refused.ok() ? m_next.series(key) : SeriesId{}; }
  TrackId track(const TrackKey& key) override { return m_refused.ok() ? m_next.track(key) : TrackId{}; }
  void samples(SeriesId id, std::span<const TimeNs> time, std::span<const double> value) override {
    if (!m_refused.ok()) return;
    points += static_cast<std::int64_t>(time.size());
    m_next.samples(id, time, value);
  }
  void scalars(SeriesId id, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) override {
    if (!m_refused.ok()) return;
    points += static_cast<std::int64_t>(step.size());
    m_next.scalars(id, step, time, value);
  }
  void spans(TrackId id, const SpanColumns& columns) override {
    if (!m_refused.ok()) return;
    span_count += static_cast<std::int64_t>(columns.size());
    m_next.spans(id, columns);
  }
  void event(const Event& value) override {
    if (!m_refused.ok()) return;
    ++event_count;
    m_next.event(value);
  }
  void log(const LogLine& value) override {
    if (m_refused.ok()) m_next.log(value);
  }
  void progress(const Progress& value) override {
    if (m_refused.ok()) m_next.progress(value);
  }
  void issue(const Issue& value) override {
    if (!m_refused.ok()) return;
    issue_counts[value.code] += value.count;
    m_next.issue(value);
  }
  void label(const Label& value) override {
    if (m_refused.ok()) m_next.label(value);
  }
  void clock(const ClockReading& value) override {
    if (m_refused.ok()) m_next.clock(value);
  }
  void capture(const Capture& value) override {
    if (m_refused.ok()) m_next.capture(value);
  }
  Status flush() override { return m_refused.ok() ? m_next.flush() : m_refused; }

 private:
  static bool hasClock(const std::optional<TimeDomain>& domain) { return domain && domain != TimeDomain::kNone; }

  Recorder& m_next;
  Writer* m_store;
  Status m_refused;
};

}  // namespace runglass
