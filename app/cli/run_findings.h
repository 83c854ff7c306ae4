// SPDX-License-Identifier: GPL-3.0-or-later
// What every analysis concludes of a stored run, as of its last data. A hub asks them live instead (collectors/hub/watch).
//
// Threading:  the Reader's thread.
// Ownership:  values; not yet in the store, so without an id.
// Units:      as Finding.
// Errors:     of the first analysis that fails, with its name; CANCELLED when `stop` fires.
// Cost:       as the analyses of analysis/registry.cpp together.
#pragma once

#include <stop_token>
#include <vector>

#include "model/findings.h"
#include "model/result.h"
#include "storage/reader.h"

namespace runglass {

Result<std::vector<Finding>> findAll(Reader& reader, const Run& run, std::stop_token stop = {});

}  // namespace runglass
