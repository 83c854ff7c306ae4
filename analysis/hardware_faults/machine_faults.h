// SPDX-License-Identifier: Apache-2.0
// Faults of machines regardless of their jobs: an Xid on an idle node belongs to no run whose analysis would report it.
//
// Threading:  on the thread of the Reader.
// Errors:     the Reader's.
// Cost:       one query of the events in the range; if one is a fault, also the events of its node, up to two hours earlier.
#pragma once

#include <stop_token>
#include <vector>

#include "model/findings.h"
#include "storage/reader.h"

namespace runglass {

// Findings without a run, for faults of GPUs, links, nodes and storage that began in the range, with the kinds and subjects that the
// analysis `hardware_faults` of a run uses. Silent nodes and faults of programs are not included.
Result<std::vector<Finding>> machineFaults(Reader& reader, TimeRange range, const std::stop_token& stop);

}  // namespace runglass
