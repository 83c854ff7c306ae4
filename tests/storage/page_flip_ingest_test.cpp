// SPDX-License-Identifier: Apache-2.0
// A store with one flipped bit is still writable, or reports that it is not: the unaffected data is complete, including data acknowledged
// since, in the store itself or in its repaired copy; and the damage is reported.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "storage/maintain/repair_store.h"
#include "storage/open_store.h"
#include "storage/reader.h"
#include "storage/sqlite/connection.h"
#include "tests/storage/flip_store.h"
#include "tests/support/older_store.h"
#include "tests/support/seed.h"
#include "tests/support/sql_rows.h"

namespace runglass {
namespace {

using testing::IsEmpty;
using testing::Not;

constexpr int kNewPoints = 100;
const StreamKey kStream{"agent", "session", 4};

// The points of series `number` are those up to `last`, in it and in the series that continues it after damage.
bool complete(Reader& reader, int number, int last) {
  const auto known = reader.series({.metric = "flip_" + std::to_string(number)});
  if (!known.ok()) return false;
  std::vector<TimeNs> times;
  for (const Series& one : *known) {
    const auto samples = reader.samples(one.id, {});
    if (!samples.ok()) return false;
    times.insert(times.end(), samples->time.begin(), samples->time.end());
  }
  std::ranges::sort(times);
  if (times.size() != static_cast<std::size_t>(last)) return false;
  for (int i = 0; i < last; ++i)
    if (times[static_cast<std::size_t>(i)] != kStoreStart + i * kNsPerSecond) return false;
  return true;
}

// The table or index of each page; empty for pages of none.
std::vector<std::string> pageOwners(const std::string& path) {
  auto db = sqlite::Connection::open(path, sqlite::OpenMode::kReadOnly).value();
  std::vector<std::string> owners(static_cast<std::size_t>(db.queryInt64("PRAGMA page_count").value().value()));
  auto rows = db.prepare("SELECT pageno, name FROM dbstat").value();
  while (rows.step().value()) owners[static_cast<std::size_t>(rows.int64(0)) - 1] = rows.text(1);
  return owners;
}
// Without its header, its schema or its high-water marks, a store cannot continue.
bool mayRefuse(const std::string& owner) {
  return owner == "sqlite_schema" || owner.ends_with("rg_meta") || owner.find("rg_stream") != std::string::npos;
}

class PageFlip : public testing::Test {
 protected:
  void SetUp() override {
    makeFlipStore(m_good);
    m_content = fileContent(m_good);
  }
  // The numbers of the series that are readable despite the flipped bit.
  std::vector<int> undamaged() const {
    std::vector<int> all;
    auto reader = openStore(m_path).reader();
    if (!reader.ok()) return all;
    for (int number = 0; number < kFlipSeries; ++number)
      if (complete(**reader, number, kFlipPoints)) all.push_back(number);
    return all;
  }
  static WriterOptions replaying() {
    WriterOptions options;
    options.replay = [](const StreamKey&, std::uint64_t, std::string_view payload, Writer& writer) -> Status {
      const int first = std::stoi(std::string(payload));
      for (int number = 0; number < kFlipSeries; ++number) flipPoints(writer, number, first, first + kNewPoints / kRounds);
      return {};
    };
    return options;
  }
  // Like a hub: a batch is acknowledged once it is in the journal, and none is accepted after a failed commit. Returns the number of
  // acknowledged points of each series, including the previous `points`, and whether all of them are stored.
  static std::pair<int, bool> ingest(Writer& writer, int points = 0) {
    const WriterOptions options = replaying();
    bool stored = true;
    for (int round = points * kRounds / kNewPoints; round < kRounds && stored; ++round) {
      const std::string payload = std::to_string(kFlipPoints + points);
      const auto seq = static_cast<std::uint64_t>(round);
      stored = writer.journal(kStream, seq, payload).ok();
      if (!stored) break;
      points += kNewPoints / kRounds;
      EXPECT_TRUE(options.replay(kStream, seq, payload, writer).ok());
      stored = writer.flush().ok();
    }
    return {points, writer.close().ok() && stored};
  }
  // What a user does with a store that cannot be opened for writing, or accepts no commit. Absent: nothing is readable.
  std::unique_ptr<Reader> repaired() {
    std::filesystem::remove(m_repaired);
    const auto repair = repairStore(m_path, m_repaired);
    if (!repair.ok()) return nullptr;
    auto writer = openStore(m_repaired).writer(replaying());
    EXPECT_TRUE(writer.ok()) << writer.status().message();
    if (writer.ok()) EXPECT_TRUE((*writer)->close().ok());
    return openStore(m_repaired).reader().value();
  }
  void removeStores() const {
    for (const auto& entry : std::filesystem::directory_iterator(m_folder.path()))
      if (entry.path().string() != m_good) std::filesystem::remove(entry.path());
  }

