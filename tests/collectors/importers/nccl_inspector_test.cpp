// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "collectors/importers/timeline/name_table.h"
#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::ElementsAre;
using Json = nlohmann::json;

constexpr std::int64_t kUs = 1'748'030'377'000'000;

Json context(const std::string& comm, int rank, int n_ranks, const std::string& name = "") {
  Json header = {{"id", comm}, {"rank", rank}, {"n_ranks", n_ranks}, {"nnodes", 1}};
  if (!name.empty()) header["comm_name"] = name;
  return {{"header", header},
          {"metadata",
           {{"inspector_output_format_version", "v4.0"},
            {"git_rev", ""},
            {"rec_mechanism", "nccl_profiler_interface"},
            {"dump_timestamp_us", kUs},
            {"hostname", "node-7"},
            {"pid", 4711}}}};
}
Json collective(int sn, double exec_us) {
  return {{"coll", "AllReduce"},
          {"coll_sn", sn},
          {"coll_msg_size_bytes", 1 << 20},
          {"coll_exec_time_us", exec_us},
          {"coll_timing_source", "kernel_gpu"},
          {"coll_algobw_gbs", 277.5},
          {"coll_busbw_gbs", 485.25}};
}
Json verbose(Json op) {
  op["event_trace_ts"] = {{"coll_start_ts", kUs - 50},
                          {"coll_stop_ts", kUs - 49},
                          {"kernel_events",
                           {{{"channel_id", 0}, {"kernel_start_ts", kUs - 40}, {"kernel_stop_ts", kUs - 10}},
                            {{"channel_id", 1}, {"kernel_start_ts", kUs - 41}, {"kernel_stop_ts", kUs - 11}},
                            {{"channel_id", 2}, {"kernel_start_ts", 0}, {"kernel_stop_ts", 0}}}}};
  return op;
}
std::string line(Json record, const char* key, const Json& part) {
  record[key] = part;
  return record.dump() + "\n";
}
Imported importLog(const std::string& text, std::uint64_t resume_at = 0, const std::string& name = "node-7-pid4711.log") {
  return importText(text, {.file_name = name, .attempt_key = "0", .resume_at = resume_at}, 97);
}

TEST(NcclInspector, OperationsAreCurvesOverTheirNumberInTheCommunicator) {
  const Json world = context("0xabc", 2, 8);
  const auto result = importLog(line(world, "coll_perf", collective(1407, 61974)) + line(world, "coll_perf", collective(1408, 5663.5)));
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.kind, "nccl_inspector");
  const auto busbw = result.recorder.scalarsOf("coll_busbw_gbs", 2, R"({"comm":"0xabc","op":"AllReduce","timing":"kernel_gpu"})");
  EXPECT_THAT(busbw.step, ElementsAre(1407, 1408));
  EXPECT_THAT(busbw.value, ElementsAre(485.25, 485.25));
  EXPECT_THAT(busbw.time, ElementsAre(kUs * 1000, kUs * 1000));
  EXPECT_THAT(result.recorder.scalarsOf("coll_exec_time_us", 2).value, ElementsAre(61974, 5663.5));
  EXPECT_THAT(result.recorder.scalarsOf("coll_msg_size_bytes", 2).value, ElementsAre(1 << 20, 1 << 20));
  EXPECT_THAT(result.recorder.scalarsOf("coll_algobw_gbs", 2).value, ElementsAre(277.5, 277.5));
  EXPECT_TRUE(result.recorder.span_batches.empty()) << "it is not told when they ran";
  EXPECT_EQ(result.recorder.ranks.at(0).rank, 2) << "of the only communicator";
  EXPECT_EQ(result.recorder.ranks.at(0).pid, 4711);
  EXPECT_EQ(result.recorder.nodes.at(0).name, "node-7");
  EXPECT_EQ(result.recorder.groups.at(0).id, commGroupId("0xabc", ""));
  EXPECT_TRUE(result.recorder.issues.empty());
}

