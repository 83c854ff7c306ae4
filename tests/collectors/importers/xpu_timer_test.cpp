// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "collectors/importers/timeline/name_table.h"
#include "tests/collectors/importers/import_fixture.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::ElementsAre;
using testing::HasSubstr;

std::string varint(std::uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string number(unsigned field, std::uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytes(unsigned field, const std::string& value) { return varint(field << 3 | 2) + varint(value.size()) + value; }
std::string packed(unsigned field, const std::vector<std::uint64_t>& values) {
  std::string all;
  for (const std::uint64_t value : values) all += varint(value);
  return bytes(field, all);
}

constexpr std::uint64_t kUs = 1'758'580'155'000'000;
constexpr TimeNs kNs = 1'758'580'155'000'000'000;

// As in proto3, a kind or code of 0 is left out.
std::string kernel(unsigned kind, unsigned code, std::uint64_t start_us, unsigned dur_us, const std::string& details) {
  return bytes(1, (kind == 0 ? "" : number(1, kind)) + (code == 0 ? "" : number(2, code)) + number(3, start_us) + number(4, dur_us) +
                      number(5, 12) + number(6, 1) + details);
}
std::string matmul() {
  return packed(1, {1, 4096, 1024, 512}) + bytes(2, "BF16") + bytes(3, "TN") + packed(4, {1, 2, 3}) + bytes(7, "cublasGemmEx");
}
std::string nccl() {
  return number(3, 0xABCDEF0123456789) + number(4, 1 << 20) + bytes(5, "ncclBfloat16") + number(6, 8) + number(7, 2) + number(8, 41);
}
std::string host(const std::string& name, std::uint64_t start_us, unsigned dur_us, const std::string& more = "") {
  return bytes(2, number(1, start_us) + number(2, dur_us) + bytes(3, name) + number(4, 5) + more);
}
std::string tail(unsigned rank) { return number(3, 4321) + (rank == 0 ? "" : number(4, rank)); }

std::string timeline(unsigned rank) {
  return kernel(0, 0, kUs + 10, 7, bytes(7, matmul())) + kernel(1, 3, kUs + 20, 100, bytes(9, packed(1, {24, 1, 1}) + nccl())) +
         kernel(2, 4, kUs + 130, 5, bytes(10, number(1, 4096) + bytes(2, "H2D"))) + host("GC", kUs + 1, 9, bytes(5, number(1, 77))) +
         host("torch.utils.data.dataloader@_BaseDataLoaderIter@__next__", kUs, 3) + tail(rank);
}

struct Flat {
  std::string track, name;
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
        all.push_back(
            {result.recorder.track_keys.at(track).name, batch.names[batch.name[i]], batch.start[i] - kNs, batch.dur[i], batch.category[i]});
  return all;
}
const SpanColumns& columnsOf(const Imported& result, std::string_view track) {
  for (const auto& [id, key] : result.recorder.track_keys)
    if (key.name == track) return result.recorder.span_batches.at(id).at(0);
  static const SpanColumns kNone;
  ADD_FAILURE() << "no track " << track;
  return kNone;
}

TEST(XpuTimer, ReadsKernelsAndHostCallsWithTheNamesBesideTheFile) {
  const test::TempFolder folder;
  const std::string path = folder.file("00003-00008.timeline");
  std::ofstream(path + ".meta") << "0,xpu_timer_mm_bmnk_1_4096_1024_512_\n3,xpu_timer_AllReduce,ring\n4,H2D\nxpu_timer_host_trace,GC\n";
  const auto result = importText(timeline(3), {.file_name = "00003-00008.timeline", .path = path}, 7);
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "xpu_timer");
  EXPECT_THAT(spansOf(result),
              ElementsAre(Flat{"compute", "mm_bmnk_1_4096_1024_512", 10'000, 7'000, SpanCategory::kCompute},
                          Flat{"collectives", "AllReduce,ring", 20'000, 100'000, SpanCategory::kComm},
                          Flat{"memory", "H2D", 130'000, 5'000, SpanCategory::kMemcpy}, Flat{"host", "GC", 1'000, 9'000, SpanCategory::kGc},
                          Flat{"host", "torch.utils.data.dataloader._BaseDataLoaderIter.__next__", 0, 3'000, SpanCategory::kDataload}));
  const SpanColumns& comm = columnsOf(result, "collectives");
  EXPECT_THAT(comm.seq, ElementsAre(41));
  EXPECT_THAT(comm.bytes, ElementsAre(1 << 20));
  EXPECT_THAT(comm.group, ElementsAre(commGroupId("0xabcdef0123456789", "")));
  EXPECT_EQ(nlohmann::json::parse(comm.args.at(0)), nlohmann::json::parse(R"({"delay_us": 12, "count": 1, "comm_hash": "0xabcdef0123456789",
    "dtype": "ncclBfloat16", "ranks": 8, "nodes": 2, "grids": [24, 1, 1]})"));
  EXPECT_EQ(
      nlohmann::json::parse(columnsOf(result, "compute").args.at(0)),
      nlohmann::json::parse(
          R"({"delay_us": 12, "count": 1, "bmnk": [1, 4096, 1024, 512], "dtype": "BF16", "trans": "TN", "ld": [1, 2, 3], "api": "cublasGemmEx"})"));
  EXPECT_THAT(columnsOf(result, "memory").bytes, ElementsAre(4096));
  EXPECT_EQ(columnsOf(result, "host").args.at(0), R"({"count":5,"collected":77,"uncollectable":0})");
  EXPECT_EQ(result.recorder.ranks.at(0).rank, 3);
  EXPECT_EQ(result.recorder.ranks.at(0).pid, 4321);
  EXPECT_EQ(result.recorder.attempts.at(0).layout.world, 8);
  EXPECT_EQ(result.recorder.groups.at(0).name, "0xabcdef0123456789");
  EXPECT_TRUE(result.recorder.issues.empty());
}

TEST(XpuTimer, ReadsTheLayoutOfTheCuptiBuildWithItsStreams) {
  const std::string launch = bytes(1, packed(1, {108, 1, 1}) + packed(2, {256, 1, 1}) + number(3, 7));
  const auto result =
      importText(kernel(0, 1, kUs, 5, bytes(7, launch + bytes(3, matmul()))) +
                     kernel(1, 2, kUs + 9, 5, bytes(7, launch + bytes(4, nccl()))) + kernel(2, 9, kUs + 20, 4, number(8, 1)) + tail(0),
                 {.file_name = "00000-00002.timeline"});
  EXPECT_THAT(spansOf(result), ElementsAre(Flat{"stream 7", "matmul 1", 0, 5'000, SpanCategory::kCompute},
                                           Flat{"stream 7", "collective 2", 9'000, 5'000, SpanCategory::kComm},
                                           Flat{"host memory", "host call 9", 20'000, 4'000, SpanCategory::kRuntime}));
  EXPECT_EQ(result.recorder.ranks.at(0).rank, 0) << "a zero is not written";
  EXPECT_THAT(columnsOf(result, "stream 7").seq, ElementsAre(kAbsent, 41));
  EXPECT_EQ(result.recorder.issueCount("xpu_timer.no_names"), 3);
}

TEST(XpuTimer, ACutTimelineKeepsTheTracesThatAreWhole) {
  const std::string whole = timeline(3);
  const std::size_t first = kernel(0, 0, kUs + 10, 7, bytes(7, matmul())).size();
  for (std::size_t size = first; size < whole.size() - 4; ++size) {
    const auto cut = importText(whole.substr(0, size), {.file_name = "00003-00008.timeline"});
    ASSERT_TRUE(cut.status.ok()) << size;
    EXPECT_GE(spansOf(cut).size(), 1U) << size;
    EXPECT_LE(spansOf(cut).size(), 5U) << size;
  }
  const auto cut = importText(whole.substr(0, first + 5), {.file_name = "00003-00008.timeline"});
  EXPECT_THAT(cut.report.partial_reason, HasSubstr("cut or damaged"));
  EXPECT_EQ(cut.recorder.issueCount("import.truncated"), 1);
  EXPECT_EQ(cut.recorder.ranks.at(0).rank, 3) << "of a cut file the name tells the rank";
}

TEST(XpuTimer, OddTracesCostOnlyThemselves) {
  const auto result = importText(timeline(3) + kernel(0, 1, 5, 1, "") + bytes(1, number(3, kUs) + bytes(9, "\xFF")) +
                                     bytes(1, number(3, kUs) + bytes(99, std::string(70'000, 'x'))),
                                 {.file_name = "00005-00008.timeline"});
  EXPECT_EQ(spansOf(result).size(), 5U);
  EXPECT_EQ(result.recorder.issueCount("xpu_timer.no_time"), 1);
  EXPECT_EQ(result.recorder.issueCount("xpu_timer.broken_trace"), 2);
  EXPECT_EQ(result.recorder.issueCount("xpu_timer.other_rank"), 1);
  EXPECT_EQ(result.recorder.ranks.at(0).rank, 3);
}

TEST(XpuTimer, AMillionNamesAreBoundedAndTheSpansKept) {
  std::string many;
  for (int i = 0; i < 70'000; ++i) many += host("call " + std::to_string(i), kUs + static_cast<unsigned>(i), 1);
  const auto result = importText(many + tail(3), {.file_name = "00003-00008.timeline"});
  std::set<std::string> names;
  for (const Flat& span : spansOf(result)) names.insert(span.name);
  EXPECT_EQ(spansOf(result).size(), 70'000U);
  EXPECT_LE(names.size(), NameTable::kMaxNames);
  EXPECT_TRUE(names.contains("call #"));
  EXPECT_EQ(result.recorder.issueCount("trace.too_many_names"), static_cast<std::int64_t>(70'000 - (names.size() - 1)));
}

}  // namespace
}  // namespace runglass
