// SPDX-License-Identifier: Apache-2.0
// Source `client`: the training processes of this node that load librunglass: finds their ring files and empties them.
//
// Threading:  the agent's thread of this source.
// Ownership:  one ProcessFeed per ring file; a file is removed once its process is gone and all of it was recorded, a recent ring
//             (recent_ring.h) once its process is gone and nothing was written to it for recent_keep_minutes.
//             <state_dir>/client.recent keeps how far each of those was shipped.
// Units:      ns.
// Errors:     a file that is not a ring, or of another version, is one client.bad_ring issue and left alone.
// Cost:       every 25 ms two small reads per process; directories are listed every 250 ms.
// Config:     dirs = ["/path", ...] (default: RUNGLASS_DIR where that is set, else where the library puts rings of the agent's user),
//             users = "own" or "all" (every user's; needs root), poll_ms = 25, recent_keep_minutes = 30.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeClientSource();

}  // namespace runglass
