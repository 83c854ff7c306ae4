// SPDX-License-Identifier: Apache-2.0
// Captures in a store: stored completely, limited, reported when damaged, exported, deleted last.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <set>

#include "storage/open_store.h"
#include "storage/read/live_tail.h"
#include "storage/reader.h"
#include "tests/storage/sample_store.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CaptureTest : public ::testing::Test {
 protected:
  // Two of a run's rank and one of its node alone.
  void fill(Writer& writer) {
    m_ids = fillSampleStore(writer);
    const NodeId other = writer.node({.uuid = "machine-2"});
    ASSERT_TRUE(writer.flush().ok());
    const NodeId node = writer.node({.uuid = "machine-1"});
    writer.capture({.time = kStoreStart + 500,
                    .attempt = m_ids.first,
                    .node = node,
                    .rank = 1,
                    .kind = "stack",
                    .source = "faulthandler",
                    .reason = "by hand",
                    .text = m_stack});
    writer.capture({.time = kStoreStart + 100, .node = node, .kind = "kernel_log", .source = "/dev/kmsg", .reason = "stall", .text = "x"});
    writer.capture({.time = kStoreStart + 900,
                    .attempt = m_ids.second,
                    .node = node,
                    .rank = 0,
                    .kind = "process",
                    .source = "/proc/1",
                    .reason = "sigterm",
                    .text = std::string("a\0b", 3)});
    writer.capture({.time = kStoreStart + 1, .node = other, .kind = "nvml", .source = "nvidia-smi -q", .reason = "stall", .text = "other"});
  }
  void makeStore() {
    auto writer = openStore(m_path).writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    fill(**writer);
    ASSERT_TRUE((*writer)->close().ok());
  }
  static std::vector<std::string> kinds(const std::vector<Capture>& captures) {
    std::vector<std::string> all;
    for (const Capture& capture : captures) all.push_back(capture.kind + "/" + capture.reason + "/" + std::to_string(capture.bytes));
    return all;
  }
  void change(const std::string& sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(m_path, &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  std::vector<std::string> texts(const std::string& sql) const {
    std::vector<std::string> found;
    auto reader = openStore(m_path).reader();
    Reader::SqlSink sink;
    sink.row = [&](const std::vector<SqlValue>& row) {
      const auto* text = std::get_if<std::string>(&row[0]);
      found.push_back(text != nullptr ? *text : "(null)");
      return true;
    };
    EXPECT_TRUE((*reader)->query(sql, sink).ok());
    return found;
  }

  test::TempFolder m_folder;
  std::string m_path = m_folder.file("s.rgl");
  std::string m_stack = std::string(5000, 'f') + "\n  File \"train.py\", line 3 in all_reduce\n";
  SampleStoreIds m_ids;
};

TEST_F(CaptureTest, OfARunComeBackByTimeWithThoseOfItsNodesFromTheTailAndFromTheFile) {
  auto writer = openStore(m_path).writer();
  ASSERT_TRUE(writer.ok());
  fill(**writer);
  for (const bool stored : {false, true}) {
    if (stored) {
      ASSERT_TRUE((*writer)->flush().ok());
    }
    auto reader = openStore(m_path).reader({.live = (*writer)->liveTail()});
    ASSERT_TRUE(reader.ok());
    const auto captures = (*reader)->captures(m_ids.run, {});
    ASSERT_TRUE(captures.ok()) << captures.status().message();
    EXPECT_THAT(kinds(*captures), ElementsAre("kernel_log/stall/1", "stack/by hand/" + std::to_string(m_stack.size()), "process/sigterm/3"))
        << stored;
    EXPECT_EQ((*captures)[1].text, m_stack);
    EXPECT_EQ((*captures)[1].rank, 1);
    EXPECT_EQ((*captures)[2].text, "a b") << "no zero bytes in a text";
    EXPECT_THAT(*(*reader)->captures(m_ids.run, {kStoreStart + 500, kStoreStart + 900}), SizeIs(1));
    const auto without = (*reader)->captures(m_ids.run, {}, CaptureTexts::kWithout);
    EXPECT_EQ((*without)[1].bytes, static_cast<std::int64_t>(m_stack.size()));
    EXPECT_THAT((*without)[1].text, IsEmpty());
  }
}

TEST_F(CaptureTest, AreRowsOfARelationWithTheirTexts) {
  makeStore();
  EXPECT_THAT(texts("SELECT text FROM capture WHERE kind = 'stack' AND node = 'node-a' AND rank = 1 AND attempt = 0"),
              ElementsAre(m_stack));
  EXPECT_THAT(texts("SELECT kind || ' ' || reason || ' ' || bytes FROM capture ORDER BY time_ns"),
              ElementsAre("nvml stall 5", "kernel_log stall 1", "stack by hand " + std::to_string(m_stack.size()), "process sigterm 3"));
}

TEST(BoundCapture, KeepsTheEndFromTheBeginOfALineAndSaysWhatIsGone) {
  Capture capture;
  capture.text = "0123456789\nabc\ndef\n";
  boundCapture(capture, 10);
  EXPECT_EQ(capture.text, "abc\ndef\n");
  EXPECT_EQ(capture.truncated_bytes, 11);
  EXPECT_EQ(capture.bytes, 8);
  capture.text = "0123456789";
  boundCapture(capture, 4);
  EXPECT_EQ(capture.text, "6789") << "a line longer than all there is room for";
  EXPECT_EQ(capture.truncated_bytes, 17);
}

TEST_F(CaptureTest, AHugeOneIsCutAndSaysSo) {
  {
    auto writer = openStore(m_path).writer();
    const AttemptId attempt = (*writer)->attempt({.run = (*writer)->run({.name = "r"}), .key = "0"});
    (*writer)->capture({.time = 5, .attempt = attempt, .kind = "stack", .text = std::string(3 << 20, 'x') + "\nend\n"});
    ASSERT_TRUE((*writer)->close().ok());
  }
  EXPECT_THAT(texts("SELECT text FROM capture"), ElementsAre("end\n"));
  EXPECT_THAT(texts("SELECT 'x' FROM capture WHERE truncated_bytes = 3145729"), SizeIs(1));
}

TEST_F(CaptureTest, OneThatIsDamagedIsNamedAndTheOthersStay) {
  makeStore();
  change("UPDATE rg_capture SET body = zeroblob(length(body)) WHERE kind = 'stack'");
  auto reader = openStore(m_path).reader();
  const auto damaged = (*reader)->verify({});
  ASSERT_TRUE(damaged.ok());
  ASSERT_THAT(*damaged, SizeIs(1));
  EXPECT_EQ((*damaged)[0], "capture 1: checksum mismatch");
  EXPECT_THAT(kinds(*(*reader)->captures(m_ids.run, {})), ElementsAre("kernel_log/stall/1", "process/sigterm/3"));
  EXPECT_THAT(texts("SELECT text FROM capture WHERE kind = 'stack'"), ElementsAre("(null)"));
  const auto issues = (*reader)->issues();
  EXPECT_TRUE(std::ranges::any_of(*issues, [](const Issue& issue) { return issue.code == "store.damaged_chunk"; }));
  change("UPDATE rg_capture SET bytes = 1 << 40");
  EXPECT_THAT(*(*openStore(m_path).reader())->captures(m_ids.run, {}), IsEmpty()) << "what a file claims is bounded before it is believed";
}

TEST_F(CaptureTest, GoWithTheirRunWhenItIsExportedAndOnlyTheSlice) {
  makeStore();
  const std::string whole = m_folder.file("whole.rgl"), slice = m_folder.file("slice.rgl");
  ASSERT_TRUE(exportRun(m_path, m_ids.run, {}, whole).ok());
  ASSERT_TRUE(exportRun(m_path, m_ids.run, {kStoreStart + 400, kStoreStart + 600}, slice).ok());
  const auto exported = [&](const std::string& path) {
    auto reader = openStore(path).reader();
    const auto runs = (*reader)->runs();
    EXPECT_THAT(*(*reader)->verify({}), IsEmpty());
    return *(*reader)->captures(runs->at(0).id, {});
  };
  EXPECT_THAT(exported(whole), SizeIs(3)) << "not the one of another machine";
  ASSERT_THAT(exported(slice), SizeIs(1));
  EXPECT_EQ(exported(slice)[0].text, m_stack);
}

TEST_F(CaptureTest, AreExportedThoughTheirTextsAreReadInPieces) {
  makeStore();
  constexpr int kMany = 40;
  const std::string text(1'000'000, 'x');
  {
    auto writer = openStore(m_path).writer();
    for (int i = 0; i < kMany; ++i)
      (*writer)->capture({.time = kStoreStart + 10'000 + i / 3, .attempt = m_ids.first, .rank = i, .kind = "stack", .text = text});
    ASSERT_TRUE((*writer)->close().ok());
  }
  const std::string whole = m_folder.file("whole.rgl");
  ASSERT_TRUE(exportRun(m_path, m_ids.run, {}, whole).ok());
  const auto reader = openStore(whole).reader().value();
  const auto captures = reader->captures(reader->runs()->at(0).id, {});
  ASSERT_THAT(*captures, SizeIs(3 + kMany));
  std::set<std::int32_t> ranks;
  for (const Capture& one : *captures)
    if (one.text == text) ranks.insert(one.rank.value_or(-1));
  EXPECT_THAT(ranks, SizeIs(kMany));
}

TEST_F(CaptureTest, AreForgottenAfterTheirTimeAndNeverWhilePinned) {
  makeStore();
  auto writer = openStore(m_path).writer();
  (*writer)->pin({kStoreStart + 400, kStoreStart + 600}, "incident 1");
  ASSERT_TRUE((*writer)->flush().ok());
  const Retention policy{.captures = 10 * kNsPerSecond};
  ASSERT_TRUE((*writer)->applyRetention(policy, kStoreStart + 5 * kNsPerSecond).ok());
  EXPECT_THAT(texts("SELECT kind FROM capture"), SizeIs(4));
  const std::uint64_t before = (*writer)->liveTail()->generation();
  ASSERT_TRUE((*writer)->applyRetention(policy, kStoreStart + 20 * kNsPerSecond).ok());
  EXPECT_GT((*writer)->liveTail()->generation(), before) << "who shows captures looks again";
  EXPECT_THAT(texts("SELECT kind FROM capture"), ElementsAre("stack"));
}

}  // namespace
}  // namespace runglass
