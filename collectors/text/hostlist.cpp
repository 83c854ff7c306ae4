// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/hostlist.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace runglass {
namespace {

constexpr std::size_t kMaxDigits = 9, kMaxName = 255;

Status wrong(std::string_view text, const char* why) {
  return {Code::kInvalidArgument, "host list: " + std::string(text.substr(0, 200)) + ": " + why};
}

std::optional<std::int32_t> number(std::string_view digits) {
  std::int32_t value = 0;
  if (digits.empty() || digits.size() > kMaxDigits || digits.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// "001-003,7": texts, with the leading zeros of each range's begin.
Result<std::vector<std::string>> expandRanges(std::string_view ranges, std::string_view whole) {
  std::vector<std::string> all;
  while (true) {
    const std::string_view range = ranges.substr(0, ranges.find(','));
    const std::string_view first = range.substr(0, range.find('-'));
    const std::string_view last = first.size() == range.size() ? first : range.substr(first.size() + 1);
    const auto from = number(first), to = number(last);
    if (!from || !to || *from > *to) return wrong(whole, "not a range of numbers in brackets");
    if (static_cast<std::size_t>(*to - *from) >= kMaxHosts - all.size()) return wrong(whole, "more than 65536 hosts");
    for (std::int32_t n = *from; n <= *to; ++n) {
      std::string digits = std::to_string(n);
      if (digits.size() < first.size()) digits.insert(0, first.size() - digits.size(), '0');
      all.push_back(std::move(digits));
    }
    if (range.size() == ranges.size()) return all;
    ranges.remove_prefix(range.size() + 1);
  }
}

// One element: prefix, brackets, and so on.
Result<std::vector<std::string>> expandElement(std::string_view element, std::string_view whole) {
  std::vector<std::string> names{std::string()};
  while (!element.empty()) {
    const std::size_t open = std::min(element.find('['), element.size());
    for (std::string& name : names) name.append(element.substr(0, open));
    if (names.front().size() > kMaxName) return wrong(whole, "a name of more than 255 bytes");
    element.remove_prefix(open);
    if (element.empty()) break;
    const std::size_t close = element.find(']');
    if (close == std::string_view::npos) return wrong(whole, "a bracket is not closed");
    RG_ASSIGN(const std::vector<std::string> numbers, expandRanges(element.substr(1, close - 1), whole));
    if (names.size() * numbers.size() > kMaxHosts) return wrong(whole, "more than 65536 hosts");
    std::vector<std::string> longer;
    longer.reserve(names.size() * numbers.size());
    for (const std::string& name : names)
      for (const std::string& digits : numbers) longer.push_back(name + digits);
    names = std::move(longer);
    element.remove_prefix(close + 1);
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> expandHostlist(std::string_view text) {
  std::vector<std::string> all;
  std::string_view rest = text;
  while (!rest.empty()) {
    std::size_t end = 0;
    for (bool inside = false; end < rest.size() && (inside || rest[end] != ','); ++end)
      inside = rest[end] == '[' || (inside && rest[end] != ']');
    const std::string_view element = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (element.empty() || element.find_first_of(" \t\n]") < element.find('[')) return wrong(text, "not a list of hosts");
    RG_ASSIGN(std::vector<std::string> names, expandElement(element, text));
    if (all.size() + names.size() > kMaxHosts) return wrong(text, "more than 65536 hosts");
    std::ranges::move(names, std::back_inserter(all));
  }
  return all;
}

Result<std::vector<std::int32_t>> expandNumbers(std::string_view text) {
  if (text.empty()) return std::vector<std::int32_t>();
  RG_ASSIGN(const std::vector<std::string> digits, expandRanges(text, text));
  std::vector<std::int32_t> all;
  for (const std::string& one : digits) all.push_back(number(one).value_or(0));
  return all;
}

}  // namespace runglass
