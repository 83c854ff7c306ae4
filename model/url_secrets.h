// SPDX-License-Identifier: Apache-2.0
// Secrets in the addresses that command lines, settings and environments hold.
//
// Threading:  a pure function.
// Units:      UTF-8.
// Cost:       linear; text without "://" is copied.
#pragma once

#include <string>
#include <string_view>

namespace runglass {

// Without user and password before the host, and without values of parameters whose names look secret: "https://***@host/x?token=***".
std::string withoutUrlSecrets(std::string_view text);

}  // namespace runglass
