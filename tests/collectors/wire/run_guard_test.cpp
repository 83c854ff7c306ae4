// SPDX-License-Identifier: Apache-2.0
// What agents of one node may send about runs: everything about their own ranks, nothing about other nodes' ranks, the content of shared
// files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collectors/agent/wire_recorder.h"
#include "collectors/wire/payload_replay.h"
#include "collectors/wire/wire_writer.h"
#include "runglass/v1/payload.pb.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Wire = v1::Payload;

// The data sent by an agent of one node, and how the hub accepts it: `bound` to its node, or not.
class Agent {
 public:
  Agent(std::string name, bool bound = true, bool follows = false) : m_name(std::move(name)), m_bound(bound), m_follows(follows) {}

  WireRecorder& out() { return m_out; }
  NodeId node() { return m_out.node({.uuid = "u-" + m_name, .name = m_name}); }
  AttemptId attempt(const std::string& key = "a") { return m_out.attempt({.run = m_out.run({.name = "job"}), .key = key}); }
  SeriesId loss() { return m_out.series({.attempt = attempt(), .metric = "loss", .kind = SeriesKind::kScalar}); }
  void rank(std::int32_t rank, const std::string& key = "a") { m_out.rank({.attempt = attempt(key), .rank = rank, .node = node()}); }
  // Only the batches of `streams`; the rest stays with the agent.
  void deliver(Writer& to,
               std::initializer_list<StreamClass> streams = {StreamClass::kProgress, StreamClass::kEvents, StreamClass::kLoss,
                                                             StreamClass::kLogs, StreamClass::kMetrics, StreamClass::kKernels}) {
    std::string payload;
    if (m_bound) {
      wire::appendBytes(payload, Wire::kOnlyNodeFieldNumber, "u-" + m_name);
      if (m_follows) wire::appendTag(payload, Wire::kFollowsFilesFieldNumber, 0), wire::appendVarint(payload, 1);
    }
    payload += m_dictionary.recordsFrom(0);
    for (const StreamClass stream : streams)
      for (std::string piece = m_out.take(stream); !piece.empty(); piece = m_out.take(stream)) payload += piece;
    EXPECT_TRUE(m_replay.play(payload, to, &to).intact);
  }

 private:
  std::string m_name;
  bool m_bound, m_follows;
  SessionDictionary m_dictionary;
  WireRecorder m_out{m_dictionary, [] { return wallNow(); }, [] {}};
  PayloadReplay m_replay{m_name};
};

