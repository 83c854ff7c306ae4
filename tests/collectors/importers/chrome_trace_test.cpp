// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "collectors/importers/chrome_trace/event_slicer.h"
#include "collectors/importers/chrome_trace/job_sizes.h"
#include "collectors/importers/chrome_trace/op_category.h"
#include "collectors/importers/chrome_trace/row_names.h"
#include "tests/collectors/importers/import_fixture.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

using test::Imported;
using test::importText;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

struct Flat {
  std::string name;
  TimeNs start;
  DurNs dur;
  friend bool operator==(const Flat&, const Flat&) = default;
};
std::vector<Flat> spansOf(const Imported& result) {
  std::vector<Flat> all;
  for (const auto& [track, batches] : result.recorder.span_batches)
    for (const SpanColumns& batch : batches)
      for (std::size_t i = 0; i < batch.size(); ++i) all.push_back({batch.names[batch.name[i]], batch.start[i], batch.dur[i]});
  return all;
}
std::vector<std::string> tracksOf(const Imported& result) {
  std::vector<std::string> all;
  for (const auto& [id, key] : result.recorder.track_keys)
    all.push_back((key.rank ? std::to_string(*key.rank) : "-") + " " + key.kind + ": " + key.name);
  return all;
}

constexpr const char* kX = R"({"name":"a","ph":"X","pid":1,"tid":2,"ts":5.25,"dur":2.5})";

TEST(ChromeTrace, ReadsTheObjectFormTheArrayFormAndAnArrayThatNobodyClosed) {
  const std::string event = kX;
  for (const std::string& text : {R"({"traceEvents":[)" + event + "]}", "[" + event + "]", "[" + event + ",\n", "[" + event}) {
    for (const std::size_t piece : {1, 7, 1 << 20}) {
      const auto result = importText(text, {}, piece);
      ASSERT_TRUE(result.status.ok()) << text << result.status.message();
      EXPECT_EQ(result.kind, "chrome_trace");
      EXPECT_THAT(spansOf(result), ElementsAre(Flat{"a", 5'250, 2'500})) << text;
      EXPECT_EQ(result.report.partial_reason, "") << text;
      EXPECT_EQ(result.recorder.runs.at(0).time_domain, TimeDomain::kRelative);
      EXPECT_EQ(result.recorder.runs.at(0).start, std::nullopt) << "no wall time is invented";
    }
  }
}

TEST(ChromeTrace, TimesThatCountFrom1970AreUtc) {
  const auto result = importText(R"([{"name":"a","ph":"X","pid":1,"ts":1759300074000000.125,"dur":1}])");
  EXPECT_EQ(result.recorder.runs.at(0).time_domain, TimeDomain::kUtc);
  EXPECT_EQ(result.recorder.runs.at(0).start, 1'759'300'074'000'000'125);
}

