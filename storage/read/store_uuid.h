// SPDX-License-Identifier: Apache-2.0
// The identity of a store, without what Reader::info() counts.
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
