// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/delete_runs.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "storage/open_store.h"
#include "storage/sqlite/connection.h"
#include "tests/storage/sample_store.h"
#include "tests/support/sql_rows.h"

namespace runglass {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class DeleteRuns : public ::testing::Test {
 protected:
  // The sample store's run, and another one that begins a day later and is not over.
  void SetUp() override {
    auto writer = openStore(m_path).writer();
    ASSERT_TRUE(writer.ok());
    m_ids = fillSampleStore(**writer);
    const RunId other = (*writer)->run({.uuid = "other", .name = "other", .state = RunState::kRunning, .start = kStoreStart + kDay});
    const AttemptId attempt = (*writer)->attempt({.run = other, .key = "0", .start = kStoreStart + kDay});
    const SeriesId loss = (*writer)->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
    for (int step = 0; step < 10; ++step) (*writer)->scalar(loss, step, kStoreStart + kDay, 1);
    (*writer)->log({.time = kStoreStart + kDay, .attempt = attempt, .stream = "stdout", .text = "hello other"});
    ASSERT_TRUE((*writer)->close().ok());
  }
  void expectOnlyTheOther() {
    auto reader = openStore(m_path).reader();
    ASSERT_TRUE(reader.ok());
    EXPECT_THAT(*(*reader)->verify(), IsEmpty());
    EXPECT_THAT(sqlRows(**reader, "SELECT name FROM run"), ElementsAre("other"));
    EXPECT_THAT(sqlRows(**reader, "SELECT count(*) FROM scalar_all"), ElementsAre("10"));
    EXPECT_THAT(sqlRows(**reader, "SELECT text FROM log_line"), ElementsAre("hello other"));
    EXPECT_THAT(sqlRows(**reader, "SELECT text FROM log_search('hello')"), ElementsAre("hello other"));
    for (const char* relation :
         {"span", "event", "finding", "rank", "checkpoint", "comm_group", "track", "label", "attempt_fact", "progress"})
      EXPECT_THAT(sqlRows(**reader, std::string("SELECT count(*) FROM ") + relation), ElementsAre("0")) << relation;
  }
  static constexpr DurNs kDay = 24LL * 3600 * kNsPerSecond;
  test::TempFolder m_folder;
  std::string m_path = m_folder.file("s.rgl");
  SampleStoreIds m_ids;
};

TEST_F(DeleteRuns, ThePreviewDeletesNothingAndSaysWhatWouldGo) {
  const auto before = std::filesystem::file_size(m_path);
  const auto preview = previewDeletion(m_path, {.run = m_ids.run, .before = {}});
  ASSERT_TRUE(preview.ok()) << preview.status().message();
  EXPECT_THAT(preview->runs, ElementsAre("pretrain"));
  EXPECT_THAT(preview->rows, Contains(Pair("attempt", 2)));
  EXPECT_THAT(preview->rows, Contains(Pair("event", 1)));
  EXPECT_GT(preview->data_bytes, 0);
  EXPECT_EQ(std::filesystem::file_size(m_path), before);
  const auto deleted = deleteRuns(m_path, {.run = m_ids.run, .before = {}}, {});
  ASSERT_TRUE(deleted.ok()) << deleted.status().message();
  EXPECT_EQ(deleted->rows, preview->rows);
  EXPECT_EQ(deleted->data_bytes, preview->data_bytes);
}

TEST_F(DeleteRuns, ARunGoesWithAllThatBelongsToIt) {
  const auto deleted = deleteRuns(m_path, {.run = m_ids.run, .before = {}}, {});
  ASSERT_TRUE(deleted.ok()) << deleted.status().message();
  expectOnlyTheOther();
  auto reader = openStore(m_path).reader();
  EXPECT_THAT(sqlRows(**reader, "SELECT count(*) FROM series WHERE metric = 'power_watts'"), ElementsAre("1"));
}

TEST_F(DeleteRuns, BeforeATimeGoWhatEndedAndWhatNodesRecorded) {
  const auto deleted = deleteRuns(m_path, {.run = {}, .before = kStoreStart + kDay / 2}, {});
  ASSERT_TRUE(deleted.ok()) << deleted.status().message();
  EXPECT_LT(deleted->file_bytes_after, deleted->file_bytes_before);
  expectOnlyTheOther();
  auto reader = openStore(m_path).reader();
  EXPECT_THAT(sqlRows(**reader, "SELECT count(*) FROM series WHERE metric = 'power_watts'"), ElementsAre("0"));
  EXPECT_THAT(sqlRows(**reader, "SELECT count(*) FROM node"), ElementsAre("1"));
}

TEST_F(DeleteRuns, AStoreThatIsWrittenIsLeftAlone) {
  auto writer = openStore(m_path).writer();
  ASSERT_TRUE(writer.ok());
  EXPECT_EQ(deleteRuns(m_path, {.run = m_ids.run, .before = {}}, {}).status().code(), Code::kAlreadyExists);
  EXPECT_EQ(compactStore(m_path, {}).status().code(), Code::kAlreadyExists);
  EXPECT_TRUE(previewDeletion(m_path, {.run = m_ids.run, .before = {}}).ok());
}

TEST_F(DeleteRuns, CompactingGivesFreePagesBack) {
  {
    auto writer = openStore(m_path).writer();
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->close().ok());
    auto db = sqlite::Connection::open(m_path, sqlite::OpenMode::kReadWrite);
    ASSERT_TRUE(db.ok());
    ASSERT_TRUE(db->exec("CREATE TABLE rg_ballast(x); INSERT INTO rg_ballast VALUES(zeroblob(1000000)); DROP TABLE rg_ballast").ok());
  }
  const auto done = compactStore(m_path, {});
  ASSERT_TRUE(done.ok()) << done.status().message();
  EXPECT_LT(done->file_bytes_after, done->file_bytes_before - 900'000);
  auto reader = openStore(m_path).reader();
  ASSERT_TRUE(reader.ok());
  EXPECT_THAT(*(*reader)->verify(), IsEmpty());
}

}  // namespace
}  // namespace runglass
