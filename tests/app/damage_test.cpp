// SPDX-License-Identifier: GPL-3.0-or-later
// A store with a damaged chunk: every answer has the remaining data and reports that something is missing.
#include <nlohmann/json.hpp>

#include "storage/open_store.h"
#include "tests/app/ctl_fixture.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

class DamageTest : public CtlFixture {
 protected:
  void SetUp() override {
    auto writer = openStore(m_store).writer();
    ASSERT_TRUE(writer.ok()) << writer.status().message();
    m_ids = fillSampleStore(**writer);
    ASSERT_TRUE((*writer)->close().ok());
  }
  void damage() {
    damage(
        "UPDATE rg_chunk SET data = CAST(substr(data, 1, 50) || x'ff' || substr(data, 52) AS BLOB) WHERE chunk_id = (SELECT "
        "min(chunk_id) FROM rg_chunk WHERE series_id = " +
        std::to_string(m_ids.power.value) + ")");
  }
  void damage(const std::string& sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(test::openDatabase(m_store, &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }
  std::string samplesSql() const { return "SELECT time_ns, value FROM sample(" + std::to_string(m_ids.power.value) + ")"; }

  SampleStoreIds m_ids;
};

constexpr const char* kWarning = "warning: ";

TEST_F(DamageTest, AWholeStoreIsNotWarnedAbout) {
  for (const auto& command : std::vector<std::vector<std::string>>{{"query", "--store", m_store, samplesSql()},
                                                                   {"info", "--store", m_store},
                                                                   {"status", "--store", m_store},
                                                                   {"analyze", "--store", m_store}})
    EXPECT_THAT(ctl(command).err, Not(HasSubstr(kWarning))) << command[0];
  const Json info = Json::parse(ctl({"info", "--store", m_store, "--json"}).out);
  EXPECT_TRUE(info["checked"]);
  EXPECT_TRUE(info["damaged"].empty());
}

TEST_F(DamageTest, AQueryGivesTheRestAndWarns) {
  damage();
  const Outcome csv = query(samplesSql());
  EXPECT_EQ(csv.exit, 0);
  const auto lines = std::count(csv.out.begin(), csv.out.end(), '\n');
  EXPECT_GT(lines, 1'000);
  EXPECT_LT(lines, kStoreSamples);
  EXPECT_THAT(csv.err, HasSubstr(kWarning + m_store));
  EXPECT_THAT(csv.err, HasSubstr("series " + std::to_string(m_ids.power.value)));

  const Outcome json = ctl({"query", "--store", m_store, "--json", samplesSql()});
  ASSERT_EQ(json.exit, 0) << json.err;
  const Json parsed = Json::parse(json.out);
  EXPECT_EQ(parsed["rows"].size(), static_cast<std::size_t>(lines - 1));
  ASSERT_EQ(parsed["issues"].size(), 1U);
  EXPECT_EQ(parsed["issues"][0]["code"], "store.damaged_chunk");
}

TEST_F(DamageTest, InfoChecksWhatItCounts) {
  damage();
  const Outcome text = ctl({"info", "--store", m_store});
  EXPECT_EQ(text.exit, 0);
  EXPECT_THAT(text.out, HasSubstr("1 damaged"));
  EXPECT_THAT(text.err, HasSubstr(kWarning + m_store));
  EXPECT_EQ(Json::parse(ctl({"info", "--store", m_store, "--json"}).out)["damaged"].size(), 1U);
}

// If an object is damaged completely, nothing is left to answer with: a command may end with an error, but never silently.
TEST_F(DamageTest, EveryCommandThatReadsItWarns) {
  damage("UPDATE rg_chunk SET data = CAST(x'ff' || substr(data, 2) AS BLOB)");
  damage("UPDATE rg_span_chunk SET data = CAST(x'ff' || substr(data, 2) AS BLOB)");
  const std::string csv = m_folder.file("csv"), trace = m_folder.file("trace.json"), copy = m_folder.file("copy.rgl");
  for (const auto& command : std::vector<std::vector<std::string>>{{"info", "--store", m_store},
                                                                   {"analyze", "--store", m_store},
                                                                   {"export", "--store", m_store, "--run", "1", "--csv", csv},
                                                                   {"export", "--store", m_store, "--run", "1", "--chrome-trace", trace},
                                                                   {"export", "--store", m_store, "--run", "1", "--to", copy}}) {
    const Outcome outcome = ctl(command);
    EXPECT_THAT(outcome.err, HasSubstr(kWarning + m_store)) << command[0] << " " << command.back();
    if (outcome.exit != 0) EXPECT_THAT(outcome.err, HasSubstr("runglassctl " + command[0] + ": "));
  }
}

TEST_F(DamageTest, ACopyKeepsTheGap) {
  damage();
  const std::string copy = m_folder.file("copy.rgl");
  const Outcome outcome = ctl({"export", "--store", m_store, "--run", "1", "--to", copy});
  EXPECT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr(kWarning + m_store));
  const Json info = Json::parse(ctl({"info", "--store", copy, "--json"}).out);
  const auto& issues = info["ingest_issues"];
  const auto gap = std::find_if(issues.begin(), issues.end(), [](const Json& issue) { return issue["code"] == "export.gap"; });
  ASSERT_NE(gap, issues.end()) << info.dump(1);
  EXPECT_EQ((*gap)["severity"], "error");
  EXPECT_TRUE(info["damaged"].empty()) << "the copy itself is whole";
  EXPECT_EQ(Json::parse(ctl({"query", "--store", copy, "--json", "SELECT 1 AS one"}).out)["issues"].size(), 1U);
}

}  // namespace
}  // namespace runglass
