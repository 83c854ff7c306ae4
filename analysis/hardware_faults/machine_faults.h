// SPDX-License-Identifier: Apache-2.0
// Faults of machines whatever runs on them: an Xid on an idle node is in no run whose analysis reports it.
//
// Threading: on the thread of the Reader.
// Errors:    the Reader's.
// Cost:      one query of the events of the range; where one is a fault, those of its node and two hours more.
#pragma once

#include <stop_token>
#include <vector>

#include "model/findings.h"
#include "storage/reader.h"

namespace runglass {

// Findings without a run, of faults of GPUs, links, nodes and storage that began in the range, with the kinds and subjects that the
// analysis `hardware_faults` of a run gives them. Silent nodes and programs' faults are not among them.
Result<std::vector<Finding>> machineFaults(Reader& reader, TimeRange range, const std::stop_token& stop);

}  // namespace runglass
