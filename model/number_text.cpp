// SPDX-License-Identifier: Apache-2.0
#include "model/number_text.h"

#include <cmath>
#include <cstdio>

namespace runglass {

std::string percentText(double ratio) { return percentText(ratio, std::fabs(ratio) < 0.0995 ? 1 : 0); }

std::string percentText(double ratio, int decimals) {
  char text[48];
  std::snprintf(text, sizeof text, std::fabs(ratio) < 1e12 ? "%.*f %%" : "%.*e %%", decimals, 100 * ratio);
  return text;
}

std::string numberText(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "NaN" : value > 0 ? "Inf" : "-Inf";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string formulaNumber(double value) {
  std::array<char, 40> text{};
  if (std::abs(value) >= 1e6) {  // engineering: the exponent is a multiple of 3, as people say billions
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3)) * 3;
    std::snprintf(text.data(), text.size(), "%.4ge%d", value / std::pow(10, exponent), exponent);
  } else if (std::abs(value) >= 1'000) {
    std::snprintf(text.data(), text.size(), "%.6g", value);
  } else {
    std::snprintf(text.data(), text.size(), "%.4g", value);
  }
  return text.data();
}

}  // namespace runglass
