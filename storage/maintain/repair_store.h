// SPDX-License-Identifier: Apache-2.0
// repairStore: a new store of all that can be read of a damaged one.
//
// Threading:  any thread; nobody may write either store.
// Units:      rows.
// Errors:     ALREADY_EXISTS `to` is there; FAILED_PRECONDITION `from` is being written; DATA_LOSS its header or schema cannot be read;
//             RESOURCE_EXHAUSTED, CANCELLED. Then `to` is not made. What cannot be read is the answer, not an error.
// Cost:       reads and writes the whole store once, and verifies the new one.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "model/result.h"

namespace runglass {

struct LostObject {
  std::string object, why;
};
struct Repair {
  std::vector<std::pair<std::string, std::int64_t>> tables;  // with their rows
  std::vector<LostObject> lost;
};

// The new store is clean: what a lost row was named by gets a placeholder or is left out; samples that are lost count as deleted by
// retention, with what their pyramid still says of them. Batches that were acknowledged and not committed go with it.
Result<Repair> repairStore(const std::string& from, const std::string& to, std::stop_token stop = {});

}  // namespace runglass
