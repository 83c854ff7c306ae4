// SPDX-License-Identifier: Apache-2.0
// A new store is written under another name and renamed when it is complete. Internal to storage.
//
// Threading:  any thread.
// Errors:     ALREADY_EXISTS: the file exists; else UNAVAILABLE. Messages begin with `what`: "cannot export".
// Cost:       an fsync of the file.
#pragma once

#include <string>

#include "model/result.h"

namespace runglass {

// The name under which the store for `to` is written.
inline std::string partOf(const std::string& to) { return to + ".part"; }
// Fails if `to` or its .part file exists.
Status isFree(const std::string& to, const std::string& what);
// Renames the closed store at partOf(to), after syncing it.
Status putInPlace(const std::string& to, const std::string& what);
// The store and its companion files (-wal, journals, …).
void removeStore(const std::string& path);

}  // namespace runglass
