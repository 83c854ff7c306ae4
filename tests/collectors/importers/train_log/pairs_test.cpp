// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/train_log/pairs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "collectors/text/line_splitter.h"

namespace runglass::train_log {
namespace {
using testing::ElementsAre;

std::vector<Pair> pairsOf(PairStyle style, std::string_view text) {
  std::vector<Pair> out;
  readPairs(style, text, out);
  return out;
}

TEST(Quantity, ReadsNumbersBitExactAndKnowsUnits) {
  EXPECT_EQ(parseQuantity("1.412743E+01")->value, 1.412743E+01);
  EXPECT_EQ(parseQuantity(" 2.2484312057495117 ")->value, 2.2484312057495117);
  EXPECT_EQ(parseQuantity("11,180")->value, 11180);
  EXPECT_EQ(parseQuantity("1,003.47")->value, 1003.47);
  EXPECT_EQ(parseQuantity("-.5")->value, -0.5);
  EXPECT_EQ(parseQuantity("83992ms")->value, 83992e6);
  EXPECT_EQ(parseQuantity("83992ms")->unit, "ns");
  EXPECT_EQ(parseQuantity("153.50GiB(85.84%)")->value, 153.5 * 1073741824);
  EXPECT_EQ(parseQuantity("5%")->value, 0.05);
  EXPECT_EQ(parseQuantity("5%")->unit, "ratio");
  EXPECT_TRUE(std::isnan(parseQuantity("NaN")->value));
  EXPECT_TRUE(std::isnan(parseQuantity("nanms")->value));
  EXPECT_EQ(parseQuantity("-inf")->value, -HUGE_VAL);
  EXPECT_EQ(parseQuantity("1e400")->value, HUGE_VAL);
}

TEST(Quantity, RefusesWhatIsNotOneNumber) {
  for (const char* text : {"", "N/A", "abc", "1.2.3", "12 apples", "0:14:31.66", "1,23", "--1", "e5", ".", "+", "1/2", "0x10", "info"})
    EXPECT_FALSE(parseQuantity(text)) << text;
  EXPECT_FALSE(parseQuantity(std::string(100, '9'))) << "more digits than any log prints";
  EXPECT_FALSE(parseInteger("99999999999999999999"));
  EXPECT_EQ(parseInteger("16,704"), 16704);
}

TEST(Pairs, BarsSplitAtTheLastColon) {
  EXPECT_THAT(pairsOf(PairStyle::kBars,
                      "iteration 1/ 10 | throughput per GPU (TFLOP/s/GPU): 98.1 |reserve_length:   256 | E2E latency=7.99s | x: a"),
              ElementsAre(Pair{"throughput per GPU (TFLOP/s/GPU)", "98.1"}, Pair{"reserve_length", "256"}, Pair{"E2E latency", "7.99s"},
                          Pair{"x", "a"}));
  EXPECT_THAT(pairsOf(PairStyle::kBars, "mem usage/free: 2GB/1GB | time (ms): 5.5/5.25"),
              ElementsAre(Pair{"mem usage", "2GB"}, Pair{"mem usage/free", "1GB"}, Pair{"time (ms)", "5.5"}));
}

TEST(Pairs, WordsTakeOneValueEach) {
  EXPECT_THAT(pairsOf(PairStyle::kWords, "step:  1  loss: 12.5  memory: 3GiB(5%)  tps: 1,374, lr=[9.6e-06, 1e-5], mom=[(0.9, 0.95)], end:"),
              ElementsAre(Pair{"step", "1"}, Pair{"loss", "12.5"}, Pair{"memory", "3GiB(5%)"}, Pair{"tps", "1,374"}, Pair{"lr", "9.6e-06"},
                          Pair{"mom", "0.9"}));
}

TEST(Pairs, DictionariesAreReadInAnyQuotingAndWithoutTheirEnd) {
  EXPECT_THAT(pairsOf(PairStyle::kJson, R"(x {'loss': 1.5, "a": {"b": "2", 'c': None}, 'list': [1, 2], 'flag': True, 'cut': 0.)"),
              ElementsAre(Pair{"loss", "1.5"}, Pair{"a.b", "2"}, Pair{"a.c", "None"}, Pair{"list", "[1, 2]"}, Pair{"flag", "True"},
                          Pair{"cut", "0."}));
}

TEST(Pairs, HostileTextIsBounded) {
  EXPECT_LE(pairsOf(PairStyle::kJson, std::string(100000, '{')).size(), kMaxPairs);
  EXPECT_LE(pairsOf(PairStyle::kJson, "{" + std::string(100000, '\'')).size(), kMaxPairs);
  std::string nested;
  for (int i = 0; i < 5000; ++i) nested += "{\"a\":";
  EXPECT_LE(pairsOf(PairStyle::kJson, nested).size(), kMaxPairs);
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "k" + std::to_string(i) + ": 1 | ";
  EXPECT_EQ(pairsOf(PairStyle::kBars, many).size(), kMaxPairs);
}

TEST(LineSplitter, CutsAtEveryLineEndWhateverThePieces) {
  const std::string text = "one\ntwo\r\nthree\rfour\n\nfive";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    LineSplitter lines;
    std::vector<std::pair<std::string, std::uint64_t>> got;
    for (std::size_t at = 0; at < text.size(); at += piece)
      lines.push(std::string_view(text).substr(at, piece), [&](std::string_view line, std::uint64_t at_byte) {
        if (!line.empty()) got.emplace_back(line, at_byte);
      });
    EXPECT_THAT(got, ElementsAre(std::pair<std::string, std::uint64_t>("one", 0), std::pair<std::string, std::uint64_t>("two", 4),
                                 std::pair<std::string, std::uint64_t>("three", 9), std::pair<std::string, std::uint64_t>("four", 15)));
    EXPECT_EQ(lines.partial(), "five");
    EXPECT_EQ(lines.lineStart(), 21U);
  }
}

TEST(LineSplitter, AnEndlessLineStaysInBoundedMemory) {
  LineSplitter lines;
  const std::string block(1 << 20, 'x');
  std::size_t longest = 0, count = 0;
  const auto see = [&](std::string_view line, std::uint64_t) { longest = std::max(longest, line.size()), ++count; };
  for (int i = 0; i < 2048; ++i) lines.push(block, see);
  lines.push("\nnext\n", see);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(longest, LineSplitter::kMaxLine);
  EXPECT_EQ(lines.longLines(), 1);
  EXPECT_EQ(lines.skippedBytes(), 2047ULL << 20);
}

TEST(StripAnsi, RemovesSequencesAndKeepsText) {
  std::string out;
  stripAnsi("\x1b[38;2;180;60;0mgrad\x1b[0m_norm\x1b]0;title\a: 1\x1b(B\x1b", out);
  EXPECT_EQ(out, "grad_norm: 1B");
}

}  // namespace
}  // namespace runglass::train_log