TEST(NcclInspector, VerboseOperationsAreSpansFromTheirFirstKernelOn) {
  Json op = verbose(collective(5, 30));
  op["coll_algo"] = "RING";
  const auto result = importLog(line(context("0xabc", 3, 8), "coll_perf", op));
  const SpanColumns& spans = result.recorder.span_batches.at(1).at(0);
  EXPECT_THAT(spans.start, ElementsAre((kUs - 41) * 1000));
  EXPECT_THAT(spans.dur, ElementsAre(30'000));
  EXPECT_THAT(spans.seq, ElementsAre(5));
  EXPECT_THAT(spans.bytes, ElementsAre(1 << 20));
  EXPECT_THAT(spans.group, ElementsAre(commGroupId("0xabc", "")));
  EXPECT_EQ(spans.names.at(0), "AllReduce");
  const Json args = Json::parse(spans.args.at(0));
  EXPECT_EQ(args["comm_rank"], 3);
  EXPECT_EQ(args["coll_algo"], "RING");
  EXPECT_EQ(args["event_trace_ts"]["kernel_events"].size(), 3U);
  EXPECT_EQ(result.recorder.track_keys.at(1).rank, 3);
}

TEST(NcclInspector, ARankIsOnlyReportedWhereTheCommunicatorIsThatOfAll) {
  const std::string tp = line(context("0x1", 1, 4, "TENSOR_MODEL_PARALLEL_GROUP"), "coll_perf", verbose(collective(1, 10)));
  const std::string dp = line(context("0x2", 0, 2, "DATA_PARALLEL_GROUP"), "coll_perf", verbose(collective(1, 10)));
  const auto unknown = importLog(tp + dp);
  EXPECT_TRUE(unknown.recorder.ranks.empty());
  EXPECT_EQ(unknown.recorder.issueCount("nccl_inspector.no_rank"), 2);
  EXPECT_EQ(unknown.recorder.track_keys.at(1).name, "0x1 TENSOR_MODEL_PARALLEL_GROUP node-7 pid 4711 rank 1");
  EXPECT_EQ(unknown.recorder.track_keys.at(1).rank, std::nullopt);
  EXPECT_EQ(unknown.recorder.groups.at(0).kind, "tp");
  const auto known = importLog(tp + dp + line(context("0x3", 5, 8, "default_pg"), "coll_perf", collective(1, 10)));
  EXPECT_EQ(known.recorder.ranks.at(0).rank, 5);
  for (const auto& [id, key] : known.recorder.track_keys) EXPECT_EQ(key.rank, 5) << key.name;
  EXPECT_EQ(known.recorder.attempts.at(0).layout.world, 8);
  EXPECT_EQ(importLog(tp + dp, 0, "job_rank_6.log").recorder.ranks.at(0).rank, 6);
}

TEST(NcclInspector, FromFormat43OnTheDumpTellsWhoseTheRecordsAre) {
  const Json dump = {{"coll_records", 1}, {"coll_dropped_since_last_dump", 512}, {"p2p_records", 1}, {"p2p_dropped_since_last_dump", 3}};
  const Json p2p = {{"p2p", "Send"}, {"p2p_sn", 7}, {"p2p_peer", 3}, {"p2p_msg_size_bytes", 4096}, {"p2p_exec_time_us", 12}};
  const std::string text = line(context("0xabc", 2, 8), "dump_stats", dump) + line(Json::object(), "coll_perf", collective(9, 10)) +
                           line(Json::object(), "p2p_perf", p2p) + line(Json::object(), "proxy_trace", {{"record_type", "proxy_op"}});
  const auto result = importLog(text);
  EXPECT_THAT(result.recorder.scalarsOf("coll_exec_time_us", 2).step, ElementsAre(9));
  EXPECT_THAT(result.recorder.scalarsOf("p2p_exec_time_us", 2, R"({"comm":"0xabc","op":"Send","peer":3})").step, ElementsAre(7));
  EXPECT_EQ(result.recorder.issueCount("nccl_inspector.dropped"), 515);
  EXPECT_EQ(result.recorder.issueCount("nccl_inspector.not_kept"), 1);
  // When a log has grown, only the new part is recorded, and it still belongs to the previous dump.
  const auto grown = importLog(text + line(Json::object(), "coll_perf", collective(10, 20)), text.size());
  EXPECT_THAT(grown.recorder.scalarsOf("coll_exec_time_us", 2).step, ElementsAre(10));
  EXPECT_TRUE(grown.recorder.issues.empty());
  const auto orphan =
      importLog(line(context("0xabc", 2, 8), "coll_perf", collective(8, 1)) + line(Json::object(), "coll_perf", collective(9, 1)));
  EXPECT_EQ(orphan.recorder.issueCount("nccl_inspector.no_context"), 1);
}

TEST(NcclInspector, AMillionNamesAreBoundedAndTheSpansKept) {
  std::string log;
  for (int i = 0; i < 70'000; ++i) {
    Json op = verbose(collective(i, 30));
    op["coll"] = "Send " + std::to_string(i);
    for (const char* curve : {"coll_msg_size_bytes", "coll_exec_time_us", "coll_algobw_gbs", "coll_busbw_gbs"}) op.erase(curve);
    log += line(context("0xabc", 3, 8), "coll_perf", op);
  }
  const auto result = importText(log, {.file_name = "node-7-pid4711.log"});
  std::set<std::string> names;
  std::size_t spans = 0;
  for (const auto& [track, batches] : result.recorder.span_batches)
    for (const SpanColumns& columns : batches) names.insert(columns.names.begin(), columns.names.end()), spans += columns.size();
  EXPECT_EQ(spans, 70'000U);
  EXPECT_LE(names.size(), NameTable::kMaxNames);
  EXPECT_TRUE(names.contains("Send #"));
  EXPECT_EQ(result.recorder.issueCount("trace.too_many_names"), static_cast<std::int64_t>(70'000 - (names.size() - 1)));
}

TEST(NcclInspector, OddLinesCostOnlyThemselves) {
  const Json world = context("0xabc", 2, 8);
  Json no_number = collective(1, 1), text_number = verbose(collective(2, 2));
  no_number.erase("coll_sn");
  text_number["coll_exec_time_us"] = "soon";
  const std::string whole = line(world, "coll_perf", collective(1, 10));
  const auto result = importLog(whole + "{\"header\": nonsense\n\n[1]\n" + line(world, "coll_perf", no_number) +
                                line(world, "coll_perf", text_number) + whole.substr(0, 50));
  ASSERT_TRUE(result.status.ok());
  EXPECT_EQ(result.recorder.issueCount("nccl_inspector.broken_line"), 2);
  EXPECT_EQ(result.recorder.issueCount("nccl_inspector.no_number"), 1);
  EXPECT_EQ(result.recorder.issueCount("import.truncated"), 1);
  EXPECT_THAT(result.recorder.scalarsOf("coll_busbw_gbs", 2).step, ElementsAre(1, 2));
  EXPECT_THAT(result.recorder.span_batches.at(1).at(0).dur, ElementsAre(31'000)) << "until the last kernel has ended";
}

}  // namespace
}  // namespace runglass
