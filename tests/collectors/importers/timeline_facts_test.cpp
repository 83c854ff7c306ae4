// SPDX-License-Identifier: Apache-2.0
// The Chrome traces among the shared real files, compared with facts.json, which other programs computed from the same files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kRoot(RG_SHARED_DATA);

// Facts of one kind; null without the shared data.
Json factsOf(const char* kind) {
  if (!std::filesystem::exists(kRoot / "facts.json")) return {};
  return Json::parse(std::ifstream(kRoot / "facts.json"))["kinds"][kind];
}

struct Totals {
  std::int64_t spans = 0, open = 0, with_step = 0;
  double sum_ns = 0;
  TimeNs first = std::numeric_limits<TimeNs>::max(), last = 0, end = 0;
  std::map<std::string, std::int64_t> names;
};

Totals totalsOf(const test::Imported& result) {
  Totals total;
  for (const auto& [track, batches] : result.recorder.span_batches) {
    for (const SpanColumns& batch : batches) {
      for (std::size_t i = 0; i < batch.size(); ++i) {
        ++total.spans;
        ++total.names[batch.names[batch.name[i]]];
        total.first = std::min(total.first, batch.start[i]);
        total.last = std::max(total.last, batch.start[i]);
        total.with_step += !batch.step.empty() && batch.step[i] != kAbsent;
        if (batch.dur[i] == kAbsent) {
          ++total.open;
          continue;
        }
        total.sum_ns += static_cast<double>(batch.dur[i]);
        total.end = std::max(total.end, batch.start[i] + batch.dur[i]);
      }
    }
  }
  return total;
}

// The amount that spans with a negative duration would have subtracted from the sum, according to the issue.
double negativeNs(const test::Imported& result) {
  for (const Issue& issue : result.recorder.issues)
    if (issue.code == "chrome_trace.bad_duration") return std::stod(issue.detail.substr(issue.detail.find("by ") + 3));
  return 0;
}

void expectTimeline(const std::string& file, const Json& fact) {
  SCOPED_TRACE(file);
  const auto result = test::importFile(kRoot / "straggler_timeline" / file);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "chrome_trace");
  const Totals total = totalsOf(result);
  EXPECT_EQ(total.spans, fact["ph"]["X"]);
  EXPECT_EQ(total.with_step, total.spans);
  EXPECT_EQ(total.open, 0);
  for (const auto& [name, count] : fact["cat"].items()) EXPECT_EQ(total.names.contains(name) ? total.names.at(name) : 0, count) << name;
  EXPECT_NEAR(static_cast<double>(total.first), fact["min_ts_us"].get<double>() * 1000, 0.501);
  EXPECT_NEAR(static_cast<double>(total.last), fact["max_ts_us"].get<double>() * 1000, 0.501);
  EXPECT_NEAR(static_cast<double>(total.end), fact["x_max_end_us"].get<double>() * 1000, 1.001);
  const double n = static_cast<double>(total.spans);
  EXPECT_NEAR(total.sum_ns + negativeNs(result), fact["x_sum_dur_us"].get<double>() * 1000, 0.5 * n);
  EXPECT_EQ(result.recorder.runs.at(0).time_domain, TimeDomain::kRelative);
}

TEST(StragglerTimeline, MeetsTheFactsOfTheSharedRealFiles) {
  const Json facts = factsOf("straggler_timeline");
  if (facts.empty()) GTEST_SKIP() << "no shared data at " << kRoot;
  int timelines = 0;
  for (const auto& [file, fact] : facts.items()) {
    if (file.find("/timeline-") != std::string::npos) {
      ++timelines;
      expectTimeline(file, fact);
      continue;
    }
    const auto result = test::importFile(kRoot / "straggler_timeline" / file);
    EXPECT_TRUE(result.status.ok()) << file << ": " << result.status.message();
    EXPECT_NE(result.report.skipped_reason, "") << file;
    EXPECT_TRUE(result.recorder.runs.empty()) << file;
  }
  EXPECT_EQ(timelines, 2);
}

