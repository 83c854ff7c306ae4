// SPDX-License-Identifier: Apache-2.0
// Every described field of every record (model/fields.h) is in the calls buffered by a parser's thread, with the ids of the target
// Recorder.
#include <gtest/gtest.h>

#include "collectors/importers/session/recorded_calls.h"
#include "tests/support/heard_records.h"

namespace runglass {
namespace {

TEST(CallFields, OfEveryRecordArriveAtTheRecorderBehind) {
  test::HeardRecords<Recorder> heard;
  CallPlayer player(heard);
  CallRecorder calls([&player](RecordedCalls batch) { player.play(std::move(batch)); });
  calls.node({.uuid = "another first"});
  const test::Names names = test::recordNamed(calls);
  EXPECT_EQ(names.node, NodeId{2});
  test::recordAll(calls, names, test::NamingRecords());
  calls.capture(test::filled<Capture>(names));
  calls.spans(calls.track(test::filled<TrackKey>(names)), test::filled<SpanColumns>(names));
  ASSERT_TRUE(calls.flush().ok());
  heard.expectAllFilled(test::NamedRecords());
  heard.expectAllFilled(test::NamingRecords());
  heard.expectFilled<Capture>();
  heard.expectFilled<SpanColumns>();
}

}  // namespace
}  // namespace runglass
