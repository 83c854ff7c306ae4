// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/collectors/importers/import_fixture.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::ElementsAre;
using testing::HasSubstr;

// The bytes of a database created by `sql`.
std::string database(const std::string& sql) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open(":memory:", &db), SQLITE_OK);
  EXPECT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(db, "main", &size, 0);
  std::string file(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  sqlite3_free(bytes);
  sqlite3_close(db);
  return file;
}

const std::string kReport =
    "CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
    "INSERT INTO StringIds VALUES(1, 'gemm<float>'), (2, 'gemm'), (3, 'ncclDevKernel_AllReduce'), (4, 'cudaLaunchKernel'), (5, 'step 3');"
    "CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER);"
    "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(1700000000000000000);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER, \"end\" INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER,"
    " demangledName INTEGER, shortName INTEGER, gridX INTEGER, graphNodeId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(100, 150, 0, 7, 42, 1, 2, 64, NULL), (160, 190, 0, 7, 43, 3, 3, 1, NULL),"
    " (500, 400, 0, 7, 44, 1, 2, 1, NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER, \"end\" INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(90, 95, 16777216 * 77 + 78, 42, 4);"
    "CREATE TABLE NVTX_EVENTS(start INTEGER, \"end\" INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER);"
    "INSERT INTO NVTX_EVENTS VALUES(80, 200, 59, NULL, 5, 16777216 * 77 + 78), (85, NULL, 34, 'mark', NULL, 16777216 * 77 + 78);";

std::vector<std::string> spansOf(const Imported& result) {
  std::vector<std::string> all;
  for (const auto& [track, batches] : result.recorder.span_batches)
    for (const SpanColumns& batch : batches)
      for (std::size_t i = 0; i < batch.size(); ++i)
        all.push_back(result.recorder.track_keys.at(track).name + ": " + batch.names[batch.name[i]] + " " +
                      spanCategoryName(batch.category[i]) + " " + std::to_string(batch.start[i] - 1'700'000'000'000'000'000) + "+" +
                      std::to_string(batch.dur[i]));
  return all;
}

TEST(Nsys, ListsTheDevicesOfTheReportOnItsNode) {
  const auto result = importText(database(
      kReport +
      "CREATE TABLE TARGET_INFO_GPU(vmId INTEGER, id INTEGER, name TEXT, busLocation TEXT, totalMemory INTEGER, uuid TEXT, cuDevice "
      "INTEGER);"
      "INSERT INTO TARGET_INFO_GPU VALUES(1, 0, 'NVIDIA H200', '0000:45:00.0', 150121545728, '1825e7cc-6d1b-a3ac-d9bf-66534f906620', 0),"
      " (1, 1, 'NVIDIA H200', '0000:46:00.0', 150121545728, '00000000-0000-0000-0000-000000000000', 1);"
      "CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER, value TEXT);"
      "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(1, 'Local', 'Hostname', 619, 'gpu-a01');"));
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  const auto& devices = result.recorder.devices;
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].uuid, "GPU-1825e7cc-6d1b-a3ac-d9bf-66534f906620");
  EXPECT_EQ(devices[0].model, "NVIDIA H200");
  EXPECT_EQ(devices[0].memory_bytes, 150121545728);
  EXPECT_EQ(devices[1].uuid, "name:gpu-a01/gpu1") << "a masked number is none";
  ASSERT_EQ(result.recorder.nodes.size(), 1U);
  EXPECT_EQ(result.recorder.nodes[0].name, "gpu-a01");
}

TEST(Nsys, DevicesThatOnlyTheirWorkTellsOfAreListedToo) {
  const auto result = importText(database(kReport));
  ASSERT_EQ(result.recorder.devices.size(), 1U);
  EXPECT_EQ(result.recorder.devices[0].index, 0);
  EXPECT_EQ(result.recorder.devices[0].model, "");
}

TEST(Nsys, ReadsKernelsCallsAndRangesOfWhatTablesThereAre) {
  const auto result = importText(database(kReport));
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "nsys_sqlite");
  EXPECT_THAT(spansOf(result),
              ElementsAre("GPU 0 stream 7: gemm<float> compute 100+50", "GPU 0 stream 7: ncclDevKernel_AllReduce comm 160+30",
                          "thread 78 of process 77: step 3 annotation 80+120", "thread 78 of process 77: cudaLaunchKernel runtime 90+5"));
  EXPECT_EQ(result.recorder.span_batches.at(1).at(0).args.at(0), R"({"grid x":64})");
  EXPECT_THAT(result.recorder.span_batches.at(1).at(0).correlation, ElementsAre(42, 43));
  EXPECT_EQ(result.recorder.issueCount("nsys.no_time"), 1);
}

