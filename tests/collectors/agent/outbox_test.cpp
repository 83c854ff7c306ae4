// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

constexpr std::uint64_t kPlenty = 1U << 30;

class OutboxTest : public testing::Test {
 protected:
  std::unique_ptr<Outbox> open(OutboxLimits limits = {}, const std::string& session = "live") {
    auto box = Outbox::open(dir.path(), limits, session, dictionary, issues);
    EXPECT_TRUE(box.ok());
    return std::move(*box);
  }
  static void add(Outbox& box, StreamClass stream, const std::string& text, DurNs now = 0) { box.add(stream, text, 77, now); }
  // "stream/seq:payload ..." of everything that may be sent now.
  static std::string drain(Outbox& box) {
    std::string all;
    while (const auto out = box.next())
      all += std::to_string(out->stream) + "/" + std::to_string(out->seq) + ":" + *out->payload +
             (out->gap ? "(gap from " + std::to_string(out->gap->from) + ")" : "") + " ";
    return all;
  }

  test::TempFolder dir;
  SessionDictionary dictionary;
  std::vector<Issue> issues;
};

TEST_F(OutboxTest, SendsByPriorityAndInOrderWithinAClass) {
  const auto box = open();
  add(*box, StreamClass::kMetrics, "m0");
  add(*box, StreamClass::kKernels, "k0");
  add(*box, StreamClass::kMetrics, "m1");
  add(*box, StreamClass::kProgress, "p0");
  add(*box, StreamClass::kEvents, "e0");
  box->resume({}, kPlenty, 0);
  EXPECT_EQ(drain(*box), "0/0:p0 1/0:e0 4/0:m0 4/1:m1 5/0:k0 ");
}

TEST_F(OutboxTest, KeepsWhatIsOnTheWireWithinTheCredit) {
  const auto box = open();
  for (int i = 0; i < 6; ++i) add(*box, StreamClass::kMetrics, std::string(10, 'x'));
  box->resume({}, 25);
  const auto count = [&] {
    int sent = 0;
    while (box->next()) ++sent;
    return sent;
  };
  EXPECT_EQ(count(), 3) << "the third batch takes the wire over the credit, a fourth must wait";
  EXPECT_EQ(count(), 0);
  box->acked({{0, 4, 2}}, 25);
  EXPECT_EQ(count(), 2);
}

TEST_F(OutboxTest, SendsAgainAfterAReconnectWhatTheHubLacks) {
  const auto box = open();
  for (int i = 0; i < 4; ++i) add(*box, StreamClass::kLoss, std::to_string(i));
  box->resume({}, kPlenty);
  (void)drain(*box);
  EXPECT_EQ(drain(*box), "");
  box->resume({{0, 2, 2}}, kPlenty);
  EXPECT_EQ(drain(*box), "2/2:2 2/3:3 ");
  box->acked({{0, 2, 4}}, kPlenty);
  EXPECT_TRUE(box->empty());
}

TEST_F(OutboxTest, TellsDefinitionsOncePerConnection) {
  const auto box = open();
  (void)dictionary.series({.metric = "power_watts"});
  box->resume({}, kPlenty);
  EXPECT_EQ(box->takeDefinitions(0), dictionary.recordsFrom(0));
  EXPECT_EQ(box->takeDefinitions(0), "");
  box->resume({}, kPlenty);
  EXPECT_EQ(box->takeDefinitions(0), dictionary.recordsFrom(0));
}

TEST_F(OutboxTest, KeepsUnacknowledgedBatchesThroughARestart) {
  (void)dictionary.series({.metric = "power_watts"});
  {
    const auto box = open({}, "first");
    add(*box, StreamClass::kMetrics, "a");
    add(*box, StreamClass::kMetrics, "b");
    box->persistAll();
  }
  const auto box = open({}, "second");
  add(*box, StreamClass::kMetrics, "new");
  EXPECT_THAT(box->sessions(), testing::ElementsAre("first", "second"));
  box->resume({{0, 4, 1}}, kPlenty, 0);
  EXPECT_EQ(drain(*box), "4/0:new 4/1:b ");
  EXPECT_EQ(box->takeDefinitions(0), dictionary.recordsFrom(0));
  box->acked({{0, 4, 2}, {1, 4, 1}}, kPlenty);
  EXPECT_TRUE(box->empty());
  EXPECT_EQ(box->spoolBytes(), 0U);
}

