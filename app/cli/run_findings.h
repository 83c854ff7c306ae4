// SPDX-License-Identifier: GPL-3.0-or-later
// The findings of all analyses for a stored run, as of its last data. For live runs, the hub runs them (collectors/hub/watch).
//
// Threading:  the Reader's thread.
// Ownership:  findings are not stored yet, so they have no id.
// Units:      as Finding.
// Errors:     that of the first analysis that fails, with its name; CANCELLED when `stop` fires.
// Cost:       that of all analyses in analysis/registry.cpp.
#pragma once

#include <stop_token>
#include <vector>

#include "model/findings.h"
#include "model/result.h"
#include "storage/reader.h"

namespace runglass {

Result<std::vector<Finding>> findAll(Reader& reader, const Run& run, std::stop_token stop = {});

}  // namespace runglass
