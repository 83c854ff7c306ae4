// SPDX-License-Identifier: GPL-3.0-or-later
// A run's spans as Chrome trace JSON (chrome://tracing, Perfetto): one process per rank, one thread per track.
//
// Threading:  one thread.
// Ownership:  borrows Reader and Output.
// Units:      ts and dur in µs with three decimals, exact; ts counts from baseTimeNanoseconds.
// Errors:     those of the Reader; NOT_FOUND: the run has no spans in the range.
// Cost:       one track in memory at a time, read twice.
#pragma once

#include "app/cli/output.h"
#include "storage/reader.h"

namespace runglass::ctl {

Status writeChromeTrace(Reader& reader, RunId run, TimeRange range, Output& out);

}  // namespace runglass::ctl
