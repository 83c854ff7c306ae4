// SPDX-License-Identifier: GPL-3.0-or-later
// A store with a damaged page of any table or index: a command answers completely, or from a repaired copy with a warning and without rows
// of that page, or fails with one line. A command fails also on the copy where the row that it needs is lost; the warning comes first then.
// It never changes the store, and leaves no copy behind.
#include <sys/file.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "storage/sqlite/connection.h"
#include "storage/store_files.h"
#include "tests/app/ctl_fixture.h"
#include "tests/storage/flip_store.h"
#include "tests/support/older_store.h"
#include "tests/support/seed.h"
#include "tests/support/small_disk.h"

namespace runglass {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr const char* kFromCopy = "answered from a repaired copy";
constexpr const char* kCounts =
    "SELECT (SELECT count(message) FROM event) AS events, (SELECT count(text) FROM log_line) AS lines, (SELECT count(summary) FROM "
    "finding) "
    "AS findings, (SELECT count(value) FROM attempt_fact) AS facts, (SELECT count(*) FROM run) AS runs, (SELECT count(*) FROM series) AS "
    "series, (SELECT count(*) FROM rank) AS ranks, (SELECT count(*) FROM span) AS spans, (SELECT count(value) FROM scalar_all) AS scalars";

class PageDamage : public CtlFixture {
 protected:
  void SetUp() override {
    makeFlipStore(m_good);
    m_content = fileContent(m_good);
    std::filesystem::create_directory(m_temp);
    ::setenv("TMPDIR", m_temp.c_str(), 1);
  }
  void TearDown() override { ::unsetenv("TMPDIR"); }

