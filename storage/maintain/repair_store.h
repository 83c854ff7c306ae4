// SPDX-License-Identifier: Apache-2.0
// repairStore: writes a new store with everything that can be read of a damaged one.
//
// Threading:  any thread; neither store may be written by anything else meanwhile.
// Units:      rows.
// Errors:     ALREADY_EXISTS: `to` exists; FAILED_PRECONDITION: `from` is being written; DATA_LOSS: its header or schema cannot be read;
//             RESOURCE_EXHAUSTED, CANCELLED. In these cases `to` is not created. Unreadable data is part of the result, not an error.
// Cost:       reads and writes the whole store once, and verifies the new one.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "model/result.h"

namespace runglass {

struct LostObject {
  std::string object, why;
  std::optional<std::int64_t> rows = {};  // at most so many are missing; absent: unknown
};
struct Repair {
  std::vector<std::pair<std::string, std::int64_t>> tables;  // with the number of their rows
  std::vector<LostObject> lost;
  bool page_checksums = false;  // of the damaged store; the new one has them
};

// The new store passes verify: references to lost rows get a placeholder or are dropped; lost samples count as deleted by retention, and
// their pyramid entries stay. Acknowledged batches that were not committed are copied too. Each lost object is an issue of the new store
// (store.lost_in_repair), so that its answers, reports and exports show the gap.
Result<Repair> repairStore(const std::string& from, const std::string& to, std::stop_token stop = {});

}  // namespace runglass
