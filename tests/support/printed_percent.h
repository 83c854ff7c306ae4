// SPDX-License-Identifier: Apache-2.0
// Checks sentences that print two durations and how much longer one is: whether the percentage matches the two numbers.
#pragma once

#include <cmath>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace runglass {

// The printed number is between low and high, because it was rounded.
struct PrintedNumber {
  double low = 0, high = 0;
};

// "3.07 s", "312 ms", "23 %", "-5.1 %"; in s, or in ratios. Absent: another form, as "2 min 10 s".
inline std::optional<PrintedNumber> printedNumber(const std::string& text) {
  static const std::regex kForm(R"(^([+-]?)([0-9]+)(\.([0-9]+))? (ns|µs|ms|s|%)$)");
  std::smatch match;
  if (!std::regex_match(text, match, kForm)) return std::nullopt;
  const std::string unit = match[5];
  const double scale = unit == "ns" ? 1e-9 : unit == "µs" ? 1e-6 : unit == "ms" ? 1e-3 : unit == "%" ? 1e-2 : 1;
  const double value = std::stod(match[1].str() + match[2].str() + match[3].str());
  const double half = 0.5 * std::pow(10, -static_cast<double>(match[4].length()));
  return PrintedNumber{(value - half) * scale, (value + half) * scale};
}

// With the spaces and the minus of plain text instead of those of typesetting.
inline std::string plainNumbers(std::string text) {
  for (const auto& [typeset, plain] : {std::pair{"\u2009", " "}, {"\u202f", " "}, {"\u00a0", " "}, {"\u2212", "-"}})
    for (std::size_t at = 0; (at = text.find(typeset, at)) != std::string::npos;)
      text.replace(at, std::char_traits<char>::length(typeset), plain);
  return text;
}

struct PercentCheck {
  int seen = 0;                    // percentages beside their two numbers
  std::vector<std::string> wrong;  // those that these do not come to, as "23 % of 3.07 s and 2.49 s"
};

inline PercentCheck checkPercentages(const std::string& sentence) {
  // Which of own, other and percentage the groups are; `share`: own / other, else own / other - 1, `less`: 1 - own / other.
  enum class Is { kMore, kLess, kShare };
  struct Form {
    std::regex text;
    int own, other, percent;
    Is is;
  };
  static const std::string kTime = "([0-9.]+ (?:ns|µs|ms|s))", kPercent = "([+-]?[0-9.]+ %)";
  static const std::vector<Form> kForms = {
      {std::regex(kTime + " (?:a step )?against " + kTime + R"((?: a step)? \()" + kPercent), 1, 2, 3, Is::kMore},
      {std::regex("(?:take|took) " + kPercent + " longer .*: " + kTime + " before, " + kTime), 3, 2, 1, Is::kMore},
      {std::regex("(?:take|took) " + kPercent + " less .*: " + kTime + " before, " + kTime), 3, 2, 1, Is::kLess},
      {std::regex(kPercent + R"( of every step \()" + kTime + " of " + kTime), 2, 3, 1, Is::kShare},
      {std::regex(kTime + R"( \(peers )" + kTime + ", " + kPercent), 1, 2, 3, Is::kMore},
      {std::regex("a step takes " + kTime + " instead of " + kTime + R"( \()" + kPercent), 1, 2, 3, Is::kMore},
      {std::regex("[aA] step takes " + kTime + "[^.]*, (?:without stragglers )?" + kTime + "[.;] " + kPercent + " of the time is wasted"),
       2, 1, 3, Is::kLess}};
  PercentCheck check;
  for (const Form& form : kForms) {
    for (std::sregex_iterator at(sentence.begin(), sentence.end(), form.text), end; at != end; ++at) {
      const std::smatch& match = *at;
      const auto own = printedNumber(match[form.own]), other = printedNumber(match[form.other]),
                 percent = printedNumber(match[form.percent]);
      if (!own || !other || !percent || other->low <= 0) continue;
      ++check.seen;
      double low = own->low / other->high, high = own->high / other->low;
      if (form.is == Is::kMore) low -= 1, high -= 1;
      if (form.is == Is::kLess) std::swap(low, high), low = 1 - low, high = 1 - high;
      if (percent->high < low || percent->low > high)
        check.wrong.push_back(match[form.percent].str() + " of " + match[form.own].str() + " and " + match[form.other].str());
    }
  }
  return check;
}

// Empty: all percentages of the sentence are what its two numbers come to.
inline std::vector<std::string> wrongPercentages(const std::string& sentence) { return checkPercentages(sentence).wrong; }

}  // namespace runglass
