// SPDX-License-Identifier: Apache-2.0
// Identity and content of a store, limited to numbers that are cheap to get.
//
// Units:      bytes, TimeNs.
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
  bool page_checksums = false;  // false: created by an older program
  std::int64_t file_bytes = 0, journal_bytes = 0;
  std::int64_t sample_count = 0, series_count = 0;
  std::optional<TimeNs> first, last;
  std::string incident;  // uuid of the incident that the store was exported for; empty: not such a store
  // For a replica: the source store, its address, and the source's time up to which the replica is complete.
  struct Mirror {
    std::string source_uuid, from;
    std::optional<TimeNs> complete, summarised;  // absent: not yet
  };
  std::optional<Mirror> mirror;
  std::vector<Issue> damage;  // objects that the Readers of this process found damaged and left out of their answers
};

}  // namespace runglass