  static constexpr int kRounds = 4;
  test::TempFolder m_folder;
  std::string m_good = m_folder.file("good.rgl"), m_path = m_folder.file("s.rgl"), m_repaired = m_folder.file("new.rgl"), m_content;
};

TEST_F(PageFlip, CostsNoOtherSeriesAnything) {
  std::mt19937_64 random(test::seed());
  const std::vector<std::string> owners = pageOwners(m_good);
  int went_on = 0, refused = 0, stuck = 0, restarted = 0, unreadable = 0;
  for (std::size_t page = 0; page < m_content.size() / kFlipPage; ++page) {
    removeStores();
    const std::size_t bit = (page * kFlipPage * 8) + random() % (kFlipPage * 8);
    SCOPED_TRACE("bit " + std::to_string(bit) + " of page " + std::to_string(page + 1));
    writeFlipped(m_path, m_content, bit);
    const std::vector<int> whole = undamaged();
    const bool may_refuse = mayRefuse(owners[page]);
    int points = 0;
    bool stored = false;
    if (auto writer = openStore(m_path).writer(replaying()); writer.ok()) {
      std::tie(points, stored) = ingest(**writer);
      if (!stored && !may_refuse) {  // acknowledged data is stored once the hub is restarted
        ++restarted;
        writer->reset();
        auto again = openStore(m_path).writer(replaying());
        ASSERT_TRUE(again.ok()) << again.status().message();
        std::tie(points, stored) = ingest(**again, points);
      }
      stuck += stored ? 0 : 1;
    } else {
      EXPECT_EQ(writer.status().code(), Code::kDataLoss) << writer.status().message();
      EXPECT_THAT(writer.status().message(), testing::HasSubstr("runglassctl repair"));
      ++refused;
    }
    EXPECT_TRUE(stored || may_refuse) << "a page of " << owners[page];
    const std::unique_ptr<Reader> reader = stored ? openStore(m_path).reader().value() : repaired();
    if (!reader) {
      EXPECT_THAT(whole, IsEmpty());
      ++unreadable;
      continue;
    }
    if (stored) EXPECT_EQ(points, kNewPoints);
    std::vector<int> incomplete;
    for (const int number : whole)
      if (!complete(*reader, number, kFlipPoints + points)) incomplete.push_back(number);
    EXPECT_THAT(incomplete, IsEmpty()) << "of " << whole.size() << " undamaged series; " << (stored ? "stored" : "repaired");
    if (stored && whole.size() < kFlipSeries) EXPECT_THAT(*reader->verify(), Not(IsEmpty())) << "damage is still there to see";
    went_on += stored ? 1 : 0;
  }
  RecordProperty("went_on", went_on);
  RecordProperty("refused", refused);
  RecordProperty("stuck", stuck);
  RecordProperty("unreadable", unreadable);
  RecordProperty("restarted", restarted);
}

// The copy before a migration includes the damaged page unchanged, so that it can be made of any store.
TEST_F(PageFlip, KeepsNoStoreFromBeingUpgraded) {
  const test::LaterSchema later{"CREATE TABLE rg_later(a INTEGER PRIMARY KEY, b TEXT); INSERT INTO rg_later(b) SELECT text FROM rg_string"};
  const auto options = [&] {
    WriterOptions of_later = replaying();
    of_later.schema = &later.history();
    return of_later;
  };
  std::mt19937_64 random(test::seed());
  const std::vector<std::string> owners = pageOwners(m_good);
  const std::string backup = m_path + ".schema" + std::to_string(shippedSchema().newest());
  int upgraded = 0;
  for (std::size_t page = 0; page < m_content.size() / kFlipPage; page += page < 60 ? 1 : 4) {
    removeStores();
    const std::size_t bit = (page * kFlipPage * 8) + random() % (kFlipPage * 8);
    SCOPED_TRACE("bit " + std::to_string(bit) + " of page " + std::to_string(page + 1) + " of " + owners[page]);
    writeFlipped(m_path, m_content, bit);
    const std::string flipped = fileContent(m_path);
    auto writer = openStore(m_path).writer(options());
    if (!writer.ok()) {
      // New tables need the page map and the list of free pages, which belong to no table.
      EXPECT_TRUE(mayRefuse(owners[page]) || owners[page].empty()) << writer.status().message();
      EXPECT_THAT(writer.status().message(), testing::HasSubstr("runglassctl repair"));
      continue;
    }
    ++upgraded;
    if (page % 4 != 0) {
      ASSERT_TRUE((*writer)->close().ok() || mayRefuse(owners[page]));
    } else {
      auto [points, stored] = ingest(**writer);
      writer->reset();
      if (!stored && !mayRefuse(owners[page])) {
        auto again = openStore(m_path).writer(options());
        ASSERT_TRUE(again.ok()) << again.status().message();
        std::tie(points, stored) = ingest(**again, points);
        EXPECT_TRUE(stored);
      }
      ASSERT_TRUE(sqlite::Connection::open(m_path, sqlite::OpenMode::kReadWrite)
                      ->exec("PRAGMA user_version=" + std::to_string(shippedSchema().newest()))
                      .ok())
          << "so that the Reader takes it";
      const auto reader = openStore(m_path).reader();
      ASSERT_TRUE(reader.ok()) << reader.status().message();
      std::vector<int> incomplete;
      for (int number = 0; number < kFlipSeries && stored; ++number)
        if (!complete(**reader, number, kFlipPoints + points)) incomplete.push_back(number);
      // Only samples in the damaged page, and rows named there, may be missing.
      for (const char* table : {"rg_event", "rg_log", "rg_finding", "rg_fact", "rg_import", "rg_span_chunk", "rg_capture"})
        if (owners[page].find(table) != std::string::npos) EXPECT_THAT(incomplete, IsEmpty());
    }
    // Page 1 has the file's journal mode.
    ASSERT_EQ(fileContent(backup).size(), flipped.size());
    EXPECT_EQ(fileContent(backup).substr(kFlipPage), flipped.substr(kFlipPage));
    EXPECT_EQ(std::filesystem::status(backup).permissions(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    EXPECT_FALSE(std::filesystem::exists(backup + ".part") || std::filesystem::exists(backup + ".part-wal"));
  }
  EXPECT_GT(upgraded, 50);
}

// A catalogue table fits into one page: it is rebuilt when the store is opened for writing, and its lost rows are reported.
TEST_F(PageFlip, ADamagedCatalogueTableIsMadeAnew) {
  const std::vector<std::string> owners = pageOwners(m_good);
  for (const std::string table : {"rg_node", "rg_run", "rg_attempt", "rg_rank", "rg_series", "rg_string", "rg_issue", "rg_track"}) {
    SCOPED_TRACE(table);
    const auto page = static_cast<std::size_t>(std::ranges::find(owners, table) - owners.begin());
    ASSERT_LT(page, owners.size());
    removeStores();
    writeFlipped(m_path, m_content, (page * kFlipPage * 8) + 12'345);
    {
      auto writer = openStore(m_path).writer(replaying());
      ASSERT_TRUE(writer.ok()) << writer.status().message();
      EXPECT_TRUE((*writer)->applyRetention({}, kStoreStart).ok());
      const auto [points, stored] = ingest(**writer);
      EXPECT_TRUE(stored);
      EXPECT_EQ(points, kNewPoints);
    }
    auto reader = openStore(m_path).reader().value();
    std::vector<std::string> sources;
    for (const Issue& issue : *reader->issues())
      if (issue.code == "store.table_rebuilt") sources.push_back(issue.source);
    EXPECT_THAT(sources, testing::Contains("table " + table));
    EXPECT_EQ(sqlRows(*reader, "SELECT count(*) >= 200 FROM log_line"), std::vector<std::string>{"1"}) << "SQL goes on";
    EXPECT_THAT(sources, testing::Contains(testing::EndsWith(" of " + table))) << "what is lost of it";
    for (int number = 0; number < kFlipSeries; ++number) {
      const auto found = reader->series({.metric = "flip_" + std::to_string(number)});
      EXPECT_TRUE(found.ok() && !found->empty()) << number;
    }
    reader.reset();
    {
      auto writer = openStore(m_path).writer(replaying());
      ASSERT_TRUE(writer.ok()) << "and stays so: " << writer.status().message();
      const TrackId track = (*writer)->track({.name = "new"});
      const SeriesId series = (*writer)->series({.metric = "new"});
      ASSERT_TRUE((*writer)->close().ok());
      const auto fresh = openStore(m_path).reader().value();
      EXPECT_EQ(fresh->spans(track, {})->size(), 0U) << "a new track has spans of a lost one";
      EXPECT_EQ(fresh->samples(series, {})->size(), 0U) << "a new series has samples of a lost one";
    }
    // Once more: the rebuilt table is damaged too.
    const std::string content = fileContent(m_path);
    const auto root = sqlite::Connection::open(m_path, sqlite::OpenMode::kReadOnly)
                          ->queryInt64("SELECT rootpage FROM sqlite_schema WHERE name = '" + table + "'");
    const auto again = static_cast<std::size_t>(root->value() - 1);
    writeFlipped(m_path, content, (again * kFlipPage * 8) + 12'345);
    EXPECT_TRUE(openStore(m_path).writer(replaying()).ok()) << "a second time";
    const auto repair = repairStore(m_path, m_repaired);
    EXPECT_TRUE(repair.ok()) << repair.status().message();
  }
}

// Tables whose ids are assigned by SQLite (the highest id plus one): ids of lost rows are not reused, because copies and earlier versions
// of findings still refer to them.
TEST_F(PageFlip, GivesNoIdOfALostRowAgain) {
  const auto write = [](Writer& writer, const std::string& number) {
    const RunId run = writer.run({.uuid = "r", .name = "r"});
    writer.label({.attempt = writer.attempt({.run = run, .key = "0"}), .kind = "label " + number});
    writer.finding({.run = run, .kind = "slow_rank", .subject = number, .summary = "s", .evidence = "{}", .published = 1});
    EXPECT_TRUE(writer.flush().ok());
    EXPECT_TRUE(writer.incident({.uuid = "incident " + number, .run = run, .title = number}).ok());
    EXPECT_TRUE(writer.edit(Note{.run_uuid = "r", .time = {}, .author = "a", .text = number}).ok());
    const Alert alert{.run = run, .rule = number, .cause = "c", .kind = "k", .since = 1};
    EXPECT_TRUE(writer.alerts(std::span(&alert, 1)).ok());
    EXPECT_TRUE(writer.close().ok());
  };
  for (const char* number : {"1", "2", "3"}) write(*openStore(m_path).writer().value(), number);
  const std::string content = fileContent(m_path);
  const std::vector<std::string> owners = pageOwners(m_path);
  for (const auto& [table, id] : {std::pair<std::string, std::string>{"rg_label", "label_id"},
                                  {"rg_finding", "finding_id"},
                                  {"rg_incident", "incident_id"},
                                  {"rg_note", "note_id"},
                                  {"rg_alert", "alert_id"}}) {
    SCOPED_TRACE(table);
    const auto newest = [&](const std::string& path) {
      return sqlite::Connection::open(path, sqlite::OpenMode::kReadOnly)
          ->queryInt64("SELECT min(" + id + ") FROM " + table)
          .value()
          .value();
    };
    removeStores();
    std::string damaged = content;
    for (const std::string& hit : {table, std::string("rg_node")})  // opening reads the nodes
      damaged[static_cast<std::size_t>(std::ranges::find(owners, hit) - owners.begin()) * kFlipPage + 2'000] ^= 1;
    writeFlipped(m_path, damaged, 8 * kFlipPage * static_cast<std::size_t>(std::ranges::find(owners, "rg_node") - owners.begin()) + 99);
    ASSERT_TRUE(repairStore(m_path, m_repaired).ok());
    for (const std::string& path : {m_path, m_repaired}) {
      write(*openStore(path).writer().value(), "4");
      EXPECT_GT(newest(path), 3) << path;
      write(*openStore(path).writer().value(), "5");
      EXPECT_GT(newest(path), 3) << path;
      EXPECT_THAT(*openStore(path).reader().value()->publishedFindings({}), testing::SizeIs(table == "rg_finding" ? 2 : 5));
    }
  }
}

}  // namespace
}  // namespace runglass
