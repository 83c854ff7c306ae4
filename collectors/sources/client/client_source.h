// SPDX-License-Identifier: Apache-2.0
// Source `client`: the training processes of this node that load librunglass: finds their ring files and empties them.
//
// Threading:  the agent's thread of this source.
// Ownership:  one ProcessFeed per ring file; a file is removed once its process has ended and its records are stored, a recent ring
//             (recent_ring.h) once its process has ended and nothing was written to it for recent_keep_minutes. <state_dir>/client.recent
//             stores how much of each was shipped.
// Units:      ns.
// Errors:     a file that is not a ring, or of another version, is one client.bad_ring issue and stays unchanged.
// Cost:       every 25 ms two small reads per process; directories are listed every 250 ms.
// Config:     dirs = ["/path", ...] (default: RUNGLASS_DIR if set, else the library's directory for rings of the agent's user), users =
//             "own" or "all" (every user's; needs root), poll_ms = 25, recent_keep_minutes = 30.
#pragma once

#include <memory>

#include "collectors/sources/source.h"

namespace runglass {

std::unique_ptr<Source> makeClientSource();

}  // namespace runglass
