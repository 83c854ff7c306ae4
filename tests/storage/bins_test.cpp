// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>

#include "storage/writer.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

SeriesId anySeries(Writer& writer) {
  SeriesKey key;
  key.node = writer.node({.id = {}, .uuid = "n", .name = "n", .rack = {}, .fabric_switch = {}, .state = {}, .last_heard = {}});
  key.metric = "power_watts";
  return writer.series(key);
}

bool sameBits(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

// For the returned edges, the bins must be the reduction of the raw samples in them.
void expectTrueBins(const std::vector<Bin>& bins, const SampleColumns& all, std::int64_t x0, std::int64_t x1, std::size_t wanted) {
  ASSERT_EQ(bins.size(), wanted);
  EXPECT_EQ(bins.front().x0, x0);
  EXPECT_EQ(bins.back().x1, x1);
  for (std::size_t k = 0; k < bins.size(); ++k) {
    const Bin& bin = bins[k];
    ASSERT_EQ(bin.x0, k > 0 ? bins[k - 1].x1 : x0) << "bins tile the range";
    ASSERT_LE(bin.x0, bin.x1);
    Bin truth;
    double magnitude = 0;
    const auto begin = std::lower_bound(all.time.begin(), all.time.end(), bin.x0) - all.time.begin();
    for (auto i = static_cast<std::size_t>(begin); i < all.size(); ++i) {
      if (all.time[i] >= bin.x1 && bin.x1 != kHighest) break;
      if (bin.x0 == bin.x1) break;
      const double v = all.value[i];
      if (std::isnan(v)) {
        ++truth.nan_count;
        continue;
      }
      if (truth.count++ == 0) truth.first = truth.min = truth.max = v;
      truth.min = std::min(truth.min, v);
      truth.max = std::max(truth.max, v);
      truth.last = v;
      truth.sum += v;
      magnitude += std::abs(v);
    }
    ASSERT_EQ(bin.count, truth.count) << "bin " << k;
    ASSERT_EQ(bin.nan_count, truth.nan_count) << "bin " << k;
    if (truth.count == 0) continue;
    ASSERT_TRUE(sameBits(bin.first, truth.first)) << "bin " << k;
    ASSERT_TRUE(sameBits(bin.last, truth.last)) << "bin " << k;
    ASSERT_EQ(bin.min, truth.min) << "bin " << k;
    ASSERT_EQ(bin.max, truth.max) << "bin " << k;
    ASSERT_NEAR(bin.sum, truth.sum, 1e-12 * magnitude + 1e-300) << "bin " << k;
  }
}

enum class Shape { kRegular, kGaps, kEqual, kLate, kNaN, kExtreme };

SampleColumns samplesOf(Shape shape, std::size_t n, std::mt19937_64& random) {
  SampleColumns s;
  std::int64_t x = shape == Shape::kExtreme ? std::numeric_limits<std::int64_t>::min() : 1'790'000'000'000'000'000;
  const auto stride = static_cast<std::int64_t>(shape == Shape::kExtreme ? ~std::uint64_t{0} / n : 1'000'000);
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t at = x;
    if (shape == Shape::kLate && random() % 500 == 0) at -= static_cast<std::int64_t>(random() % 20'000) * 1'000'000;
    s.time.push_back(at);
    double v = std::round(1000 * (250 + 40 * std::sin(static_cast<double>(i) * 0.001))) / 1000;
    if (shape == Shape::kNaN && random() % 3 == 0) v = std::nan("");
    if (shape == Shape::kNaN && i > n / 2 && i < n / 2 + 1000) v = std::nan("");
    if (shape == Shape::kExtreme) v = random() % 2 == 0 ? -0.0 : 1.0 / static_cast<double>(i + 1);
    s.value.push_back(v);
    if (shape == Shape::kEqual && random() % 40 != 0) continue;
    if (shape == Shape::kGaps && random() % 5000 == 0) x += 30'000'000'000;
    x += stride;
  }
  return s;
}

class Bins : public testing::TestWithParam<Shape> {};

TEST_P(Bins, AreWhatTheRawSamplesOfTheReturnedEdgesReduceTo) {
  std::mt19937_64 random(11 + static_cast<unsigned>(GetParam()));
  const TempStore store;
  const SampleColumns said = samplesOf(GetParam(), 300'000, random);
  auto writer = store.writer();
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  const SeriesId id = anySeries(**writer);
  for (std::size_t i = 0; i < said.size(); i += 1000) {
    const std::size_t n = std::min<std::size_t>(1000, said.size() - i);
    (*writer)->samples(id, std::span(said.time).subspan(i, n), std::span(said.value).subspan(i, n));
    if (i % 50'000 == 0) {
      ASSERT_TRUE((*writer)->flush().ok());
    }
  }
  auto live = store.reader({(*writer)->liveTail()});
  const auto all = (*live)->samples(id, {});
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->size(), said.size());
  const auto check = [&](Reader& reader) {
    for (int round = 0; round < 12; ++round) {
      std::int64_t x0 = all->time.front(), x1 = all->time.back() == kHighest ? kHighest : all->time.back() + 1;
      if (round > 0) {
        x0 = all->time[random() % (all->size() / 2)] + (random() % 2 == 0 ? 0 : 1);
        x1 = all->time[all->size() / 2 + random() % (all->size() / 2)];
      }
      const std::size_t bins = round % 3 == 0 ? 7 : round % 3 == 1 ? 200 : 5000;
      const auto got = reader.bins(id, Axis::kX, x0, x1, bins);
      ASSERT_TRUE(got.ok()) << got.status().message();
      expectTrueBins(*got, *all, x0, x1, bins);
      if (testing::Test::HasFatalFailure()) FAIL() << "round " << round << " [" << x0 << ", " << x1 << ") in " << bins;
    }
  };
  check(**live);
  live->reset();
  ASSERT_TRUE((*writer)->close().ok());
  check(**store.reader());
}

INSTANTIATE_TEST_SUITE_P(Shapes, Bins,
                         testing::Values(Shape::kRegular, Shape::kGaps, Shape::kEqual, Shape::kLate, Shape::kNaN, Shape::kExtreme));

TEST(BinsOfFewSamples, HaveUniformEdgesAndEmptyOnesAreEmpty) {
  const TempStore store;
  auto writer = store.writer();
  const SeriesId id = anySeries(**writer);
  (*writer)->sample(id, 10, 1);
  (*writer)->sample(id, 35, 2);
  ASSERT_TRUE((*writer)->flush().ok());
  const auto bins = (*store.reader())->bins(id, Axis::kX, 0, 40, 4);
  ASSERT_TRUE(bins.ok());
  ASSERT_EQ(bins->size(), 4U);
  EXPECT_EQ(bins->at(1).x0, 10);
  EXPECT_EQ(bins->at(1).count, 1);
  EXPECT_EQ(bins->at(2).count, 0);
  EXPECT_EQ(bins->at(3).first, 2);
}

}  // namespace
}  // namespace runglass
