// SPDX-License-Identifier: Apache-2.0
// A new identity for objects that are shared between stores: a random UUID (RFC 4122, version 4).
//
// Threading:  any thread.
// Errors:     a kernel without getrandom(2) is an RG_CHECK failure.
// Cost:       one system call.
#pragma once

#include <string>

namespace runglass {

std::string randomUuid();

}  // namespace runglass
