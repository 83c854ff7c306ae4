// SPDX-License-Identifier: Apache-2.0
// The identity of a store, without the counts of Reader::info().
//
// Threading:  any thread.
// Errors:     those of Store::reader().
// Cost:       one row.
#pragma once

#include <string>

#include "model/result.h"

namespace runglass {

Result<std::string> storeUuid(const std::string& path);

}  // namespace runglass
