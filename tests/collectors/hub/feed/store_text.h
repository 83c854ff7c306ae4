// SPDX-License-Identifier: Apache-2.0
// Everything that a feed replicates of a store, as lines that are equal for equal stores, whatever the ids are.
//
// Threading:  one thread.
// Units:      as printed.
// Errors:     aborts the test program if a store cannot be read.
// Cost:       reads every point.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "storage/reader.h"

namespace runglass {

template <class T>
T mustRead(Result<T> result) {
  if (!result.ok()) std::fprintf(stderr, "%s\n", result.status().message().c_str());
  RG_CHECK(result.ok());
  return std::move(result).value();
}

// Sorted where the Reader's order depends on ids.
std::vector<std::string> storeText(Reader& reader);

}  // namespace runglass
