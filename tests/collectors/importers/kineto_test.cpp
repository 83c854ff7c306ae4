// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "collectors/importers/chrome_trace/event_slicer.h"
#include "collectors/importers/chrome_trace/trace_event.h"
#include "collectors/importers/timeline/name_table.h"
#include "tests/collectors/importers/import_fixture.h"
#include "tests/support/temp_folder.h"

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

std::vector<std::string> threadsOf(const Imported& result) {
  std::vector<std::string> names;
  for (const auto& [track, key] : result.recorder.track_keys)
    if (key.kind == "thread") names.push_back(key.name);
  return names;
}

TEST(Kineto, AThreadsRowHasTheNameThatTheTraceGivesIt) {
  const auto call = [](const char* tid, const char* ts) {
    return R"({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 76, "tid": )" + std::string(tid) + R"(, "ts": )" + ts + R"(, "dur": 1})";
  };
  const auto named = [](const char* tid, const char* name) {
    return R"({"name": "thread_name", "ph": "M", "ts": 0, "pid": 76, "tid": )" + std::string(tid) + R"(, "args": {"name": ")" + name +
           R"("}})";
  };
  const std::string names = named("671086272", "thread 671086272 (python)") + "," + named(R"("9")", "pt_autograd_0 ");
  const std::string calls = call("671086272", "1") + "," + call("9", "3") + "," + call("12", "5");
  const auto expected =
      ElementsAre("thread 671086272 (python) of process 76", "pt_autograd_0 (9) of process 76", "thread 12 of process 76");
  EXPECT_THAT(threadsOf(importText(trace(names + "," + calls, kBaseMember + kInfo))), expected);
  // Behind the spans, as the profiler writes them: known where the time base follows too, and so the spans wait.
  EXPECT_THAT(threadsOf(importText(
                  trace(calls + "," + names, "", R"(, "baseTimeNanoseconds": 1759300074000000000, "distributedInfo": {"rank": 5})"))),
              expected);
}

TEST(Kineto, NamesAtTheEndOfAFileAreReadBeforeItsSpans) {
  const test::TempFolder folder;
  const std::string path = folder.file("rank3.json");
  std::ofstream(path) << trace(event("cpu_op", "op", "1", "1") + R"(,
    {"name": "process_name", "ph": "M", "ts": 0, "pid": 0, "tid": 0, "args": {"name": "python"}},
    {"name": "thread_name", "ph": "M", "ts": 0, "pid": 0, "tid": 7, "args": {"name": "main"}})",
                               kBaseMember + kInfo);
  EXPECT_THAT(threadsOf(test::importFile(path)), ElementsAre("main (7) of process 0"));
}

TEST(Kineto, ATimeThatIsRoundedToMicrosecondsNestsInTheSpanThatItOverhangs) {
  const auto result = importText(trace(event("cpu_op", "outer", "10", "10") + "," + event("cpu_op", "inner", "12", "8.4") + "," +
                                           event("cpu_op", "innermost", "13", "1") + "," + event("cpu_op", "next", "20.1", "5"),
                                       kBaseMember + kInfo));
  EXPECT_THAT(result.recorder.span_batches.begin()->second.at(0).depth, ElementsAre(0, 1, 2, 0));
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

TEST(Kineto, BytesOfACollectiveAreThoseOfItsLargerSide) {
  const auto collective = [](const char* ts, const char* in, const char* out, const char* type) {
    return event("kernel", "ncclDevKernel", ts, "1",
                 std::string(R"(, "args": {"Collective name": "c", "In msg nelems": )") + in + R"(, "Out msg nelems": )" + out +
                     R"(, "dtype": ")" + type + "\"}");
  };
  const auto result =
      importText(trace(collective("1", "12", "96", "BFloat16") + "," + collective("3", "96", "12", "Float") + "," +
                           collective("5", "8", "8", "Unheard") + "," + collective("7", "9223372036854775807", "1", "Long") + "," +
                           collective("9", "0", "0", "Byte") + "," + collective("11", "-4", "-4", "Int"),
                       kBaseMember + kInfo));
  EXPECT_THAT(result.recorder.span_batches.at(1).at(0).bytes, ElementsAre(192, 384, kAbsent, kAbsent, 0, kAbsent));
  EXPECT_THAT(result.recorder.span_batches.at(1).at(0).args.at(0), HasSubstr("In msg nelems")) << "arguments stay";
}

