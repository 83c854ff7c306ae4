// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>

#include "storage/codec/pyramid.h"
#include "storage/codec/sample_chunk.h"
#include "storage/codec/span_chunk.h"

namespace runglass {
namespace {

using Random = std::mt19937_64;
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

struct Points {
  std::vector<std::int64_t> x, time;
  std::vector<double> value;
};

std::int64_t anyInt(Random& random) {
  switch (random() % 6) {
    case 0:
      return kLowest + static_cast<std::int64_t>(random() % 3);
    case 1:
      return kHighest - static_cast<std::int64_t>(random() % 3);
    case 2:
      return static_cast<std::int64_t>(random() % 5) - 2;
    case 3:
      return static_cast<std::int64_t>(random());
    default:
      return static_cast<std::int64_t>(random() >> (random() % 64));
  }
}

double anyDouble(Random& random) {
  switch (random() % 8) {
    case 0:
      return std::bit_cast<double>(random());  // any pattern, including NaN payloads and denormals
    case 1:
      return -0.0;
    case 2:
      return std::numeric_limits<double>::infinity();
    case 3:
      return static_cast<double>(static_cast<std::int64_t>(random() % 2000) - 1000) / 1000;
    case 4:
      return static_cast<double>(static_cast<float>(random() % 1000) * 0.1F);
    case 5:
      return std::bit_cast<double>(random() % 1000);
    default:
      return static_cast<double>(random() % 100);
  }
}

// Stretches of different styles, so that each encoding of a block is used.
Points anyPoints(Random& random, std::size_t n, bool with_time) {
  Points p;
  while (p.x.size() < n) {
    const auto style = random() % 5;
    const std::size_t run = std::min<std::size_t>(n - p.x.size(), 1 + random() % 600);
    std::int64_t x = anyInt(random);
    const double level = anyDouble(random);
    for (std::size_t i = 0; i < run; ++i) {
      x = style == 0 ? anyInt(random) : static_cast<std::int64_t>(static_cast<std::uint64_t>(x) + 1'000'000 * (1 + (random() % 50 == 0)));
      p.x.push_back(x);
      p.value.push_back(style == 1   ? anyDouble(random)
                        : style == 2 ? level
                        : style == 3 ? std::round(level * 10) / 10 + (random() % 40 == 0)
                                     : 0.1 * static_cast<double>(random() % 9));
      if (with_time) p.time.push_back(style < 2 ? anyInt(random) : x);
    }
  }
  return p;
}

std::string chunkOf(const Points& p, bool try_zstd) {
  SampleBody body;
  MappedValues mapped;
  for (std::size_t at = 0; at < p.x.size(); at += kBlockPoints) {
    const std::size_t n = std::min(kBlockPoints, p.x.size() - at);
    body.append(p.x.data() + at, p.time.empty() ? nullptr : p.time.data() + at, p.value.data() + at, n, mapped);
  }
  return sealSampleChunk(body.bytes(), !p.time.empty(), try_zstd);
}

TEST(SampleChunk, GivesBackAnyPointsBitEqual) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = round < 20 ? static_cast<std::size_t>(round) + 1 : 1 + random() % kChunkPoints;
    const Points p = anyPoints(random, n, round % 2 == 0);
    const std::string blob = chunkOf(p, round % 3 == 0);
    Points back{std::vector<std::int64_t>(n), std::vector<std::int64_t>(p.time.size()), std::vector<double>(n)};
    ASSERT_TRUE(decodeSampleChunk(blob, n, p.x[0], back.x.data(), p.time.empty() ? nullptr : back.time.data(), back.value.data()));
    ASSERT_EQ(back.x, p.x);
    ASSERT_EQ(back.time, p.time);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(std::bit_cast<std::uint64_t>(back.value[i]), std::bit_cast<std::uint64_t>(p.value[i])) << i;
  }
}

TEST(SampleChunk, StoresARegularGaugeInTwoBytesASample) {
  Points p;
  Random random(4);
  std::normal_distribution<double> noise;
  for (int i = 0; i < 4096; ++i) {
    p.x.push_back(1'790'000'000'000'000'000 + i * 1'000'000LL);
    p.value.push_back(std::round((250 + 5 * noise(random)) * 1000) / 1000);
  }
  EXPECT_LT(chunkOf(p, true).size(), 4096U * 2);
  for (auto& v : p.value) v = 40;
  EXPECT_LT(chunkOf(p, true).size(), 256U);
}

TEST(Pyramid, GivesBackItsEntries) {
  Random random(5);
  for (int round = 0; round < 100; ++round) {
    Pyramid p;
    std::int64_t x = 0;
    std::vector<std::int64_t> xs;
    std::vector<double> values;
    const std::size_t n = 1 + random() % 20'000;
    for (std::size_t i = 0; i < n; ++i) {
      xs.push_back(x += 1 + static_cast<std::int64_t>(random() % 3));
      values.push_back(round % 2 == 0 ? anyDouble(random) : static_cast<double>(random() % 1000) / 8);
    }
    appendPyramid(xs.data(), values.data(), n, p);
    Pyramid back;
    ASSERT_TRUE(decodePyramid(encodePyramid(p), back));
    EXPECT_EQ(back.x0, p.x0);
    EXPECT_EQ(back.x1, p.x1);
    EXPECT_EQ(back.count, p.count);
    EXPECT_EQ(back.nan_count, p.nan_count);
    for (const auto column : {&Pyramid::first, &Pyramid::last, &Pyramid::min, &Pyramid::max, &Pyramid::sum}) {
      for (std::size_t i = 0; i < p.size(); ++i) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>((back.*column)[i]), std::bit_cast<std::uint64_t>((p.*column)[i]));
      }
    }
  }
}

