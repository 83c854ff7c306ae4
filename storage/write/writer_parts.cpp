// SPDX-License-Identifier: Apache-2.0
#include "storage/write/writer_parts.h"

#include <algorithm>

#include "storage/maintain/rebuild_tables.h"

namespace runglass {

Result<std::int64_t> nextId(sqlite::Connection& db, std::string_view highest, std::string_view table) {
  RG_ASSIGN(const auto last, db.queryInt64(highest));
  RG_ASSIGN(const auto first, db.queryInt64("SELECT value FROM rg_meta WHERE key = '" + firstIdKey(table) + "'"));
  return std::max(last.value_or(0), first.value_or(0)) + 1;
}

void noteCommitted(Catalog& catalog, LiveTail& tail, std::initializer_list<StorePart> also) {
  std::uint32_t parts = catalog.changedParts();
  for (const StorePart part : also) parts |= 1U << static_cast<unsigned>(part);
  catalog.committed();
  tail.noteParts(parts);
}

}  // namespace runglass
