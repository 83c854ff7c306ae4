// SPDX-License-Identifier: Apache-2.0
// Stores with times at the ends of int64, as older ones may have: reading them terminates, and no sum of their times overflows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "model/far_time.h"
#include "storage/clock_map.h"
#include "storage/open_store.h"
#include "tests/storage/sample_store.h"
#include "tests/support/sql_rows.h"
#include "tests/support/sqlite_store.h"

namespace runglass {
namespace {

constexpr TimeNs kMin = std::numeric_limits<TimeNs>::min(), kMax = std::numeric_limits<TimeNs>::max();

void edit(const std::string& path, const std::string& sql) {
  sqlite3* db = nullptr;
  ASSERT_EQ(test::openDatabase(path, &db), SQLITE_OK);
  char* why = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, &why), SQLITE_OK) << why;
  sqlite3_free(why);
  sqlite3_close(db);
}

void expectNear(const std::optional<TimeNs>& time) {
  if (time) EXPECT_FALSE(isFar(*time)) << *time;
}

TEST(FarTimes, NoTimeOfAStoreIsReadAsOneThatOverflows) {
  const test::TempFolder dir;
  const std::string store = dir.file("s.rgl");
  {
    const auto writer = openStore(store).writer();
    ASSERT_TRUE(writer.ok());
    const SampleStoreIds ids = fillSampleStore(**writer);
    (*writer)->progress({.attempt = ids.first, .rank = 0, .time = kStoreStart, .since = kStoreStart});
    (*writer)->clock({.node = (*writer)->node({.uuid = "machine-1"}), .session = "s", .raw = kStoreStart, .offset = 5, .error = 1});
    ASSERT_TRUE((*writer)->close().ok());
  }
  const std::string low = std::to_string(kMin), high = std::to_string(kMax);
  edit(store, "UPDATE rg_run SET start_ns = " + low + ", end_ns = " + high + ";UPDATE rg_attempt SET start_ns = " + low +
                  ", end_ns = " + high + ";UPDATE rg_node SET last_heard_ns = " + high + ";UPDATE rg_checkpoint SET begin_ns = " + low +
                  ", durable_ns = " + high + ";UPDATE rg_event SET time_ns = " + high + ";UPDATE rg_log SET time_ns = " + low +
                  ";UPDATE rg_progress SET time_ns = " + low + ", since_ns = " + high + ";UPDATE rg_issue SET first_ns = " + low +
                  ", last_ns = " + high + ", count = " + high + ";UPDATE rg_label SET start_ns = " + low + ", end_ns = " + high +
                  ";UPDATE rg_series SET first_ns = " + low + ", last_ns = " + high + ";UPDATE rg_clock_map SET offset_ns = " + high +
                  ", error_ns = " + low);
  const auto opened = openStore(store).reader();
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  Reader& reader = **opened;
  const StoreInfo info = reader.info().value();
  expectNear(info.first);
  expectNear(info.last);
  const std::vector<runglass::Run> runs = reader.runs().value();
  ASSERT_EQ(runs.size(), 1U);
  for (const runglass::Run& run : runs) {
    EXPECT_EQ(run.start, -kFarTime);
    EXPECT_EQ(run.end, kFarTime);
    EXPECT_GT(*run.end - *run.start, 0) << "no overflow";
    const std::vector<Attempt> attempts = reader.attempts(run.id).value();
    for (const Attempt& attempt : attempts) expectNear(attempt.start), expectNear(attempt.end);
    const std::vector<Label> labels = reader.labels(run.id).value();
    for (const Label& label : labels) expectNear(label.start), expectNear(label.end);
  }
  const std::vector<Node> nodes = reader.nodes().value();
  for (const Node& node : nodes) expectNear(node.last_heard);
  const std::vector<Event> events = reader.events({}).value();
  EXPECT_FALSE(events.empty());
  for (const Event& event : events) expectNear(event.time);
  const std::vector<Issue> issues = reader.issues().value();
  for (const Issue& issue : issues) expectNear(issue.first), expectNear(issue.last);
  const std::vector<Series> all = reader.series({}).value();
  for (const Series& series : all) {
    expectNear(series.first_time);
    expectNear(series.last_time);
    const auto points = reader.samples(series.id, {});
    if (!points.ok()) continue;
    for (const TimeNs time : points->time) EXPECT_FALSE(isFar(time));
  }
  for (const char* sql :
       {"SELECT count(*) FROM event", "SELECT count(*) FROM log_line", "SELECT count(*) FROM series", "SELECT count(*) FROM run"})
    EXPECT_EQ(sqlRows(reader, sql).size(), 1U) << sql;
}

TEST(FarTimes, AClockCorrectsToNoTimeThatIsFar) {
  for (const DurNs offset : {kMin, kMax, -kFarTime, kFarTime}) {
    ClockMap map;
    map.add(kStoreStart, offset);
    for (const TimeNs time : {kMin, -kFarTime, TimeNs{0}, kStoreStart, kFarTime, kMax}) EXPECT_FALSE(isFar(map.corrected(time))) << offset;
  }
}

}  // namespace
}  // namespace runglass
