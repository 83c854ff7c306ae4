// SPDX-License-Identifier: Apache-2.0
// The median that all analyses use.
//
// Threading:  pure.
// Units:      those of the values.
// Errors:     an empty input has no median.
// Cost:       O(n); medianWithout O(1).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <type_traits>
#include <vector>

namespace runglass {

// Of the finite values; the upper of the two middle ones: a value that occurred.
template <class T>
std::optional<T> median(std::vector<T> values) {
  if constexpr (std::is_floating_point_v<T>) std::erase_if(values, [](T value) { return !std::isfinite(value); });
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

// The midpoint of the two middle ones. Requires at least one value, all finite; reorders them.
template <class T>
T medianBetween(std::vector<T>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return values.size() % 2 == 1 ? *middle : std::midpoint(*std::max_element(values.begin(), middle), *middle);
}

// medianBetween() of all items except the one at `out`; requires at least two, sorted by `value`.
template <class Item>
auto medianWithout(const std::vector<Item>& sorted, std::size_t out) {
  const auto at = [&](std::size_t k) { return sorted[k < out ? k : k + 1].value; };
  const std::size_t n = sorted.size() - 1;
  return n % 2 == 1 ? at(n / 2) : std::midpoint(at(n / 2 - 1), at(n / 2));
}

}  // namespace runglass
