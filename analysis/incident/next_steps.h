// SPDX-License-Identifier: Apache-2.0
// What to do about findings, in the order in which they matter: what the fault catalogue and the analyses advise, and of kinds that have no
// advice of their own what is done about their kind.
//
// Sources of the latter: batches that are skipped after a spike (Chowdhery et al., "PaLM", arXiv 2204.02311, section 5.1); stages and
// sequences that are balanced, collections of garbage at the same steps (Lin et al., "Understanding Stragglers in Large Model Training
// Using What-if Analysis", arXiv 2505.05713, section 5). The others are our own.
//
// Threading:  pure.
// Units:      text in UTF-8; names and advice are the source's.
// Errors:     none: a finding that nobody knows an answer to gives none.
// Cost:       a JSON document a finding.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/incident/finding_place.h"

namespace runglass {

inline constexpr std::size_t kMaxNextSteps = 6;

// At most kMaxNextSteps sentences; equal ones once. Of findings that only inform the first alone is told of, and only where it is the
// first.
std::vector<std::string> nextSteps(std::span<const Finding* const> findings, const RunPlaces& places);

}  // namespace runglass
