// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "collectors/importers/chrome_trace/event_slicer.h"
#include "collectors/importers/chrome_trace/trace_event.h"
#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::ElementsAre;
using testing::HasSubstr;

std::string event(const std::string& category, const std::string& name, const char* ts, const char* dur, const std::string& more = "") {
  return R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": 0, "tid": 7, "ts": )" + ts + R"(, "dur": )" + dur +
         more + "}";
}
std::string trace(const std::string& events, const std::string& before = "", const std::string& after = "") {
  return R"({"schemaVersion": 1, )" + before + R"("traceEvents": [)" + events + "]" + after + "}";
}
struct Flat {
  std::string name;
  TimeNs start;
  DurNs dur;
  SpanCategory category;
  friend bool operator==(const Flat&, const Flat&) = default;
};
std::vector<Flat> spansOf(const Imported& result) {
  std::vector<Flat> all;
  for (const auto& [track, batches] : result.recorder.span_batches)
    for (const SpanColumns& batch : batches)
      for (std::size_t i = 0; i < batch.size(); ++i)
        all.push_back({batch.names[batch.name[i]], batch.start[i], batch.dur[i], batch.category[i]});
  return all;
}

constexpr TimeNs kBase = 1'759'300'074'000'000'000;
const std::string kBaseMember = R"("baseTimeNanoseconds": 1759300074000000000, )";
const std::string kInfo = R"("distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8}, )";