SpanChunk anySpans(Random& random, std::size_t n) {
  SpanChunk c;
  const bool with_args = random() % 2 == 0;
  for (std::size_t i = 0; i < n; ++i) {
    c.start.push_back(random() % 20 == 0 ? anyInt(random) : static_cast<std::int64_t>(i) * 1000);
    c.dur.push_back(random() % 50 == 0 ? kAbsent : static_cast<std::int64_t>(random() % 5000));
    c.name.push_back(static_cast<std::int64_t>(random() % 30));
    c.category.push_back(static_cast<std::int64_t>(random() % kSpanCategoryCount));
    c.depth.push_back(0);
    c.optional[0].push_back(static_cast<std::int64_t>(i / 60));
    c.optional[5].push_back(anyInt(random));
    if (with_args) c.args.push_back(random() % 4 == 0 ? R"({"stream":7,"grid":[1,2,3]})" : "");
  }
  return c;
}

TEST(SpanChunk, GivesBackItsColumns) {
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    const std::size_t n = 1 + random() % kSpanChunkSpans;
    const SpanChunk c = anySpans(random, n);
    SpanChunk back;
    ASSERT_TRUE(decodeSpanChunk(encodeSpanChunk(c), n, back));
    EXPECT_EQ(back.start, c.start);
    EXPECT_EQ(back.dur, c.dur);
    EXPECT_EQ(back.name, c.name);
    EXPECT_EQ(back.category, c.category);
    EXPECT_EQ(back.optional[0], c.optional[0]);
    EXPECT_EQ(back.optional[5], c.optional[5]);
    EXPECT_TRUE(back.optional[1].empty());
    EXPECT_EQ(back.args, c.args);
  }
}

// Bytes of a damaged or hostile file must neither crash nor read or write out of bounds (run under the asan preset); the decoded values do
// not matter: the row's checksum detects the damage.
template <class Decode>
void damage(const std::string& good, Random& random, Decode decode) {
  for (std::size_t cut = 0; cut < good.size(); cut += 1 + good.size() / 200) EXPECT_FALSE(decode(good.substr(0, cut))) << "cut at " << cut;
  EXPECT_FALSE(decode(good + "x"));
  for (int round = 0; round < 400; ++round) {
    std::string bad = good;
    for (std::size_t flips = 1 + random() % 3; flips > 0; --flips) {
      // The first bytes hold the lengths.
      const std::size_t at = random() % (random() % 2 == 0 ? std::min<std::size_t>(bad.size(), 40) : bad.size());
      bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ (1U << (random() % 8)));
    }
    decode(bad);
  }
  for (int round = 0; round < 400; ++round) {
    std::string noise(random() % 300, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    if (!noise.empty() && round % 2 == 0) noise[0] = good[0];
    decode(noise);
  }
}

TEST(HostileBytes, NeverHurtTheSampleDecoder) {
  Random random(7);
  for (const bool zstd : {false, true}) {
    Points p = anyPoints(random, 1000, true);
    if (zstd) p.value.assign(1000, 0.3), p.time = p.x;
    std::vector<std::int64_t> x(1000), time(1000);
    std::vector<double> value(1000);
    damage(chunkOf(p, zstd), random,
           [&](const std::string& bytes) { return decodeSampleChunk(bytes, 1000, p.x[0], x.data(), time.data(), value.data()); });
  }
  EXPECT_FALSE(decodeSampleChunk("\x01", 0, 0, nullptr, nullptr, nullptr));
  EXPECT_FALSE(decodeSampleChunk("\x01", kChunkPoints + 1, 0, nullptr, nullptr, nullptr));
}

TEST(HostileBytes, NeverHurtThePyramidDecoder) {
  Random random(8);
  Pyramid p;
  const Points points = anyPoints(random, 40'000, false);
  std::vector<std::int64_t> x(points.x.size());
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::int64_t>(i) * 10;
  appendPyramid(x.data(), points.value.data(), x.size(), p);
  damage(encodePyramid(p), random, [](const std::string& bytes) {
    Pyramid out;
    return decodePyramid(bytes, out);
  });
}

TEST(HostileBytes, NeverHurtTheSpanDecoder) {
  Random random(9);
  SpanChunk c = anySpans(random, 700);
  while (c.args.empty()) c = anySpans(random, 700);
  damage(encodeSpanChunk(c), random, [](const std::string& bytes) {
    SpanChunk out;
    return decodeSpanChunk(bytes, 700, out);
  });
}

}  // namespace
}  // namespace runglass
