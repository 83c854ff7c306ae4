// SPDX-License-Identifier: GPL-3.0-or-later
// What a GPU-hour costs, as this user said it once: the one price of all views and reports on this machine.
//
// Threading:  GUI thread.
// Ownership:  kept in the user's settings; where nobody named the application (tests) nothing is kept.
// Units:      the user's currency.
// Errors:     absent: no price is set.
// Cost:       a look into the settings.
#pragma once

#include <optional>

namespace runglass {

std::optional<double> rememberedGpuPrice();
void rememberGpuPrice(double price);  // 0: none

}  // namespace runglass
