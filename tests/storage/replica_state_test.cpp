// SPDX-License-Identifier: Apache-2.0
#include "storage/write/replica_state.h"

#include <gtest/gtest.h>

#include "storage/write/open_chunks.h"
#include "tests/storage/writer_ground.h"

namespace runglass {
namespace {

class ReplicaStateTest : public testing::Test {
 protected:
  ReplicaStateTest() {
    EXPECT_TRUE(log.load().ok());
    EXPECT_TRUE(series_rows.load().ok());
    EXPECT_TRUE(chunks.load().ok());
    EXPECT_TRUE(replica.load().ok());
  }
  WriterGround ground;
  RowLog log{ground.db, ground.rows, ground.catalog, ground.tail};
  SeriesRows series_rows{ground.db, ground.rows};
  OpenChunks chunks{ground.path, ground.db, ground.rows, ground.catalog, ground.tail, series_rows, log, ground.failure, 0};
  AgentTable agents;
  EditRows edits{ground.path, ground.db, ground.rows, ground.catalog, ground.tail, agents};
  ReplicaState replica{ground.db, ground.rows, ground.catalog, ground.tail, log, edits, ground.failure};
};

TEST_F(ReplicaStateTest, TheMarkIsInTheFileOnceItIsCommitted) {
  EXPECT_FALSE(replica.mark());
  replica.mark({.source_uuid = "source", .from = "hub:9", .event = 7});
  EXPECT_TRUE(replica.markChanged());
  replica.mark({.source_uuid = "source", .event = 8});
  EXPECT_EQ(replica.mark()->from, "hub:9");  // fields missing in a later mark stay
  ReplicaState other(ground.db, ground.rows, ground.catalog, ground.tail, log, edits, ground.failure);
  ASSERT_TRUE(other.load().ok());
  EXPECT_FALSE(other.mark());
  ASSERT_TRUE(ground.commit([&] { return replica.saveMark(); }).ok());
  replica.committed();
  EXPECT_FALSE(replica.markChanged());
  ASSERT_TRUE(other.load().ok());
  EXPECT_EQ(other.mark(), replica.mark());
}

TEST_F(ReplicaStateTest, PointsThatAreHereAreNotTakenAgain) {
  const RunId run = ground.catalog.run({.uuid = "r", .name = "r"});
  const AttemptId attempt = ground.catalog.attempt({.run = run, .key = "0"});
  SeriesId series = ground.catalog.series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
  const std::vector<std::int64_t> here{1, 2, 2, 4};
  const std::vector<double> value{0, 0, 0, 0};
  chunks.append(series, here.data(), nullptr, value.data(), here.size());
  const ScalarColumns all{.step = {1, 2, 2, 2, 3, 4}, .time = {}, .value = {1, 2, 3, 4, 5, 6}};
  const auto lacking = replica.lacking(series, *chunks.live(series), 1, 4, all);
  ASSERT_TRUE(lacking.ok());
  EXPECT_EQ(lacking->step, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(lacking->value, (std::vector<double>{4, 5}));
  ScalarColumns unsorted = all;
  unsorted.step = {1, 2, 2, 2, 4, 3};
  EXPECT_EQ(replica.lacking(series, *chunks.live(series), 1, 4, unsorted).status().code(), Code::kInvalidArgument);
}

TEST_F(ReplicaStateTest, IssuesCountWhatIsStoredAndWhatWaits) {
  const Issue issue{.code = "c", .source = "s", .count = 3};
  EXPECT_EQ(replica.counted(issue).value(), 0);
  log.issue(issue);
  EXPECT_EQ(replica.counted(issue).value(), 3);
  ASSERT_TRUE(ground.commit([&] { return log.save(); }).ok());
  log.committed();
  log.issue(issue);
  EXPECT_EQ(replica.counted(issue).value(), 6);
}

TEST_F(ReplicaStateTest, AJudgementThatMakesNoSenseIsAnIssue) {
  Judgements judgements;
  judgements.notes = {Note{.id = 3, .run_uuid = "nowhere", .time = 5, .author = "a", .text = "t"}};
  replica.judge(judgements);
  EXPECT_TRUE(replica.saveJudged().ok());
  EXPECT_FALSE(ground.failure.any());
  EXPECT_EQ(ground.tail.pendingRows().issues.at(0).code, "mirror.refused");
  EXPECT_EQ(ground.number("SELECT count(*) FROM rg_note"), 0);
}

}  // namespace
}  // namespace runglass
