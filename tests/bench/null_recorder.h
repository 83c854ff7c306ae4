// SPDX-License-Identifier: Apache-2.0
// NullRecorder: takes everything and keeps nothing, so that a bench measures a parser or source alone.
//
// Threading:  any.
// Ownership:  none.
// Units:      none.
// Errors:     none.
// Cost:       none.
#pragma once

#include "model/recorder.h"

namespace runglass::bench {

class NullRecorder : public Recorder {
 public:
  NodeId node(const Node&) override { return NodeId{1}; }
  DeviceId device(const Device&) override { return DeviceId{1}; }
  RunId run(const Run&) override { return RunId{1}; }
  AttemptId attempt(const Attempt&) override { return AttemptId{1}; }
  void rank(const Rank&) override {}
  void fact(const Fact&) override {}
  void group(const CommGroup&) override {}
  void checkpoint(const Checkpoint&) override {}
  SeriesId series(const SeriesKey&) override { return SeriesId{1}; }
  TrackId track(const TrackKey&) override { return TrackId{1}; }
  void samples(SeriesId, std::span<const TimeNs>, std::span<const double>) override {}
  void scalars(SeriesId, std::span<const std::int64_t>, std::span<const TimeNs>, std::span<const double>) override {}
  void spans(TrackId, const SpanColumns&) override {}
  void event(const Event&) override {}
  void log(const LogLine&) override {}
  void progress(const Progress&) override {}
  void issue(const Issue&) override {}
  void capture(const Capture&) override {}
  void label(const Label&) override {}
  void clock(const ClockReading&) override {}
  Status flush() override { return {}; }
};

}  // namespace runglass::bench
