// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <fstream>

#include "storage/open_store.h"
#include "storage/reader.h"
#include "tests/storage/sample_store.h"

namespace runglass {
namespace {

using ::testing::IsEmpty;

class ExportRunTest : public ::testing::Test {
 protected:
  void SetUp() override { m_ids = makeSampleStore(m_from); }
  static std::vector<std::string> rows(const std::string& path, std::string_view sql) {
    std::vector<std::string> found;
    auto reader = openStore(path).reader();
    if (!reader.ok()) return {reader.status().message()};
    Reader::SqlSink sink;
    sink.row = [&](const std::vector<SqlValue>& row) {
      std::string line;
      for (const SqlValue& value : row) {
        if (const auto* number = std::get_if<std::int64_t>(&value)) line += std::to_string(*number);
        if (const auto* real = std::get_if<double>(&value)) line += std::to_string(*real);
        if (const auto* text = std::get_if<std::string>(&value)) line += *text;
        line += '|';
      }
      found.push_back(line);
      return true;
    };
    const Status status = (*reader)->query(sql, sink);
    if (!status.ok()) found.push_back(status.message());
    return found;
  }

  test::TempFolder m_folder;
  std::string m_from = m_folder.file("from.rgl"), m_to = m_folder.file("to.rgl");
  SampleStoreIds m_ids;
};

TEST_F(ExportRunTest, AWholeRunComesAcrossWithEverythingThatBelongsToIt) {
  const Status exported = exportRun(m_from, m_ids.run, {}, m_to);
  ASSERT_TRUE(exported.ok()) << exported.message();
  for (const char* sql :
       {"SELECT run_uuid, name, state, world_size, tp_size, framework FROM run",
        "SELECT attempt, resumed_from_step, first_step, last_step FROM attempt", "SELECT attempt, node, rank, key, value FROM attempt_fact",
        "SELECT attempt, step, begin_ns, durable_ns, bytes, path FROM checkpoint",
        "SELECT attempt, group_id, kind, name, ranks FROM comm_group", "SELECT attempt, rank, node, device_uuid, tp, pp FROM rank",
        "SELECT node, rack, state, node_uuid FROM node", "SELECT * FROM device",
        "SELECT node, device_uuid, rank, metric, labels, unit, kind, sample_count, first_ns, last_ns, attempt, source FROM series ORDER BY "
        "metric, attempt",
        "SELECT attempt, source, tag, step, time_ns, value, superseded FROM scalar_all ORDER BY tag, attempt, step",
        "SELECT p.time_ns, p.value FROM series s, sample(s.series_id) p WHERE s.metric = 'power_watts'",
        "SELECT t.kind, s.category, s.name, s.start_ns, s.dur_ns, s.step, s.bytes, s.args FROM span s JOIN track t USING(track_id) ORDER "
        "BY 1, 4",
        "SELECT time_ns, attempt, node, device_uuid, rank, kind, severity, code, message, step FROM event", "SELECT * FROM log_line",
        "SELECT attempt, kind, severity, first_step, score, summary, subject FROM finding",
        "SELECT attempt, rank, step, op, phase FROM progress",
        "SELECT kind, node, rank, first_step, last_step, strength, attempt FROM label", "SELECT * FROM ingest_issue"}) {
    const auto before = rows(m_from, sql);
    EXPECT_FALSE(before.empty()) << sql;
    EXPECT_EQ(rows(m_to, sql), before) << sql;
  }
  auto reader = openStore(m_to).reader();
  ASSERT_TRUE(reader.ok());
  auto damage = (*reader)->verify();
  ASSERT_TRUE(damage.ok());
  EXPECT_THAT(*damage, IsEmpty());
}

TEST_F(ExportRunTest, AnExportThatIsEndedLeavesNothingBehind) {
  std::stop_source stop;
  std::int64_t largest = 0;
  const ExportWatch watch{.stop = stop.get_token(), .written = [&](std::int64_t bytes) {
                            largest = std::max(largest, bytes);
                            stop.request_stop();
                          }};
  EXPECT_EQ(exportRun(m_from, m_ids.run, {}, m_to, watch).code(), Code::kCancelled);
  EXPECT_GT(largest, 0) << "it was told how large the store is so far";
  std::vector<std::string> left;
  for (const auto& entry : std::filesystem::directory_iterator(m_folder.path())) left.push_back(entry.path().filename().string());
  EXPECT_THAT(left, testing::Each(testing::StartsWith("from.rgl")));
  EXPECT_TRUE(exportRun(m_from, m_ids.run, {}, m_to).ok()) << "and it can be done again";
}

TEST_F(ExportRunTest, ASliceHoldsOnlyWhatLiesInTheRange) {
  const TimeRange range{kStoreStart + 2 * kNsPerSecond, kStoreStart + 3 * kNsPerSecond};
  ASSERT_TRUE(exportRun(m_from, m_ids.run, range, m_to).ok());
  EXPECT_THAT(rows(m_to, "SELECT count(*), min(time_ns), max(time_ns) FROM series s, sample(s.series_id) WHERE s.metric = 'power_watts'"),
              ::testing::ElementsAre("1000|1700000002000000000|1700000002999000000|"));
  EXPECT_THAT(rows(m_to, "SELECT min(step), max(step) FROM scalar_all WHERE attempt = 0"), ::testing::ElementsAre("20|29|"));
  EXPECT_THAT(rows(m_to, "SELECT count(*) FROM event"), ::testing::ElementsAre("0|"));
  EXPECT_THAT(rows(m_to, "SELECT run_uuid FROM run"), ::testing::ElementsAre("run-uuid-1|"));
}

TEST_F(ExportRunTest, NeverOverwritesAndLeavesNothingBehindOnFailure) {
  std::ofstream(m_to) << "precious";
  EXPECT_EQ(exportRun(m_from, m_ids.run, {}, m_to).code(), Code::kAlreadyExists);
  std::string kept;
  std::ifstream(m_to) >> kept;
  EXPECT_EQ(kept, "precious");
  const std::string other = m_folder.file("other.rgl");
  EXPECT_EQ(exportRun(m_from, RunId{99}, {}, other).code(), Code::kNotFound);
  std::vector<std::string> left;
  for (const auto& file : std::filesystem::directory_iterator(m_folder.path())) left.push_back(file.path().filename());
  EXPECT_THAT(left, ::testing::Not(::testing::Contains(::testing::HasSubstr("other"))));
}

}  // namespace
}  // namespace runglass
