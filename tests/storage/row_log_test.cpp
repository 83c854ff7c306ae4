// SPDX-License-Identifier: Apache-2.0
#include "storage/write/row_log.h"

#include <gtest/gtest.h>

#include "tests/storage/writer_ground.h"

namespace runglass {
namespace {

class RowLogTest : public testing::Test {
 protected:
  RowLogTest() { EXPECT_TRUE(log.load().ok()); }
  Status commit() {
    const Status committed = ground.commit([&] { return log.save(); });
    if (committed.ok()) log.committed();
    return committed;
  }
  WriterGround ground;
  RowLog log{ground.db, ground.rows, ground.catalog, ground.tail};
};

TEST_F(RowLogTest, IssuesOfOneCodeAndSourceAreOneRow) {
  const Issue issue{.code = "a.code", .source = "s", .count = 2, .first = 10, .last = 20};
  log.issue(issue);
  log.issue(issue);
  log.issue({.code = "a.code", .source = "another"});
  EXPECT_EQ(ground.tail.pendingRows().issues.size(), 2U);
  ASSERT_NE(log.waiting(issue), nullptr);
  EXPECT_EQ(log.waiting(issue)->count, 4);
  ASSERT_TRUE(commit().ok());
  EXPECT_EQ(log.waiting(issue), nullptr);
  log.issue(issue);
  ASSERT_TRUE(commit().ok());
  EXPECT_EQ(ground.number("SELECT count FROM rg_issue WHERE code = 'a.code' AND source = 's'"), 6);
  EXPECT_EQ(ground.number("SELECT count(*) FROM rg_issue WHERE code = 'a.code'"), 2);
}

TEST_F(RowLogTest, ACommitThatIsTriedAgainWritesTheSameRows) {
  log.event({.time = 5, .kind = "boot", .message = "up"});
  log.log({.time = 6, .stream = "stdout", .text = "hello"});
  log.capture({.time = 7, .kind = "stack", .text = "frames"});
  EXPECT_GT(log.pendingBytes(), 0);
  const Status failed = ground.commit([&]() -> Status {
    RG_TRY(log.save());
    return diskFull();
  });
  ASSERT_FALSE(failed.ok());
  EXPECT_TRUE(log.anyPending());
  ASSERT_TRUE(commit().ok());
  EXPECT_FALSE(log.anyPending());
  EXPECT_EQ(log.pendingBytes(), 0);
  for (const char* table : {"rg_event", "rg_log", "rg_capture"}) EXPECT_EQ(ground.number(std::string("SELECT count(*) FROM ") + table), 1);
  EXPECT_EQ(ground.number("SELECT event_id FROM rg_event"), 1);
}

TEST_F(RowLogTest, IdsGoOnBehindThoseOfTheFile) {
  log.event({.time = 5, .kind = "boot"});
  log.log({.time = 6, .stream = "stdout", .text = "one"});
  ASSERT_TRUE(commit().ok());
  RowLog next(ground.db, ground.rows, ground.catalog, ground.tail);
  ASSERT_TRUE(next.load().ok());
  next.event({.time = 7, .kind = "boot"});
  next.log({.time = 8, .stream = "stdout", .text = "two"});
  EXPECT_EQ(ground.tail.pendingRows().events.back().id, 2);
  EXPECT_EQ(ground.tail.pendingRows().first_log, 2);
}

}  // namespace
}  // namespace runglass
