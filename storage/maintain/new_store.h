// SPDX-License-Identifier: Apache-2.0
// A new store that is written under another name and put in place when it is whole. Internal to storage.
//
// Threading:  any thread.
// Errors:     ALREADY_EXISTS there is such a file; else UNAVAILABLE. Messages begin with `what`: "cannot export".
// Cost:       an fsync of the file.
#pragma once

#include <string>

#include "model/result.h"

namespace runglass {

// Where the store for `to` is written.
inline std::string partOf(const std::string& to) { return to + ".part"; }
// Neither `to` nor its part is there.
Status isFree(const std::string& to, const std::string& what);
// Gives the closed store at partOf(to) its name. It is on disk before.
Status putInPlace(const std::string& to, const std::string& what);
// The store with all files beside it.
void removeStore(const std::string& path);

}  // namespace runglass
