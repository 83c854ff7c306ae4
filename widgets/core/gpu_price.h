// SPDX-License-Identifier: GPL-3.0-or-later
// The price of a GPU-hour as this user entered it: one price for all views and reports on this machine.
//
// Threading:  GUI thread.
// Ownership:  stored in the user's settings; where the application has no name (tests) nothing is stored.
// Units:      the user's currency.
// Errors:     absent: no price is set.
// Cost:       one lookup in the settings.
#pragma once

#include <optional>

namespace runglass {

std::optional<double> rememberedGpuPrice();
void rememberGpuPrice(double price);  // 0: no price

}  // namespace runglass
