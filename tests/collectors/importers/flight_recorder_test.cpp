// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "collectors/importers/nccl/process_groups.h"
#include "collectors/importers/timeline/name_table.h"
#include "model/group_kind.h"
#include "tests/collectors/importers/import_fixture.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::ElementsAre;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

// A pickle of protocol 2 as written by PyTorch, with the content of `value`; tuples are not needed.
std::string little(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}
std::string pickled(const Json& value) {
  if (value.is_null()) return "N";
  if (value.is_boolean()) return value.get<bool>() ? "\x88" : "\x89";
  if (value.is_number_integer()) return "\x8a\x08" + little(static_cast<std::uint64_t>(value.get<std::int64_t>()), 8);
  if (value.is_number_float()) {
    std::string bits = little(std::bit_cast<std::uint64_t>(value.get<double>()), 8);
    std::reverse(bits.begin(), bits.end());
    return "G" + bits;
  }
  if (value.is_string()) return "X" + little(value.get<std::string>().size(), 4) + value.get<std::string>();
  std::string out = value.is_object() ? "}(" : "](";
  for (const auto& [key, member] : value.items()) out += (value.is_object() ? pickled(Json(key)) : "") + pickled(member);
  return out + (value.is_object() ? "u" : "e");
}
std::string pickle(const Json& value) { return "\x80\x02" + pickled(value) + "."; }

constexpr TimeNs kT = 1'758'580'155'000'000'000;

Json entryOf(const char* state, Json started, Json completed) {
  return {{"record_id", 7},
          {"pg_id", 5},
          {"process_group", {"35", "TENSOR_MODEL_PARALLEL_GROUP"}},
          {"collective_seq_id", 40},
          {"p2p_seq_id", 3},
          {"op_id", 43},
          {"profiling_name", "nccl:all_reduce"},
          {"time_created_ns", kT},
          {"input_sizes", {{2, 3}, {4}}},
          {"input_dtypes", {"BFloat16", "Float"}},
          {"state", state},
          {"time_discovered_started_ns", std::move(started)},
          {"time_discovered_completed_ns", std::move(completed)},
          {"retired", false},
          {"timeout_ms", 600000},
          {"is_p2p", false}};
}
Json statusOf(int enqueued, int completed) {
  return {{"last_enqueued_collective", enqueued}, {"last_started_collective", -1}, {"last_completed_collective", completed}};
}
Json dumpOf(const std::vector<Json>& entries) {
  return {{"version", "2.9"},
          {"pg_config",
           {{"0", {{"name", "0"}, {"desc", "default_pg"}, {"ranks", "[0, 1, 2, 3]"}}},
            {"35", {{"name", "35"}, {"desc", "TENSOR_MODEL_PARALLEL_GROUP"}, {"ranks", "[2, 3]"}}}}},
          {"nccl_version", "2.27.3"},
          {"pg_status", {{"0", statusOf(9, 9)}, {"5", statusOf(40, 39)}}},
          {"nccl_comm_state", {{"0xabc", {{"rank", "3"}}}}},
          {"entries", Json(entries)}};
}