TEST(NsFromMicros, IsExactAndRefusesWhatIsNoTime) {
  EXPECT_EQ(nsFromMicros("1759300074000123.456"), 1'759'300'074'000'123'456);
  EXPECT_EQ(nsFromMicros("0.001"), 1);
  EXPECT_EQ(nsFromMicros("12"), 12'000);
  EXPECT_EQ(nsFromMicros("1.2345"), 1'235);
  EXPECT_EQ(nsFromMicros("-0.5"), -500);
  EXPECT_EQ(nsFromMicros("1.5e3"), 1'500'000);
  EXPECT_EQ(nsFromMicros("9e99"), std::nullopt);
  EXPECT_EQ(nsFromMicros("92233720368547758070"), std::nullopt);
  EXPECT_EQ(nsFromMicros(""), std::nullopt);
  EXPECT_EQ(nsFromMicros("nan"), std::nullopt);
}

TEST(Kineto, TellsKernelsCollectivesAndCopiesApartOnTheirStreams) {
  const auto result = importText(trace(event("kernel", "gemm", "10.001", "2.5", R"(, "args": {"correlation": 42, "stream": 7})") + ",\n" +
                                           event("kernel", "ncclDevKernel_AllReduce", "13", "1") + "," +
                                           event("gpu_memcpy", "Memcpy HtoD", "15", "0.5", R"(, "args": {"bytes": 4096})"),
                                       kBaseMember + kInfo));
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "kineto");
  EXPECT_THAT(spansOf(result), ElementsAre(Flat{"gemm", kBase + 10'001, 2'500, SpanCategory::kCompute},
                                           Flat{"ncclDevKernel_AllReduce", kBase + 13'000, 1'000, SpanCategory::kComm},
                                           Flat{"Memcpy HtoD", kBase + 15'000, 500, SpanCategory::kMemcpy}));
  const SpanColumns& columns = result.recorder.span_batches.begin()->second.at(0);
  EXPECT_THAT(columns.correlation, ElementsAre(42, kAbsent, kAbsent));
  EXPECT_THAT(columns.bytes, ElementsAre(kAbsent, kAbsent, 4096));
  EXPECT_EQ(columns.args.at(0), R"({"correlation": 42, "stream": 7})");
  EXPECT_EQ(result.recorder.ranks.at(0).rank, 3);
  EXPECT_EQ(result.recorder.attempts.at(0).layout.world, 8);
  EXPECT_EQ(result.recorder.runs.at(0).time_domain, TimeDomain::kUtc);
}

TEST(Kineto, WhatStandsBehindTheEventsCountsForAllOfThem) {
  const std::string events = event("kernel", "gemm", "10", "2");
  for (const std::size_t piece : {1, 7, 1 << 20}) {
    const auto result =
        importText(trace(events, "", R"(, "baseTimeNanoseconds": 1759300074000000000, "distributedInfo": {"rank": 5}, "x": 1)"), {}, piece);
    EXPECT_THAT(spansOf(result), ElementsAre(Flat{"gemm", kBase + 10'000, 2'000, SpanCategory::kCompute}));
    EXPECT_EQ(result.recorder.ranks.at(0).rank, 5);
    EXPECT_EQ(result.report.partial_reason, "");
  }
}

TEST(Kineto, EscapesMayBeCutAnywhere) {
  const std::string text =
      trace(event("cpu_op", R"(a \"{[\\)", "1", "1") + "," + event("cpu_op", R"(\u00e9)", "3", "1"), kBaseMember + kInfo);
  for (std::size_t piece = 1; piece < 40; ++piece) {
    const auto result = importText(text, {}, piece);
    EXPECT_THAT(spansOf(result), ElementsAre(testing::Field(&Flat::name, R"(a "{[\)"), testing::Field(&Flat::name, "\u00e9"))) << piece;
  }
}

TEST(Kineto, NestsByTimeAndNumbersTheStepsThatEncloseSpans) {
  const auto result =
      importText(trace(event("cpu_op", "inner", "12", "1") + "," + event("cpu_op", "outer", "11", "5") + "," +
                           event("user_annotation", "ProfilerStep#9", "10", "10") + "," + event("cpu_op", "later", "30", "1"),
                       kBaseMember + kInfo));
  const SpanColumns& columns = result.recorder.span_batches.begin()->second.at(0);
  EXPECT_THAT(spansOf(result), ElementsAre(testing::Field(&Flat::name, "ProfilerStep#9"), testing::Field(&Flat::name, "outer"),
                                           testing::Field(&Flat::name, "inner"), testing::Field(&Flat::name, "later")));
  EXPECT_THAT(columns.depth, ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(columns.step, ElementsAre(9, 9, 9, kAbsent));
}

TEST(Kineto, AnEventWithRawQuotesCostsOnlyItself) {
  const std::string broken = "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"say \"hi\"\n there\", \"ts\": 1, \"dur\": 1}";
  const auto result =
      importText(trace(event("kernel", "a", "1", "1") + "," + broken + "," + event("kernel", "b", "3", "1"), kBaseMember + kInfo));
  ASSERT_TRUE(result.status.ok());
  EXPECT_THAT(spansOf(result), ElementsAre(testing::Field(&Flat::name, "a"), testing::Field(&Flat::name, "b")));
  EXPECT_GE(result.recorder.issueCount("kineto.broken_event"), 1);
}

TEST(Kineto, ATraceThatEndsInTheMiddleKeepsWhatIsWhole) {
  const std::string whole = trace(event("kernel", "a", "1", "1") + "," + event("kernel", "b", "3", "1"), kBaseMember + kInfo);
  for (std::size_t size = whole.find("traceEvents"); size < whole.size(); ++size) {
    const auto result = importText(whole.substr(0, size));
    ASSERT_TRUE(result.status.ok()) << size << ": " << result.status.message();
    EXPECT_LE(spansOf(result).size(), 2U);
    EXPECT_THAT(result.report.partial_reason, HasSubstr("ends in the middle"));
  }
  EXPECT_EQ(spansOf(importText(whole)).size(), 2U);
}

TEST(Kineto, AbsurdTimesAndDepthsAreCountedOrRefusedNeverFollowed) {
  const auto odd = importText(trace(event("kernel", "a", "1", "-5") + "," + event("kernel", "b", "9e99", "1") + "," +
                                        event("kernel", "c", "9223372036854775", "9223372036854775") + "," + event("kernel", "d", "1", "1"),
                                    kBaseMember + kInfo));
  EXPECT_EQ(spansOf(odd).size(), 1U);
  EXPECT_EQ(odd.recorder.issueCount("kineto.no_time"), 3);
  const auto deep =
      importText(trace(event("kernel", "a", "1", "1") + R"(,{"ph": "X", "args": )" + std::string(1'000'000, '['), kBaseMember));
  EXPECT_EQ(spansOf(deep).size(), 1U);
}

TEST(Kineto, MeetsTheFactsOfTheSharedRealFiles) {
  const std::filesystem::path root(RG_SHARED_DATA);
  if (!std::filesystem::exists(root / "facts.json")) GTEST_SKIP() << "no shared data at " << root;
  const auto facts = nlohmann::json::parse(std::ifstream(root / "facts.json"));
  for (const auto& [file, fact] : facts["kinds"]["kineto"].items()) {
    const auto result = test::importFile(root / "kineto" / file);
    ASSERT_TRUE(result.status.ok()) << file << ": " << result.status.message();
    EXPECT_EQ(result.kind, "kineto") << file;
    std::int64_t kernels = 0, sum = 0;
    for (const auto& [track, batches] : result.recorder.span_batches) {
      if (result.recorder.track_keys.at(track).kind != "gpu_stream") continue;
      for (const SpanColumns& batch : batches)
        for (std::size_t i = 0; i < batch.size(); ++i)
          if (batch.category[i] == SpanCategory::kCompute || batch.category[i] == SpanCategory::kComm) ++kernels, sum += batch.dur[i];
    }
    EXPECT_EQ(kernels, fact["kernels"]) << file;
    EXPECT_EQ(sum, fact["kernel_sum_dur_ns"]) << file;
  }
}

}  // namespace
}  // namespace runglass
