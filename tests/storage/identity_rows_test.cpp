// SPDX-License-Identifier: Apache-2.0
// Series and tracks have one identity in every store that holds them, whatever their local ids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "model/record_identity.h"
#include "storage/file_maintenance.h"
#include "storage/maintain/repair_store.h"
#include "storage/open_store.h"
#include "tests/support/sql_rows.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {
using testing::ElementsAre;
using testing::SizeIs;

constexpr const char* kIdentities =
    "SELECT ifnull(rank, '') || ' ' || ifnull(node, '') || ' ' || metric || ' ' || ifnull(labels, '') AS what, identity FROM series UNION "
    "ALL "
    "SELECT rank || ' ' || kind || ' ' || name, identity FROM track ORDER BY 1";

// Declares the same objects in the order of `places`.
void fill(Writer& writer, const std::vector<int>& places) {
  const RunId run = writer.run({.uuid = "run-1", .name = "first"});
  const AttemptId attempt = writer.attempt({.run = run, .key = "a"});
  for (const int place : places) {
    const NodeId node = writer.node({.uuid = "node-" + std::to_string(place), .name = "n" + std::to_string(place)});
    const DeviceId device = writer.device({.uuid = "GPU-" + std::to_string(place), .node = node, .kind = "gpu"});
    writer.rank({.attempt = attempt, .rank = place, .node = node, .device = device});
    writer.sample(writer.series({.node = node, .metric = "cpu_busy_ratio", .unit = "ratio"}), 1'000, 0.5);
    writer.sample(writer.series({.node = node, .device = device, .metric = "power_watts", .unit = "watts"}), 1'000, 300);
    writer.scalar(writer.series({.attempt = attempt, .rank = place, .metric = "step_time_ns", .unit = "ns", .kind = SeriesKind::kScalar}),
                  1, 1'000, 5);
    SpanColumns spans;
    spans.names = {"forward"};
    spans.start = {1'000}, spans.dur = {5}, spans.name = {0}, spans.category = {SpanCategory::kCompute};
    writer.spans(writer.track({.attempt = attempt, .rank = place, .kind = "thread", .name = "main"}), spans);
    ASSERT_TRUE(writer.flush().ok());  // owners of the following rows are in the file already
  }
  ASSERT_TRUE(writer.close().ok());
}

std::vector<std::string> identitiesIn(const std::string& path) { return sqlRows(**openStore(path).reader(), kIdentities); }

TEST(IdentityRows, AreThoseOfTheNames) {
  const TempStore store;
  fill(**store.writer(), {0});
  const SeriesKey power{.metric = "power_watts", .unit = "watts"};
  EXPECT_THAT(sqlRows(**store.reader(), "SELECT identity FROM series WHERE metric = 'power_watts'"),
              ElementsAre(identityOf(power, {.node = "node-0", .device = "GPU-0"}).hex()));
  const SeriesKey steps{.rank = 0, .metric = "step_time_ns", .unit = "ns"};
  EXPECT_THAT(sqlRows(**store.reader(), "SELECT identity FROM series WHERE metric = 'step_time_ns'"),
              ElementsAre(identityOf(steps, {.run = "run-1", .attempt = "a"}).hex()));
  EXPECT_THAT(sqlRows(**store.reader(), "SELECT identity FROM track"),
              ElementsAre(identityOf(TrackKey{.rank = 0, .kind = "thread", .name = "main"}, {.run = "run-1", .attempt = "a"}).hex()));
}

TEST(IdentityRows, AreTheSameWhateverTheLocalIds) {
  const TempStore store, other;
  fill(**store.writer(), {0, 1, 2});
  fill(**other.writer(), {2, 0, 1});
  const auto identities = identitiesIn(store.path());
  EXPECT_EQ(identitiesIn(other.path()), identities);
  EXPECT_THAT(identities, SizeIs(12));
  const auto distinct =
      sqlRows(**store.reader(), "SELECT count(DISTINCT identity) FROM (SELECT identity FROM series UNION ALL SELECT identity FROM track)");
  EXPECT_THAT(distinct, ElementsAre("12"));
  const char* const kIds = "SELECT rank, series_id FROM series WHERE metric = 'step_time_ns' ORDER BY rank";
  EXPECT_NE(sqlRows(**store.reader(), kIds), sqlRows(**other.reader(), kIds)) << "their ids differ";
}

TEST(IdentityRows, StayInAnExportAndARepairedStore) {
  const TempStore store;
  {
    auto writer = store.writer().value();
    // Of another run, so that an export renumbers ids.
    writer->scalar(writer->series({.attempt = writer->attempt({.run = writer->run({.name = "other"}), .key = "x"}),
                                   .metric = "loss",
                                   .kind = SeriesKind::kScalar}),
                   1, 1, 1);
    fill(*writer, {0, 1});
  }
  const auto run = (*store.reader())->runs();
  const auto first = std::ranges::find(*run, "run-1", &Run::uuid);
  ASSERT_NE(first, run->end());
  auto of_run = identitiesIn(store.path());
  std::erase_if(of_run, [](const std::string& row) { return row.find("loss") != std::string::npos; });
  const std::string exported = store.file("exported.rgl"), repaired = store.file("repaired.rgl");
  ASSERT_TRUE(exportRun(store.path(), first->id, {}, exported).ok());
  EXPECT_EQ(identitiesIn(exported), of_run);
  ASSERT_TRUE(repairStore(store.path(), repaired).ok());
  EXPECT_EQ(identitiesIn(repaired), identitiesIn(store.path()));
}

// The CRC32C of these two names is the same.
TEST(IdentityRows, RunsWithoutAUuidAreOneOnlyIfTheirNamesAre) {
  const TempStore store;
  auto writer = store.writer().value();
  const RunId one = writer->run({.name = "llama-aiyifwg"}), other = writer->run({.name = "llama-dlpjrry"});
  EXPECT_NE(one, other);
  EXPECT_EQ(writer->run({.name = "llama-aiyifwg"}), one);
  ASSERT_TRUE(writer->close().ok());
  EXPECT_THAT(sqlRows(**store.reader(), "SELECT name FROM run ORDER BY name"), ElementsAre("llama-aiyifwg", "llama-dlpjrry"));
}

TEST(RunRows, AnEndWithoutAStartEndsARunAndAPartOfARunDoesNot) {
  const TempStore store;
  {
    auto writer = store.writer().value();
    writer->run({.name = "r", .state = RunState::kRunning, .start = 10});
    writer->run({.name = "r", .start = 20, .end = 30});
    writer->run({.name = "ended", .state = RunState::kRunning, .start = 10});
    writer->run({.name = "ended", .end = 30});
    writer->run({.name = "again", .state = RunState::kRunning, .start = 10});
    writer->run({.name = "again", .end = 30});
    writer->run({.name = "again", .state = RunState::kRunning});
    writer->run({.name = "again", .end = 25});  // late
    ASSERT_TRUE(writer->close().ok());
  }
  const auto reader = store.reader();
  const auto runs = (*reader)->runs().value();
  for (const auto& run : runs) EXPECT_EQ(run.state, run.name == "ended" ? RunState::kUnknown : RunState::kRunning) << run.name;
}

}  // namespace
}  // namespace runglass
