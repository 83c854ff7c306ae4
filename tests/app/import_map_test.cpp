// SPDX-License-Identifier: GPL-3.0-or-later
// `runglassctl import` of telemetry: CSV files with a user's column map, and folders that are one run.
#include <filesystem>

#include "tests/app/ctl_fixture.h"

namespace runglass {
namespace {

using testing::HasSubstr;

class ImportMapTest : public CtlFixture {
 protected:
  std::string put(const std::string& name, const std::string& content) {
    const std::string path = m_folder.file(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }
  Outcome map(const std::string& toml, const std::string& csv) {
    return ctl({"import", "--store", m_store, "--json", "--map", put("map.toml", toml), put("some.csv", csv)});
  }
  // Nothing is stored, and the error line names the place.
  void expectRefused(const std::string& toml, const std::string& words) {
    SCOPED_TRACE(toml);
    expectFails(map(toml, "t,p\n1,2\n"), words);
    EXPECT_FALSE(std::filesystem::exists(m_store));
  }
};

constexpr const char* kLayout =
    "[[layout]]\nrequire = [\"t\", \"p\"]\ntime = \"t\"\ntime_format = \"s\"\n"
    "column = [{ name = \"p\", metric = \"power_watts\", unit = \"mW\" }]\n";

TEST_F(ImportMapTest, ColumnsBecomeWhatTheUsersFileSays) {
  const Outcome outcome = map(kLayout, "t,p,other\n1700000000.5,72030,x\n1700000001,N/A,x\n");
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("\"kind\": \"csv\""));
  const Outcome stored = query("SELECT s.metric, x.time_ns, x.value FROM series s, sample(s.series_id) x");
  EXPECT_EQ(stored.out, "metric,time_ns,value\npower_watts,1700000000500000000,72.03\n");
  EXPECT_THAT(query("SELECT code, count FROM ingest_issue").out, HasSubstr("csv.absent,1"));
}

TEST_F(ImportMapTest, AMapThatIsWrongIsRefusedWithItsLine) {
  const std::string layout = kLayout;
  expectRefused("[[layout]]\nrequire = [\"t\"\ntime = 5\n", "map.toml: line 3: ");
  expectRefused("", "no [[layout]]");
  expectRefused("layouts = 1\n", "map.toml: line 1: unknown field layouts");
  expectRefused("[[layout]]\ntime = 7\n", "map.toml: line 2: time is no text");
  expectRefused(layout + "colour = \"red\"\n", "map.toml: line 6: unknown field colour");
  expectRefused(layout + "zone_minutes = \"here\"\n", "map.toml: line 6: zone_minutes");
  expectRefused(
      "[[layout]]\ntime = \"t\"\ntime_format = \"s\"\ncolumn = [\n  { name = \"a\" },\n  { name = \"b\", unit = \"furlong\" },\n]\n",
      "map.toml: line 6: unknown unit furlong");
  expectRefused("[[layout]]\ntime = \"t\"\ntime_format = \"s\"\ncolumn = [\n  { match = \"a(b\" },\n]\n",
                "map.toml: line 5: match is no regular");
  expectRefused("[[layout]]\ntime = \"t\"\ntime_format = \"s\"\ncolumn = [\n  7,\n]\n", "map.toml: line 5: column is no list of tables");
  expectRefused("\n\n[[layout]]\ntime = \"t\"\ntime_format = \"s\"\n", "map.toml: line 3: neither column nor event");
  expectRefused(std::string((1U << 20) + 1, '#'), "larger than 1 MiB");
  expectFails(ctl({"import", "--store", m_store, "--map", m_folder.file("none.toml"), put("a.csv", "t,p\n")}), "cannot read the layouts");
}

TEST_F(ImportMapTest, AFileThatFitsNoLayoutIsNotTakenForOne) {
  const Outcome outcome = map(kLayout, "x,y\n1,2\n");
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("\"kind\": \"csv\"")));
  EXPECT_THAT(outcome.out, HasSubstr("no importer knows this kind of file"));
}

TEST_F(ImportMapTest, ThePowerLogsOfOneSubmissionAreOneRunOfSeveralNodes) {
  for (const char* const node : {"node_0", "node_1", "sw_0"})
    put(std::string("result_3/") + node + ".txt",
        ":::MLLOG {\"namespace\": \"\", \"time_ms\": 1728511684000, \"key\": \"power_reading\", \"value\": 2814.0, \"metadata\": {}}\n");
  const Outcome outcome = ctl({"import", "--store", m_store, "--json", m_folder.file("result_3")});
  ASSERT_EQ(outcome.exit, 0) << outcome.err;
  EXPECT_EQ(query("SELECT count(*) AS n FROM run").out, "n\n1\n");
  EXPECT_EQ(query("SELECT count(*) AS n FROM node").out, "n\n3\n");
  EXPECT_EQ(query("SELECT count(DISTINCT node) AS n FROM series WHERE metric = 'node_power_watts'").out, "n\n3\n");
}

}  // namespace
}  // namespace runglass
