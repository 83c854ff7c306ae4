// SPDX-License-Identifier: Apache-2.0
// The versions of a store's schema as SQL, embedded at build from the .sql files here. Internal to storage.
//
// Threading:  immutable.
// Errors:     checkSchema(): FAILED_PRECONDITION this program cannot read stores of that version.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "model/result.h"

namespace runglass {

// PRAGMA user_version is the version: scripts[0] makes an empty file a store of version `first`, scripts[n] one of version first + n of one
// of the version before.
struct SchemaHistory {
  std::int64_t first = 0;
  std::span<const char* const> scripts;
  std::int64_t newest() const { return first + static_cast<std::int64_t>(scripts.size()) - 1; }
};

const SchemaHistory& shippedSchema();
// Whether the store at `path`, of `version`, is one of the history. An older one still has to be migrated.
Status checkSchema(const std::string& path, std::int64_t version, const SchemaHistory& history = shippedSchema());

}  // namespace runglass