  // Pages of each table and index, by name.
  std::map<std::string, std::vector<std::size_t>> pages(const std::string& kinds = "1") const {
    auto db = sqlite::Connection::open(m_good, sqlite::OpenMode::kReadOnly).value();
    auto rows = db.prepare("SELECT name, pageno FROM dbstat WHERE " + kinds + " ORDER BY pageno").value();
    std::map<std::string, std::vector<std::size_t>> all;
    while (rows.step().value()) all[std::string(rows.text(0))].push_back(static_cast<std::size_t>(rows.int64(1)));
    return all;
  }
  void damage(const std::string& owner) { flip(pages("pagetype = 'leaf'").at(owner).back(), 1'000); }
  void flip(std::size_t page, std::size_t byte) {
    writeFlipped(m_store, m_content, ((page - 1) * kFlipPage + byte) * 8);
    m_damaged = fileContent(m_store);
  }
  void expectUntouched() {
    EXPECT_EQ(fileContent(m_store), m_damaged) << "the damaged store was written";
    EXPECT_TRUE(std::filesystem::is_empty(m_temp)) << "a copy was left behind";
  }
  Json counts(Outcome& outcome) {
    outcome = ctl({"query", "--store", m_store, "--json", kCounts});
    return outcome.exit == 0 ? Json::parse(outcome.out) : Json();
  }

  test::SmallDisk m_disk;
  std::string m_good = m_folder.file("good.rgl"), m_temp = m_folder.file("temp"), m_content, m_damaged;
};

TEST_F(PageDamage, OfAnyTableOrIndexCostsOnlyItsRowsAndIsReported) {
  std::filesystem::copy_file(m_good, m_store);
  Outcome outcome;
  const Json whole = counts(outcome)["rows"][0];
  ASSERT_EQ(outcome.err, "");
  std::mt19937_64 random(test::seed());
  int complete = 0, from_copy = 0, refused = 0;
  const std::string csv = m_folder.file("csv"), copy = m_folder.file("copy.rgl");
  const std::vector<std::vector<std::string>> commands = {{"info", "--json"},
                                                          {"status", "--json"},
                                                          {"incident", "list", "--json"},
                                                          {"layout", "--run", "1", "--json"},
                                                          {"logbook"},
                                                          {"export", "--run", "1", "--csv", csv},
                                                          {"export", "--run", "1", "--to", copy}};
  std::size_t turn = random();
  for (const auto& [owner, all] : pages()) {
    flip(all[random() % all.size()], random() % kFlipPage);
    SCOPED_TRACE(owner);
    const Json answer = counts(outcome);
    if (outcome.exit == 1) {
      ++refused;
      expectFails(outcome, "runglassctl repair");
      EXPECT_EQ(owner, "sqlite_schema");
    } else if (outcome.err.empty()) {
      ++complete;
      EXPECT_EQ(answer["rows"][0], whole);
    } else {
      ++from_copy;
      EXPECT_THAT(outcome.err, HasSubstr("warning: " + m_store));
      std::int64_t lost = 0, admitted = 0;
      for (const auto& [what, count] : whole.items())
        lost += std::max<std::int64_t>(0, count.get<std::int64_t>() - answer["rows"][0][what].get<std::int64_t>());
      for (const Json& issue : answer["issues"]) admitted += issue["count"].get<std::int64_t>();
      if (lost > 0) EXPECT_GT(admitted, 0) << outcome.err;
      if (owner == "rg_event" || owner == "rg_log" || owner == "rg_finding") EXPECT_LE(lost, admitted) << outcome.err;
    }
    std::vector<std::string> command = commands[turn++ % commands.size()];
    command.insert(command.begin() + (command[0] == "incident" ? 2 : 1), {"--store", m_store});
    const Outcome other = ctl(command);
    if (other.exit != 0 && other.err.find(kFromCopy) != std::string::npos) {
      EXPECT_EQ(other.exit, 1);
      EXPECT_EQ(std::count(other.err.begin(), other.err.end(), '\n'), 2) << "the warning and the reason: " << other.err;
      EXPECT_THAT(other.err, HasSubstr(" of " + owner)) << "the warning names the table of the missing row";
    } else if (other.exit != 0) {
      expectFails(other, "runglassctl repair");
      EXPECT_EQ(owner, "sqlite_schema");
    } else if (other.err.find(kFromCopy) != std::string::npos && command.back() == "--json") {
      EXPECT_EQ(Json::parse(other.out)["repaired_copy"]["store"], m_store) << command[0];
    }
    std::filesystem::remove_all(csv);
    std::filesystem::remove(copy);
    expectUntouched();
  }
  EXPECT_GT(complete, 10);
  EXPECT_GT(from_copy, 10);
  EXPECT_EQ(refused, 1) << "the schema";
}

TEST_F(PageDamage, TheWarningNamesTheRowsAndTheCommandThatKeepsTheCopy) {
  damage("rg_event");
  const Outcome answer = ctl({"query", "--store", m_store, "--json", "SELECT kind FROM event"});
  ASSERT_EQ(answer.exit, 0) << answer.err;
  EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
  for (const char* part : {kFromCopy, "rows are missing", " of rg_event", "does not match its checksum", "runglassctl repair --store"})
    EXPECT_THAT(answer.err, HasSubstr(part));
  const Json parsed = Json::parse(answer.out);
  ASSERT_EQ(parsed["issues"].size(), 1U);
  EXPECT_EQ(parsed["repaired_copy"]["store"], m_store);
  EXPECT_EQ(parsed["repaired_copy"]["lost"].size(), 1U);
  EXPECT_EQ(parsed["issues"][0]["code"], "store.lost_in_repair");
  const auto all = query("SELECT count(*) FROM finding");  // needs no damaged page
  EXPECT_THAT(all.err, Not(HasSubstr(kFromCopy)));
  std::filesystem::copy_file(m_good, m_folder.file("whole.rgl"));
  const auto events = [&](const std::string& store) {
    return Json::parse(ctl({"query", "--store", store, "--json", "SELECT kind FROM event"}).out)["rows"].size();
  };
  EXPECT_EQ(static_cast<std::int64_t>(events(m_folder.file("whole.rgl")) - parsed["rows"].size()),
            parsed["issues"][0]["count"].get<std::int64_t>());
  expectUntouched();
}

TEST_F(PageDamage, AnExportFromACopyCarriesTheGap) {
  damage("rg_event");
  const std::string to = m_folder.file("export.rgl");
  const Outcome made = ctl({"export", "--store", m_store, "--run", "1", "--to", to});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_THAT(made.err, HasSubstr(kFromCopy));
  const Json info = Json::parse(ctl({"info", "--store", to, "--json"}).out);
  EXPECT_THAT(info["ingest_issues"].dump(), HasSubstr("store.lost_in_repair"));
  EXPECT_TRUE(info["damaged"].empty()) << "the export itself is whole";
  const Json damaged = Json::parse(ctl({"info", "--store", m_store, "--json"}).out);
  EXPECT_FALSE(damaged["damaged"].empty()) << "the store itself is not";
  EXPECT_EQ(damaged["path"], m_store);
  expectUntouched();
}

TEST_F(PageDamage, AFileThatIsNoStoreGetsNoAdviceThatCannotHelp) {
  std::ofstream(m_store) << std::string(5'000, 'n');
  for (const std::vector<std::string>& command : {std::vector<std::string>{"query", "--store", m_store, "SELECT 1"},
                                                  {"info", "--store", m_store},
                                                  {"note", "--store", m_store, "--run", "1", "a note"}}) {
    const Outcome refused = ctl(command);
    expectFails(refused, "this is not a Runglass store");
    EXPECT_THAT(refused.err, Not(AnyOf(HasSubstr("backup"), HasSubstr("repair"))));
  }
}

TEST_F(PageDamage, InfoOfACopyShowsThePageChecksumsOfTheStore) {
  damage("rg_series");
  EXPECT_EQ(Json::parse(ctl({"info", "--store", m_store, "--json"}).out)["page_checksums"], true);
  std::filesystem::remove(m_store);
  test::makeOlderStore(m_store);
  std::string content = fileContent(m_store);
  auto db = sqlite::Connection::open(m_store, sqlite::OpenMode::kReadOnly).value();
  const auto page = db.queryInt64("SELECT rootpage FROM sqlite_schema WHERE name = 'rg_series'").value().value();
  content[static_cast<std::size_t>(page - 1) * kFlipPage] = 1;  // no such kind of page
  std::ofstream(m_store, std::ios::binary) << content;
  const Outcome info = ctl({"info", "--store", m_store, "--json"});
  ASSERT_EQ(info.exit, 0) << info.err;
  EXPECT_THAT(info.err, HasSubstr(kFromCopy));
  EXPECT_EQ(Json::parse(info.out)["page_checksums"], false);
}

TEST_F(PageDamage, AnAnalysisOfACopyStoresNothing) {
  damage("rg_event");
  const Outcome analysis = ctl({"analyze", "--store", m_store, "--json"});
  ASSERT_EQ(analysis.exit, 0) << analysis.err;
  EXPECT_THAT(analysis.err, HasSubstr(kFromCopy));
  EXPECT_THAT(analysis.out, HasSubstr("store.lost_in_repair"));
  expectUntouched();
}

TEST_F(PageDamage, CommandsThatWriteNeverWriteIntoACopy) {
  damage("rg_run");
  expectFails(ctl({"note", "--store", m_store, "--run", "1", "a note"}), "runglassctl repair --store " + m_store);
  expectFails(ctl({"incident", "new", "--store", m_store, "--from", "1", "--title", "t"}), "runglassctl repair");
  expectFails(ctl({"layout", "--store", m_store, "--run", "1", "--reset"}), "runglassctl repair");
  expectFails(ctl({"delete", "--store", m_store, "--run", "1"}), "runglassctl repair");
  expectUntouched();
}

TEST_F(PageDamage, AStoreThatIsWrittenIsNotCopied) {
  damage("rg_event");
  const int lock = ::open(lockPath(m_store).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::flock(lock, LOCK_EX), 0);
  expectFails(ctl({"query", "--store", m_store, "SELECT message FROM event"}), "writes the store; stop it first");
  ::close(lock);
  expectUntouched();
}

TEST_F(PageDamage, WithoutRoomForACopyOneLineNamesRepair) {
  if (!test::SmallDisk::possible()) GTEST_SKIP() << "no mount namespace for this user";
  damage("rg_event");
  ::setenv("TMPDIR", m_disk.path().c_str(), 1);
  const auto refused = m_disk.run(1'024, {RG_BIN_DIR "/runglassctl", "query", "--store", m_store, "SELECT message FROM event"});
  EXPECT_EQ(refused.exit, 1);
  EXPECT_EQ(std::count(refused.errors.begin(), refused.errors.end(), '\n'), 1) << refused.errors;
  EXPECT_THAT(refused.errors, HasSubstr("a repaired copy needs "));
  EXPECT_THAT(refused.errors, HasSubstr("runglassctl repair --store " + m_store));
  EXPECT_TRUE(refused.left.empty());
  expectUntouched();
}

TEST_F(PageDamage, ASignalRemovesTheCopy) {
  damage("rg_event");
  // Fails at once on the damaged store; on the copy it runs until the signal.
  const pid_t child = start({"query", "--store", m_store,
                             "SELECT (SELECT count(message) FROM event), (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                             "SELECT count(*) FROM n)"});
  EXPECT_TRUE(test::waitUntil([&] { return contentOf(m_folder.file("stderr")).find(kFromCopy) != std::string::npos; }));
  EXPECT_FALSE(std::filesystem::is_empty(m_temp));
  for (const auto& folder : std::filesystem::directory_iterator(m_temp))
    EXPECT_EQ(folder.status().permissions(), std::filesystem::perms::owner_all);
  ::kill(child, SIGTERM);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
  expectUntouched();
}

}  // namespace
}  // namespace runglass
