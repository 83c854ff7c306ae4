// SPDX-License-Identifier: Apache-2.0
// A new identity for what must have one across stores: a random UUID (RFC 4122, version 4).
//
// Threading:  any thread.
// Ownership:  value.
// Errors:     none: a kernel without getrandom(2) is RG_CHECK.
// Cost:       one system call.
#pragma once

#include <string>

namespace runglass {

std::string randomUuid();

}  // namespace runglass
