// SPDX-License-Identifier: GPL-3.0-or-later
// A store with one bit flipped on disk, so that a page no longer matches its checksum: every command answers with the rest, and reports
// what it left out.
#include <nlohmann/json.hpp>

#include <set>

#include "storage/sqlite/connection.h"
#include "tests/app/ctl_fixture.h"
#include "tests/storage/flip_store.h"

namespace runglass {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class DamagedPage : public CtlFixture {
 protected:
  void SetUp() override {
    makeFlipStore(m_store);
    m_content = fileContent(m_store);
    auto db = sqlite::Connection::open(m_store, sqlite::OpenMode::kReadOnly).value();
    auto rows = db.prepare("SELECT name, pageno FROM dbstat WHERE pagetype <> 'internal' ORDER BY pageno").value();
    while (rows.step().value()) m_pages[std::string(rows.text(0))].push_back(static_cast<std::size_t>(rows.int64(1)));
  }
  // A bit in the middle of the middle page of a table or index.
  void flip(const std::string& owner) {
    const auto& pages = m_pages[owner];
    ASSERT_FALSE(pages.empty()) << owner;
    writeFlipped(m_store, m_content, ((pages[pages.size() / 2] - 1) * kFlipPage + kFlipPage / 2) * 8 + 3);
  }
  std::map<std::string, std::vector<std::size_t>> m_pages;
  std::string m_content;
};

TEST_F(DamagedPage, EveryCommandAnswersWithTheRestAndWarns) {
  const std::string copy = m_folder.file("copy.rgl"), page = m_folder.file("report.html");
  for (const std::string owner : {"rg_chunk", "rg_chunk_series", "rg_event", "rg_finding", "rg_fact"}) {
    flip(owner);
    int warned = 0;
    for (const auto& command :
         std::vector<std::vector<std::string>>{{"info", "--store", m_store},
                                               {"status", "--store", m_store},
                                               {"analyze", "--store", m_store},
                                               {"query", "--store", m_store, "SELECT * FROM event"},
                                               {"query", "--store", m_store, "SELECT count(*) FROM series s, sample(s.series_id)"},
                                               {"query", "--store", m_store, "SELECT * FROM finding"},
                                               {"query", "--store", m_store, "SELECT * FROM attempt_fact"},
                                               {"export", "--store", m_store, "--run", "1", "--to", copy}}) {
      const Outcome outcome = ctl(command);
      EXPECT_EQ(outcome.exit, 0) << owner << ": " << command[0] << ' ' << command.back() << ": " << outcome.err;
      if (outcome.err.find("warning: " + m_store) != std::string::npos) ++warned;
    }
    EXPECT_GT(warned, 1) << owner;
    const Json json = Json::parse(ctl({"query", "--store", copy, "--json", "SELECT * FROM ingest_issue WHERE code = 'export.gap'"}).out);
    EXPECT_EQ(json["rows"].size(), 1U) << owner;
    std::filesystem::remove(copy);
  }
}

TEST_F(DamagedPage, SamplesOfOtherSeriesAreComplete) {
  flip("rg_chunk");
  const std::string sql = "SELECT s.metric, count(*) FROM series s, sample(s.series_id) WHERE s.metric LIKE 'flip%' GROUP BY 1";
  const Outcome rest = ctl({"query", "--store", m_store, "--json", sql});
  ASSERT_EQ(rest.exit, 0) << rest.err;
  const Json json = Json::parse(rest.out);
  int complete = 0;
  for (const Json& row : json["rows"]) complete += row.dump().find(std::to_string(kFlipPoints)) == std::string::npos ? 0 : 1;
  EXPECT_GE(complete, kFlipSeries - 8);
  EXPECT_LT(complete, kFlipSeries);
  ASSERT_EQ(json["issues"].size(), 1U);
  EXPECT_THAT(json["issues"][0]["detail"].dump(), HasSubstr("of rg_chunk"));
  EXPECT_THAT(rest.err, HasSubstr("series "));
}

}  // namespace
}  // namespace runglass
