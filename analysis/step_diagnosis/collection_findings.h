// SPDX-License-Identifier: Apache-2.0
// gc_jitter: garbage collections at a different time on each rank, so that all ranks wait for one of them in many steps.
//
// Lin et al., OSDI '25, section 5.4: collections take hundreds of milliseconds and lengthen forward passes only; planned ones, on all ranks
// in the same step, gained 12.6 % at 128 replicas.
//
// Threading:  on the thread of the Reader.
// Units:      as Finding.
// Errors:     the Reader's.
// Cost:       at most 16 span reads per imbalance that lasts or ended recently, if the steps have no part for collections.
#pragma once

#include <stop_token>
#include <vector>

#include "analysis/step_diagnosis/step_findings.h"
#include "storage/reader.h"

namespace runglass {

// Pauses of forward passes count as collections if spans confirm it; if collections are recorded but do not match, there is no finding.
Status addCollectionFindings(Reader& reader, const AttemptWatch& watch, bool over, FindingMemory& judged, std::vector<Finding>& findings,
                             const std::stop_token& stop);

}  // namespace runglass
