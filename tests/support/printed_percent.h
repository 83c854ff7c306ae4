// SPDX-License-Identifier: Apache-2.0
// Checks sentences that print two durations and how much longer one is: whether the percentage matches the two numbers.
#pragma once

#include <cmath>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace runglass {

// The printed number is between low and high, because it was rounded.
struct PrintedNumber {
  double low = 0, high = 0;
};

// "3.07 s", "312 ms", "23 %"; in s, or as a ratio. Absent: another form, such as "2 min 10 s".
inline std::optional<PrintedNumber> printedNumber(const std::string& text) {
  static const std::regex kForm(R"(^([0-9]+)(\.([0-9]+))? (ns|µs|ms|s|%)$)");
  std::smatch match;
  if (!std::regex_match(text, match, kForm)) return std::nullopt;
  const std::string unit = match[4];
  const double scale = unit == "ns" ? 1e-9 : unit == "µs" ? 1e-6 : unit == "ms" ? 1e-3 : unit == "%" ? 1e-2 : 1;
  const double value = std::stod(match[1].str() + match[2].str()), half = 0.5 * std::pow(10, -static_cast<double>(match[3].length()));
  return PrintedNumber{(value - half) * scale, (value + half) * scale};
}

// Percentages of the sentence that do not match its two numbers, as "23 % of 3.07 s and 2.49 s"; empty: all match.
inline std::vector<std::string> wrongPercentages(const std::string& sentence) {
  // The groups for own, other and percentage; `kShare`: own / other, `kMore`: own / other - 1, `kLess`: 1 - own / other.
  enum class Is { kMore, kLess, kShare };
  struct Form {
    std::regex text;
    int own, other, percent;
    Is is;
  };
  static const std::string kTime = "([0-9.]+ (?:ns|µs|ms|s))", kPercent = "([0-9.]+ %)";
  static const std::vector<Form> kForms = {
      {std::regex(kTime + " (?:a step )?against " + kTime + R"((?: a step)? \(\+)" + kPercent), 1, 2, 3, Is::kMore},
      {std::regex("(?:take|took) " + kPercent + " longer .*: " + kTime + " before, " + kTime), 3, 2, 1, Is::kMore},
      {std::regex("(?:take|took) " + kPercent + " less .*: " + kTime + " before, " + kTime), 3, 2, 1, Is::kLess},
      {std::regex(kPercent + R"( of every step \()" + kTime + " of " + kTime), 2, 3, 1, Is::kShare}};
  std::vector<std::string> wrong;
  std::smatch match;
  for (const Form& form : kForms) {
    if (!std::regex_search(sentence, match, form.text)) continue;
    const auto own = printedNumber(match[form.own]), other = printedNumber(match[form.other]), percent = printedNumber(match[form.percent]);
    if (!own || !other || !percent) continue;
    double low = own->low / other->high, high = own->high / other->low;
    if (form.is == Is::kMore) low -= 1, high -= 1;
    if (form.is == Is::kLess) std::swap(low, high), low = 1 - low, high = 1 - high;
    if (percent->high < low || percent->low > high)
      wrong.push_back(match[form.percent].str() + " of " + match[form.own].str() + " and " + match[form.other].str());
  }
  return wrong;
}

}  // namespace runglass
