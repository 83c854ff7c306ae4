// SPDX-License-Identifier: GPL-3.0-or-later
// A command's last word: what it left out of its answer because the store is damaged.
//
// Threading:  main thread.
// Cost:       a line on stderr for each damaged store that this process read.
#pragma once

namespace runglass {

void warnOfDamage();

}  // namespace runglass
