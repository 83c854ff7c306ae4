// SPDX-License-Identifier: Apache-2.0
#include "model/number_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <span>

namespace runglass {
namespace {

struct Prefix {
  double base;  // smallest magnitude that uses this prefix
  const char* name;
};

constexpr std::array<Prefix, 4> kDuration = {{{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}}};
constexpr std::array<Prefix, 6> kIec = {{{1, "B"},
                                         {1024, "KiB"},
                                         {1024.0 * 1024, "MiB"},
                                         {1024.0 * 1024 * 1024, "GiB"},
                                         {1024.0 * 1024 * 1024 * 1024, "TiB"},
                                         {1024.0 * 1024 * 1024 * 1024 * 1024, "PiB"}}};
constexpr std::array<Prefix, 6> kDecimal = {{{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}, {1e15, "P"}}};

const Prefix& pick(std::span<const Prefix> prefixes, double magnitude) {
  const Prefix* best = &prefixes.front();
  for (const Prefix& p : prefixes)
    if (magnitude >= p.base) best = &p;
  return *best;
}

// The number of decimals for three significant digits of `magnitude`.
int threeDigits(double magnitude) {
  if (!(magnitude > 0) || !std::isfinite(magnitude)) return 0;
  return std::clamp(2 - static_cast<int>(std::floor(std::log10(magnitude))), 0, 6);
}

int decimalsFor(double step) {
  if (!(step > 0) || !std::isfinite(step)) return 0;
  return std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 12);
}

// `digits` have no sign.
std::string grouped(std::string digits, const NumberStyle& style) {
  const std::size_t whole = std::min(digits.find('.'), digits.size());
  for (std::size_t at = whole; at > 3;) digits.insert(at -= 3, style.thousands);
  return digits;
}

std::string signed_(bool negative, std::string digits, const NumberStyle& style) {
  return negative ? std::string(style.minus) + std::move(digits) : std::move(digits);
}

std::string notFinite(double value, const NumberStyle& style) {
  if (std::isnan(value)) return "NaN";
  return value > 0 ? "+Inf" : std::string(style.minus) + "Inf";
}

std::string printed(const char* format, int decimals, double value) {
  std::array<char, 400> text{};  // room for 1e308 with decimals
  std::snprintf(text.data(), text.size(), format, decimals, value);
  return text.data();
}

std::string withUnit(std::string number, std::string_view unit, const NumberStyle& style) {
  if (!unit.empty()) number.append(style.space).append(unit);
  return number;
}

// The unit after an SI prefix, for units that have one.
const char* decimalUnitWord(std::string_view unit) {
  if (unit == "bytes_per_s") return "B/s";
  if (unit == "flops_per_s") return "FLOP/s";
  if (unit == "hertz") return "Hz";
  if (unit == "joules") return "J";
  if (unit == "per_s") return "/s";
  return nullptr;
}

}  // namespace

int percentDecimals(double percent, int decimals) {
  constexpr int kMaxDecimals = 6;
  constexpr double kHalf = 0.5 + 1e-9;  // halves are rounded up
  const double away = std::abs(std::abs(percent) - 100);
  const auto prints100 = [&](int digits) { return away <= kHalf * std::pow(10, -digits); };
  // A value even closer to 100 is the rounding error of a sum.
  if (prints100(kMaxDecimals)) return decimals;
  while (prints100(decimals)) ++decimals;
  return decimals;
}

std::string percentText(double ratio) { return percentText(ratio, std::fabs(ratio) < 0.0995 ? 1 : 0); }

std::string percentText(double ratio, int decimals, const NumberStyle& style) {
  const double percent = 100 * ratio;
  // Beyond 1e14 the digits are no information.
  std::string digits = std::isfinite(percent) && std::fabs(percent) >= 1e14 ? significantText(percent, 1, style)
                                                                            : fixedText(percent, percentDecimals(percent, decimals), style);
  return withUnit(std::move(digits), "%", style);
}

std::string signedPercentText(double ratio, int decimals, const NumberStyle& style) {
  std::string text = percentText(ratio, decimals, style);
  return ratio > 0 && text != percentText(0, decimals, style) ? "+" + text : text;
}

std::string preciseText(double value, std::string_view unit, const NumberStyle& style) {
  if (!std::isfinite(value) || value == 0) return valueText(value, unit, style);
  const UnitScale scale = unitScale(unit, value, value, std::pow(10, std::floor(std::log10(std::abs(value))) - 3));
  return withUnit(scaledText(value, scale, style), scale.suffix, style);
}

std::string ratioText(double ratio, int decimals, const NumberStyle& style) { return fixedText(ratio, decimals, style); }
std::string gpuHoursText(double hours, const NumberStyle& style) { return significantText(hours, 3, style); }
std::string moneyText(double amount, const NumberStyle& style) { return fixedText(amount, std::abs(amount) < 100 ? 2 : 0, style); }

std::string numberText(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string formulaNumber(double value) {
  std::array<char, 40> text{};
  if (std::abs(value) >= 1e6) {  // engineering notation: the exponent is a multiple of 3
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3)) * 3;
    std::snprintf(text.data(), text.size(), "%.4ge%d", value / std::pow(10, exponent), exponent);
  } else if (std::abs(value) >= 1'000) {
    std::snprintf(text.data(), text.size(), "%.6g", value);
  } else {
    std::snprintf(text.data(), text.size(), "%.4g", value);
  }
  return text.data();
}

