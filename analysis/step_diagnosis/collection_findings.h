// SPDX-License-Identifier: Apache-2.0
// gc_jitter: garbage collections that each rank makes when it likes, so that everybody waits for one of them in many steps.
//
// Lin et al., OSDI '25, section 5.4: collections take hundreds of milliseconds and lengthen forward passes only; planned ones, on all ranks
// in the same step, gave 12.6 % at 128 replicas.
//
// Threading:  on the thread of the Reader.
// Units:      as Finding.
// Errors:     the Reader's.
// Cost:       at most 16 span reads for each stretch that lasts or ended a moment ago, if the steps have no part for collections.
#pragma once

#include <stop_token>
#include <vector>

#include "analysis/step_diagnosis/step_findings.h"
#include "storage/reader.h"

namespace runglass {

// Pauses of forward passes are collections where spans of them say so; where those are recorded and say otherwise, nothing is told.
Status addCollectionFindings(Reader& reader, const AttemptWatch& watch, bool over, FindingMemory& judged, std::vector<Finding>& findings,
                             const std::stop_token& stop);

}  // namespace runglass
