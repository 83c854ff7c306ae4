// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/free_pages.h"

#include <cstdint>

namespace runglass {
namespace {

constexpr std::int64_t kBatch = 4096;

}  // namespace

// A step of incremental_vacuum frees one page: the statement must be stepped to its end.
Result<GivenBack> giveBackPages(sqlite::Connection& db, const std::function<bool()>& stop) {
  GivenBack given;
  std::int64_t batch = kBatch;
  while (true) {
    RG_ASSIGN(const auto before, db.queryInt64("PRAGMA freelist_count"));
    if (before.value_or(0) == 0) return given;
    const Status moved = db.exec("PRAGMA incremental_vacuum(" + std::to_string(batch) + ")");
    if (!moved.ok() && moved.code() != Code::kDataLoss) return moved;
    if (!moved.ok()) {
      // Nothing of the batch was moved. Pages after the damaged one may still be movable.
      given.damage = moved.message();
      batch /= 2;
      if (batch == 0) return given;
    }
    RG_ASSIGN(const auto after, db.queryInt64("PRAGMA freelist_count"));
    // A file created without auto_vacuum keeps its free pages for later rows.
    if (moved.ok() && after.value_or(0) >= *before) return given;
    given.unfinished = stop();
    if (given.unfinished) return given;
  }
}

}  // namespace runglass
