// SPDX-License-Identifier: Apache-2.0
// How far the data of an incident's window may be trusted: who told something, what was lost, how far clocks are off.
//
// Threading:  on the thread of the Reader.
// Units:      TimeNs, DurNs.
// Errors:     the Reader's; CANCELLED when `stop` fires.
// Cost:       one catalogue read of the series, one of the issues, one lookup a node.
#pragma once

#include <stop_token>

#include "analysis/incident/incident_answer.h"

namespace runglass {

struct QualityQuestion {
  const Run& run;
  const Attempt* attempt = nullptr;  // null: not known
  std::optional<TimeRange> range;
  std::span<const Finding* const> findings;
  const RunPlaces& places;
};

Result<DataQuality> readDataQuality(Reader& reader, const QualityQuestion& question, std::stop_token stop);

}  // namespace runglass
