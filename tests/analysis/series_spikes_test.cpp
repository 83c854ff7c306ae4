// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_spikes/series_spikes.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/storage/sample_store.h"

namespace runglass {
namespace {

class SeriesSpikesTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = openStore(folder.file("s.rgl")).writer();
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    writer = std::move(opened).value();
    run = writer->run({.name = "r", .start = kStoreStart});
    auto reading = openStore(folder.file("s.rgl")).reader();
    ASSERT_TRUE(reading.ok()) << reading.status().message();
    reader = std::move(reading).value();
  }
  SeriesId addSeries(const std::string& key) {
    return writer->series({.attempt = writer->attempt({.run = run, .key = key}), .metric = "loss", .kind = SeriesKind::kScalar});
  }
  void add(SeriesId series, std::int64_t from, std::int64_t to, const std::vector<std::int64_t>& high = {}) {
    std::vector<std::int64_t> steps;
    std::vector<TimeNs> times;
    std::vector<double> values;
    for (std::int64_t step = from; step < to; ++step) {
      steps.push_back(step);
      times.push_back(kStoreStart + step * kNsPerSecond);
      values.push_back(std::ranges::count(high, step) > 0 ? 9 : 2 + 0.01 * static_cast<double>(step % 7));
    }
    writer->scalars(series, steps, times, values);
    ASSERT_TRUE(writer->flush().ok());
  }
  Series seriesOf(SeriesId id) {
    const std::vector<Series> all = reader->series({.run = run}).value();
    for (const Series& series : all)
      if (series.id == id) return series;
    ADD_FAILURE() << "no such series";
    return {};
  }

  test::TempFolder folder;
  std::unique_ptr<Writer> writer;
  std::unique_ptr<Reader> reader;
  RunId run;
  SpikeCache cache;
};

TEST_F(SeriesSpikesTest, ReadsEveryPointAndTellsThePeaksTime) {
  const SeriesId id = addSeries("a");
  add(id, 0, 10'000, {7'777});
  const Series series = seriesOf(id);
  const SharedSpikes spikes = cache.spikes(*reader, series, std::nullopt, {}).value();
  ASSERT_EQ(spikes->size(), 1u);
  EXPECT_EQ(spikes->front().spike.peak_step, 7'777);
  EXPECT_EQ(spikes->front().peak_time, kStoreStart + 7'777 * kNsPerSecond);
  EXPECT_EQ(cache.spikes(*reader, series, std::nullopt, {}).value(), spikes) << "nothing new: the same answer";
}

TEST_F(SeriesSpikesTest, ASeriesThatGrewGivesWhatAWholeReadGives) {
  const SeriesId id = addSeries("a");
  add(id, 0, 500, {300, 499});
  ASSERT_EQ(cache.spikes(*reader, seriesOf(id), std::nullopt, {}).value()->size(), 2u);
  add(id, 500, 1'000, {800});
  const Series series = seriesOf(id);
  const SharedSpikes grown = cache.spikes(*reader, series, std::nullopt, {}).value();
  const SharedSpikes whole = SpikeCache().spikes(*reader, series, std::nullopt, {}).value();
  ASSERT_EQ(grown->size(), 3u);
  for (std::size_t i = 0; i < grown->size(); ++i) {
    EXPECT_EQ((*grown)[i].spike, (*whole)[i].spike);
    EXPECT_EQ((*grown)[i].peak_time, (*whole)[i].peak_time);
  }
}

TEST_F(SeriesSpikesTest, PointsThatWereRunAgainAreLeftOut) {
  const SeriesId first = addSeries("a");
  add(first, 0, 1'000, {400, 900});
  const SharedSpikes spikes = cache.spikes(*reader, seriesOf(first), 600, {}).value();
  ASSERT_EQ(spikes->size(), 1u);
  EXPECT_EQ(spikes->front().spike.peak_step, 400);
}

TEST_F(SeriesSpikesTest, OldPointsThatComeLateCauseAtMostOneFullReadInTwoSeconds) {
  const SeriesId id = addSeries("a");
  add(id, 100, 500);
  EXPECT_TRUE(cache.spikes(*reader, seriesOf(id), std::nullopt, TimeNs{0}, {}).value()->empty());
  add(id, 0, 100, {60});
  const Series series = seriesOf(id);
  EXPECT_TRUE(cache.spikes(*reader, series, std::nullopt, kNsPerSecond, {}).value()->empty());
  EXPECT_EQ(cache.spikes(*reader, series, std::nullopt, 3 * kNsPerSecond, {}).value()->size(), 1u);
}

TEST_F(SeriesSpikesTest, ACancelledQuestionSaysSo) {
  const SeriesId id = addSeries("a");
  add(id, 0, 1'000);
  std::stop_source source;
  source.request_stop();
  EXPECT_EQ(cache.spikes(*reader, seriesOf(id), std::nullopt, source.get_token()).status().code(), Code::kCancelled);
}

}  // namespace
}  // namespace runglass
