// SPDX-License-Identifier: Apache-2.0
// What a store is and holds, as far as that is cheap to know.
//
// Threading:  plain values.
// Ownership:  values own their strings.
// Units:      bytes, TimeNs.
// Cost:       a small struct.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/events.h"
#include "model/time.h"

namespace runglass {

struct StoreInfo {
  std::string path, store_uuid;
  int schema_version = 0;
  bool page_checksums = false;  // false: made by an older program
  std::int64_t file_bytes = 0, journal_bytes = 0;
  std::int64_t sample_count = 0, series_count = 0;
  std::optional<TimeNs> first, last;
  std::string incident;  // uuid of the one that the store was exported for; empty: it is no such store
  // Of a store that copies another one: which, where it is, and the source's time up to which all of it is here.
  struct Mirror {
    std::string source_uuid, from;
    std::optional<TimeNs> complete, summarised;  // absent: not yet
  };
  std::optional<Mirror> mirror;
  std::vector<Issue> damage;  // what the Readers of this process met damaged so far and left out of their answers
};

}  // namespace runglass
