// SPDX-License-Identifier: Apache-2.0
// The recorded content of the ranks' flight-recorder dumps, since a dump repeats that of the previous one.
//
// Threading:  one thread.
// Units:      ns.
// Errors:     if the file cannot be read or written, collectives are recorded twice rather than not at all.
// Cost:       some 40 bytes in the file per collective of the ranks' last dumps.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>

#include "model/time.h"

namespace runglass {

struct KnownDumps {
  using Collective = std::array<std::int64_t, 3>;  // group, seq, start: a group's collectives and its sends can have the same number
  std::int64_t modified_ns = 0;                    // of the newest file that was read
  std::set<Collective> collectives;                // of the last dump
  friend bool operator==(const KnownDumps&, const KnownDumps&) = default;
};

using DumpsByRing = std::map<std::string, KnownDumps>;
DumpsByRing loadKnownDumps(const std::string& path);
bool saveKnownDumps(const std::string& path, const DumpsByRing& dumps);

}  // namespace runglass
