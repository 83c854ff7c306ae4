// SPDX-License-Identifier: Apache-2.0
// What was recorded of the ranks' flight recorder dumps: a dump repeats what the one before it had.
//
// Threading:  one thread.
// Ownership:  values.
// Units:      ns.
// Errors:     what cannot be read or written: collectives come twice rather than not at all.
// Cost:       some 40 bytes of the file per collective of the ranks' last dumps.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>

#include "model/time.h"

namespace runglass {

struct KnownDumps {
  using Collective = std::array<std::int64_t, 3>;  // group, seq, start: a group's collectives and its sends may bear the same number
  std::int64_t modified_ns = 0;                    // of the newest file that was read
  std::set<Collective> collectives;                // of the last dump
  friend bool operator==(const KnownDumps&, const KnownDumps&) = default;
};

using DumpsByRing = std::map<std::string, KnownDumps>;
DumpsByRing loadKnownDumps(const std::string& path);
bool saveKnownDumps(const std::string& path, const DumpsByRing& dumps);

}  // namespace runglass
