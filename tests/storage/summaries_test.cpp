// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "storage/codec/pyramid.h"
#include "storage/open_store.h"
#include "storage/read/change_reader.h"
#include "storage/reader.h"
#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr TimeNs kBegin = 1'760'000'000'000'000'000;
constexpr std::int64_t kBlock = kPyramidRadix;

template <class T>
T must(Result<T> result) {
  if (!result.ok()) ADD_FAILURE() << result.status().message();
  RG_CHECK(result.ok());
  return std::move(result).value();
}
TimeNs at(std::int64_t second) { return kBegin + second * kNsPerSecond; }

// 64 samples, one per second, that increase by one; `low` is the first.
Bin block(std::int64_t second, double low, std::int64_t n = kBlock) {
  const auto count = static_cast<double>(n);
  return {.x0 = at(second),
          .x1 = at(second + n - 1),
          .first = low,
          .last = low + count - 1,
          .min = low,
          .max = low + count - 1,
          .sum = count * low + count * (count - 1) / 2,
          .count = n};
}

class SummariesTest : public ::testing::Test {
 protected:
  SummariesTest() { open(); }
  void open() {
    m_writer = must(m_store.writer());
    m_series = m_writer->series({.node = m_writer->node({.uuid = "n", .name = "n"}), .metric = "power_watts", .unit = "watts"});
  }
  void reopen() {
    m_reader.reset();
    ASSERT_TRUE(m_writer->close().ok());
    open();
  }
  Reader& reader() {
    EXPECT_TRUE(m_writer->flush().ok());
    if (!m_reader) m_reader = must(m_store.reader({.live = m_writer->liveTail()}));
    return *m_reader;
  }
  std::int64_t counted(TimeNs t0, TimeNs t1, std::size_t bins = 1) {
    std::int64_t count = 0;
    for (const Bin& bin : must(reader().bins(m_series, Axis::kTime, t0, t1, bins))) count += bin.count + bin.nan_count;
    return count;
  }
  void expectIntact() { EXPECT_EQ(must(reader().verify()), std::vector<std::string>()); }

  TempStore m_store;
  std::unique_ptr<Writer> m_writer;
  std::unique_ptr<Reader> m_reader;
  SeriesId m_series;
};

