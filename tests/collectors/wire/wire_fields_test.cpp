// SPDX-License-Identifier: Apache-2.0
// Every described field of every record (model/fields.h) crosses the wire: from an agent, in a feed, as an edit, in an answer.
#include <gtest/gtest.h>

#include "collectors/agent/wire_recorder.h"
#include "collectors/wire/answer_message.h"
#include "collectors/wire/edit_message.h"
#include "collectors/wire/feed_encoder.h"
#include "collectors/wire/payload_replay.h"
#include "model/mirror_recorder.h"
#include "tests/support/heard_records.h"

namespace runglass {
namespace {

constexpr TimeNs kNow = 1'800'000'000'000'000'000;

class HeardFeed final : public test::HeardRecords<MirrorRecorder> {
 public:
  void complete(SeriesId, std::int64_t, std::int64_t, const ScalarColumns&) override {}
  void summaries(SeriesId, const Summaries&) override {}
  void total(const Issue& issue) override { totals.push_back(issue); }
  void judge(const Judgements& all) override { judged = all; }
  void mark(const MirrorMark&) override {}
  std::vector<Issue> totals;
  Judgements judged;
};

template <class Record>
void expectFilled(const std::vector<Record>& records, const test::Names& names) {
  ASSERT_EQ(records.size(), 1U) << testing::internal::GetTypeName<Record>();
  EXPECT_EQ(test::valuesOf(records[0]), test::valuesOf(test::filled<Record>(names)));
}

TEST(WireFields, OfWhatAnAgentRecordsArriveAtTheHubsRecorder) {
  SessionDictionary dictionary;
  WireRecorder out(
      dictionary, [] { return kNow; }, [] {});
  const test::Names here = test::recordNamed(out);
  test::recordAll(out, here, test::NamingRecords());
  out.capture(test::filled<Capture>(here));
  out.spans(out.track(test::filled<TrackKey>(here)), test::filled<SpanColumns>(here));
  std::string payload = dictionary.recordsFrom(0);
  for (std::size_t i = 0; i < kStreamClassCount; ++i)
    for (std::string piece = out.take(static_cast<StreamClass>(i)); !piece.empty(); piece = out.take(static_cast<StreamClass>(i)))
      payload += piece;
  test::HeardRecords<Recorder> heard;
  PayloadReplay replay("n1");
  EXPECT_TRUE(replay.play(payload, heard).intact);
  heard.expectAllFilled(test::NamedRecords());
  heard.expectAllFilled(test::NamingRecords());
  heard.expectFilled<Capture>();
  heard.expectFilled<SpanColumns>();
}

TEST(WireFields, OfWhatAFeedTellsArriveAtTheCopy) {
  FeedEncoder out;
  const test::Names here = test::recordNamed(out);
  test::recordAll(out, here, test::NamingRecords());
  out.total(test::filled<Issue>(here));
  Judgements all{.findings = {test::filled<Finding>(here)},
                 .published = {test::filled<Finding>(here)},
                 .alerts = {test::filled<Alert>(here)},
                 .incidents = {test::filled<IncidentEdit>({})},
                 .alignments = {test::filled<ClockAlignment>({})},
                 .incident_uuids = std::vector<std::string>{"u"},
                 .notes = std::vector{test::filled<Note>({})},
                 .snoozes = std::vector{test::filled<Snooze>({})}};
  out.judge(all);
  const std::string definitions = out.takeDefinitions();
  HeardFeed heard;
  PayloadReplay replay("hub");
  EXPECT_TRUE(replay.playFeed(definitions + out.takePayload(), heard).intact);
  heard.expectAllFilled(test::NamedRecords());
  heard.expectAllFilled(test::NamingRecords());
  expectFilled(heard.totals, {});
  expectFilled(heard.judged.findings, HeardFeed::kNames);
  expectFilled(heard.judged.alerts, HeardFeed::kNames);
  expectFilled(heard.judged.incidents, {});
  expectFilled(heard.judged.alignments, {});
  ASSERT_EQ(heard.judged.published.size(), 1U);
  EXPECT_EQ(heard.judged.published[0].published, all.published[0].published);
  ASSERT_TRUE(heard.judged.notes && heard.judged.snoozes);
  expectFilled(*heard.judged.notes, {});
  expectFilled(*heard.judged.snoozes, {});
}

template <class One>
void expectCrosses() {
  const One edit = test::filled<One>({});
  EditAssembly assembly;
  for (const v1::EditPart& part : partsOf(Edit(edit), "store")) ASSERT_TRUE(assembly.add(part).ok());
  const Result<Edit> came = assembly.take();
  ASSERT_TRUE(came.ok()) << came.status().message();
  ASSERT_TRUE(std::holds_alternative<One>(*came));
  EXPECT_EQ(test::valuesOf(std::get<One>(*came)), test::valuesOf(edit)) << testing::internal::GetTypeName<One>();
}
template <class... One>
void expectAllCross(const std::variant<One...>*) {
  (expectCrosses<One>(), ...);
}

TEST(WireFields, OfEveryEditArriveAtTheHub) { expectAllCross(static_cast<const Edit*>(nullptr)); }

TEST(WireFields, OfLinesAndCapturesArriveWithTheAnswer) {
  const test::Names hub{.node = {1}, .device = {2}, .run = {3}, .attempt = {4}},
      copy{.node = {5}, .device = {6}, .run = {7}, .attempt = {8}};
  FeedNames at_hub, at_copy;
  at_hub.pair(hub.node, NodeId{11}), at_hub.pair(hub.attempt, AttemptId{12});
  at_copy.pair(copy.node, NodeId{11}), at_copy.pair(copy.attempt, AttemptId{12});
  Crossing out{at_hub}, in{at_copy};
  const LogHit hit{.key = {1, 2}, .line = test::filled<LogLine>(hub)};
  const auto lines = linesOf(messageOf(std::vector{hit}, out), in);
  ASSERT_TRUE(lines.ok() && lines->size() == 1);
  expectFilled(std::vector{lines->at(0).line}, copy);
  const auto captures = capturesOf(messageOf(std::vector{test::filled<Capture>(hub)}, out), in);
  ASSERT_TRUE(captures.ok());
  expectFilled(*captures, copy);
  SpanColumns filled = test::filled<SpanColumns>(hub);
  filled.id = {7};
  const auto spans = spansOf(messageOf(filled));
  ASSERT_TRUE(spans.ok());
  expectFilled(std::vector{*spans}, {});
  EXPECT_FALSE(out.missing || in.missing);
}

}  // namespace
}  // namespace runglass
