// SPDX-License-Identifier: Apache-2.0
// LostObject: what cannot be read of a damaged store, for reports.
#pragma once

#include <string>

namespace runglass {

struct LostObject {
  std::string object, why;
};

}  // namespace runglass
