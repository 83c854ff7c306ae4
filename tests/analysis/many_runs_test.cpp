// SPDX-License-Identifier: Apache-2.0
// The cost of analysing all runs of a store is proportional to its content: quadratic work would show as rows read.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/engine/analysis.h"
#include "analysis/layout/layout_reading.h"
#include "storage/open_store.h"
#include "storage/travel/forwarding_reader.h"
#include "storage/writer.h"
#include "tests/support/temp_folder.h"

namespace runglass {
namespace {

constexpr std::int32_t kRanks = 4;
constexpr std::int64_t kSteps = 40;

void recordRuns(Writer& writer, int runs) {
  const TimeNs begin = 1'700'000'000 * kNsPerSecond;
  const NodeId node = writer.node({.uuid = "n0", .name = "n0"});
  for (int i = 0; i < runs; ++i) {
    const std::string name = "run " + std::to_string(i);
    const RunId run =
        writer.run({.uuid = name, .name = name, .time_domain = TimeDomain::kUtc, .state = RunState::kFinished, .start = begin});
    for (int number = 0; number < 2; ++number) {
      const TimeNs start = begin + number * 100 * kNsPerSecond;
      const AttemptId attempt = writer.attempt({.run = run,
                                                .key = std::to_string(number),
                                                .start = start,
                                                .end = start + 90 * kNsPerSecond,
                                                .layout = {.world = kRanks, .dp = kRanks}});
      for (std::int32_t rank = 0; rank < kRanks; ++rank) {
        writer.rank({.attempt = attempt, .rank = rank, .node = node, .device = {}});
        const SeriesId times = writer.series({.attempt = attempt, .rank = rank, .metric = "step_time_ns", .kind = SeriesKind::kScalar});
        for (std::int64_t step = 0; step < kSteps; ++step)
          writer.scalar(times, step + kSteps * number, start + step * kNsPerSecond, 1e9 + static_cast<double>(step % 7) * 1e6);
      }
    }
  }
}

class CountingReader final : public ForwardingReader {
 public:
  using ForwardingReader::ForwardingReader;
  Result<std::vector<Run>> runs() override { return counted(inner().runs()); }
  Result<std::vector<Attempt>> attempts(RunId run) override { return counted(inner().attempts(run)); }
  Result<std::vector<Rank>> ranks(AttemptId attempt) override { return counted(inner().ranks(attempt)); }
  Result<std::vector<Fact>> facts(AttemptId attempt) override { return counted(inner().facts(attempt)); }
  Result<std::vector<Series>> series(const SeriesFilter& filter) override { return counted(inner().series(filter)); }
  Result<std::vector<Finding>> findings(std::optional<RunId> run) override { return counted(inner().findings(run)); }
  std::size_t rows() const { return m_rows; }

 private:
  template <class Row>
  Result<std::vector<Row>> counted(Result<std::vector<Row>> answer) {
    if (answer.ok()) m_rows += answer->size();
    return answer;
  }
  std::size_t m_rows = 0;
};

std::size_t rowsOfAll(int runs) {
  const test::TempFolder folder;
  const std::string path = folder.file("runs.rgl");
  {
    auto writer = openStore(path).writer();
    EXPECT_TRUE(writer.ok()) << writer.status().message();
    recordRuns(**writer, runs);
    EXPECT_TRUE((*writer)->close().ok());
  }
  auto store = openStore(path).reader();
  EXPECT_TRUE(store.ok()) << store.status().message();
  const auto all = (*store)->runs();
  EXPECT_EQ(all->size(), static_cast<std::size_t>(runs));
  CountingReader reader(**store);
  for (const Run& run : *all)
    for (const AnalysisEntry& entry : analyses()) {
      const auto found = entry.make()->look({.reader = reader, .run = run.id, .now = {}, .stop = {}});
      EXPECT_TRUE(found.ok()) << entry.name << ": " << found.status().message();
    }
  return reader.rows();
}

TEST(ManyRuns, AnAnalysisOfEachReadsNoRowsOfTheOthers) {
  const std::size_t few = rowsOfAll(4), many = rowsOfAll(32);
  EXPECT_GT(few, 0U);
  EXPECT_EQ(many, 8 * few);
}

class FactCounter final : public ForwardingReader {
 public:
  using ForwardingReader::ForwardingReader;
  Result<std::vector<Fact>> facts(AttemptId attempt) override {
    ++m_asked;
    return inner().facts(attempt);
  }
  int asked() const { return m_asked; }

 private:
  int m_asked = 0;
};

TEST(PlacedRanks, ReadFactsOnlyWhereARankLacksACoordinate) {
  const test::TempFolder folder;
  auto writer = openStore(folder.file("places.rgl")).writer();
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  const RunId run = (*writer)->run({.uuid = "r", .name = "r"});
  AttemptId attempts[2];
  for (int number = 0; number < 2; ++number) {
    attempts[number] = (*writer)->attempt({.run = run, .key = std::to_string(number), .layout = {.world = 4, .tp = 2, .pp = 1, .dp = 2}});
    for (std::int32_t rank = 0; rank < 4; ++rank) {
      Rank one{
          .attempt = attempts[number], .rank = rank, .node = {}, .device = {}, .tp = rank % 2, .pp = 0, .dp = rank / 2, .cp = 0, .ep = 0};
      if (number == 1 && rank == 3) one.dp.reset();
      (*writer)->rank(one);
    }
    (*writer)->fact({.attempt = attempts[number], .key = "use_tp_pp_dp_mapping", .value = "False"});
  }
  ASSERT_TRUE((*writer)->close().ok());
  const auto store = openStore(folder.file("places.rgl")).reader().value();
  FactCounter reader(*store);
  const auto said = placedRanks(reader, attempts[0]);
  ASSERT_EQ(said->size(), 4U);
  EXPECT_EQ(said->back().dp, 1);
  EXPECT_EQ(reader.asked(), 0);
  EXPECT_EQ(placedRanks(reader, attempts[1])->back().dp, 1);
  EXPECT_EQ(reader.asked(), 1);
  EXPECT_EQ(placedRanks(reader, attempts[0], std::vector<std::int32_t>{0, 9})->size(), 5U);
  EXPECT_EQ(reader.asked(), 2);
}

}  // namespace
}  // namespace runglass
