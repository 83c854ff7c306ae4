// SPDX-License-Identifier: GPL-3.0-or-later
// Prints, at the end of a command, the data that its answer lacks because the store is damaged.
//
// Threading:  main thread.
// Cost:       a line on stderr for each damaged store that this process read.
#pragma once

namespace runglass {

void warnOfDamage();

}  // namespace runglass
