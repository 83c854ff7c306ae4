// SPDX-License-Identifier: Apache-2.0
// A run of one store, or a slice of it, into another one. Internal to storage: exportRun() and exportIncident() are this.
//
// Threading:  that of the Reader and the Writer.
// Ownership:  borrows both.
// Units:      as RunSlice.
// Errors:     NOT_FOUND no such run; CANCELLED `watch.stop` fired; those of the Reader and the Writer.
// Cost:       reads and writes all of the slice; a track's spans and a series' samples of one range are held at a time.
#pragma once

#include <string>

#include "storage/maintain/run_slice.h"
#include "storage/reader.h"
#include "storage/writer.h"

namespace runglass {

// `to` writes the store at `to_path`, which is empty before.
Status copyRun(Reader& from, RunId run, RunSlice slice, Writer& to, const std::string& to_path, const ExportWatch& watch);

}  // namespace runglass
