// SPDX-License-Identifier: GPL-3.0-or-later
// Resolves the run, attempt or incident that a person or a link names.
//
// Threading:  on the thread of the Reader.
// Errors:     NOT_FOUND naming the requested object, after `store` (the file's path; may be empty); the Reader's.
// Cost:       one read each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "storage/reader.h"

namespace runglass {

// By id, uuid or name, in this order; empty: the running or most recently started one.
Result<Run> wantedRun(Reader& reader, const std::string& store, const std::string& wanted);
// By id, uuid or a unique prefix of a uuid.
Result<Incident> wantedIncident(Reader& reader, const std::string& store, const std::string& wanted);
// By number; absent: the newest.
Result<Attempt> wantedAttempt(Reader& reader, const std::string& store, const Run& run, std::optional<std::int32_t> number);

}  // namespace runglass
