// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that fit a terminal.
//
// Threading:  any thread.
// Units:      bytes.
#pragma once

#include <cstdint>
#include <string>

#include "model/time.h"

namespace runglass::ctl {

// Cut to so many bytes, not inside a character, with "..." where something is missing; control characters are spaces.
std::string fitted(const std::string& text, std::size_t width);

}  // namespace runglass::ctl
