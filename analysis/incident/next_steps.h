// SPDX-License-Identifier: Apache-2.0
// Recommended actions for findings, most important first: the advice of the fault catalogue and of the analyses, else the usual action for
// the kind of finding.
//
// Sources of the latter: skipping batches after a spike (Chowdhery et al., "PaLM", arXiv 2204.02311, section 5.1); balancing stages and
// sequences, and garbage collection at the same steps on all ranks (Lin et al., "Understanding Stragglers in Large Model Training Using
// What-if Analysis", arXiv 2505.05713, section 5). The others are our own.
//
// Threading:  pure.
// Units:      text in UTF-8; names and advice are the source's.
// Errors:     a finding without a known action gives none.
// Cost:       one JSON document per finding.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/incident/finding_place.h"

namespace runglass {

inline constexpr std::size_t kMaxNextSteps = 6;

// At most kMaxNextSteps distinct sentences. A finding of severity info counts only if it is the first.
std::vector<std::string> nextSteps(std::span<const Finding* const> findings, const RunPlaces& places);

}  // namespace runglass
