// SPDX-License-Identifier: Apache-2.0
// The versions of a store's schema as SQL, embedded at build time from the .sql files here. Internal to storage.
//
// Threading:  immutable.
// Errors:     checkSchema(): FAILED_PRECONDITION: this program cannot read stores of that version.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/result.h"

namespace runglass {

// PRAGMA user_version is the version: scripts[0] turns an empty file into a store of version `first`, scripts[n] migrates a store from
// version first + n - 1 to first + n.
struct SchemaHistory {
  std::int64_t first = 0;
  std::span<const char* const> scripts;
  std::int64_t newest() const { return first + static_cast<std::int64_t>(scripts.size()) - 1; }
};

const SchemaHistory& shippedSchema();
// Whether `version`, that of the store at `path`, is in the history. An older one still has to be migrated.
Status checkSchema(const std::string& path, std::int64_t version, const SchemaHistory& history = shippedSchema());

}  // namespace runglass
