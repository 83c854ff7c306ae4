// SPDX-License-Identifier: Apache-2.0
// The median, as every analysis takes it.
//
// Threading:  pure.
// Ownership:  values.
// Units:      those of the values.
// Errors:     none: nothing has no median.
// Cost:       O(n).
#pragma once

#include <optional>
#include <vector>

namespace runglass {

// Of the finite ones; the upper of the two middle ones.
std::optional<double> median(std::vector<double> values);

}  // namespace runglass