class RunGuards : public testing::Test {
 protected:
  void SetUp() override {
    reopen();
    victim.out().run({.name = "job", .state = RunState::kRunning, .start = kStart});
    victim.out().attempt({.run = victim.out().run({.name = "job"}), .key = "a", .start = kStart, .layout = {.world = 2, .tp = 2}});
    victim.rank(0);
    victim.rank(1);
    victim.out().scalar(victim.loss(), 1, kStart, 2.5);
    victim.out().progress({.attempt = victim.attempt(), .rank = 0, .time = kStart, .step = 1});
    victim.deliver(*writer);
  }
  void reopen() {
    if (writer) {
      EXPECT_TRUE(writer->close().ok());
    }
    writer.reset();
    auto opened = openStore(dir.file("s.rgl")).writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    writer = std::move(opened).value();
  }
  std::unique_ptr<Reader> reader() {
    EXPECT_TRUE(writer->flush().ok());
    auto opened = openStore(dir.file("s.rgl")).reader();
    EXPECT_TRUE(opened.ok());
    return std::move(opened).value();
  }
  Attempt attempt() {
    const auto from = reader();
    return from->attempts(from->runs()->at(0).id)->at(0);
  }
  runglass::Run run() { return reader()->runs()->at(0); }
  std::size_t points() {
    const auto from = reader();
    std::size_t all = 0;
    for (const Series& one : *from->series({.metric = "loss"})) all += from->scalars(one.id, 0, 1'000)->size();
    return all;
  }
  std::vector<Issue> refused() {
    std::vector<Issue> all = *reader()->issues();
    std::erase_if(all, [](const Issue& issue) { return issue.code != "wire.foreign_run"; });
    return all;
  }

  static constexpr TimeNs kStart = 1'700'000'000'000'000'000;
  test::TempFolder dir;
  std::unique_ptr<Writer> writer;
  Agent victim{"n1"}, stranger{"n9"};
};

TEST_F(RunGuards, AnotherNodesAgentEndsNoAttemptAndWritesNeitherLossesNorProgress) {
  for (const bool restarted : {false, true}) {
    if (restarted) reopen();  // the nodes of ranks are read from the store
    Agent other("n9");
    WireRecorder& out = other.out();
    const AttemptId attempt_id = other.attempt();
    out.run({.name = "job", .state = RunState::kFailed, .start = 5, .end = kStart + 9});
    out.attempt({.run = out.run({.name = "job"}), .key = "a", .end = kStart + 9, .end_cause = "evil", .layout = {.world = 99}});
    out.rank({.attempt = attempt_id, .rank = 0, .node = other.node(), .pid = 666});
    out.progress({.attempt = attempt_id, .rank = 0, .time = kStart + 100, .step = 1'000});
    out.scalar(other.loss(), 2, kStart, 666);
    out.event({.time = kStart, .attempt = attempt_id, .node = other.node(), .kind = "evil"});
    out.event({.time = kStart, .node = other.node(), .kind = "own"});
    other.deliver(*writer);
    EXPECT_EQ(attempt().end_cause, "");
    EXPECT_EQ(attempt().end, std::nullopt);
    EXPECT_EQ(attempt().layout.world, 2);
    EXPECT_EQ(run().state, RunState::kRunning);
    EXPECT_EQ(run().start, kStart);
    EXPECT_EQ(points(), 1U);
    const auto from = reader();
    EXPECT_EQ(from->progress(run().id)->at(0).step, 1);
    EXPECT_EQ(from->ranks(attempt().id)->at(0).pid, std::nullopt);
    EXPECT_THAT(*from->events({.kind = "evil"}), IsEmpty());
    EXPECT_THAT(*from->events({.kind = "own"}), SizeIs(restarted ? 2 : 1)) << "the rest of the batch goes on";
    ASSERT_THAT(refused(), SizeIs(1));
    EXPECT_EQ(refused()[0].source, "n9, run job");
    EXPECT_THAT(refused()[0].detail,
                AllOf(HasSubstr("ends and layouts of attempts (1)"), HasSubstr("progress (1)"), HasSubstr("scalars (1)"),
                      HasSubstr("ranks of other nodes (1)"), HasSubstr("states and ends of the run (1)")));
    EXPECT_EQ(refused()[0].count, restarted ? 12 : 6);
  }
}

TEST_F(RunGuards, EachNodeOfAJobReportsItsOwnRanksAndMayEndIt) {
  Agent second("n2");
  WireRecorder& out = second.out();
  // In the order of a trainer's declarations: the layout comes before the rank.
  const RunId run_id = out.run({.name = "job", .state = RunState::kRunning, .start = kStart - 5});
  out.attempt({.run = run_id, .key = "a", .start = kStart - 5, .layout = {.world = 4}});
  second.rank(2);
  out.progress({.attempt = second.attempt(), .rank = 2, .time = kStart, .step = 7});
  out.scalar(second.loss(), 2, kStart, 2.25);
  second.deliver(*writer);
  EXPECT_EQ(attempt().start, kStart - 5);
  EXPECT_EQ(attempt().layout.world, 4);
  EXPECT_EQ(run().start, kStart - 5);
  EXPECT_EQ(points(), 2U);
  out.run({.name = "job", .state = RunState::kFinished, .end = kStart + 9});
  out.attempt({.run = run_id, .key = "a", .end = kStart + 9, .end_cause = "exited"});
  second.deliver(*writer);
  EXPECT_EQ(attempt().end_cause, "exited");
  EXPECT_EQ(run().state, RunState::kFinished);
  // Not for its neighbour's rank.
  out.progress({.attempt = second.attempt(), .rank = 0, .time = kStart + 5, .step = 1'000});
  second.deliver(*writer);
  EXPECT_EQ(reader()->progress(run().id)->at(0).step, 1);
  EXPECT_THAT(refused(), SizeIs(1));
}

// After an outage, new data is sent first: losses may arrive before the rank, which is still in the events' stream.
TEST_F(RunGuards, WhatArrivesBeforeItsRankIsNotLost) {
  Agent late("n2");
  WireRecorder& out = late.out();
  late.rank(2);
  const SeriesId own =
      out.series({.attempt = late.attempt(), .rank = 2, .metric = "run_cpu_ns", .unit = "ns", .kind = SeriesKind::kCounter});
  out.sample(own, kStart, 1);
  out.scalar(late.loss(), 2, kStart, 2.25);
  out.progress({.attempt = late.attempt(), .rank = 2, .time = kStart, .step = 7});
  late.deliver(*writer, {StreamClass::kProgress, StreamClass::kLoss, StreamClass::kMetrics});
  EXPECT_EQ(points(), 2U);
  out.attempt({.run = out.run({.name = "job"}), .key = "a", .end = kStart + 9, .end_cause = "exited"});
  late.deliver(*writer);
  EXPECT_EQ(attempt().end_cause, "exited");
  EXPECT_THAT(refused(), IsEmpty());
}

TEST_F(RunGuards, AFollowerOfASharedFileAddsWhatWasLoggedAndEndsNothing) {
  Agent follower("n5", true, true);
  WireRecorder& out = follower.out();
  const AttemptId attempt_id = follower.attempt();
  out.scalar(follower.loss(), 2, kStart, 2.25);
  out.log({.time = kStart, .attempt = attempt_id, .node = follower.node(), .rank = 1, .text = "step 2"});
  out.event({.time = kStart, .attempt = attempt_id, .node = follower.node(), .kind = "restart"});
  follower.deliver(*writer);
  EXPECT_EQ(points(), 2U);
  EXPECT_THAT(*reader()->events({.kind = "restart"}), SizeIs(1));
  EXPECT_THAT(refused(), IsEmpty());
  out.attempt({.run = out.run({.name = "job"}), .key = "a", .end = kStart + 9, .end_cause = "finished"});
  out.progress({.attempt = attempt_id, .rank = 1, .time = kStart, .step = 9});
  follower.deliver(*writer);
  EXPECT_EQ(attempt().end_cause, "");
  ASSERT_THAT(refused(), SizeIs(1));
  EXPECT_EQ(refused()[0].source, "n5, run job");
}

TEST_F(RunGuards, ARunThatOnlyLogsReportIsAnyFollowers) {
  Agent first("n5"), next("n6");
  for (Agent* one : {&first, &next}) {
    WireRecorder& out = one->out();
    const RunId id = out.run({.name = "logged", .state = RunState::kRunning});
    const AttemptId attempt_id = out.attempt({.run = id, .key = "", .layout = {.world = 8}});
    out.scalar(out.series({.attempt = attempt_id, .metric = "loss", .kind = SeriesKind::kScalar}), one == &first ? 1 : 2, kStart, 1);
    if (one == &next) out.attempt({.run = id, .key = "", .end = kStart, .end_cause = "finished"});
    one->deliver(*writer);
  }
  const auto from = reader();
  EXPECT_EQ(from->attempts(from->runs()->at(1).id)->at(0).end_cause, "finished");
  EXPECT_EQ(points(), 3U);
  EXPECT_THAT(refused(), IsEmpty());
}

// A restart on other nodes, while the first attempt's end arrives late.
TEST_F(RunGuards, ALateEndOfAnEarlierAttemptDoesNotEndTheRun) {
  Agent restarted("n2");
  restarted.out().run({.name = "job", .state = RunState::kRunning});
  restarted.rank(0, "b");
  restarted.deliver(*writer);
  victim.out().run({.name = "job", .state = RunState::kFailed, .end = kStart + 5});
  victim.out().attempt({.run = victim.out().run({.name = "job"}), .key = "a", .end = kStart + 5, .end_cause = "exited"});
  victim.deliver(*writer);
  EXPECT_EQ(run().state, RunState::kRunning);
  EXPECT_EQ(attempt().end_cause, "exited");
  restarted.out().run({.name = "job", .state = RunState::kFinished, .end = kStart + 50});
  restarted.deliver(*writer);
  EXPECT_EQ(run().state, RunState::kFinished);
}

TEST_F(RunGuards, AJobThatEndedMayStartAgainOnOtherNodesUnderTheSameAttempt) {
  Agent next("n2");
  next.rank(0);
  next.deliver(*writer);
  ASSERT_THAT(refused(), SizeIs(1)) << "it runs";
  victim.out().attempt({.run = victim.out().run({.name = "job"}), .key = "a", .end = kStart + 5, .end_cause = "exited"});
  victim.deliver(*writer);
  next.rank(0);
  next.out().progress({.attempt = next.attempt(), .rank = 0, .time = kStart + 50, .step = 9});
  next.deliver(*writer, {StreamClass::kEvents, StreamClass::kProgress});
  EXPECT_EQ(refused()[0].count, 1);
  const auto from = reader();
  EXPECT_EQ(from->progress(run().id)->at(0).step, 9);
}

TEST_F(RunGuards, AnAgentOfManyNodesReportsThemAll) {
  Agent many("n1", false);
  WireRecorder& out = many.out();
  out.attempt({.run = out.run({.name = "job"}), .key = "a", .end = kStart + 9, .end_cause = "exited"});
  out.rank({.attempt = many.attempt(), .rank = 0, .node = out.node({.uuid = "u-n3", .name = "n3"})});
  out.progress({.attempt = many.attempt(), .rank = 1, .time = kStart + 9, .step = 9});
  many.deliver(*writer);
  EXPECT_EQ(attempt().end_cause, "exited");
  EXPECT_THAT(refused(), IsEmpty());
}

}  // namespace
}  // namespace runglass
