// SPDX-License-Identifier: Apache-2.0
// Names of others, made fit to be stored and shown.
//
// Threading:  pure.
// Ownership:  none.
// Units:      bytes.
// Errors:     none.
// Cost:       O(name).
#pragma once

#include <string>
#include <string_view>

namespace runglass {

// Control characters and marks that turn the direction of writing become "_", what is no UTF-8 becomes U+FFFD.
std::string printable(std::string_view name);
// The same, and at most 256 bytes.
std::string displayName(std::string_view name);

}  // namespace runglass
