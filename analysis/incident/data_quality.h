// SPDX-License-Identifier: Apache-2.0
// The quality of the data in an incident's window: coverage of ranks and series, lost data, clock error.
//
// Threading:  on the thread of the Reader.
// Units:      TimeNs, DurNs.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       one catalogue read of the series, one of the issues, one lookup per node.
#pragma once

#include <stop_token>

#include "analysis/incident/incident_answer.h"

namespace runglass {

struct QualityQuestion {
  const Run& run;
  const Attempt* attempt = nullptr;  // null: unknown
  std::optional<TimeRange> range;
  std::span<const Finding* const> findings;
  const RunPlaces& places;
};

Result<DataQuality> readDataQuality(Reader& reader, const QualityQuestion& question, std::stop_token stop);

}  // namespace runglass
