// SPDX-License-Identifier: GPL-3.0-or-later
// What `runglassctl analyze` says of a run beside its findings: contract section 5, one part each.
//
// Threading:  main thread.
// Units:      as the contract; mean step times in ns, ratios 0..1.
// Errors:     the Reader's; a part without data is there, with a status and a reason.
// Cost:       what its analysis costs; what_if is bounded by the newest spans, loss reads the loss and the gradient norm once.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "storage/reader.h"

namespace runglass::ctl {

struct AnalyzePart {
  nlohmann::ordered_json json;
  std::string text;  // lines for a terminal, indented; "" where there is nothing to say
};

// `findings`: those of the run. `json` is an object of keys of the answer: `what_if`, `loss`, `goodput`, ...
Result<AnalyzePart> whatIfPart(Reader& reader, const Run& run, std::span<const Finding> findings);
// The keys `ranking` (worst first), `ranking_status` ("ok" or "insufficient"), `ranking_reason` and `ranking_info` (of what they are).
Result<AnalyzePart> rankingPart(Reader& reader, const Run& run, std::span<const Finding> findings);
Result<AnalyzePart> lossPart(Reader& reader, const Run& run, std::span<const Finding> findings);
Result<AnalyzePart> goodputPart(Reader& reader, const Run& run, std::span<const Finding> findings);
Result<AnalyzePart> gpuIdlePart(Reader& reader, const Run& run, std::span<const Finding> findings);
// The key `bus_bandwidth`: of each communicator of the newest attempt, and of each collective that was measured.
Result<AnalyzePart> bandwidthPart(Reader& reader, const Run& run, std::span<const Finding> findings);
// The key `thinned`: series, points and up_to_step of what retention deleted of the run's scalars.
Result<AnalyzePart> thinnedPart(Reader& reader, const Run& run, std::span<const Finding> findings);

}  // namespace runglass::ctl