TEST_F(OutboxTest, LeavesTheDiskAloneWhileTheHubAnswersQuickly) {
  const auto box = open({.spool_after = 100});
  box->resume({}, kPlenty);
  add(*box, StreamClass::kMetrics, "a", 0);
  box->persist(50);
  EXPECT_EQ(box->spoolBytes(), 0U);
  box->persist(101);
  EXPECT_GT(box->spoolBytes(), 0U);
  EXPECT_EQ(drain(*box), "4/0:a ");
}

TEST_F(OutboxTest, DropsTheOldestSegmentWhenTheSpoolIsFullAndTellsTheGap) {
  const auto box = open({.spool_bytes = 40U << 20, .spool_after = 0});
  for (int i = 0; i < 60; ++i) {
    add(*box, StreamClass::kMetrics, std::string(1U << 20, static_cast<char>('a' + i % 26)));
    box->persist(1 + i);
  }
  EXPECT_LE(box->spoolBytes(), 40U << 20);
  EXPECT_GT(box->droppedBatches(), 0U);
  box->resume({}, kPlenty);
  const auto first = box->next();
  ASSERT_TRUE(first && first->gap);
  EXPECT_EQ(first->gap->from, 0U);
  EXPECT_EQ(first->gap->to + 1, first->seq);
  EXPECT_EQ(first->gap->first, 77);
  const auto second = box->next();
  ASSERT_TRUE(second);
  EXPECT_EQ(second->seq, first->seq + 1);
}

