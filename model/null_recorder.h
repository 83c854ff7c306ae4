// SPDX-License-Identifier: Apache-2.0
// A Recorder that accepts and discards everything, to measure or fuzz a parser or source alone. Ids grow as in a store.
//
// Threading:  one thread.
#pragma once

#include <cstdint>

#include "model/recorder.h"

namespace runglass {

template <class Base>
class NullOf : public Base {
 public:
  NodeId node(const Node&) override { return {++m_next}; }
  DeviceId device(const Device&) override { return {++m_next}; }
  RunId run(const Run&) override { return {++m_next}; }
  AttemptId attempt(const Attempt&) override { return {++m_next}; }
  void rank(const Rank&) override {}
  void fact(const Fact&) override {}
  void group(const CommGroup&) override {}
  void checkpoint(const Checkpoint&) override {}
  SeriesId series(const SeriesKey&) override { return {++m_next}; }
  TrackId track(const TrackKey&) override { return {++m_next}; }
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

 private:
  std::uint64_t m_next = 0;
};
using NullRecorder = NullOf<Recorder>;

}  // namespace runglass
