// SPDX-License-Identifier: Apache-2.0
// Reads proposed incidents of a stored or live run, and the placement of its ranks.
//
// Threading:  on the thread of the Reader.
// Units:      TimeNs.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       a few catalogue reads, then as proposeIncidents().
#pragma once

#include <span>
#include <stop_token>

#include "analysis/incident/propose.h"
#include "storage/reader.h"

namespace runglass {

Result<RunPlaces> readRunPlaces(Reader& reader, const Run& run, std::stop_token stop);

// `findings` and `incidents` of the run, stored or new.
Result<Proposals> readProposals(Reader& reader, const Run& run, std::span<const Finding> findings, std::span<const Incident> incidents,
                                std::stop_token stop);

}  // namespace runglass
