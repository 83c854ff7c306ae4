// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers and ages for a terminal, as `status` and `top` print them.
//
// Threading:  any thread.
// Ownership:  values.
// Units:      ns, bytes; ratios 0..1.
// Errors:     none.
// Cost:       none.
#pragma once

#include <cstdint>
#include <string>

#include "model/time.h"

namespace runglass::ctl {

std::string countText(std::int64_t count);  // "48,210"
std::string shortText(double value);        // "1.05 M"
std::string bytesText(std::int64_t bytes);  // "12.3 MiB"
// Cut to so many bytes, not inside a character, with "..." where something is missing; control characters are spaces.
std::string fitted(const std::string& text, std::size_t width);

}  // namespace runglass::ctl
