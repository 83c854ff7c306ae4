// SPDX-License-Identifier: Apache-2.0
// Removes secrets from the URLs in command lines, settings and environments.
//
// Threading:  a pure function.
// Units:      UTF-8.
// Cost:       linear; text without "://" is copied.
#pragma once

#include <string>
#include <string_view>

namespace runglass {

// Removes user and password before the host, and values of parameters whose names look secret: "https://***@host/x?token=***".
std::string withoutUrlSecrets(std::string_view text);

}  // namespace runglass
