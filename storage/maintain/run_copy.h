// SPDX-License-Identifier: Apache-2.0
// Copies a run, or a slice of it, into another store. Internal to storage: the implementation of exportRun() and exportIncident().
//
// Threading:  that of the Reader and the Writer.
// Ownership:  borrows both.
// Units:      as RunSlice.
// Errors:     NOT_FOUND: no such run; CANCELLED: `watch.stop` fired; those of the Reader and the Writer.
// Cost:       reads and writes all of the slice; holds a track's spans or a series' samples of one range at a time.
#pragma once

#include <string>

#include "storage/maintain/run_slice.h"
#include "storage/reader.h"
#include "storage/writer.h"

namespace runglass {

// `to` writes the store at `to_path`, which must be empty.
Status copyRun(Reader& from, RunId run, RunSlice slice, Writer& to, const std::string& to_path, const ExportWatch& watch);

}  // namespace runglass