TEST(ChromeTrace, BeginsAndEndsMakeSpansAndWhatIsLeftOverIsCounted) {
  const auto result = importText(R"([
    {"ph":"B","pid":1,"tid":1,"ts":1,"name":"outer","args":{"step":4}}, {"ph":"B","pid":1,"tid":1,"ts":2,"name":"inner"},
    {"ph":"B","pid":1,"tid":2,"ts":2,"name":"other"},
    {"ph":"E","pid":1,"tid":1,"ts":3}, {"ph":"E","pid":1,"tid":1,"ts":9,"name":"outer"},
    {"ph":"E","pid":1,"tid":1,"ts":10,"name":"never begun"},
    {"ph":"E","pid":7,"tid":7,"ts":11},
    {"ph":"E","pid":1,"tid":2,"ts":12,"name":"another name"}])");
  EXPECT_THAT(spansOf(result),
              UnorderedElementsAre(Flat{"outer", 1'000, 8'000}, Flat{"inner", 2'000, 1'000}, Flat{"other", 2'000, kAbsent}));
  const SpanColumns& columns = result.recorder.span_batches.at(1).at(0);
  EXPECT_THAT(columns.step, ElementsAre(4, kAbsent));
  EXPECT_THAT(columns.depth, ElementsAre(0, 1));
  EXPECT_EQ(result.recorder.issueCount("chrome_trace.unmatched_end"), 3);
  EXPECT_EQ(result.recorder.issueCount("chrome_trace.never_ended"), 1);
}

TEST(ChromeTrace, AnEndMayAddToTheArgsOfItsBegin) {
  const auto result =
      importText(R"([{"ph":"B","pid":1,"ts":1,"name":"a","args":{"step":1,"x":"y"}}, {"ph":"E","pid":1,"ts":2,"args":{"mb_id":5}},
    {"ph":"B","pid":1,"ts":3,"name":"b","args":{ }}, {"ph":"E","pid":1,"ts":4,"args":{"step":2}}])");
  const SpanColumns& columns = result.recorder.span_batches.at(1).at(0);
  EXPECT_THAT(columns.step, ElementsAre(1, testing::_));
  EXPECT_THAT(columns.microbatch, ElementsAre(5, kAbsent));
  EXPECT_EQ(columns.args.at(0), R"({"step":1,"x":"y","mb_id":5})");
}

TEST(ChromeTrace, AnOpenSpanEnclosesWhatBeginsInIt) {
  const auto result = importText(
      R"([{"ph":"B","pid":1,"ts":1,"name":"open"},{"ph":"X","pid":1,"ts":1,"dur":5,"name":"inside"},{"ph":"X","pid":1,"ts":90,"dur":5,"name":"later"}])");
  const SpanColumns& columns = result.recorder.span_batches.at(1).at(0);
  EXPECT_THAT(columns.dur, ElementsAre(kAbsent, 5'000, 5'000));
  EXPECT_THAT(columns.depth, ElementsAre(0, 1, 1));
}

TEST(ChromeTrace, ArgsAndNamesOfRowsSayRankCoordinatesStepAndMicrobatch) {
  // As written by veScale's ndtimeline: rank and coordinates in args, dp in the process name; names come last.
  const auto result = importText(
      R"([{"name":"forward-compute","cat":"forward-compute","pid":1,"tid":30,"ts":1759300074000000.0,"dur":5,"ph":"X","args":{"rank":3,"step":7,"tp":1,"pp":0,"mb_id":2}},)"
      R"({"name":"tp-allreduce","pid":1,"tid":34,"ts":1759300074000002.0,"dur":1,"ph":"X","args":{"rank":3,"step":7,"tp":1,"pp":0,"mb_id":-1}},)"
      R"({"name":"thread_name","pid":1,"tid":30,"ph":"M","args":{"name":"rank[3] main"}},)"
      R"({"name":"thread_name","pid":1,"tid":34,"ph":"M","args":{"name":"rank[3] tp collective"}},)"
      R"({"name":"process_name","pid":1,"ph":"M","args":{"name":"dp rank[1]"}}])");
  EXPECT_THAT(tracksOf(result), ElementsAre("3 compute: rank[3] main", "3 tp_comm: rank[3] tp collective"));
  ASSERT_EQ(result.recorder.ranks.size(), 1U);
  const Rank& rank = result.recorder.ranks.at(0);
  EXPECT_EQ(rank.rank, 3);
  EXPECT_EQ(rank.tp, 1);
  EXPECT_EQ(rank.pp, 0);
  EXPECT_EQ(rank.dp, 1);
  EXPECT_EQ(rank.cp, std::nullopt);
  const SpanColumns& main = result.recorder.span_batches.at(1).at(0);
  EXPECT_THAT(main.step, ElementsAre(7));
  EXPECT_THAT(main.microbatch, ElementsAre(2));
  EXPECT_THAT(main.category, ElementsAre(SpanCategory::kCompute));
  const SpanColumns& collective = result.recorder.span_batches.at(2).at(0);
  EXPECT_TRUE(collective.microbatch.empty()) << "-1 says that there is none";
  EXPECT_THAT(collective.category, ElementsAre(SpanCategory::kComm));
}

TEST(ChromeTrace, RowsWithoutNamesAreTheirNumbersAndEqualNamesStayApart) {
  const auto result = importText(R"([{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}},
    {"ph":"M","name":"process_name","pid":2,"args":{"name":"python"}}, {"ph":"M","name":"thread_name","pid":1,"tid":5,"args":{"name":"io"}},
    {"ph":"X","name":"a","pid":1,"tid":5,"ts":1,"dur":1}, {"ph":"X","name":"a","pid":2,"tid":6,"ts":1,"dur":1},
    {"ph":"X","name":"a","pid":1,"tid":6,"ts":1,"dur":1}, {"ph":"X","name":"a","pid":9,"tid":"x","ts":1,"dur":1},
    {"ph":"X","name":"a","pid":1,"ts":1,"dur":1}])");
  EXPECT_THAT(tracksOf(result), ElementsAre("- thread: python / io", "- thread: python / 6", "- thread: python / 6 (1/6)",
                                            "- thread: 9 / x", "- process: python"));
}

