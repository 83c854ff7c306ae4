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

// Cut to `width` bytes, but not inside a character, with "..." at the cut; control characters become spaces.
std::string fitted(const std::string& text, std::size_t width);

}  // namespace runglass::ctl
