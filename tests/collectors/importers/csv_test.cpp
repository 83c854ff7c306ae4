// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "collectors/importers/csv/csv_layout.h"
#include "collectors/importers/csv/csv_splitter.h"
#include "collectors/importers/importer_registry.h"
#include "collectors/text/wall_time.h"
#include "model/metric_catalog.h"
#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::vector<std::string>> split(std::string_view text, std::size_t piece) {
  std::vector<std::vector<std::string>> records;
  const auto keep = [&](const std::vector<std::string_view>& fields, std::uint64_t) { records.emplace_back(fields.begin(), fields.end()); };
  CsvSplitter splitter;
  for (std::size_t at = 0; at < text.size(); at += piece) splitter.push(text.substr(at, piece), keep);
  splitter.finish(keep);
  return records;
}

TEST(CsvSplitter, ReadsQuotesLineEndsAndAByteOrderMarkWhateverThePieces) {
  const std::string text =
      "\xEF\xBB\xBF"
      "a,\"b \"\"x\"\", c\"\r\n\"two\nlines\",\r\n\n,last\"quote\"";
  for (const std::size_t piece : {1U, 2U, 3U, 5U, 1'000U})
    EXPECT_THAT(split(text, piece),
                ElementsAre(ElementsAre("a", "b \"x\", c"), ElementsAre("two\nlines", ""), ElementsAre("", "last\"quote\"")))
        << piece;
}

TEST(CsvSplitter, HugeFieldsAndEndlessQuotesAreBounded) {
  const auto records = split("\"" + std::string(10U << 20, 'x'), 4'096);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0][0].size(), CsvSplitter::kMaxField);
  EXPECT_EQ(split(std::string(100'000, ','), 4'096)[0].size(), CsvSplitter::kMaxFields);
}

TEST(WallTime, ReadsTheUsualShapesExactly) {
  constexpr TimeNs kTime = 1'758'683'824'000'000'000;
  EXPECT_EQ(parseWallTime("2025-09-24T03:17:04.490Z")->time, kTime + 490'000'000);
  EXPECT_TRUE(parseWallTime("2025-09-24T03:17:04.490Z")->zoned);
  EXPECT_EQ(parseWallTime("2025-09-24 05:17:04,123456789+02:00")->time, kTime + 123'456'789);
  EXPECT_EQ(parseWallTime("2025/09/24 03:17:04")->time, kTime);
  EXPECT_FALSE(parseWallTime("2025/09/24 03:17:04")->zoned);
  EXPECT_EQ(parseWallTime("Wed Sep 24 03:17:04 2025")->time, kTime);
  EXPECT_EQ(parseEpoch("1758683824.000000001", kNsPerSecond), kTime + 1);
  EXPECT_EQ(parseEpoch("1758683824006", kNsPerMs), kTime + 6 * kNsPerMs);
  for (const char* const bad :
       {"", "2025-02-30 00:00:00", "2025-09-24", "9999-01-01 00:00:00", "2025-09-24 25:00:00", "Wed", "2025-09-24 03:17:04 x"})
    EXPECT_FALSE(parseWallTime(bad)) << bad;
  for (const char* const bad : {"", "-1", "1e9", "1.", "1.2.3", "99999999999999999999", "9999999999999"})
    EXPECT_FALSE(parseEpoch(bad, kNsPerSecond)) << bad;
}

TEST(Csv, AKnownLayoutIsReportedByItsHeader) {
  const Imported result = importText(
      "timestamp,gpu_index,temperature_C,utilization_gpu_percent,power_W\n"
      "2025-09-24T03:17:04.490Z,0, 48, 100, 397.30\n"
      "2025-09-24T03:17:04.490Z,1, 63, , oops\n"
      "2025-09-24T03:17:04.490Z,1, 63\n"
      "never,1, 63, 1, 1\n"
      "2025-09-24T03:17:05.490Z,1, 64, 100, 419.75");
  EXPECT_EQ(result.kind, "gpu_telemetry_csv");
  ASSERT_EQ(result.recorder.devices.size(), 2U);
  EXPECT_THAT(result.recorder.samplesOf("power_watts", "*", DeviceId{1}).value, ElementsAre(397.30));
  EXPECT_THAT(result.recorder.samplesOf("power_watts", "*", DeviceId{2}).value, ElementsAre(419.75));
  EXPECT_THAT(result.recorder.samplesOf("temperature_celsius", "*", DeviceId{2}).value, ElementsAre(63.0, 64.0));
  EXPECT_EQ(result.recorder.issueCount("csv.absent"), 1);
  EXPECT_EQ(result.recorder.issueCount("csv.unreadable_value"), 1);
  EXPECT_EQ(result.recorder.issueCount("csv.ragged_row"), 1);
  EXPECT_EQ(result.recorder.issueCount("import.no_line_end"), 1);
  EXPECT_EQ(result.recorder.issueCount("csv.no_time"), 1);
}

Imported importMapped(const std::string& toml, std::string_view text) {
  Imported result;
  auto importer = makeMappedCsvImporter("my.toml", toml);
  if (!importer.ok()) {
    result.status = importer.status();
    return result;
  }
  EXPECT_EQ((*importer)->recognise({"test", text}), 100);
  test::TextStream stream(text);
  const ImportTarget target{.run_name = "run", .path = "test"};
  result.status = (*importer)->run(stream, target, result.recorder, result.report, {});
  return result;
}

TEST(Csv, ALayoutOfTheUsersMapsAnyColumns) {
  const Imported result = importMapped(
      "[[layout]]\nseparator = \";\"\ntime = \"when\"\ntime_format = \"wall\"\nzone_minutes = 60\nlabels = [\"rack\"]\nphase = \"state\"\n"
      "column = [{ name = \"P (mW)\", metric = \"power_watts\", unit = \"mW\" }, { match = \"nic(\\\\d)_up\", metric = \"up_count\", "
      "device_kind = \"nic\" }]\n",
      "when;rack;state;P (mW);nic0_up;nic1_up\n2025-09-24 04:17:04;r1;warm;1500;1;0\n2025-09-24 04:17:05;r2;hot;2500;1;0\n");
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_THAT(result.recorder.samplesOf("power_watts", R"({"rack":"r1"})").value, ElementsAre(1.5));
  EXPECT_THAT(result.recorder.samplesOf("power_watts", R"({"rack":"r1"})").time, ElementsAre(1'758'683'824'000'000'000));
  ASSERT_EQ(result.recorder.devices.size(), 2U);
  EXPECT_EQ(result.recorder.devices[1].kind, "nic");
  EXPECT_EQ(result.recorder.devices[1].index, 1);
  ASSERT_EQ(result.recorder.events.size(), 2U);
  EXPECT_EQ(result.recorder.events[1].message, "hot");
  EXPECT_EQ(result.recorder.issueCount("csv.no_time_zone"), 0);
}

TEST(Csv, AWrongLayoutNamesThePlace) {
  const auto why = [](const std::string& toml) { return makeMappedCsvImporter("my.toml", toml).status().message(); };
  EXPECT_THAT(why("x = ["), HasSubstr("my.toml: line 1"));
  EXPECT_THAT(why(""), HasSubstr("no [[layout]]"));
  const std::string good = "[[layout]]\ntime = \"t\"\ntime_format = \"s\"\n";
  EXPECT_THAT(why(good + "column = [{ name = \"a\", unit = \"furlong\" }]"), HasSubstr("my.toml: line 4: unknown unit furlong"));
  EXPECT_THAT(why(good + "colour = 1\ncolumn = [{ name = \"a\" }]"), HasSubstr("unknown field colour"));
  EXPECT_THAT(why(good + "column = [{ match = \"(\" }]"), HasSubstr("regular expression"));
  EXPECT_THAT(why("[[layout]]\ntime = \"t\"\ncolumn = [{ name = \"a\" }]"), HasSubstr("time_format"));
  EXPECT_THAT(why(good), HasSubstr("neither column nor event"));
}

TEST(Csv, WhatTheBuiltInLayoutsNameIsInTheCatalogue) {
  int named = 0;
  for (const CsvLayout& layout : *builtinLayouts())
    for (const CsvColumn& column : layout.columns) {
      if (column.metric.empty()) continue;
      ++named;
      EXPECT_NE(findMetric(column.metric), nullptr) << column.metric;
    }
  EXPECT_GT(named, 20);
}

class CsvFacts : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(m_data / "facts.json")) GTEST_SKIP() << "no shared data";
    m_facts = nlohmann::json::parse(std::ifstream(m_data / "facts.json"))["kinds"];
  }
  const std::filesystem::path m_data = RG_SHARED_DATA;
  nlohmann::json m_facts;
};

double sumOf(const SampleColumns& columns) { return std::accumulate(columns.value.begin(), columns.value.end(), 0.0); }

// A column name in facts.json, the importer's metric, and the divisor.
struct Named {
  const char *column, *metric;
  double per;
};
constexpr Named kNamed[] = {{"power_w", "power_watts", 1},
                            {"power_W", "power_watts", 1},
                            {"temp_c", "temperature_celsius", 1},
                            {"temperature_C", "temperature_celsius", 1},
                            {"gpu_util_pct", "gpu_busy_ratio", 100},
                            {"utilization_gpu_percent", "gpu_busy_ratio", 100},
                            {"mem_used_mib", "gpu_memory_used_bytes", 1.0 / 1'048'576},
                            {"dram_active", "dram_active_ratio", 1},
                            {"energy_mj", "energy_joules", 1'000},
                            {"sys_power_w", "node_power_watts", 1},
                            {"throttle_reasons", "clock_event_reasons", 1},
                            {"num_requests_running", "requests_running_count", 1},
                            {"kv_cache_usage_pct", "kv_cache_used_ratio", 100},
                            {"generation_tokens_total", "generation_tokens_total", 1},
                            {"value", "gpu_busy_ratio", 100}};

void expectColumns(const Imported& result, const nlohmann::json& per_column) {
  int compared = 0;
  for (const Named& named : kNamed) {
    if (!per_column.contains(named.column)) continue;
    ++compared;
    const nlohmann::json& fact = per_column[named.column];
    std::size_t n = 0;
    double sum = 0, most = -INFINITY, least = INFINITY;
    for (const auto& [id, key] : result.recorder.series_keys) {
      if (key.metric != named.metric) continue;
      const SampleColumns& columns = result.recorder.metric_samples.at(id);
      n += columns.size();
      sum += sumOf(columns);
      for (const double value : columns.value) most = std::max(most, value), least = std::min(least, value);
    }
    SCOPED_TRACE(named.column);
    EXPECT_EQ(n, fact["n"].get<std::size_t>());
    EXPECT_NEAR(most * named.per, fact["max"].get<double>(), 1e-9 * std::abs(fact["max"].get<double>()));
    EXPECT_NEAR(least * named.per, fact["min"].get<double>(), 1e-9 * std::abs(fact["min"].get<double>()));
    EXPECT_NEAR(sum / static_cast<double>(n) * named.per, fact["mean"].get<double>(), 1e-9 * std::abs(fact["mean"].get<double>()));
  }
  EXPECT_GT(compared, 0);
}

void expectTimes(const Imported& result, const nlohmann::json& fact) {
  TimeNs first = INT64_MAX, last = INT64_MIN;
  for (const auto& [id, columns] : result.recorder.metric_samples)
    for (const TimeNs time : columns.time) first = std::min(first, time), last = std::max(last, time);
  // facts.json has doubles in seconds.
  EXPECT_NEAR(static_cast<double>(first) / 1e9, fact["min_ts"].get<double>(), 1e-6);
  EXPECT_NEAR(static_cast<double>(last) / 1e9, fact["max_ts"].get<double>(), 1e-6);
}

TEST_F(CsvFacts, StoredTelemetryMatches) {
  const auto& facts = m_facts["gpu_telemetry_csv"];
  EXPECT_EQ(facts.size(), 8U);
  for (const auto& [name, fact] : facts.items()) {
    SCOPED_TRACE(name);
    const Imported result = test::importFile(m_data / "gpu_telemetry_csv" / name);
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    EXPECT_EQ(result.kind, "gpu_telemetry_csv");
    expectTimes(result, fact);
    EXPECT_EQ(result.recorder.issueCount("csv.ragged_row"), fact["ragged_rows"].get<int>());
    EXPECT_EQ(result.recorder.issueCount("csv.unreadable_value"), 0);
    EXPECT_EQ(result.recorder.issueCount("csv.missing_column"), 0);
    if (name.find("_ib") == std::string::npos) expectColumns(result, fact["per_column"]);
    for (std::size_t i = 0; i < result.recorder.devices.size(); ++i) {
      if (fact.contains("power_w_by_gpu")) {
        const auto& of_gpu = fact["power_w_by_gpu"][std::to_string(*result.recorder.devices[i].index)];
        const SampleColumns power = result.recorder.samplesOf("power_watts", "*", DeviceId{i + 1});
        EXPECT_EQ(power.size(), of_gpu["n"].get<std::size_t>());
        EXPECT_NEAR(sumOf(power) / static_cast<double>(power.size()), of_gpu["mean"].get<double>(), 1e-9 * of_gpu["mean"].get<double>());
      }
    }
    if (fact.contains("entities")) {
      EXPECT_EQ(result.recorder.devices.size(), fact["entities"].get<std::size_t>());
    }
    if (!fact.contains("phases")) continue;
    ASSERT_EQ(result.recorder.events.size(), fact["phases"].size());
    for (std::size_t i = 0; i < result.recorder.events.size(); ++i) {
      EXPECT_EQ(result.recorder.events[i].message, fact["phases"][i][0].get<std::string>());
      EXPECT_NEAR(static_cast<double>(*result.recorder.events[i].time) / 1e9, fact["phases"][i][1].get<double>(), 1e-6);
    }
  }
}

TEST_F(CsvFacts, EveryInfinibandPortIsADeviceAndTheTotalsAreTheNodes) {
  const Imported result = test::importFile(m_data / "gpu_telemetry_csv" / "h100_t10_node0_ib.csv.zst");
  const auto& fact = m_facts["gpu_telemetry_csv"]["h100_t10_node0_ib.csv.zst"]["per_column"];
  ASSERT_EQ(result.recorder.devices.size(), 8U);
  const SampleColumns port = result.recorder.samplesOf("net_transmit_bytes_per_s", "*", DeviceId{4});
  EXPECT_EQ(*std::ranges::max_element(port.value), fact["ib3_tx_bytes_s"]["max"].get<double>());
  int totals = 0;
  for (const auto& [id, key] : result.recorder.series_keys) {
    if (key.metric != "net_receive_bytes_per_s" || key.device) continue;
    ++totals;
    EXPECT_EQ(*std::ranges::max_element(result.recorder.metric_samples.at(id).value), fact["total_rx_bytes_s"]["max"].get<double>());
  }
  EXPECT_EQ(totals, 1);
}

TEST_F(CsvFacts, StoredClusterRecordsMatch) {
  const auto& facts = m_facts["cluster_csv"];
  const Imported pods = test::importFile(m_data / "cluster_csv" / "alibaba_gentd26_pod_gpu_duty_cycle_anon.tar.gz");
  ASSERT_TRUE(pods.status.ok()) << pods.status.message();
  const auto& fact = facts["alibaba_gentd26_pod_gpu_duty_cycle_anon.tar.gz"]["pod_gpu_duty_cycle_anon.csv"];
  EXPECT_EQ(pods.kind, "cluster_csv");
  EXPECT_EQ(pods.recorder.series_keys.size(), fact["entities"].get<std::size_t>());
  expectColumns(pods, fact["per_column"]);
  expectTimes(pods, fact);
  const Imported titan = test::importFile(m_data / "cluster_csv" / "olcf_titan_gc_full.csv.zst");
  ASSERT_TRUE(titan.status.ok()) << titan.status.message();
  EXPECT_EQ(titan.kind, "cluster_csv");
  // A part without a known installation time has no duration either.
  const auto& life = facts["olcf_titan_gc_full.csv.zst"];
  const auto count = [&](std::string_view kind) { return std::ranges::count(titan.recorder.events, kind, &Event::kind); };
  EXPECT_EQ(count("gpu_installed"), life["per_column"]["duration"]["n"].get<std::int64_t>());
  EXPECT_EQ(count("gpu_removed"), life["rows"].get<std::int64_t>());
  EXPECT_EQ(titan.recorder.issueCount("csv.no_time"), 0);
}

}  // namespace
}  // namespace runglass
