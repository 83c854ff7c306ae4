// SPDX-License-Identifier: Apache-2.0
// The real logs of ../shared/data, compared with facts.json, which an independent reader computed from the same files.
#include <simdjson.h>
#include <zstd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "tests/collectors/importers/train_log/log_fixture.h"

namespace runglass::test {
namespace {
namespace fs = std::filesystem;

std::string unpack(const fs::path& path) {
  std::ostringstream packed;
  packed << std::ifstream(path, std::ios::binary).rdbuf();
  const std::string bytes = packed.str();
  std::string text(std::size_t{64} << 20, '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  EXPECT_FALSE(ZSTD_isError(size)) << path;
  text.resize(ZSTD_isError(size) ? 0 : size);
  return text;
}

struct Extremes {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  bool near(double low_wanted, double high_wanted) const {
    const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b)); };
    return close(low, low_wanted) && close(high, high_wanted);
  }
};

// Extremes of every tag over all runs of the file.
std::map<std::string, Extremes> extremesOf(const MemoryRecorder& out) {
  std::map<std::string, Extremes> all;
  for (const auto& [id, points] : out.scalar_points) {
    Extremes& tag = all[out.series_keys.at(id).metric];
    for (const double value : points.value)
      if (!std::isnan(value)) tag.low = std::min(tag.low, value), tag.high = std::max(tag.high, value);
  }
  return all;
}

// Every {"last", "min", "max", "n"} of the facts, by its path; iteration times there are in ms.
void collectSeries(const simdjson::dom::object& object, const std::string& path, std::vector<std::pair<std::string, Extremes>>& out) {
  for (const auto& [key, value] : object) {
    simdjson::dom::object inner;
    if (value.get(inner) != simdjson::SUCCESS) continue;
    const std::string name = path + "/" + std::string(key);
    Extremes wanted;
    if (inner["min"].get(wanted.low) != simdjson::SUCCESS || inner["max"].get(wanted.high) != simdjson::SUCCESS) {
      collectSeries(inner, name, out);
      continue;
    }
    const double scale = name.ends_with("_ms") ? 1e6 : name.ends_with("/tflops") ? 1e12 : 1;
    out.push_back({name, {wanted.low * scale, wanted.high * scale}});
  }
}

class RealLogs : public testing::TestWithParam<const char*> {};

TEST_P(RealLogs, HoldEverySeriesOfTheFacts) {
  const fs::path data = fs::path(RG_SHARED_DATA);
  if (!fs::exists(data / "facts.json")) GTEST_SKIP() << data << " is not there";
  simdjson::dom::parser parser;
  const simdjson::dom::object kinds = parser.load((data / "facts.json").string())["kinds"][GetParam()].get_object().value();
  int series = 0;
  for (const auto& [name, facts] : kinds) {
    const auto log = importLog(unpack(data / GetParam() / std::string(name)));
    const auto got = extremesOf(log.out);
    std::vector<std::pair<std::string, Extremes>> wanted;
    collectSeries(facts.get_object().value(), std::string(name), wanted);
    for (const auto& [path, extremes] : wanted) {
      ++series;
      EXPECT_TRUE(std::any_of(got.begin(), got.end(), [&](const auto& tag) { return tag.second.near(extremes.low, extremes.high); }))
          << path << ": no tag with " << extremes.low << ".." << extremes.high;
    }
    EXPECT_EQ(log.report.skipped_reason.empty(), !wanted.empty() || facts["deepspeed"].error() == simdjson::SUCCESS ||
                                                     facts["mllog_lines"].error() == simdjson::SUCCESS || !log.out.runs.empty())
        << name << ": " << log.report.skipped_reason;
    for (const Issue& issue : log.out.issues) EXPECT_NE(issue.code, "train_log.unreadable_value") << name;
  }
  EXPECT_GT(series, 0);
}
INSTANTIATE_TEST_SUITE_P(Kinds, RealLogs, testing::Values("train_logs", "mlperf_mllog"));

TEST(RealLogs, AFileOfThirtyRunsGivesThirtyRuns) {
  const fs::path path = fs::path(RG_SHARED_DATA) / "train_logs/modded_nanogpt_track3_muown_30runs.txt.zst";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  EXPECT_EQ(importLog(unpack(path)).out.runs.size(), 30U);
}

std::set<std::string> valueOf(const MemoryRecorder& out, std::string_view key) {
  std::set<std::string> values;
  for (const Fact& fact : out.facts)
    if (fact.key == key) values.insert(fact.value);
  return values;
}

TEST(RealLogs, ATracebackIsOneEventPerRank) {
  const fs::path path = fs::path(RG_SHARED_DATA) / "train_logs/torchtitan_qwen3_14b_run39.log.zst";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto log = importLog(unpack(path));
  std::multiset<std::string> reported;
  for (const Event& event : log.out.events)
    if (event.kind != "start" && event.kind != "finished") reported.insert(event.kind + "/" + event.code);
  EXPECT_EQ(reported, (std::multiset<std::string>{"first_failure/", "killed/15", "killed/15", "killed/15", "process_failed/",
                                                  "process_failed/1", "process_failed/1", "process_failed/1", "process_failed/1",
                                                  "process_failed/1", "traceback/InductorError"}));
}

TEST(RealLogs, InfinibandWithoutGpuDirectIsSeen) {
  const fs::path path = fs::path(RG_SHARED_DATA) / "train_logs/bigscience_meg_gpt2_perf_n16-1999618.out.zst";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto log = importLog(unpack(path));
  EXPECT_EQ(valueOf(log.out, "nccl_network"), std::set<std::string>{"IB"});
  EXPECT_EQ(valueOf(log.out, "nccl_gdrdma"), std::set<std::string>{"off"});
  EXPECT_TRUE(valueOf(log.out, "nccl_transport").contains("NET/IB, P2P/IPC"));
}

TEST(RealLogs, AHangNamesTheRanksAndSequenceNumbers) {
  const fs::path path = fs::path(RG_SHARED_DATA) / "train_logs/alcf_vae_nccl_watchdog_timeout.log.zst";
  if (!fs::exists(path)) GTEST_SKIP() << path << " is not there";
  const auto log = importLog(unpack(path));
  std::map<std::int32_t, std::string> seq;
  for (const Event& event : log.out.events)
    if (event.kind == "collective_timeout") seq[event.rank.value_or(-1)] = event.code;
  EXPECT_EQ(seq, (std::map<std::int32_t, std::string>{{0, "56"}, {1, "5"}, {2, "48"}, {3, "40"}, {4, "7"}, {5, "7"}, {6, "7"}, {7, "7"}}));
  EXPECT_EQ(log.report.skipped_reason, "") << "it has no training line, but it says much";
  EXPECT_EQ(valueOf(log.out, "nccl_gdrdma"), std::set<std::string>{"on"});
  EXPECT_EQ(valueOf(log.out, "nccl_network"), std::set<std::string>{"AWS Libfabric"});
}

}  // namespace
}  // namespace runglass::test