// Previously, a text became time 0.
TEST(Nsys, TimesThatAreNoNumbersAreCountedAndNotImported) {
  const auto result = importText(database(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, \"end\", globalTid INTEGER);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES('12:00', '12:01', 1), ('x', 5, 1), (NULL, 7, 1), (1.5, 9, 1), ('100', 150, 1);"));
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  std::vector<TimeNs> starts;
  for (const auto& [track, batches] : result.recorder.span_batches)
    for (const SpanColumns& batch : batches) starts.insert(starts.end(), batch.start.begin(), batch.start.end());
  EXPECT_THAT(starts, ElementsAre(100));
  EXPECT_EQ(result.recorder.issueCount("nsys.no_time"), 4);
}

TEST(Nsys, AnEpochThatIsNoNumberLeavesTimesRelative) {
  const auto relative = importText(database(kReport + "UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = '2023-11-14 22:13:20'"));
  ASSERT_TRUE(relative.status.ok()) << relative.status.message();
  EXPECT_EQ(relative.recorder.runs.at(0).time_domain, TimeDomain::kRelative);
}

TEST(Nsys, AReportWithoutSpansIsSkippedAndSaysSo) {
  const auto result = importText(database("CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT)"));
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_THAT(result.report.skipped_reason, HasSubstr("no table"));
}

TEST(Nsys, HostileDatabasesAreRefusedInOneLine) {
  const std::string whole = database(kReport);
  for (const std::size_t size : {std::size_t{5000}, whole.size() / 2, whole.size() - 1}) {
    const auto cut = importText(whole.substr(0, size));
    EXPECT_EQ(cut.status.code(), Code::kInvalidArgument) << size;
    EXPECT_THAT(cut.status.message(), HasSubstr("test: ")) << size;
  }
  const auto module = importText(database(kReport + "CREATE VIRTUAL TABLE trap USING fts5(a)"));
  EXPECT_THAT(module.status.message(), HasSubstr("trap"));
  const auto view = importText(database(
      "CREATE TABLE TARGET_INFO_GPU(id INTEGER, name TEXT); CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 "
      "UNION ALL SELECT start + 1 FROM n) SELECT start, start AS \"end\" FROM n"));
  EXPECT_TRUE(view.recorder.span_batches.empty()) << "a view never ends: it is not asked";
}

TEST(Nsys, LeavesNoCopyBehind) {
  const test::TempFolder folder;
  const char* before = std::getenv("TMPDIR");
  const std::string old = before == nullptr ? "" : before;
  setenv("TMPDIR", folder.path().c_str(), 1);
  importText(database(kReport));
  importText(database(kReport).substr(0, 5000));
  if (before == nullptr)
    unsetenv("TMPDIR");
  else
    setenv("TMPDIR", old.c_str(), 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(Nsys, MeetsTheFactsOfTheSharedRealFiles) {
  const std::filesystem::path root(RG_SHARED_DATA);
  if (!std::filesystem::exists(root / "facts.json")) GTEST_SKIP() << "no shared data at " << root;
  const auto facts = nlohmann::json::parse(std::ifstream(root / "facts.json"));
  for (const auto& [file, fact] : facts["kinds"]["nsys_sqlite"].items()) {
    const auto result = test::importFile(root / "nsys_sqlite" / file);
    ASSERT_TRUE(result.status.ok()) << file << ": " << result.status.message();
    std::int64_t copies = 0, bytes = 0;
    for (const auto& [track, batches] : result.recorder.span_batches)
      for (const SpanColumns& batch : batches)
        for (std::size_t i = 0; i < batch.size(); ++i)
          if (batch.category[i] == SpanCategory::kMemcpy) ++copies, bytes += batch.bytes[i];
    if (!fact.contains("memcpy")) continue;
    EXPECT_EQ(copies, fact["memcpy"]["count"]) << file;
    EXPECT_EQ(bytes, fact["memcpy"]["sum_bytes"]) << file;
  }
}

}  // namespace
}  // namespace runglass
