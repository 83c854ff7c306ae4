// SPDX-License-Identifier: Apache-2.0
// Binds the values of a row to a statement's parameters. Internal to storage.
//
// Threading:  that of the connection.
// Ownership:  texts are borrowed until the statement has run.
// Cost:       one bind call each.
#pragma once

#include <cstdint>
#include <optional>

#include "model/ids.h"
#include "storage/sqlite/connection.h"

namespace runglass {

// An id of 0 becomes NULL.
template <class Tag>
std::optional<std::int64_t> idOrNull(Id<Tag> id) {
  return id ? std::optional(static_cast<std::int64_t>(id.value)) : std::nullopt;
}

// In the order of the parameters.
template <class... T>
void bindAll(sqlite::Statement& statement, const T&... values) {
  int index = 1;
  (statement.bind(index++, values), ...);
}

}  // namespace runglass
