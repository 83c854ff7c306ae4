// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/receivers/write_request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/collectors/hub/receivers/write_body.h"

namespace runglass {
namespace {

using test::WriteBody;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(WriteRequest, SeriesComeWithTheirLabelsAndSamples) {
  WriteBody body;
  body.series({{"__name__", "up"}, {"job", "node"}}, {{1'000, 1}, {2'000, 0}}).series({{"__name__", "x"}}, {{3, -0.5}});
  const std::string bytes = unpackSnappy(body.packed()).value();
  EXPECT_EQ(bytes, body.bytes());
  const WriteCounts counts = countWriteRequest(bytes).value();
  EXPECT_EQ(counts.series, 2);
  EXPECT_EQ(counts.samples, 3);
  std::vector<std::string> seen;
  forEachSeries(bytes, [&](std::string_view key, std::span<const WriteSample> samples) {
    std::string text;
    for (const auto& [name, value] : labelsOf(key)) text += std::string(name) + "=" + std::string(value) + " ";
    for (const WriteSample& sample : samples) text += std::to_string(sample.time_ms) + ":" + std::to_string(sample.value) + " ";
    seen.push_back(text);
  });
  EXPECT_THAT(seen, ElementsAre("__name__=up job=node 1000:1.000000 2000:0.000000 ", "__name__=x 3:-0.500000 "));
}

// Fields may come in any order, and unknown ones are skipped.
TEST(WriteRequest, LabelsApartFromEachOtherAreOneKey) {
  const auto label = [](const char* name, const char* value) {
    std::string one;
    wire::appendBytes(one, 1, name);
    wire::appendBytes(one, 2, value);
    std::string field;
    wire::appendBytes(field, 1, one);
    return field;
  };
  std::string sample, series;
  wire::appendFixed64(sample, 1, std::bit_cast<std::int64_t>(7.0));
  series += label("__name__", "m");
  wire::appendBytes(series, 2, sample);
  series += label("a", "b");
  wire::appendBytes(series, 99, "unknown");
  series += label("c", "d");
  std::string bytes;
  wire::appendBytes(bytes, 1, series);
  ASSERT_TRUE(countWriteRequest(bytes).ok());
  int calls = 0;
  forEachSeries(bytes, [&](std::string_view key, std::span<const WriteSample> samples) {
    EXPECT_THAT(labelsOf(key), ElementsAre(Pair("__name__", "m"), Pair("a", "b"), Pair("c", "d")));
    EXPECT_EQ(samples.size(), 1U);
    ++calls;
  });
  EXPECT_EQ(calls, 1);
}

TEST(WriteRequest, ADeclaredLengthIsCheckedBeforeItIsAllocated) {
  std::string block("\xff\xff\xff\xff\x0f", 5);  // 4 GiB - 1
  block += "xx";
  EXPECT_EQ(unpackSnappy(block).status().code(), Code::kResourceExhausted);
  std::string within("\x80\x80\x80\x10", 4);  // 32 MiB, of two bytes
  within += "xx";
  EXPECT_THAT(unpackSnappy(within).status().message(), HasSubstr("declared size"));
  EXPECT_EQ(unpackSnappy("").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(unpackSnappy(WriteBody::packed(std::string(kMaxUnpacked + 1, 'x'))).status().code(), Code::kResourceExhausted);
}

TEST(WriteRequest, BombsAreRefusedByTheirCounts) {
  std::string empty_series, samples, labels;
  for (int i = 0; i <= WriteCounts::kMaxSeries; ++i) wire::appendBytes(empty_series, 1, "");
  EXPECT_EQ(countWriteRequest(empty_series).status().code(), Code::kResourceExhausted);
  for (int i = 0; i <= WriteCounts::kMaxSamples; ++i) wire::appendBytes(samples, 2, "");
  std::string one;
  wire::appendBytes(one, 1, samples);
  EXPECT_EQ(countWriteRequest(one).status().code(), Code::kResourceExhausted);
  for (int i = 0; i <= WriteCounts::kMaxLabelsOfSeries; ++i) wire::appendBytes(labels, 1, "");
  one.clear();
  wire::appendBytes(one, 1, labels);
  EXPECT_EQ(countWriteRequest(one).status().code(), Code::kResourceExhausted);
  WriteBody long_label;
  long_label.series({{"__name__", std::string(WriteCounts::kMaxLabelBytes, 'x')}}, {{1, 1}});
  EXPECT_EQ(countWriteRequest(long_label.bytes()).status().code(), Code::kResourceExhausted);
}

TEST(WriteRequest, EveryCutOfARequestIsMalformedOrShorter) {
  WriteBody body;
  body.series({{"__name__", "up"}, {"job", "node"}}, {{1'000, 1}}).series({{"__name__", "x"}}, {{3, 4}});
  for (std::size_t n = 0; n < body.bytes().size(); ++n) {
    const auto counts = countWriteRequest(body.bytes().substr(0, n));
    if (counts.ok()) EXPECT_LT(counts->samples, 2) << n;
  }
}

}  // namespace
}  // namespace runglass
