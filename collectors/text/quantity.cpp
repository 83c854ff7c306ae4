// SPDX-License-Identifier: Apache-2.0
#include "collectors/text/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace runglass {
namespace {

constexpr std::array kUnits = {Unit{"W", "watts", 1, 1},
                               Unit{"mW", "watts", 1, 1'000},
                               Unit{"kW", "watts", 1'000, 1},
                               Unit{"C", "celsius", 1, 1},
                               Unit{"%", "ratio", 1, 100},
                               Unit{"percent", "ratio", 1, 100},
                               Unit{"ratio", "ratio", 1, 1},
                               Unit{"B", "bytes", 1, 1},
                               Unit{"bytes", "bytes", 1, 1},
                               Unit{"KiB", "bytes", 1'024, 1},
                               Unit{"MiB", "bytes", 1'048'576, 1},
                               Unit{"GiB", "bytes", 1'073'741'824, 1},
                               Unit{"KB", "bytes", 1'000, 1},
                               Unit{"MB", "bytes", 1'000'000, 1},
                               Unit{"GB", "bytes", 1'000'000'000, 1},
                               Unit{"B/s", "bytes_per_s", 1, 1},
                               Unit{"KB/s", "bytes_per_s", 1'000, 1},
                               Unit{"MB/s", "bytes_per_s", 1'000'000, 1},
                               Unit{"GB/s", "bytes_per_s", 1'000'000'000, 1},
                               Unit{"KiB/s", "bytes_per_s", 1'024, 1},
                               Unit{"MiB/s", "bytes_per_s", 1'048'576, 1},
                               Unit{"Hz", "hertz", 1, 1},
                               Unit{"MHz", "hertz", 1'000'000, 1},
                               Unit{"GHz", "hertz", 1'000'000'000, 1},
                               Unit{"J", "joules", 1, 1},
                               Unit{"mJ", "joules", 1, 1'000},
                               Unit{"ns", "ns", 1, 1},
                               Unit{"us", "ns", 1'000, 1},
                               Unit{"ms", "ns", 1'000'000, 1},
                               Unit{"s", "ns", 1'000'000'000, 1},
                               Unit{"seconds", "ns", 1'000'000'000, 1},
                               Unit{"/s", "per_s", 1, 1},
                               Unit{"FLOP/s", "flops_per_s", 1, 1},
                               Unit{"TFLOP/s", "flops_per_s", 1'000'000'000'000, 1},
                               Unit{"x", "", 1, 1},
                               Unit{"count", "count", 1, 1},
                               Unit{"total", "total", 1, 1},
                               Unit{"bank(s)", "count", 1, 1}};

bool isNamePart(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string lowered(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::string_view absenceName(Absence absence) {
  switch (absence) {
    case Absence::kUnsupported:
      return "unsupported";
    case Absence::kDenied:
      return "denied";
    case Absence::kLost:
      return "lost";
    case Absence::kUnknown:
      break;
  }
  return "unknown";
}

std::optional<Absence> absenceOf(std::string_view text) {
  text = trimmed(text);
  if (text.size() > 64) return std::nullopt;
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') text = trimmed(text.substr(1, text.size() - 2));
  const std::string low = lowered(text);
  if (low == "n/a" || low == "not supported" || low == "requested functionality has been deprecated" || low == "function not found" ||
      low.starts_with("not available"))
    return Absence::kUnsupported;
  if (low == "insufficient permissions") return Absence::kDenied;
  if (low == "gpu is lost" || low == "gpu requires reset") return Absence::kLost;
  if (low.empty() || low == "-" || low == "--" || low == "none" || low == "null" || low == "err!" || low == "unknown error" ||
      low == "not found" || low == "unknown")
    return Absence::kUnknown;
  return std::nullopt;
}

const Unit* findUnit(std::string_view printed) {
  const auto it = std::find_if(kUnits.begin(), kUnits.end(), [&](const Unit& unit) { return unit.printed == printed; });
  return it == kUnits.end() ? nullptr : &*it;
}

Quantity parseQuantity(std::string_view text, const Unit* header_unit) {
  text = trimmed(text);
  if (const auto absence = absenceOf(text)) return {.absence = absence};
  if (text == "Yes" || text == "Active") return {.value = 1};
  if (text == "No" || text == "Not Active") return {.value = 0};
  const char* const end = text.data() + text.size();
  if (text.starts_with("0x") || text.starts_with("0X")) {
    std::uint64_t bits = 0;
    const auto parsed = std::from_chars(text.data() + 2, end, bits, 16);
    if (parsed.ec != std::errc() || parsed.ptr != end) return {};
    return {.value = static_cast<double>(bits)};
  }
  double number = 0;
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc()) return {};
  const std::string_view rest = trimmed(std::string_view(parsed.ptr, end));
  if (rest.empty()) return {.value = header_unit != nullptr ? header_unit->apply(number) : number, .unit = header_unit};
  const Unit* const unit = findUnit(rest);
  if (unit == nullptr) return {};
  return {.value = unit->apply(number), .unit = unit};
}

HeaderName splitHeader(std::string_view header) {
  header = trimmed(header);
  const std::size_t open = header.rfind('[');
  if (open == std::string_view::npos || header.back() != ']') return {header, {}};
  return {trimmed(header.substr(0, open)), trimmed(header.substr(open + 1, header.size() - open - 2))};
}

std::string metricNameOf(std::string_view printed, std::string_view unit_suffix) {
  constexpr std::size_t kMax = 120;
  std::string out;
  for (const char c : lowered(printed.substr(0, 4 * kMax))) {
    if (isNamePart(c))
      out += c;
    else if (!out.empty() && out.back() != '_')
      out += '_';
  }
  const std::size_t room = kMax - unit_suffix.size() - 1;
  if (out.size() > room) out.resize(room);
  while (!out.empty() && out.back() == '_') out.pop_back();
  if (!unit_suffix.empty() && out != unit_suffix && !out.ends_with("_" + std::string(unit_suffix)))
    out.append(out.empty() ? "" : "_").append(unit_suffix);
  return out;
}

std::optional<std::int32_t> parseIndex(std::string_view text) {
  std::int32_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && value >= 0 ? std::optional(value) : std::nullopt;
}

}  // namespace runglass