TEST_F(SummariesTest, ACopyAnswersFromBlocksAlone) {
  m_writer->summaries(m_series, {.from = at(0), .blocks = {block(0, 100), block(64, 200), block(1'000, 300, 30)}, .next = {.chunk = 7}});
  const std::vector<Series> all = must(reader().series({}));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].sample_count, 158);
  EXPECT_EQ(all[0].first_x, at(0));
  EXPECT_EQ(all[0].last_x, at(1'029));
  // At the lowest zoom, and within one block.
  const Bin whole = must(reader().bins(m_series, Axis::kTime, at(0), at(2'000), 1)).at(0);
  EXPECT_EQ(whole.count, 158);
  EXPECT_EQ(whole.min, 100);
  EXPECT_EQ(whole.max, 329);
  EXPECT_EQ(counted(at(10), at(20), 10), kBlock) << "the block that it is in";
  EXPECT_EQ(counted(at(200), at(900), 100), 0) << "nothing was there";
  const std::vector<Bin> bins = must(reader().bins(m_series, Axis::kTime, at(0), at(1'100), 1'100));
  for (const Bin& bin : bins) EXPECT_TRUE(bin.count == 0 || bin.x1 - bin.x0 <= kBlock * kNsPerSecond) << "a hole after a block is seen";
  const SampleColumns samples = must(reader().samples(m_series, {at(100), at(1'010)}));
  EXPECT_EQ(samples.size(), 0u);
  EXPECT_EQ(samples.summarised, kBlock + 30) << "they are not here, which is not that there were none";
  EXPECT_EQ(must(reader().samples(m_series, {at(200), at(900)})).summarised, 0);
  expectIntact();
}

TEST_F(SummariesTest, TheNewestAtAMomentIsOneThatABlockNames) {
  m_writer->summaries(m_series, {.from = at(0), .blocks = {block(0, 100), block(64, 200)}, .next = {}});
  const auto newest = [&](TimeNs moment) { return must(reader().latestAt({&m_series, 1}, moment)); };
  EXPECT_TRUE(newest(at(-1)).empty());
  ASSERT_EQ(newest(at(30)).size(), 1u);
  EXPECT_EQ(newest(at(30))[0].value, 100) << "of the block's samples up to there only the first is known";
  EXPECT_EQ(newest(at(30))[0].mean, 131.5);
  EXPECT_EQ(newest(at(30) + 7)[0].time, at(30)) << "nobody was silent then";
  EXPECT_EQ(must(reader().latest({&m_series, 1})).at(0).mean, 231.5);
  EXPECT_EQ(newest(at(63))[0].value, 163);
  EXPECT_EQ(newest(at(5'000))[0].value, 263);
  EXPECT_EQ(newest(at(5'000))[0].time, at(127));
  EXPECT_EQ(must(reader().latest({&m_series, 1})).at(0).value, 263);
}

TEST_F(SummariesTest, WhatIsReportedAgainFromSomewhereOnReplacesWhatWasThere) {
  m_writer->summaries(m_series, {.from = at(0), .blocks = {block(0, 1), block(64, 2), block(128, 3, 10)}, .next = {.chunk = 1}});
  m_writer->summaries(m_series, {.from = at(128), .blocks = {block(128, 3), block(192, 4)}, .next = {.chunk = 2}});
  EXPECT_EQ(counted(at(0), at(1'000)), 4 * kBlock) << "before it was stored";
  m_writer->summaries(m_series, {.from = at(64), .blocks = {block(64, 5), block(192, 6)}, .next = {.chunk = 3, .late = {64, at(5)}}});
  EXPECT_EQ(counted(at(0), at(1'000)), 3 * kBlock) << "and after";
  EXPECT_EQ(must(reader().bins(m_series, Axis::kTime, at(64), at(128), 1)).at(0).min, 5);
  expectIntact();
  reopen();
  EXPECT_EQ(counted(at(0), at(1'000)), 3 * kBlock);
  const auto copied = must(must(openStore(m_store.path()).changes())->copied());
  ASSERT_TRUE(copied.contains(m_series));
  EXPECT_EQ(copied.at(m_series), (SummaryPosition{.chunk = 3, .late = {64, at(5)}}));
}

TEST_F(SummariesTest, StaysEqualToWhatWasReportedWhateverTheOrder) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<Bin> model;
    std::int64_t end = 0;
    m_writer->summaries(m_series, {.from = std::numeric_limits<std::int64_t>::min(), .blocks = {}, .next = {}});
    for (int i = 0; i < 300; ++i) {
      const std::int64_t from = below(8) == 0 ? below(static_cast<int>(end) + 1) : end;
      Summaries reported{.from = at(from), .blocks = {}, .next = {}};
      std::int64_t second = from;
      for (int n = below(6) == 0 ? 300 : 1 + below(5); n > 0; --n) {
        const std::int64_t length = 1 + below(kBlock);
        reported.blocks.push_back(block(second, below(1'000), length));
        second += below(9) == 0 ? 500 : length;
      }
      std::erase_if(model, [&](const Bin& one) { return one.x0 >= reported.from; });
      model.insert(model.end(), reported.blocks.begin(), reported.blocks.end());
      end = (model.back().x1 - kBegin) / kNsPerSecond + 1;
      m_writer->summaries(m_series, reported);
      if (below(4) == 0) {
        ASSERT_TRUE(m_writer->flush().ok());
      }
      if (below(60) == 0) reopen();
    }
    std::int64_t count = 0;
    double min = model[0].min, max = model[0].max;
    for (const Bin& one : model) count += one.count, min = std::min(min, one.min), max = std::max(max, one.max);
    const Bin all = must(reader().bins(m_series, Axis::kTime, at(-1), at(end + 1), 1)).at(0);
    EXPECT_EQ(all.count, count) << "seed " << seed;
    EXPECT_EQ(all.min, min);
    EXPECT_EQ(all.max, max);
    EXPECT_EQ(must(reader().series({})).at(0).sample_count, count);
    NewSummaries there = must(must(openStore(m_store.path()).changes())->summaries(m_series, {}, true));
    ASSERT_TRUE(there.reported);
    EXPECT_EQ(there.reported->blocks, model) << "seed " << seed;
    expectIntact();
  }
}

TEST_F(SummariesTest, OfSeriesOfStepsTheyAreRefusedAndSaid) {
  const AttemptId attempt = m_writer->attempt({.run = m_writer->run({.uuid = "r", .name = "r"}), .key = "a"});
  const SeriesId loss = m_writer->series({.attempt = attempt, .metric = "loss", .kind = SeriesKind::kScalar});
  m_writer->summaries(loss, {.from = 0, .blocks = {block(0, 1)}, .next = {}});
  const std::vector<Issue> issues = must(reader().issues());
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].code, "mirror.refused");
  EXPECT_TRUE(must(openStore(m_store.path()).changes())->copied().value().empty());
}

// After retention: blocks without samples first, then samples with blocks.
TEST_F(SummariesTest, WhereSamplesWereForgottenOneZoomsIntoTheirBlocks) {
  constexpr int kSamples = 20'000;
  std::vector<TimeNs> times;
  std::vector<double> values;
  for (int i = 0; i < kSamples; ++i) times.push_back(at(i)), values.push_back(i % 1'000);
  m_writer->samples(m_series, times, values);
  ASSERT_TRUE(m_writer->flush().ok());
  ASSERT_TRUE(must(m_writer->applyRetention({.samples = 10'000 * kNsPerSecond}, at(kSamples))));
  const SampleColumns all = must(reader().samples(m_series, {at(0), at(kSamples)}));
  ASSERT_GT(all.size(), 9'000u);
  ASSERT_LT(all.size(), 16'000u);
  EXPECT_EQ(static_cast<std::int64_t>(all.size()) + all.summarised, kSamples) << "each is there or said to be summarised, none twice";
  for (const std::size_t bins : {1u, 7u, 300u, 2'000u, 30'000u}) EXPECT_EQ(counted(at(0), at(kSamples), bins), kSamples) << bins;
  EXPECT_EQ(counted(at(1'000), at(1'010), 500), kBlock) << "of its samples nothing is known but the block";
  const TimeNs border = all.time.front();
  EXPECT_EQ(counted(border, border + 100 * kNsPerSecond, 50), 100) << "and behind them as if none were forgotten";
  EXPECT_EQ(must(reader().samples(m_series, {border, at(kSamples)})).summarised, 0);
  const auto newest = must(reader().latestAt({&m_series, 1}, at(1'005)));
  ASSERT_EQ(newest.size(), 1u);
  EXPECT_EQ(newest[0].time, at(1'005));
  ASSERT_TRUE(newest[0].mean);
  EXPECT_NE(newest[0].value, 5);
  EXPECT_FALSE(must(reader().latestAt({&m_series, 1}, at(19'000))).at(0).mean);
  expectIntact();
}

// An exported run includes the summaries of samples that are not in this store.
TEST_F(SummariesTest, AnExportHasTheBlocksOfWhatWasForgotten) {
  const NodeId node = m_writer->node({.uuid = "n", .name = "n"});
  const DeviceId gpu = m_writer->device({.uuid = "g", .node = node, .kind = "gpu"});
  const RunId run = m_writer->run({.uuid = "r", .name = "r", .start = at(0), .end = at(20'000)});
  m_writer->rank({.attempt = m_writer->attempt({.run = run, .key = "a", .start = at(0)}), .rank = 0, .node = node, .device = gpu});
  m_series = m_writer->series({.node = node, .device = gpu, .metric = "power_watts", .unit = "watts"});
  std::vector<TimeNs> times;
  std::vector<double> values;
  for (int i = 0; i < 20'000; ++i) times.push_back(at(i)), values.push_back(i % 1'000);
  m_writer->samples(m_series, times, values);
  ASSERT_TRUE(m_writer->flush().ok());
  ASSERT_TRUE(must(m_writer->applyRetention({.samples = 10'000 * kNsPerSecond}, at(20'000))));
  const std::int64_t there = must(reader().samples(m_series, {at(0), at(20'000)})).summarised;
  ASSERT_GT(there, 0);
  const std::string to = m_store.file("export.rgl");
  m_reader.reset();
  ASSERT_TRUE(m_writer->close().ok());
  const Status exported = exportRun(m_store.path(), run, {}, to);
  ASSERT_TRUE(exported.ok()) << exported.message();
  const auto copy = must(openStore(to).reader());
  EXPECT_EQ(must(copy->verify()), std::vector<std::string>());
  std::vector<Series> series = must(copy->series({.metric = "power_watts"}));
  std::erase_if(series, [](const Series& one) { return !one.key.device; });
  ASSERT_EQ(series.size(), 1u);
  EXPECT_EQ(series[0].sample_count, 20'000);
  EXPECT_EQ(series[0].first_x, at(0));
  EXPECT_EQ(series[0].last_x, at(19'999));
  const SampleColumns samples = must(copy->samples(series[0].id, {at(0), at(20'000)}));
  EXPECT_EQ(samples.summarised, there);
  EXPECT_EQ(static_cast<std::int64_t>(samples.size()) + there, 20'000);
  EXPECT_EQ(must(copy->bins(series[0].id, Axis::kTime, at(0), at(20'000), 1)).at(0).count, 20'000);
}

}  // namespace
}  // namespace runglass
