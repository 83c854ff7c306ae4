// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of `runglassctl analyze` other than findings: contract section 5, one function per part.
//
// Threading:  main thread.
// Units:      as the contract; mean step times in ns, ratios 0..1.
// Errors:     the Reader's; a part without data is present, with a status and a reason.
// Cost:       that of its analysis; what_if is limited to the newest spans, loss reads the loss and the gradient norm once.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "storage/reader.h"

namespace runglass::ctl {

struct AnalyzePart {
  nlohmann::ordered_json json;
  std::string text;  // lines for a terminal, indented; "" without content
};

// `findings`: those of the run. `json` is an object of keys of the answer: `what_if`, `loss`, `goodput`, ...
Result<AnalyzePart> whatIfPart(Reader& reader, const Run& run, std::span<const Finding> findings);
// The keys `ranking` (worst first), `ranking_status` ("ok" or "insufficient"), `ranking_reason` and `ranking_info` (what the ranking
// covers).
Result<AnalyzePart> rankingPart(Reader& reader, const Run& run, std::span<const Finding> findings);
Result<AnalyzePart> lossPart(Reader& reader, const Run& run, std::span<const Finding> findings);
Result<AnalyzePart> goodputPart(Reader& reader, const Run& run, std::span<const Finding> findings);
Result<AnalyzePart> gpuIdlePart(Reader& reader, const Run& run, std::span<const Finding> findings);
// The key `bus_bandwidth`: for each communicator of the newest attempt, and each measured collective.
Result<AnalyzePart> bandwidthPart(Reader& reader, const Run& run, std::span<const Finding> findings);
// The key `thinned`: series, points and up_to_step of the scalars that retention deleted from the run.
Result<AnalyzePart> thinnedPart(Reader& reader, const Run& run, std::span<const Finding> findings);

}  // namespace runglass::ctl
