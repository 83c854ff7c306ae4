// SPDX-License-Identifier: Apache-2.0
// Pairs: parses "name: value" pairs from a log line, and numbers with their units from a value.
//
// Ownership:  pairs own their text.
// Units:      a known unit suffix converts: ms -> ns, GiB -> bytes, % -> ratio, TFLOPS -> flops_per_s.
// Errors:     invalid pairs and numbers are left out. Truncated lines give the pairs before the end.
// Cost:       O(line); at most kMaxPairs pairs, nesting at most 8 deep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace runglass::train_log {

inline constexpr std::size_t kMaxPairs = 512;

struct Pair {
  std::string key;
  std::string text;
  friend bool operator==(const Pair&, const Pair&) = default;
};

enum class PairStyle : std::uint8_t {
  kNone,
  kBars,   // "lm loss: 1.2E+00 | grad norm: 0.3 |": Megatron, nanochat
  kWords,  // "loss:1.2 lr=0.1, norm: 3": one word before each value
  kJson,   // JSON or a printed Python dict, nested keys joined with '.'
};
void readPairs(PairStyle style, std::string_view text, std::vector<Pair>& out);

struct Quantity {
  double value = 0;
  std::string_view unit;  // from the closed list, or "" for a plain number
};
// "1.5E+00", "11,180", "nan", "83992ms", "153.10GiB(85.84%)", "5.14%". Absent unless the whole text is one quantity (a remark in
// parentheses may follow).
std::optional<Quantity> parseQuantity(std::string_view text);
// A whole number, with optional thousands separators. Absent if it is not one or out of range.
std::optional<std::int64_t> parseInteger(std::string_view text);

std::string_view trimmed(std::string_view text);

}  // namespace runglass::train_log
