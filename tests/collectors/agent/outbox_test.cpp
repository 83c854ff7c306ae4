// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/outbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectors/temp_dir.h"

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

  test::TempDir dir;
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
  box->resume({}, kPlenty);
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
  box->resume({{0, 4, 1}}, kPlenty);
  EXPECT_EQ(drain(*box), "4/1:b 4/0:new ");
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

}  // namespace
}  // namespace runglass
