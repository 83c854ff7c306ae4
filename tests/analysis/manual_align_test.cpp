// SPDX-License-Identifier: Apache-2.0
// Aligning ranks manually by one chosen operation.
#include "analysis/clock_align/manual_align.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

using testing::HasSubstr;

constexpr TimeNs kAlignStart = 1'790'000'000LL * kNsPerSecond;

// Four ranks, one step per second: a gemm, then an all_reduce that ends after 500 ms. Rank r's clock is ahead by ahead[r].
class ManualAlignTest : public ::testing::Test {
 protected:
  void record(const std::vector<DurNs>& ahead, bool with_nodes) {
    m_writer = m_store.writer().value();
    const AttemptId attempt = m_writer->attempt({.run = m_writer->run({.uuid = "u", .name = "r"})});
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      if (with_nodes) {
        const std::string name = "node-" + std::to_string(rank / 2);
        m_writer->rank({.attempt = attempt, .rank = rank, .node = m_writer->node({.uuid = name, .name = name})});
      }
      SpanColumns spans;
      spans.names = {"gemm", "all_reduce"};
      for (int step = 0; step < 10; ++step) {
        const TimeNs begin = kAlignStart + step * kNsPerSecond + ahead[static_cast<std::size_t>(rank)];
        for (const bool reduce : {false, true}) {
          spans.start.push_back(begin + (reduce ? 400 + rank : 0) * kNsPerMs), spans.dur.push_back((reduce ? 100 - rank : 300) * kNsPerMs);
          spans.name.push_back(reduce ? 1 : 0), spans.category.push_back(reduce ? SpanCategory::kComm : SpanCategory::kCompute);
          spans.group.push_back(reduce ? 3 : kAbsent), spans.seq.push_back(reduce ? step : kAbsent);
        }
      }
      m_writer->spans(m_writer->track({.attempt = attempt, .rank = rank, .kind = "gpu_stream", .name = "7"}), spans);
    }
    ASSERT_TRUE(m_writer->flush().ok());
    m_reader = m_store.reader().value();
  }
  // Rank 1's span of a step, as it is shown now.
  ChosenCall chosen(std::size_t step, bool reduce) {
    const auto tracks = m_reader->tracks(AttemptId{1});
    const Track& track = tracks->at(1);
    const auto spans = m_reader->spans(track.id, {});
    const std::size_t i = 2 * step + (reduce ? 1 : 0);
    return {.run = RunId{1}, .attempt = AttemptId{1}, .track = track.id, .rank = 1, .id = spans->id[i], .t0 = spans->start[i]};
  }
  std::map<std::int32_t, DurNs> shifts(const ChosenCall& call, AlignEdge edge) {
    const auto found = alignToCall(*m_reader, call, edge, {});
    EXPECT_TRUE(found.ok()) << found.status().message();
    std::map<std::int32_t, DurNs> by_rank;
    if (!found.ok()) return by_rank;
    EXPECT_EQ(found->source, "manual");
    for (const ClockShift& shift : found->shifts) by_rank[shift.rank] = shift.shift;
    m_found = *found;
    return by_rank;
  }
  using Shifts = std::map<std::int32_t, DurNs>;
  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Reader> m_reader;
  ClockAlignment m_found;
};

TEST_F(ManualAlignTest, MovesEachRankByTheEndOrTheBeginOfTheSameCollective) {
  record({0, 0, 3'600 * kNsPerSecond, -20 * kNsPerMs}, false);
  EXPECT_EQ(shifts(chosen(4, true), AlignEdge::kEnd), (Shifts{{0, 0}, {2, -3'600 * kNsPerSecond}, {3, 20 * kNsPerMs}}));
  EXPECT_EQ(shifts(chosen(4, true), AlignEdge::kBegin), (Shifts{{0, kNsPerMs}, {2, -3'600 * kNsPerSecond - kNsPerMs}, {3, 18 * kNsPerMs}}));
  EXPECT_EQ(m_found.shifts.back().error, 97 * kNsPerMs) << "both were in it: it cannot be off by more than the shorter one";
}

TEST_F(ManualAlignTest, MovesANodeAsOneAndNotTheChosenRanksOwn) {
  record({5 * kNsPerMs, 0, 40 * kNsPerMs, 42 * kNsPerMs}, true);
  EXPECT_EQ(shifts(chosen(2, true), AlignEdge::kEnd), (Shifts{{2, -41 * kNsPerMs}, {3, -41 * kNsPerMs}}));
}

TEST_F(ManualAlignTest, CountsSpansWithoutANumberInTheOrderOfTheirRank) {
  record({0, 0, 50 * kNsPerSecond, 0}, false);
  EXPECT_EQ(shifts(chosen(7, false), AlignEdge::kBegin), (Shifts{{0, 0}, {2, -50 * kNsPerSecond}, {3, 0}}));
}

TEST_F(ManualAlignTest, ComesOnTopOfWhatAlignedTheAttemptBefore) {
  record({0, 0, 10 * kNsPerMs, 0}, false);
  const ChosenCall before = chosen(3, true);
  ASSERT_TRUE(m_writer
                  ->edit(ClockAlignment{.run_uuid = "u",
                                        .source = "collectives",
                                        .shifts = {{1, kAlignStart, 7 * kNsPerMs, 9},
                                                   {2, kAlignStart, kNsPerMs, 9},
                                                   {2, kAlignStart + kNsPerSecond, 2 * kNsPerMs, 9}}})
                  .ok());
  const auto found = alignToCall(*m_reader, before, AlignEdge::kEnd, {});
  ASSERT_TRUE(found.ok()) << "chosen before it moved: " << found.status().message();
  ASSERT_TRUE(m_writer->edit(*found).ok());
  std::set<TimeNs> ends;
  const auto tracks = m_reader->tracks(AttemptId{1});
  for (const Track& track : *tracks) {
    const auto spans = m_reader->spans(track.id, {});
    ends.insert(spans->start[7] + spans->dur[7]);
  }
  EXPECT_EQ(ends.size(), 1U);
  EXPECT_EQ(*ends.begin(), kAlignStart + 3'507 * kNsPerMs) << "rank 1 stays where it was put";
}

TEST_F(ManualAlignTest, SaysWhyThereIsNothingToAlign) {
  record({0, 0, 0, 0}, false);
  ChosenCall gone = chosen(0, true);
  gone.id = 999'999;
  EXPECT_THAT(alignToCall(*m_reader, gone, AlignEdge::kEnd, {}).status().message(), HasSubstr("no longer in the store"));
  SpanColumns alone;
  alone.start = {kAlignStart}, alone.dur = {kAbsent}, alone.name = {0}, alone.names = {"only here"},
  alone.category = {SpanCategory::kOther};
  const TrackId track = m_writer->track({.attempt = AttemptId{1}, .rank = 1, .kind = "thread", .name = "t"});
  m_writer->spans(track, alone);
  ASSERT_TRUE(m_writer->flush().ok());
  ChosenCall open{.run = RunId{1}, .attempt = AttemptId{1}, .track = track, .rank = 1, .t0 = kAlignStart};
  open.id = m_reader->spans(track, {})->id[0];
  EXPECT_THAT(alignToCall(*m_reader, open, AlignEdge::kEnd, {}).status().message(), HasSubstr("has not ended"));
  EXPECT_THAT(alignToCall(*m_reader, open, AlignEdge::kBegin, {}).status().message(), HasSubstr("no rank on another clock"));
}

}  // namespace
}  // namespace runglass
