// SPDX-License-Identifier: Apache-2.0
#include "analysis/estimate/number_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace runglass {

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
