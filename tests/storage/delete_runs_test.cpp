// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/delete_runs.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <functional>

#include "storage/open_store.h"
#include "storage/sqlite/connection.h"
#include "tests/storage/sample_store.h"
#include "tests/storage/store_leaves.h"
#include "tests/support/sql_rows.h"

namespace runglass {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class DeleteRuns : public ::testing::Test {
 protected:
  // The sample store's run, and another one that begins a day later and has not ended.
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

// The free pages precede the pages of samples at the end of the file.
class DamagedEnd : public DeleteRuns {
 protected:
  void SetUp() override {
    DeleteRuns::SetUp();
    execute("CREATE TABLE rg_ballast(x); INSERT INTO rg_ballast VALUES(zeroblob(1000000))");
    {
      auto writer = openStore(m_path).writer().value();
      const auto record = [&](int first_step, int end_step) {
        for (int i = 0; i < kSeries; ++i) {
          const SeriesId id = writer->series({.metric = "m" + std::to_string(i), .kind = SeriesKind::kScalar});
          for (int step = first_step; step < end_step; ++step)
            writer->scalar(id, step, kStoreStart + kDay,
                           static_cast<double>(std::hash<int>()(step * kSeries + i) * 0x9e3779b97f4a7c15ULL >> 20));
        }
      };
      record(0, 1);
      ASSERT_TRUE(writer->flush().ok());  // rows of series precede those of the samples to come
      record(1, 300);
      ASSERT_TRUE(writer->close().ok());
    }
    execute("DROP TABLE rg_ballast");
    m_pages = std::filesystem::file_size(m_path) / 4096;
    auto db = sqlite::Connection::open(m_path, sqlite::OpenMode::kReadOnly).value();
    auto owner = db.prepare("SELECT pageno, name FROM dbstat ORDER BY pageno DESC LIMIT 20").value();
    while (owner.step().value()) ASSERT_EQ(owner.text(1), "rg_chunk") << owner.int64(0);
  }
  void execute(const std::string& sql) {
    auto db = sqlite::Connection::open(m_path, sqlite::OpenMode::kReadWrite).value();
    const Status done = db.exec(sql);
    ASSERT_TRUE(done.ok()) << done.message();
  }
  void damage(std::size_t page) { copyFlipped(m_path, static_cast<std::uint32_t>(page), m_path); }
  // Number of series whose samples are readable.
  int readable() {
    auto reader = openStore(m_path).reader().value();
    int whole = 0;
    for (int i = 0; i < kSeries; ++i) {
      const auto found = reader->series({.metric = "m" + std::to_string(i)});
      if (found->empty()) continue;
      const auto samples = reader->scalars(found->front().id, 0, 300, {});
      whole += samples.ok() && samples->size() == 300 ? 1 : 0;
    }
    return whole;
  }
  static constexpr int kSeries = 60;
  std::size_t m_pages = 0;
};

TEST_F(DamagedEnd, KeepsItsPageAndACompactionSaysSo) {
  damage(m_pages);
  const int before = readable();
  ASSERT_GT(before, kSeries - 10);
  const auto done = compactStore(m_path, {});
  ASSERT_TRUE(done.ok()) << done.status().message();
  EXPECT_EQ(done->file_bytes_after, done->file_bytes_before);
  EXPECT_THAT(done->not_given_back,
              testing::AllOf(testing::HasSubstr("page " + std::to_string(m_pages)), testing::HasSubstr("runglassctl repair")));
  EXPECT_EQ(readable(), before);
}

TEST_F(DamagedEnd, OfAFileIsGivenBackUpToTheDamagedPage) {
  damage(m_pages - 10);
  const int before = readable();
  const auto done = compactStore(m_path, {});
  ASSERT_TRUE(done.ok()) << done.status().message();
  EXPECT_EQ(done->file_bytes_after, done->file_bytes_before - 10 * 4096);
  EXPECT_THAT(done->not_given_back, testing::HasSubstr("runglassctl repair"));
  EXPECT_EQ(readable(), before);
}

TEST_F(DamagedEnd, KeepsNoRunFromBeingDeleted) {
  damage(m_pages);
  const int before = readable();
  const auto deleted = deleteRuns(m_path, {.run = m_ids.run, .before = {}}, {});
  ASSERT_TRUE(deleted.ok()) << deleted.status().message();
  EXPECT_THAT(deleted->not_given_back, testing::HasSubstr("runglassctl repair"));
  EXPECT_EQ(readable(), before);
  auto reader = openStore(m_path).reader().value();
  EXPECT_THAT(sqlRows(*reader, "SELECT name FROM run"), ElementsAre("other"));
}

// A rebuilt table leaves the damaged one in the file, here at its end.
TEST_F(DamagedEnd, OfADamagedTableCostsNothingElse) {
  execute(
      "ALTER TABLE rg_chunk RENAME TO damaged_rg_chunk_1; CREATE TABLE rg_chunk(chunk_id INTEGER PRIMARY KEY, series_id INTEGER NOT NULL, "
      "x0 "
      "INTEGER NOT NULL, x1 INTEGER NOT NULL, n INTEGER NOT NULL, sealed INTEGER NOT NULL, late INTEGER NOT NULL, crc INTEGER NOT NULL, "
      "data BLOB NOT NULL)");
  damage(m_pages);
  {
    auto writer = openStore(m_path).writer().value();
    writer->event({.time = kStoreStart, .kind = "tick"});
    const auto applied = writer->applyRetention({.max_bytes = 1}, kStoreStart + 400 * kDay);
    EXPECT_TRUE(applied.ok()) << applied.status().message();
    const Status closed = writer->close();
    EXPECT_TRUE(closed.ok()) << closed.message();
  }
  const auto compacted = compactStore(m_path, {});
  ASSERT_TRUE(compacted.ok()) << compacted.status().message();
  EXPECT_THAT(compacted->not_given_back, testing::HasSubstr("runglassctl repair"));
  const auto deleted = deleteRuns(m_path, {.run = m_ids.run, .before = {}}, {});
  ASSERT_TRUE(deleted.ok()) << deleted.status().message();
}

TEST_F(DamagedEnd, OfARunThatGoesKeepsItAndSaysWhy) {
  {
    auto writer = openStore(m_path).writer().value();
    for (int i = 0; i < 1'000; ++i) writer->log({.time = kStoreStart + i, .stream = "stdout", .text = "line " + std::to_string(i)});
    ASSERT_TRUE(writer->close().ok());
  }
  const auto leaves = leavesOf(m_path, "rg_log");
  ASSERT_GT(leaves.size(), 4U);
  damage(leaves[2]);  // opening reads the last one
  for (const Status& failed : {previewDeletion(m_path, {.run = m_ids.run, .before = {}}).status(),
                               deleteRuns(m_path, {.run = m_ids.run, .before = {}}, {}).status()}) {
    EXPECT_EQ(failed.code(), Code::kDataLoss) << failed.message();
    EXPECT_THAT(failed.message(), testing::HasSubstr("runglassctl repair"));
  }
  auto reader = openStore(m_path).reader().value();
  EXPECT_THAT(sqlRows(*reader, "SELECT count(*) FROM run"), ElementsAre("2"));
}

}  // namespace
}  // namespace runglass