UnitScale unitScale(std::string_view unit, double min, double max, double step) {
  double magnitude = 0;
  for (double v : {min, max})
    if (std::isfinite(v)) magnitude = std::max(magnitude, std::abs(v));
  UnitScale scale;
  const auto prefixed = [&](std::span<const Prefix> prefixes, double of, const char* word) {
    const Prefix& p = pick(prefixes, of);
    scale = {1 / p.base, 0, std::string(p.name) + word};
  };
  if (unit == "ns") {
    prefixed(kDuration, magnitude, "");
  } else if (unit == "bytes") {
    prefixed(kIec, magnitude, "");
  } else if (const char* word = decimalUnitWord(unit)) {
    prefixed(kDecimal, magnitude, word);
  } else if (unit == "ratio") {
    scale = {100, 0, "%"};
  } else if (unit == "watts") {
    scale = {1, 0, "W"};
  } else if (unit == "celsius") {
    scale = {1, 0, "°C"};
  } else if (unit == "count" || unit == "total") {
    prefixed(kDecimal, magnitude < 1e5 ? 0 : magnitude, "");
  }
  if (step > 0) {
    scale.decimals = decimalsFor(step * scale.factor);
  } else if (unit == "count" || unit == "total" || unit == "bytes" || unit == "ns") {
    scale.decimals = scale.factor == 1 ? 0 : threeDigits(magnitude * scale.factor);  // whole things have no decimals
  } else if (unit == "watts" || unit == "celsius") {
    scale.decimals = magnitude >= 10 ? 0 : 1;
  } else if (unit == "ratio") {
    scale.decimals = 1;
  } else {
    scale.decimals = threeDigits(magnitude * scale.factor);
  }
  return scale;
}

std::string scaledText(double value, const UnitScale& scale, const NumberStyle& style) {
  const double scaled = value * scale.factor;
  return fixedText(scaled, scale.suffix == "%" ? percentDecimals(scaled, scale.decimals) : scale.decimals, style);
}

std::string valueText(double value, std::string_view unit, const NumberStyle& style) {
  if (!std::isfinite(value)) return notFinite(value, style);
  if (unit.empty()) return significantText(value, 4, style);
  const UnitScale scale = unitScale(unit, value, value);
  return withUnit(scaledText(value, scale, style), scale.suffix, style);
}

std::string fixedText(double value, int decimals, const NumberStyle& style) {
  if (!std::isfinite(value)) return notFinite(value, style);
  // Rounds halves up, as people do; printf() rounds 13.25 to 13.2. Above 1e15 a double has no halves.
  const double magnitude = std::abs(value) < 1e15 ? std::nextafter(std::abs(value), HUGE_VAL) : std::abs(value);
  std::string digits = printed("%.*f", decimals, magnitude);
  const bool zero = std::ranges::all_of(digits, [](char c) { return c == '0' || c == '.'; });
  return signed_(value < 0 && !zero, grouped(std::move(digits), style), style);
}

std::string significantText(double value, int significant_digits, const NumberStyle& style) {
  if (!std::isfinite(value)) return notFinite(value, style);
  if (value == 0) return "0";
  const double magnitude = std::abs(value);
  if (magnitude >= 1e7 || magnitude < 1e-3) {
    std::string digits = printed("%.*e", std::max(significant_digits - 1, 0), magnitude);
    if (const std::size_t at = digits.find('-'); at != std::string::npos) digits.replace(at, 1, style.minus);
    return signed_(value < 0, std::move(digits), style);
  }
  const int whole = static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return fixedText(value, std::max(significant_digits - whole, 0), style);
}

std::string countText(std::int64_t count, const NumberStyle& style) {
  std::string digits = std::to_string(count);
  if (count < 0) digits.erase(0, 1);
  return signed_(count < 0, grouped(std::move(digits), style), style);
}

std::string shortCountText(double count, const NumberStyle& style) { return valueText(count, "count", style); }
std::string bytesText(double bytes, const NumberStyle& style) { return valueText(bytes, "bytes", style); }

std::string ageText(DurNs age, const NumberStyle& style) {
  const std::int64_t s = std::max<std::int64_t>(age, 0) / kNsPerSecond;
  const auto unit = [&](std::int64_t n, const char* name) { return withUnit(std::to_string(n), name, style); };
  if (s < 1) return "now";
  if (s < 120) return unit(s, "s");
  if (s < 120 * 60) return unit(s / 60, "min");
  if (s < 48 * 3600) return unit(s / 3600, "h") + (s / 60 % 60 < 10 ? " 0" : " ") + std::to_string(s / 60 % 60);
  return unit(s / 86400, "d") + ' ' + unit(s / 3600 % 24, "h");
}

std::string lengthText(DurNs length, const NumberStyle& style) {
  constexpr DurNs kMinute = 60 * kNsPerSecond, kHour = 60 * kMinute;
  if (length < 2 * kMinute) return valueText(static_cast<double>(length), "ns", style);
  const auto rounded = [&](DurNs to) { return (length / to + (length % to >= to / 2 ? 1 : 0)) * to; };
  if (rounded(kMinute / 10) < 10 * kMinute)
    return withUnit(fixedText(static_cast<double>(length) / static_cast<double>(kMinute), 1, style), "min", style);
  return ageText(rounded(rounded(kMinute) < 48 * kHour ? kMinute : kHour), style);
}

}  // namespace runglass