TEST_F(OutboxTest, LosesAPartOfASmallSpoolThatIsFullAndNotAllOfIt) {
  constexpr std::uint64_t kLimit = 1U << 20;
  const auto box = open({.spool_bytes = kLimit, .spool_after = 0});
  for (int i = 0; i < 300; ++i) {
    add(*box, StreamClass::kMetrics, std::string(10'000, 'x'));
    box->persist(1 + i);
    EXPECT_LE(box->spoolBytes(), kLimit);
    ASSERT_TRUE(box->droppedBatches() == 0 || box->spoolBytes() > kLimit * 3 / 4) << i;
  }
  EXPECT_GT(box->droppedBatches(), 150U);
}

TEST_F(OutboxTest, DropsTheLeastImportantWhenNeitherMemoryNorDiskHasRoom) {
  const auto box = open({.memory_bytes = 1000, .spool_after = kNsPerSecond});
  std::filesystem::remove_all(dir.path());  // no disk: segments cannot be created
  for (int i = 0; i < 20; ++i) {
    add(*box, StreamClass::kKernels, std::string(100, 'k'));
    add(*box, StreamClass::kLoss, std::string(40, 'l'));
    box->persist(1);
  }
  box->resume({}, kPlenty);
  const std::string sent = drain(*box);
  EXPECT_NE(sent.find("2/0:"), std::string::npos) << "no loss batch may go while kernels could";
  EXPECT_NE(sent.find("(gap from 0)"), std::string::npos);
  EXPECT_GT(box->droppedBatches(), 0U);
}

TEST_F(OutboxTest, SendsWhatIsNewBeforeWhatWaitedThroughAnOutage) {
  const auto box = open({.late_after = 100});
  add(*box, StreamClass::kLoss, "old loss", 0);
  add(*box, StreamClass::kMetrics, "old metric", 0);
  add(*box, StreamClass::kMetrics, "less old metric", 5'000);
  box->resume({}, kPlenty, 10'000);
  add(*box, StreamClass::kMetrics, "new metric", 10'001);
  add(*box, StreamClass::kLoss, "new loss", 10'001);
  EXPECT_EQ(drain(*box), "7/0:new loss 9/0:new metric 2/0:old loss 4/0:old metric 4/1:less old metric ");
  box->acked({{0, 7, 1}, {0, 9, 1}, {0, 2, 1}, {0, 4, 2}}, kPlenty);
  EXPECT_TRUE(box->empty());
}

TEST_F(OutboxTest, WithoutCreditSendsALittleOfWhatIsNewAndNothingElse) {
  const auto box = open({.late_after = 100});
  add(*box, StreamClass::kMetrics, "old metric", 0);
  box->resume({}, 0, 10'000);
  EXPECT_EQ(drain(*box), "");
  add(*box, StreamClass::kMetrics, "new metric", 10'001);
  EXPECT_EQ(drain(*box), "9/0:new metric ");
  int sent = 0;
  for (int i = 0; i < 10; ++i) add(*box, StreamClass::kMetrics, std::string(100'000, 'n'), 10'002);
  while (box->next()) ++sent;
  EXPECT_EQ(sent, 3) << "256 KiB on the wire";
  box->acked({}, kPlenty);
  sent = 0;
  bool old = false;
  while (const auto out = box->next()) ++sent, old |= *out->payload == "old metric";
  EXPECT_EQ(sent, 8);
  EXPECT_TRUE(old);
}

TEST_F(OutboxTest, KeepsEventsInTheOrderInWhichTheyWereSaid) {
  {
    const auto box = open({}, "first");
    add(*box, StreamClass::kEvents, "run begins");
    box->persistAll();
  }
  const auto box = open({.late_after = 100}, "second");
  add(*box, StreamClass::kEvents, "run goes on", 0);
  box->resume({}, kPlenty, 10'000);
  add(*box, StreamClass::kEvents, "run ends", 10'001);
  EXPECT_EQ(drain(*box), "1/0:run begins 1/0:run goes on 1/1:run ends ");
}

TEST_F(OutboxTest, StaysInItsLaneWhileThereIsNoHub) {
  const auto box = open({.late_after = 100});
  box->resume({}, kPlenty, 0);
  box->offline();
  for (int i = 0; i < 3; ++i) add(*box, StreamClass::kMetrics, "m" + std::to_string(i), 1'000 * i);
  box->resume({}, kPlenty, 2'001);
  EXPECT_EQ(drain(*box), "4/0:m0 4/1:m1 4/2:m2 ");
}

TEST_F(OutboxTest, FindsALaneForWhatIsNewInEveryOutageOfAFlappingLink) {
  const auto box = open({.late_after = 100});
  TimeNs now = 0;
  for (int outage = 0; outage < 6; ++outage) {
    for (int i = 0; i < 10 + outage; ++i) add(*box, StreamClass::kMetrics, std::string(1'000, 'o'), now += 1'000);
    box->resume({}, kPlenty, now += 1'000);
    box->offline();
  }
  box->resume({}, 1, now += 1'000);
  add(*box, StreamClass::kMetrics, "new", now);
  std::size_t before = 0, all = 0;
  for (std::optional<Outbox::Outgoing> out = box->next(); out; out = box->next()) {
    if (*out->payload == "new") before = all;
    ++all;
    box->acked({}, kPlenty);
  }
  EXPECT_EQ(all, 76U);
  EXPECT_LT(before, all / 2) << "three lanes: what is new waits behind the least full one at worst";
}

TEST_F(OutboxTest, GivesTheBacklogAFifthHoweverMuchIsNew) {
  const auto box = open({.late_after = 100});
  for (int i = 0; i < 100; ++i) add(*box, StreamClass::kMetrics, std::string(100'000, 'o'), 0);
  box->resume({}, kPlenty, 10'000);
  for (int i = 0; i < 100; ++i) add(*box, StreamClass::kLoss, std::string(100'000, 'n'), 10'000);
  int old_ones = 0;
  for (int i = 0; i < 100; ++i) old_ones += box->next()->payload->front() == 'o' ? 1 : 0;
  EXPECT_GE(old_ones, 17);
  EXPECT_LE(old_ones, 20);
}

TEST_F(OutboxTest, TellsTheGapOfALaneThatLostAllItHad) {
  const auto box = open({.spool_bytes = 40U << 20, .spool_after = 0, .late_after = 100});
  add(*box, StreamClass::kMetrics, std::string(16U << 20, 'o'), 0);
  box->persist(1);
  box->resume({}, kPlenty, 10'000);
  for (int i = 0; i < 2; ++i) {
    add(*box, StreamClass::kMetrics, std::string(16U << 20, 'n'), 10'000);
    box->persist(10'001);
  }
  ASSERT_GT(box->droppedBatches(), 0U);
  std::string reported;
  for (std::optional<Outbox::Outgoing> out = box->next(); out; out = box->next())
    if (out->gap)
      reported += std::to_string(out->stream) + " from " + std::to_string(out->gap->from) + " to " + std::to_string(out->gap->to) + "; ";
  EXPECT_EQ(reported, "4 from 0 to 0; ");
}

TEST_F(OutboxTest, BringsLanesThroughARestart) {
  {
    const auto box = open({.late_after = 100}, "first");
    add(*box, StreamClass::kMetrics, "old", 0);
    box->resume({}, kPlenty, 10'000);
    add(*box, StreamClass::kMetrics, "new", 10'000);
    box->persistAll();
  }
  const auto box = open({}, "second");
  box->resume({}, kPlenty, 0);
  EXPECT_EQ(drain(*box), "4/0:old 9/0:new ");
}

}  // namespace
}  // namespace runglass
