// SPDX-License-Identifier: Apache-2.0
// HeardRecords: a Recorder that keeps the last record of each type and compares it with the filled one (filled_record.h).
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <tuple>

#include "model/null_recorder.h"
#include "model/record_call.h"
#include "tests/support/filled_record.h"

namespace runglass::test {

template <class Base>
class HeardRecords : public NullOf<Base> {
 public:
  // The ids that it returns.
  static constexpr Names kNames{.node = {21}, .device = {22}, .run = {23}, .attempt = {24}};

  NodeId node(const Node& value) override { return keep(value), kNames.node; }
  DeviceId device(const Device& value) override { return keep(value), kNames.device; }
  RunId run(const Run& value) override { return keep(value), kNames.run; }
  AttemptId attempt(const Attempt& value) override { return keep(value), kNames.attempt; }
  void rank(const Rank& value) override { keep(value); }
  void fact(const Fact& value) override { keep(value); }
  void checkpoint(const Checkpoint& value) override { keep(value); }
  void group(const CommGroup& value) override { keep(value); }
  SeriesId series(const SeriesKey& value) override { return keep(value), SeriesId{25}; }
  TrackId track(const TrackKey& value) override { return keep(value), TrackId{26}; }
  void spans(TrackId track, const SpanColumns& value) override {
    EXPECT_EQ(track, TrackId{26});
    keep(value);
  }
  void event(const Event& value) override { keep(value); }
  void log(const LogLine& value) override { keep(value); }
  void progress(const Progress& value) override { keep(value); }
  void issue(const Issue& value) override { keep(value); }
  void label(const Label& value) override { keep(value); }
  void clock(const ClockReading& value) override { keep(value); }
  void capture(const Capture& value) override { keep(value); }

  // The last record is as recordAll() recorded it, with the ids of this Recorder.
  template <class Record>
  void expectFilled() const {
    const auto& last = std::get<std::optional<Record>>(m_last);
    ASSERT_TRUE(last) << testing::internal::GetTypeName<Record>();
    EXPECT_EQ(valuesOf(*last), valuesOf(filled<Record>(kNames))) << testing::internal::GetTypeName<Record>();
  }
  template <class... Record>
  void expectAllFilled(std::tuple<Record...>) const {
    (expectFilled<Record>(), ...);
  }

 private:
  template <class Record>
  void keep(const Record& record) {
    std::get<std::optional<Record>>(m_last) = record;
  }
  template <class... Record>
  static std::tuple<std::optional<Record>...> each(std::tuple<Record...>);
  decltype(each(std::tuple<Node, Device, Run, Attempt, Rank, Fact, Checkpoint, CommGroup, SeriesKey, TrackKey, SpanColumns, Event, LogLine,
                           Progress, Issue, Label, ClockReading, Capture>())) m_last;
};

// Records that refer to others, and records that are referred to.
using NamedRecords = std::tuple<Node, Device, Run, Attempt>;
using NamingRecords =
    std::tuple<Rank, Fact, Checkpoint, CommGroup, SeriesKey, TrackKey, Event, LogLine, Progress, Issue, Label, ClockReading>;

// Returns the ids assigned by `to`.
inline Names recordNamed(Recorder& to) {
  Names names;
  names.node = to.node(filled<Node>({}));
  names.device = to.device(filled<Device>(names));
  names.run = to.run(filled<Run>({}));
  names.attempt = to.attempt(filled<Attempt>(names));
  return names;
}
template <class... Record>
void recordAll(Recorder& to, const Names& names, std::tuple<Record...>) {
  (static_cast<void>(record(to, filled<Record>(names))), ...);
}

}  // namespace runglass::test
