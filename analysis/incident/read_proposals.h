// SPDX-License-Identifier: Apache-2.0
// Proposed incidents of a stored or live run, and who ran where, read from a store.
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

// `findings` and `incidents` of the run, stored or just made.
Result<Proposals> readProposals(Reader& reader, const Run& run, std::span<const Finding> findings, std::span<const Incident> incidents,
                                std::stop_token stop);

}  // namespace runglass