TEST(StragglerTimeline, FillsTheLayoutAndWhereEveryRankSits) {
  if (factsOf("straggler_timeline").empty()) GTEST_SKIP() << "no shared data at " << kRoot;
  const auto small = test::importFile(kRoot / "straggler_timeline/ST/timeline-ST.json.gz");
  EXPECT_EQ(small.recorder.attempts.at(0).layout, (Layout{.world = 8, .tp = 1, .pp = 4, .dp = 2, .cp = 1, .vpp = 1}));
  ASSERT_EQ(small.recorder.ranks.size(), 8U);
  for (const Rank& rank : small.recorder.ranks) {
    EXPECT_EQ(rank.pp, rank.rank / 2) << rank.rank;
    EXPECT_EQ(rank.dp, rank.rank % 2) << rank.rank;
    EXPECT_EQ(rank.tp, 0);
    EXPECT_EQ(rank.cp, 0);
  }
  const auto large = test::importFile(kRoot / "straggler_timeline/SE/timeline-SE.json.gz");
  EXPECT_EQ(large.recorder.attempts.at(0).layout, (Layout{.world = 128, .tp = 1, .pp = 2, .dp = 32, .cp = 2, .vpp = 1}));
  ASSERT_EQ(large.recorder.ranks.size(), 64U);
  for (const Rank& rank : large.recorder.ranks) {
    EXPECT_EQ(rank.pp, rank.rank / 64) << rank.rank;
    EXPECT_EQ(rank.dp, rank.rank % 64 / 2) << rank.rank;
    EXPECT_EQ(rank.cp, 0) << rank.rank;
  }
  std::set<std::string> kinds;
  for (const auto& [id, key] : large.recorder.track_keys) kinds.insert(key.kind);
  EXPECT_THAT(kinds, testing::ElementsAre("compute", "dp_comm", "pp_comm"));
  EXPECT_EQ(large.recorder.issueCount("chrome_trace.bad_duration"), 8) << "eight clips end before they begin";
}

TEST(StragglerTimeline, NumbersTheMicrobatchesOfEveryStage) {
  if (factsOf("straggler_timeline").empty()) GTEST_SKIP() << "no shared data at " << kRoot;
  const auto result = test::importFile(kRoot / "straggler_timeline/ST/timeline-ST.json.gz");
  std::map<std::int64_t, std::int64_t> forwards;
  for (const auto& [track, batches] : result.recorder.span_batches)
    for (const SpanColumns& batch : batches)
      for (std::size_t i = 0; i < batch.size(); ++i)
        if (batch.names[batch.name[i]] == "forward-compute") ++forwards[batch.microbatch.at(i)];
  EXPECT_THAT(forwards, testing::ElementsAre(testing::Pair(0, 256), testing::Pair(1, 256), testing::Pair(2, 256), testing::Pair(3, 256)));
}

TEST(BytepsTimeline, MeetsTheFactsOfTheSharedRealFile) {
  const Json facts = factsOf("byteps_timeline");
  if (facts.empty()) GTEST_SKIP() << "no shared data at " << kRoot;
  for (const auto& [file, fact] : facts.items()) {
    const auto result = test::importFile(kRoot / "byteps_timeline" / file);
    ASSERT_TRUE(result.status.ok()) << file << ": " << result.status.message();
    EXPECT_EQ(result.kind, "chrome_trace");
    EXPECT_EQ(result.report.partial_reason, "") << "an array without its end is whole";
    const Totals total = totalsOf(result);
    EXPECT_EQ(total.spans, fact["ph"]["B"]);
    EXPECT_EQ(total.spans - total.open, fact["ph"]["E"]);
    EXPECT_EQ(result.recorder.issueCount("chrome_trace.never_ended"), total.open);
    EXPECT_EQ(result.recorder.track_keys.size(), fact["pids"].get<std::size_t>());
    EXPECT_EQ(total.first, std::llround(fact["min_ts_us"].get<double>() * 1000));
    EXPECT_EQ(total.end, std::llround(fact["max_ts_us"].get<double>() * 1000));
    // The facts count events: a begin and, if present, its end.
    for (const auto& [name, events] : fact["top_names"].items())
      EXPECT_EQ((events.get<std::int64_t>() + 1) / 2, total.names.at(name)) << name;
  }
}

}  // namespace
}  // namespace runglass
