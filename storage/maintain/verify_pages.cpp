// SPDX-License-Identifier: Apache-2.0
#include "storage/maintain/verify_pages.h"

#include <utility>
#include <vector>

#include "storage/sqlite/page_checksum_vfs.h"

namespace runglass {
namespace {

struct Object {
  std::string type, name, sql;
};

Result<std::vector<Object>> objectsOf(sqlite::Connection& db) {
  RG_ASSIGN(auto rows, db.prepare("SELECT type, name, tbl_name FROM sqlite_schema WHERE rootpage > 0 ORDER BY type DESC, name"));
  std::vector<Object> objects;
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return objects;
    Object object{.type = std::string(rows.text(0)), .name = std::string(rows.text(1)), .sql = {}};
    object.sql = object.type == "table" ? "SELECT * FROM \"" + object.name + "\" NOT INDEXED"
                                        : "SELECT count(*) FROM \"" + std::string(rows.text(2)) + "\" INDEXED BY \"" + object.name + "\"";
    objects.push_back(std::move(object));
  }
}

// Reads every row with every page of its long values.
Status readThrough(sqlite::Connection& db, const Object& object, const std::stop_token& stop) {
  auto rows = db.prepare(object.sql);
  if (!rows.ok()) return {};  // an index that queries cannot name
  while (!stop.stop_requested()) {
    RG_ASSIGN(const bool row, rows->step());
    if (!row) return {};
  }
  return {};
}

}  // namespace

Status verifyPages(sqlite::Connection& db, const std::stop_token& stop, const std::function<void(std::string)>& damaged) {
  RG_ASSIGN(const auto pages, db.queryInt64("PRAGMA page_count"));
  RG_ASSIGN(const auto page_size, db.queryInt64("PRAGMA page_size"));
  bool any = false;
  const bool zeros = sqlite::checkPages(
      db.raw(), pages.value_or(0), page_size.value_or(0),
      [&](std::int64_t page, bool in_wal) {
        any = true;
        damaged("page " + std::to_string(page) + (in_wal ? " in the write-ahead log" : "") + ": checksum mismatch");
      },
      [&] { return stop.stop_requested(); });
  if (stop.stop_requested()) return {Code::kCancelled, "verify cancelled"};
  if (!any && !zeros) return {};
  RG_ASSIGN(const auto objects, objectsOf(db));
  for (const Object& object : objects) {
    if (const Status read = readThrough(db, object, stop); !read.ok()) damaged(object.type + " " + object.name + ": " + read.message());
  }
  return {};
}

}  // namespace runglass