TEST(Kineto, AllocationsAreSeriesOfTheirDeviceAndCountersSeriesOfTheirNumbers) {
  const auto memory = [](const char* ts, const char* args) {
    return std::string(R"({"ph": "i", "s": "t", "name": "[memory]", "pid": 9, "tid": 9, "ts": )") + ts + R"(, "args": {)" + args + "}}";
  };
  const auto result = importText(
      trace(memory("1.5", R"("Total Reserved": 4096, "Total Allocated": 1024, "Bytes": 1024, "Device Id": 0, "Device Type": 1)") + "," +
                memory("2", R"("Total Reserved": 4096, "Total Allocated": 0, "Bytes": -1024, "Device Id": 0, "Device Type": 1)") + "," +
                memory("3", R"("Device Type": 0, "Device Id": -1, "Bytes": 4)") + "," + memory("4", R"("Device Type": 0)") + "," +
                event("kernel", "gemm", "5", "1") + R"(,{"ph": "C", "name": "busy", "pid": 0, "ts": 7, "args": {"sm": 0.5}})",
            kBaseMember + kInfo));
  const std::string cuda = R"({"device":"cuda:0"})";
  EXPECT_THAT(result.recorder.samplesOf("allocator_allocated_bytes", cuda).value, ElementsAre(1024, 0));
  EXPECT_THAT(result.recorder.samplesOf("allocator_allocated_bytes", cuda).time, ElementsAre(kBase + 1'500, kBase + 2'000));
  EXPECT_THAT(result.recorder.samplesOf("allocator_reserved_bytes", cuda).value, ElementsAre(4096, 4096));
  EXPECT_THAT(result.recorder.samplesOf("allocator_change_bytes", R"({"device":"cpu"})").value, ElementsAre(4));
  EXPECT_THAT(result.recorder.samplesOf("busy").time, ElementsAre(kBase + 7'000));
  EXPECT_EQ(result.recorder.issueCount("kineto.odd_counter"), 1) << "the allocation without a size";
  EXPECT_TRUE(result.recorder.events.empty());
}

TEST(Kineto, InstantsAreEventsAndWhatIsNotKeptIsCountedAsWhatItIs) {
  const std::string instant = R"({"name": "Record Window End", "ph": "i", "s": "g", "pid": "", "tid": "", "ts": 20})";
  const std::string arrow = R"({"ph": "s", "id": 4, "pid": 9, "tid": 9, "ts": 10, "cat": "fwdbwd", "name": "fwdbwd"})";
  const std::string named = R"({"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7"}})";
  const std::string other = R"({"ph": "b", "id": 4, "ts": 10, "name": "async"})";
  const std::string events =
      event("kernel", "gemm", "10", "2") + "," + instant + "," + arrow + "," + arrow + "," + named + "," + other + ",{}";
  // A time base after the events delays all of them.
  for (const auto& text : {trace(events, kBaseMember + kInfo), trace(events, "", R"(, "baseTimeNanoseconds": 1759300074000000000)")}) {
    const auto result = importText(text);
    ASSERT_EQ(result.recorder.events.size(), 1U);
    EXPECT_EQ(result.recorder.events.at(0).message, "Record Window End");
    EXPECT_EQ(result.recorder.events.at(0).time, kBase + 20'000);
    EXPECT_EQ(result.recorder.issueCount("kineto.flow"), 2);
    EXPECT_EQ(result.recorder.issueCount("kineto.not_kept"), 1);
    EXPECT_EQ(result.recorder.issues.size(), 2U);
  }
  std::string many;
  for (int i = 0; i < 100'003; ++i) many += instant + ",";
  const auto bounded = importText(trace(many + event("kernel", "gemm", "10", "2"), kBaseMember + kInfo));
  EXPECT_EQ(bounded.recorder.events.size(), 100'000U);
  EXPECT_EQ(bounded.recorder.issueCount("kineto.too_many_instants"), 3);
}

TEST(Kineto, AMillionNamesAreBoundedAndTheSpansKept) {
  std::string events;
  for (int i = 0; i < 100'000; ++i) events += event("cpu_op", "copy " + std::to_string(i) + " to 0x", "1", "1") + ",";
  const auto result = importText(trace(events + event("cpu_op", "copy 5 to 0x", "3", "1"), kBaseMember + kInfo));
  std::set<std::string> names;
  for (const Flat& span : spansOf(result)) names.insert(span.name);
  EXPECT_EQ(spansOf(result).size(), 100'001U);
  EXPECT_LE(names.size(), NameTable::kMaxNames);
  EXPECT_TRUE(names.contains("copy 5 to 0x"));
  EXPECT_TRUE(names.contains("copy # to #x"));
  EXPECT_EQ(result.recorder.issueCount("trace.too_many_names"), static_cast<std::int64_t>(100'000 - (names.size() - 1)));
}

TEST(NameTable, IsBoundedInNumberAndInBytesWhateverTheNamesAre) {
  NameTable by_number;
  std::set<std::string> names;
  for (int i = 0; i < 100'000; ++i) {
    std::string letters;
    for (int left = i; left > 0; left /= 26) letters += static_cast<char>('a' + left % 26);
    names.insert(by_number.admit(letters));
  }
  EXPECT_EQ(names.size(), NameTable::kMaxNames);
  EXPECT_TRUE(names.contains(std::string(NameTable::kOther)));
  NameTable by_bytes;
  std::size_t kept = 0;
  for (char c = 'a'; c <= 'z'; ++c) kept += by_bytes.admit(std::string(1 << 20, c)) != NameTable::kOther;
  EXPECT_EQ(kept, 16U);
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
