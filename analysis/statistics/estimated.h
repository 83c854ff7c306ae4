// SPDX-License-Identifier: Apache-2.0
// A number that a formula gives, with the formula.
#pragma once

#include <string>

namespace runglass {

struct Estimated {
  double value = 0;
  std::string formula;  // with the numbers filled in
};

}  // namespace runglass