TEST(ChromeTrace, InstantsAreEventsCountersAreSeriesAndTheRestIsCounted) {
  const auto result = importText(R"([{"ph":"i","name":"restart","pid":1,"tid":2,"ts":3,"s":"g","args":{"step":12}},
    {"ph":"I","name":"old style","pid":1,"tid":2}, {"ph":"C","name":"memory_bytes","pid":1,"ts":4,"args":{"used":7,"free":"2.5","what":"x"}},
    {"ph":"s","id":1,"pid":1,"tid":2,"ts":1}, {"ph":"f","id":1,"pid":1,"tid":2,"ts":2}, {"ph":"b","id":2,"pid":1,"ts":1,"name":"async"}])");
  ASSERT_TRUE(result.status.ok());
  EXPECT_THAT(result.recorder.events, ElementsAre(AllOf(Field(&Event::kind, "instant"), Field(&Event::message, "restart"),
                                                        Field(&Event::time, 3'000), Field(&Event::step, 12)),
                                                  AllOf(Field(&Event::message, "old style"), Field(&Event::time, std::nullopt))));
  EXPECT_THAT(result.recorder.samplesOf("memory_bytes", R"({"process":"1","series":"used"})").value, ElementsAre(7.0));
  EXPECT_THAT(result.recorder.samplesOf("memory_bytes", R"({"process":"1","series":"free"})").value, ElementsAre(2.5));
  EXPECT_EQ(result.recorder.series_keys.begin()->second.unit, "bytes");
  EXPECT_EQ(result.recorder.issueCount("chrome_trace.odd_counter"), 1);
  EXPECT_EQ(result.recorder.issueCount("chrome_trace.flow"), 2);
  EXPECT_EQ(result.recorder.issueCount("chrome_trace.not_kept"), 1);
  EXPECT_EQ(result.report.skipped_reason, "");
}

TEST(ChromeTrace, InstantsAreBoundedAndTheOthersCounted) {
  std::string text = "[";
  for (int i = 0; i < 100'002; ++i) text += R"({"ph":"i","name":"n","pid":1,"ts":1},)";
  const auto result = importText(text);
  EXPECT_EQ(result.recorder.events.size(), 100'000U);
  EXPECT_EQ(result.recorder.issueCount("chrome_trace.too_many_instants"), 2);
}

TEST(ChromeTrace, SpansWithAbsurdDurationsStayWithoutLength) {
  const auto result =
      importText(R"([{"ph":"X","name":"back","pid":1,"ts":10,"dur":-4}, {"ph":"X","name":"far","pid":1,"ts":9223372036854000,
    "dur":9223372036854000}, {"ph":"X","name":"none","pid":1,"ts":11}, {"ph":"X","name":"when","pid":1,"dur":1},
    {"ph":"X","name":"never","pid":1,"ts":9e99,"dur":1}, {"ph":"B","name":"turned","pid":1,"ts":20}, {"ph":"E","pid":1,"ts":19}])");
  EXPECT_THAT(spansOf(result), ElementsAre(Flat{"back", 10'000, 0}, Flat{"none", 11'000, 0}, Flat{"turned", 20'000, 0},
                                           Flat{"far", 9'223'372'036'854'000'000, 0}));
  EXPECT_EQ(result.recorder.issueCount("chrome_trace.bad_duration"), 4);
  EXPECT_EQ(result.recorder.issueCount("chrome_trace.no_time"), 2);
  EXPECT_THAT(result.recorder.issues, testing::Contains(Field(&Issue::detail, HasSubstr("-5000 ns"))));
}

TEST(ChromeTrace, OfDuplicateKeysTheLastCounts) {
  const auto result =
      importText(R"([{"ph":"X","name":"a","name":"b","pid":1,"ts":1,"ts":2,"dur":1,"args":{"step":1,"step":2},"args":{"step":3}}])");
  EXPECT_THAT(spansOf(result), ElementsAre(Flat{"b", 2'000, 1'000}));
  EXPECT_THAT(result.recorder.span_batches.at(1).at(0).step, ElementsAre(3));
}

TEST(ChromeTrace, ABrokenEventCostsOnlyItselfWhateverKeyEventsBeginWith) {
  const std::string good = kX, broken = "{\"name\":\"say \"hi\"\n there\",\"ph\":\"X\",\"pid\":1,\"ts\":1,\"dur\":1}";
  const auto result = importText("[" + good + "," + broken + "," + good + ",{\"name\":1},7," + good + "]");
  EXPECT_EQ(spansOf(result).size(), 3U);
  EXPECT_GE(result.recorder.issueCount("chrome_trace.broken_event"), 2);
}

TEST(ChromeTrace, ATraceThatIsCutAnywhereKeepsWhatIsWhole) {
  const std::vector<std::string> events = {kX, R"({"ph":"B","pid":1,"tid":2,"ts":8,"name":"\"q\\"})",
                                           R"({"ph":"E","pid":1,"tid":2,"ts":9})"};
  std::string whole = "[";
  for (const std::string& next : events) {
    for (std::size_t size = 1; size < next.size(); ++size) {
      if (whole.size() + size < 30) continue;  // too little to be recognised
      const auto result = importText(whole + next.substr(0, size));
      ASSERT_TRUE(result.status.ok()) << size << ": " << result.status.message();
      EXPECT_THAT(result.report.partial_reason, HasSubstr("ends in the middle")) << whole << next.substr(0, size);
    }
    whole += next;
    EXPECT_EQ(importText(whole).report.partial_reason, "") << "the ] may be left out";
    whole += ", ";
    EXPECT_EQ(importText(whole).report.partial_reason, "");
  }
  EXPECT_THAT(spansOf(importText(whole)), ElementsAre(Flat{"a", 5'250, 2'500}, Flat{"\"q\\", 8'000, 1'000}));
}

