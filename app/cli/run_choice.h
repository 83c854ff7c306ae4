// SPDX-License-Identifier: GPL-3.0-or-later
// Which run, which attempt of it or which incident a person or a link means.
//
// Threading:  on the thread of the Reader.
// Errors:     NOT_FOUND naming what was wanted, after `store` (the file's path; may be empty); the Reader's.
// Cost:       one read each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "storage/reader.h"

namespace runglass {

// By id, uuid or name, in this order; empty: the one that runs or began last.
Result<Run> wantedRun(Reader& reader, const std::string& store, const std::string& wanted);
// By id, uuid or the begin of a uuid that only one has.
Result<Incident> wantedIncident(Reader& reader, const std::string& store, const std::string& wanted);
// By number; absent: the newest.
Result<Attempt> wantedAttempt(Reader& reader, const std::string& store, const Run& run, std::optional<std::int32_t> number);

}  // namespace runglass