Imported importDump(const std::string& text, const std::string& name = "nccl_trace_rank_3") {
  return importText(text, {.file_name = name}, 1'000);
}
SpanColumns onlySpans(const Imported& result) {
  EXPECT_EQ(result.recorder.span_batches.size(), 1U);
  return result.recorder.span_batches.empty() ? SpanColumns{} : result.recorder.span_batches.begin()->second.at(0);
}
std::string factOf(const Imported& result, std::string_view key) {
  for (const Fact& fact : result.recorder.facts)
    if (fact.key == key) return fact.value;
  return "absent";
}

TEST(FlightRecorder, PicklesAndJsonSayTheSame) {
  const Json dump = dumpOf({entryOf("scheduled", nullptr, nullptr)});
  for (const std::string& text : {pickle(dump), dump.dump()}) {
    const auto result = importDump(text);
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    EXPECT_EQ(result.kind, "nccl_flight_recorder");
    const SpanColumns spans = onlySpans(result);
    EXPECT_EQ(spans.names, std::vector<std::string>{"nccl:all_reduce"});
    EXPECT_THAT(spans.start, ElementsAre(kT));
    EXPECT_THAT(spans.dur, ElementsAre(kAbsent)) << "not completed";
    EXPECT_THAT(spans.category, ElementsAre(SpanCategory::kComm));
    EXPECT_THAT(spans.seq, ElementsAre(40));
    EXPECT_THAT(spans.bytes, ElementsAre(2 * 3 * 2 + 4 * 4));
    EXPECT_THAT(spans.group, ElementsAre(commGroupId("35", "[2, 3]")));
    Json kept = entryOf("scheduled", nullptr, nullptr);
    kept.erase("profiling_name");
    EXPECT_EQ(Json::parse(spans.args.at(0)), kept);
    const TrackKey& track = result.recorder.track_keys.at(1);
    EXPECT_EQ(track.kind, "collective");
    EXPECT_EQ(track.name, "35 TENSOR_MODEL_PARALLEL_GROUP");
    EXPECT_EQ(track.rank, 3);
    EXPECT_EQ(result.recorder.attempts.at(0).layout.world, 4);
    EXPECT_EQ(factOf(result, "nccl_version"), "2.27.3");
    EXPECT_EQ(factOf(result, "flight_recorder_version"), "2.9");
    EXPECT_EQ(factOf(result, "nccl_comm_state"), R"({"0xabc":{"rank":"3"}})");
    EXPECT_TRUE(result.recorder.issues.empty());
  }
}

TEST(FlightRecorder, AnEntryLastsUntilItWasSeenToEndOrAsLongAsTheDeviceSays) {
  Json timed = entryOf("completed", kT + 10, kT + 500);
  timed["duration_ms"] = 0.25;
  Json seen = entryOf("completed", nullptr, kT + 70), p2p = entryOf("started", kT + 5, 0);
  p2p["is_p2p"] = true;
  const auto result = importDump(dumpOf({timed, seen, p2p, entryOf("completed", kT + 9, kT + 4)}).dump());
  const SpanColumns spans = onlySpans(result);
  EXPECT_THAT(spans.start, ElementsAre(kT + 10, kT, kT + 5, kT + 9));
  EXPECT_THAT(spans.dur, ElementsAre(250'000, 70, kAbsent, 0));
  EXPECT_THAT(spans.seq, ElementsAre(40, 40, 3, 40));
  EXPECT_EQ(result.recorder.issueCount("nccl_flight_recorder.odd_end"), 1);
}

TEST(FlightRecorder, GroupsHaveTheirRanksAndWhatTheyAreFor) {
  const auto result = importDump(dumpOf({}).dump());
  ASSERT_EQ(result.recorder.groups.size(), 2U);
  EXPECT_EQ(result.recorder.groups[0].kind, "world");
  EXPECT_EQ(result.recorder.groups[1].kind, "tp");
  EXPECT_EQ(result.recorder.groups[1].name, "35 TENSOR_MODEL_PARALLEL_GROUP");
  EXPECT_THAT(result.recorder.groups[1].ranks, ElementsAre(2, 3));
  EXPECT_EQ(groupKindOf("PIPELINE_MODEL_PARALLEL_GROUP"), "pp");
  EXPECT_EQ(groupKindOf("DATA_PARALLEL_GROUP_WITH_CP"), "dp");
  EXPECT_EQ(groupKindOf("EXPERT_MODEL_PARALLEL_GROUP"), "ep");
  EXPECT_EQ(groupKindOf("CONTEXT_PARALLEL_GROUP"), "cp");
  EXPECT_EQ(groupKindOf("mesh_dp"), "dp");
  EXPECT_EQ(groupKindOf("TENSOR_AND_DATA_PARALLEL_GROUP_WITH_CP"), "") << "two dimensions are none";
  EXPECT_EQ(groupKindOf("EMBEDDING_GROUP"), "");
}

TEST(FlightRecorder, ProgressIsTheCollectiveThatTheRankWaitsForLongest) {
  Json later = entryOf("scheduled", nullptr, nullptr), first = later, done = entryOf("completed", kT, kT + 1);
  later["time_created_ns"] = kT + 50, later["collective_seq_id"] = 42;
  first["time_created_ns"] = kT + 20, first["collective_seq_id"] = 41;
  const auto result = importDump(dumpOf({done, first, later}).dump());
  ASSERT_EQ(result.recorder.progresses.size(), 1U);
  const Progress& now = result.recorder.progresses[0];
  EXPECT_EQ(now.rank, 3);
  EXPECT_EQ(now.seq, 41);
  EXPECT_EQ(now.op, "nccl:all_reduce");
  EXPECT_EQ(now.group, commGroupId("35", "[2, 3]"));
  EXPECT_EQ(now.since, kT + 20);
  EXPECT_EQ(now.time, kT + 50);
  EXPECT_TRUE(importDump(dumpOf({entryOf("completed", kT, kT + 1)}).dump()).recorder.progresses.at(0).seq)
      << "of the group's numbers, 39 of 40";
  Json idle = dumpOf({done});
  idle["pg_status"]["5"] = statusOf(40, 40);
  EXPECT_FALSE(importDump(idle.dump()).recorder.progresses.at(0).group) << "what it completed last is no wait";
  // Entries lost from the ring are still known from the group's numbers.
  const auto lost = importDump(dumpOf({done}).dump());
  EXPECT_EQ(lost.recorder.progresses.at(0).seq, 40);
  EXPECT_EQ(lost.recorder.progresses.at(0).since, std::nullopt);
}

TEST(FlightRecorder, EveryGroupsNumbersAreKeptWithItsNameWhereThatIsKnown) {
  Json dump = dumpOf({entryOf("scheduled", nullptr, nullptr)});
  dump["pg_status"]["5"]["last_enqueued_collective"] = "40";  // JSON dumps write numbers as text
  const auto all = Json::parse(factOf(importDump(dump.dump()), "nccl_pg_status"));
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0], Json({{"pg_id", "0"},
                          {"name", "0"},
                          {"desc", "default_pg"},
                          {"group_id", commGroupId("0", "[0, 1, 2, 3]")},
                          {"named_by", "order"},
                          {"last_enqueued_collective", 9},
                          {"last_completed_collective", 9}}))
      << "-1 is none";
  EXPECT_EQ(all[1]["named_by"], "entry");
  EXPECT_EQ(all[1]["last_enqueued_collective"], 40);
  dump["pg_config"]["36"] = {{"name", "36"}};
  EXPECT_FALSE(Json::parse(factOf(importDump(dump.dump()), "nccl_pg_status"))[0].contains("name")) << "no order to go by";
}

TEST(FlightRecorder, TheRankIsInTheNameOrInWhatTheGroupsHaveInCommon) {
  Json dump = dumpOf({});
  EXPECT_EQ(importDump(dump.dump(), "_dump_3").recorder.ranks.at(0).rank, 3);
  EXPECT_EQ(importDump(dump.dump(), "prefix2.json.gz").recorder.ranks.at(0).rank, 2);
  const auto dated = importDump(dump.dump(), "hang_20260101");
  EXPECT_TRUE(dated.recorder.ranks.empty()) << "a date is no rank of these groups";
  EXPECT_EQ(dated.recorder.issueCount("nccl_flight_recorder.no_rank"), 1);
  dump["pg_config"]["1"] = {{"name", "1"}, {"desc", "DATA_PARALLEL_GROUP"}, {"ranks", "[0, 2]"}};
  EXPECT_EQ(importDump(dump.dump(), "dump").recorder.ranks.at(0).rank, 2);
  const auto renamed = importDump(dump.dump(), "nccl_trace_rank_3");
  EXPECT_EQ(renamed.recorder.ranks.at(0).rank, 2);
  EXPECT_EQ(renamed.recorder.issueCount("nccl_flight_recorder.other_rank"), 1);
}

TEST(FlightRecorder, AnOpcodeThatCouldRunCodeIsRefusedByNameAndPlace) {
  const std::string whole = pickle(dumpOf({}));
  const std::string attack = whole.substr(0, whole.size() - 1) + "cos\nsystem\n(S'true'\ntR.";
  const auto result = importDump(attack);
  EXPECT_EQ(result.status.code(), Code::kInvalidArgument);
  EXPECT_THAT(result.status.message(), HasSubstr("test: byte " + std::to_string(whole.size() - 1) + ": opcode GLOBAL: not among"));
  EXPECT_TRUE(result.recorder.runs.empty()) << "nothing of it is recorded";
  const std::string allowed = "().GJKMNX]aehjqrstu}\x80\x85\x86\x87\x88\x89\x8a";
  for (int opcode = 0; opcode < 256; ++opcode) {
    if (allowed.find(static_cast<char>(opcode)) != std::string::npos) continue;
    const auto refused = importDump(whole.substr(0, whole.size() - 1) + static_cast<char>(opcode) + ".");
    EXPECT_THAT(refused.status.message(), HasSubstr("not among those of a dump")) << opcode;
  }
  const auto protocol = importDump("\x80\x04" + whole.substr(2));
  EXPECT_THAT(protocol.status.message(), HasSubstr("byte 0: opcode PROTO: protocol 4"));
}

TEST(FlightRecorder, ADumpThatIsCutAnywhereIsRefused) {
  const Json dump = dumpOf({entryOf("completed", kT, kT + 1)});
  for (const std::string& whole : {pickle(dump), dump.dump()}) {
    for (std::size_t size = whole.find("entries") + 40; size < whole.size(); ++size) {
      const auto cut = importDump(whole.substr(0, size));
      EXPECT_EQ(cut.status.code(), Code::kInvalidArgument) << size;
      EXPECT_THAT(cut.status.message(), HasSubstr("byte ")) << size;
    }
  }
  const auto more = importDump(pickle(dump) + "rest of an older dump");
  ASSERT_TRUE(more.status.ok());
  EXPECT_EQ(more.recorder.issueCount("nccl_flight_recorder.trailing_bytes"), 1);
}

// The beginning of a recognised pickle, with `value` as its entries.
std::string withEntries(const std::string& value) { return "\x80\x02}(" + pickled("pg_config") + "}" + pickled("entries") + value + "u."; }

TEST(FlightRecorder, SharedPartsAreReadAndNeitherGrowWithoutBoundNorGoRound) {
  const std::string entry = pickled(entryOf("scheduled", nullptr, nullptr)) + "q\x07";
  const auto twice = importDump(withEntries("](" + entry + "h\x07" + "e"));
  ASSERT_TRUE(twice.status.ok()) << twice.status.message();
  EXPECT_EQ(onlySpans(twice).size(), 2U);

  std::string bomb = "](Ne";  // each list contains the previous one ten times
  for (int level = 0; level < 20; ++level) {
    bomb += std::string("q") + static_cast<char>(level) + "0";
    bomb.pop_back();
    bomb = "](" + bomb;
    for (int i = 0; i < 9; ++i) bomb += std::string("h") + static_cast<char>(level);
    bomb += "e";
  }
  const auto refused = importDump(withEntries(bomb));
  EXPECT_EQ(refused.status.code(), Code::kResourceExhausted);
  EXPECT_THAT(refused.status.message(), HasSubstr("256 MiB"));

  for (const char* round : {"]q\x01(h\x01"
                            "e",
                            "]q\x01(]q\x02"
                            "eh\x02(h\x01"
                            "ea",
                            "}q\x01(X\x01\0\0\0ah\x01u"})
    EXPECT_FALSE(importDump(withEntries(std::string(round))).status.ok());
  const auto deep = importDump(withEntries(std::string(200, ']') + std::string(199, 'a')));
  EXPECT_THAT(deep.status.message(), HasSubstr("deep"));
  for (const char* bad : {"h\x09", "e", "t", "\x87", "a", "]Ns", "q\x01", "\x8a\x0a", "(((("})
    EXPECT_FALSE(importDump(withEntries(bad)).status.ok()) << bad;
}

TEST(FlightRecorder, OddEntriesCostOnlyThemselves) {
  Json no_time = entryOf("scheduled", nullptr, nullptr), unknown = no_time;
  no_time.erase("time_created_ns");
  unknown["process_group"] = {"999", "new group"};
  unknown["input_dtypes"] = {"Float128", "Float"};
  const auto result = importDump(pickle(dumpOf({no_time, "no entry", unknown})));
  ASSERT_TRUE(result.status.ok()) << result.status.message();
  EXPECT_EQ(result.recorder.issueCount("nccl_flight_recorder.no_time"), 1);
  EXPECT_EQ(result.recorder.issueCount("nccl_flight_recorder.bad_entry"), 1);
  const SpanColumns spans = onlySpans(result);
  EXPECT_THAT(spans.group, ElementsAre(commGroupId("999", "")));
  EXPECT_TRUE(spans.bytes.empty());
}

TEST(FlightRecorder, ADumpWithoutEntriesIsReported) {
  EXPECT_EQ(importDump(pickle(dumpOf({}))).recorder.issueCount("nccl_flight_recorder.no_entries"), 1);
}

TEST(FlightRecorder, AMillionNamesAreBoundedAndTheSpansKept) {
  std::vector<Json> entries(70'000, entryOf("completed", kT, kT + 1));
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i]["profiling_name"] = "nccl:send " + std::to_string(i);
  const auto result = importText(dumpOf(entries).dump(), {.file_name = "nccl_trace_rank_3"});
  std::set<std::string> names;
  std::size_t spans = 0;
  for (const auto& [track, batches] : result.recorder.span_batches)
    for (const SpanColumns& columns : batches) names.insert(columns.names.begin(), columns.names.end()), spans += columns.size();
  EXPECT_EQ(spans, 70'000U);
  EXPECT_LE(names.size(), NameTable::kMaxNames);
  EXPECT_TRUE(names.contains("nccl:send #"));
  EXPECT_EQ(result.recorder.issueCount("trace.too_many_names"), static_cast<std::int64_t>(70'000 - (names.size() - 1)));
}

TEST(FlightRecorder, MeetsTheFactsOfTheSharedRealFiles) {
  const std::filesystem::path root(RG_SHARED_DATA);
  if (!std::filesystem::exists(root / "facts.json")) GTEST_SKIP() << "no shared data at " << root;
  const auto facts = nlohmann::json::parse(std::ifstream(root / "facts.json"));
  int files = 0;
  for (const auto& [file, fact] : facts["kinds"]["nccl_flight_recorder"].items()) {
    if (!fact.contains("entries")) continue;
    SCOPED_TRACE(file);
    ++files;
    std::ifstream stream(root / "nccl_flight_recorder" / file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    const auto result = importDump(bytes, std::filesystem::path(file).filename().string());
    ASSERT_TRUE(result.status.ok()) << result.status.message();
    EXPECT_EQ(result.recorder.issues.size(), fact["entries"] == 0 ? 1U : 0U);
    EXPECT_EQ(result.recorder.ranks.at(0).rank, fact["rank"]);
    EXPECT_EQ(factOf(result, "flight_recorder_version"), fact["version"].get<std::string>());
    EXPECT_EQ(factOf(result, "nccl_version"), fact["nccl_version"].get<std::string>());
    EXPECT_EQ(result.recorder.groups.size(), fact["pg_config"].size());
    for (const CommGroup& group : result.recorder.groups) {
      const auto& known = fact["pg_config"][group.name.substr(0, group.name.find(' '))];
      EXPECT_EQ(group.name, known["name"].get<std::string>() + " " + known["desc"].get<std::string>());
      EXPECT_EQ(nlohmann::json(group.ranks), nlohmann::json::parse(known["ranks"].get<std::string>()));
    }
    const auto statuses = nlohmann::json::parse(factOf(result, "nccl_pg_status"));
    EXPECT_EQ(statuses.size(), fact["pg_status"].size());
    for (const auto& status : statuses) {
      EXPECT_TRUE(status.contains("name")) << status;
      for (const auto& [key, value] : fact["pg_status"][status["pg_id"].get<std::string>()].items())
        EXPECT_EQ(status.value(key, -1), value) << key;
    }
    std::map<std::int64_t, nlohmann::json> entries;
    std::map<std::string, int> states;
    for (const auto& [track, batches] : result.recorder.span_batches)
      for (const SpanColumns& spans : batches)
        for (std::size_t i = 0; i < spans.size(); ++i) {
          auto entry = nlohmann::json::parse(spans.args[i]);
          EXPECT_EQ(spans.start[i], entry["time_created_ns"]);
          EXPECT_EQ(spans.seq[i], entry[entry["is_p2p"].get<bool>() ? "p2p_seq_id" : "collective_seq_id"]);
          EXPECT_NE(spans.bytes[i], kAbsent);
          entry["profiling_name"] = spans.names[spans.name[i]];
          ++states[entry["state"]];
          entries[entry["record_id"]] = entry;
        }
    EXPECT_EQ(entries.size(), fact["entries"].get<std::size_t>());
    EXPECT_EQ(nlohmann::json(states).empty() ? nlohmann::json::object() : nlohmann::json(states), fact["states"]);
    for (const auto& entry : fact["entries_list"])
      for (const auto& [key, value] : entry.items()) EXPECT_EQ(entries[entry["record_id"]][key], value) << key;
    for (std::size_t size = 2; size < bytes.size(); size += 13) EXPECT_FALSE(importDump(bytes.substr(0, size)).status.ok()) << size;
  }
  EXPECT_EQ(files, 32);
}

}  // namespace
}  // namespace runglass