TEST(ChromeTrace, TextNestedAMillionDeepIsPassedOverInBoundedTime) {
  const std::string good = kX;
  std::string deep = "[" + good + ",";
  for (int i = 0; i < 1'000'000; ++i) deep += "{\"name\":";
  EXPECT_EQ(spansOf(importText(deep)).size(), 1U);
  EXPECT_EQ(spansOf(importText("[" + good + "," + std::string(1'000'000, '[') + good)).size(), 2U);
  EXPECT_EQ(spansOf(importText("[" + good + R"(,{"name":"b","ph":"X","args":)" + std::string(1'000'000, '{'))).size(), 1U);
}

TEST(ChromeTrace, AKeyThatNeverEndsDoesNotFillTheMemory) {
  std::size_t members = 0;
  EventSlicer slicer;
  slicer.event = [](std::string_view) { return true; };
  slicer.member = [&](std::string_view, std::string_view) { ++members; };
  slicer.feed("{\"");
  const std::string piece(1 << 20, 'k');
  for (int i = 0; i < 40; ++i) slicer.feed(piece);
  EXPECT_EQ(slicer.broken(), 1);
  EXPECT_GE(slicer.offset(), EventSlicer::kMaxValue);
  EXPECT_EQ(members, 0U);
}

TEST(ChromeTrace, TenThousandsOfRowsAreBoundedAndTheOthersCounted) {
  std::string text = "[";
  for (int i = 0; i < 65'636; ++i) text += R"({"ph":"X","name":"n","pid":)" + std::to_string(i) + R"(,"tid":1,"ts":1,"dur":1},)";
  // The tests' recorder searches names linearly; this test only counts tracks.
  struct Counting : test::MemoryRecorder {
    TrackId track(const TrackKey&) override { return TrackId{++tracks}; }
    std::uint64_t tracks = 0;
  } out;
  ImportReport report;
  test::TextStream stream(text);
  Importer* importer = test::importerFor({"test", std::string_view(text).substr(0, 64 << 10)});
  ASSERT_TRUE(importer->run(stream, {.run_name = "run", .path = "test"}, out, report, {}).ok());
  EXPECT_EQ(out.tracks, 65'536U);
  EXPECT_EQ(out.issueCount("chrome_trace.too_many_tracks"), 100);
}

TEST(ChromeTrace, AGrownTraceAddsOnlyWhatIsNew) {
  const std::string before = R"([{"ph":"X","name":"a","pid":1,"ts":1,"dur":1},{"ph":"B","name":"b","pid":1,"ts":3},)";
  const std::string after = before + R"({"ph":"E","name":"b","pid":1,"ts":5},{"ph":"X","name":"c","pid":1,"ts":6,"dur":1},)";
  const auto first = importText(before);
  EXPECT_THAT(spansOf(first), ElementsAre(Flat{"a", 1'000, 1'000}, Flat{"b", 3'000, kAbsent}));
  const auto second = importText(after, {.resume_at = first.report.committed_offset});
  EXPECT_THAT(spansOf(second), ElementsAre(Flat{"b", 3'000, 2'000}, Flat{"c", 6'000, 1'000}));
  EXPECT_EQ(second.recorder.issueCount("chrome_trace.closed_later"), 1);
  EXPECT_TRUE(spansOf(importText(after, {.resume_at = second.report.committed_offset})).empty());
}

TEST(RowNames, AreReadAsTheirWritersMeanThem) {
  EXPECT_EQ(meaningOf("PP rank 3, TP rank 1, pp-comm").lane, "pp-comm");
  EXPECT_EQ(meaningOf("PP rank 3, TP rank 1, pp-comm").at, (Coordinates{.tp = 1, .pp = 3}));
  EXPECT_EQ(meaningOf("PP rank 3, TP rank 1, pp-comm").rank, std::nullopt);
  EXPECT_EQ(meaningOf("DP rank [17]").at, (Coordinates{.dp = 17}));
  EXPECT_EQ(meaningOf("rank[12] pp ->").rank, 12);
  EXPECT_EQ(kindOfLane(meaningOf("rank[12] pp ->").lane), "pp_forward");
  EXPECT_EQ(meaningOf("Rank 5").rank, 5);
  EXPECT_EQ(meaningOf("frank 5").rank, std::nullopt);
  EXPECT_EQ(meaningOf("rank 99999999999").rank, std::nullopt);
  EXPECT_EQ(meaningOf("rank").rank, std::nullopt);
}

TEST(OpCategory, FollowsTheName) {
  EXPECT_EQ(opCategory("forward-compute", ""), SpanCategory::kCompute);
  EXPECT_EQ(opCategory("optimizer-clip-main-grad", ""), SpanCategory::kCompute);
  EXPECT_EQ(opCategory("backward-send-forward-recv", ""), SpanCategory::kComm);
  EXPECT_EQ(opCategory("embedding-grads-all-reduce", ""), SpanCategory::kComm);
  EXPECT_EQ(opCategory("ReduceScatter", ""), SpanCategory::kComm);
  EXPECT_EQ(opCategory("gc", ""), SpanCategory::kGc);
  EXPECT_EQ(opCategory("dataloader next", ""), SpanCategory::kDataload);
  EXPECT_EQ(opCategory("x", "memcpy"), SpanCategory::kMemcpy);
  EXPECT_EQ(opCategory("", "gc-ish"), SpanCategory::kOther);
}

TEST(JobSizes, AreReadStrictly) {
  const JobSizes sizes = parseJobSizes(
      "trial_name: \"SE\"\ndp_size: 32 # comment\ndsp_size: 2\r\npp_size: two\ntp_size: 0\n"
      "world_size: 128\nworld_size: 64\nnonsense\n\nother: [1, 2]\n  dp_size: 7\n");
  EXPECT_EQ(sizes.trial, "SE");
  EXPECT_EQ(sizes.layout, (Layout{.world = 128, .dp = 32, .cp = 2}));
  EXPECT_EQ(sizes.odd_lines, 4);
  EXPECT_TRUE(productFits({.world = 8, .tp = 1, .pp = 4, .dp = 2, .cp = 1}));
  EXPECT_FALSE(productFits({.world = 9, .tp = 1, .pp = 4, .dp = 2, .cp = 1}));
  EXPECT_FALSE(productFits({.world = 1, .tp = 2147483647, .pp = 2147483647, .dp = 2147483647, .cp = 2147483647}));
}

TEST(JobSizes, OfTheFolderFillLayoutAndContextRanksAndContradictionsAreCounted) {
  const test::TempFolder folder;
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder.file(name)) << text; };
  write("timeline-X.json", R"([{"name":"forward-compute","pid":1,"tid":15,"ts":1,"dur":1,"ph":"X","args":{"step":0}},
    {"name":"thread_name","pid":1,"tid":15,"ph":"M","args":{"name":"PP rank 0, TP rank 0, compute"}},
    {"name":"process_name","pid":1,"ph":"M","args":{"name":"DP rank [1]"}}])");
  write("meta-X.yaml", "dp_size: 2\npp_size: 1\ntp_size: 1\ndsp_size: 2\nworld_size: 4\n");
  const auto fits = test::importFile(folder.file("timeline-X.json"));
  EXPECT_EQ(fits.recorder.attempts.at(0).layout, (Layout{.world = 4, .tp = 1, .pp = 1, .dp = 2, .cp = 2}));
  EXPECT_EQ(fits.recorder.ranks.at(0).rank, 3);
  EXPECT_EQ(fits.recorder.ranks.at(0).cp, 1);
  EXPECT_TRUE(fits.recorder.issues.empty());

  write("meta-X.yaml", "dp_size: 1\npp_size: 1\ntp_size: 1\ndsp_size: 2\nworld_size: 4\n");
  const auto odd = test::importFile(folder.file("timeline-X.json"));
  EXPECT_EQ(odd.recorder.issueCount("chrome_trace.sizes_disagree"), 2) << "the product, and the rank with dp 1";
  std::filesystem::remove(folder.file("meta-X.yaml"));
  EXPECT_EQ(test::importFile(folder.file("timeline-X.json")).recorder.attempts.at(0).layout, Layout{});
  write("job.yaml", "dp_size: 2\npp_size: 1\nfree text\n");
  EXPECT_EQ(test::importFile(folder.file("timeline-X.json")).recorder.attempts.at(0).layout, (Layout{.pp = 1, .dp = 2}));
}

}  // namespace
}  // namespace runglass
