// SPDX-License-Identifier: GPL-3.0-or-later
// The label that tells series of one metric apart, as a title needs it: {"interface":"eth0"} is eth0.
#pragma once

#include <string>

#include "widgets/core/units.h"

namespace runglass {

// The last label's value; empty of what is no such text.
inline QString labelText(const std::string& labels) {
  const std::size_t quote = labels.rfind(":\"");
  if (quote == std::string::npos || labels.size() < quote + 4) return {};
  return screenText(labels.substr(quote + 2, labels.size() - quote - 4), 40);
}

}  // namespace runglass
