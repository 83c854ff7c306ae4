// SPDX-License-Identifier: GPL-3.0-or-later
// The label that distinguishes series of one metric, short enough for a title: {"interface":"eth0"} becomes eth0.
#pragma once

#include <string>

#include "widgets/core/units.h"

namespace runglass {

// The last label's value; empty for a string of any other form.
inline QString labelText(const std::string& labels) {
  const std::size_t quote = labels.rfind(":\"");
  if (quote == std::string::npos || labels.size() < quote + 4) return {};
  return screenText(labels.substr(quote + 2, labels.size() - quote - 4), 40);
}

}  // namespace runglass
