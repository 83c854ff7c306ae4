// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/damage_warning.h"

#include <algorithm>
#include <cstdio>

#include "storage/read/damage_log.h"

namespace runglass {

void warnOfDamage() {
  for (const auto& [path, issue] : DamageLog::ofProcess()) {
    std::string line = path + ": " + issue.detail;
    std::ranges::replace_if(
        line, [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    std::fprintf(stderr, "warning: %s\n", line.c_str());
  }
}

}  // namespace runglass
