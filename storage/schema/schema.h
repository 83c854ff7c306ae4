// SPDX-License-Identifier: Apache-2.0
// The schema of a store as SQL, one script per version, embedded at build from the .sql files here. Internal to storage.
//
// Threading:  immutable.
// Ownership:  static storage.
// Units:      user_version n = scripts 1..n have run.
// Errors:     none.
// Cost:       none.
#pragma once

#include <span>

namespace runglass {

std::span<const char* const> schemaScripts();

}  // namespace runglass
