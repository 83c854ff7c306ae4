// SPDX-License-Identifier: Apache-2.0
// Reads the run log of a stored or live run.
//
// Threading:  on the thread of the Reader.
// Units:      as `Logbook`.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       as readGoodput(), one step series per attempt, at most kMaxLogbookEvents events.
#pragma once

#include <span>
#include <stop_token>

#include "analysis/logbook/logbook.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr std::size_t kMaxLogbookEvents = 10'000, kMaxLogbookAlerts = 20'000;

// `findings` and `incidents` of the run, stored or new.
Result<Logbook> readLogbook(Reader& reader, const Run& run, std::span<const Finding> findings, std::span<const Incident> incidents,
                            std::stop_token stop);

}  // namespace runglass
