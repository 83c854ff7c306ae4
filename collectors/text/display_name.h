// SPDX-License-Identifier: Apache-2.0
// Sanitizes text and names from outside for storage and display.
//
// Threading:  pure.
// Units:      bytes.
// Cost:       O(name).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace runglass {

// Valid UTF-8 without control characters, cut after about `most` bytes at a character; invalid bytes become U+FFFD.
std::string validText(std::string_view text, std::size_t most);
// Replaces control characters and bidirectional formatting characters by "_", invalid UTF-8 by U+FFFD.
std::string printable(std::string_view name);
// The same, limited to 256 bytes.
std::string displayName(std::string_view name);

}  // namespace runglass
