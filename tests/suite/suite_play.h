// SPDX-License-Identifier: Apache-2.0
// Plays a scenario of the suite into a separate store, runs analyses on it and scores their findings.
//
// Threading:  one thread.
// Ownership:  removes the store at the end.
// Units:      seconds.
// Errors:     those of store, simulator and analyses.
// Cost:       that of storing the scenario: 0.1 s to some seconds.
#pragma once

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "analysis/engine/analysis.h"
#include "analysis/engine/score.h"
#include "storage/writer.h"
#include "tests/suite/suite.h"

namespace runglass {

// A Recorder that forwards everything to a Writer but commits only when that is due, like a hub.
class DueRecorder : public Recorder {
 public:
  explicit DueRecorder(Writer& to) : m_to(to) {}
  NodeId node(const Node& value) override { return m_to.node(value); }
  DeviceId device(const Device& value) override { return m_to.device(value); }
  RunId run(const Run& value) override { return m_to.run(value); }
  AttemptId attempt(const Attempt& value) override { return m_to.attempt(value); }
  void rank(const Rank& value) override { m_to.rank(value); }
  void fact(const Fact& value) override { m_to.fact(value); }
  void checkpoint(const Checkpoint& value) override { m_to.checkpoint(value); }
  void group(const CommGroup& value) override { m_to.group(value); }
  SeriesId series(const SeriesKey& key) override { return m_to.series(key); }
  TrackId track(const TrackKey& key) override { return m_to.track(key); }
  void samples(SeriesId id, std::span<const TimeNs> time, std::span<const double> value) override { m_to.samples(id, time, value); }
  void scalars(SeriesId id, std::span<const std::int64_t> step, std::span<const TimeNs> time, std::span<const double> value) override {
    if (!time.empty()) m_newest = std::max(m_newest, time.back());
    m_to.scalars(id, step, time, value);
  }
  void spans(TrackId track, const SpanColumns& value) override {
    m_spans += value.size();
    m_to.spans(track, value);
  }
  void event(const Event& value) override { m_to.event(value); }
  void log(const LogLine& value) override { m_to.log(value); }
  void progress(const Progress& value) override {
    m_newest = std::max(m_newest, value.time);
    m_to.progress(value);
  }
  void issue(const Issue& value) override { m_to.issue(value); }
  void label(const Label& value) override { m_to.label(value); }
  void clock(const ClockReading& value) override { m_to.clock(value); }
  void capture(const Capture& value) override { m_to.capture(value); }
  Status flush() override { return m_to.flushIfDue(); }
  TimeNs newest() const { return m_newest; }  // time of the newest data from trainers
  std::size_t spanCount() const { return m_spans; }

 private:
  Writer& m_to;
  TimeNs m_newest = 0;
  std::size_t m_spans = 0;
};

struct SuiteAnswer {
  Scores scores;
  std::vector<Finding> findings;  // as stored: the last version of each identity
  std::vector<Truth> truths;
  std::map<std::string, double> analysis_seconds;
  double play_seconds = 0;
  int insufficient = 0;  // findings of that kind
  int notifications = 0;
};

Result<SuiteAnswer> playSuiteCase(const SuiteCase& one, std::span<const AnalysisEntry> entries);
// Labels and findings as lines, for people.
std::string describe(const SuiteAnswer& answer);

}  // namespace runglass
