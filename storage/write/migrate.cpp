// SPDX-License-Identifier: Apache-2.0
#include "storage/write/migrate.h"

#include <filesystem>

#include "model/random_uuid.h"
#include "storage/maintain/copy_store.h"

namespace runglass {

Status createSchema(sqlite::Connection& db, const SchemaHistory& history) {
  // page_size and auto_vacuum only take effect before the first table.
  RG_TRY(db.exec("PRAGMA page_size=4096; PRAGMA auto_vacuum=INCREMENTAL"));
  RG_ASSIGN(auto transaction, sqlite::Transaction::begin(db, sqlite::Transaction::Kind::kImmediate));
  RG_TRY(db.exec("PRAGMA application_id=" + std::to_string(sqlite::kApplicationId)));
  for (const char* script : history.scripts) RG_TRY(db.exec(script));
  RG_TRY(db.exec("PRAGMA user_version=" + std::to_string(history.newest())));
  RG_TRY(db.exec("INSERT INTO rg_meta(key, value) VALUES('store_uuid', '" + randomUuid() + "'), ('generation', 1)"));
  return transaction.commit();
}

Status migrateSchema(sqlite::Connection& db, const std::string& path, std::int64_t version, const SchemaHistory& history) {
  if (version == history.newest()) return {};
  const std::string backup = path + ".schema" + std::to_string(version);
  if (!std::filesystem::exists(backup)) RG_TRY(copyStore(db, backup));
  for (std::int64_t next = version + 1; next <= history.newest(); ++next) {
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(db, sqlite::Transaction::Kind::kImmediate));
    RG_TRY(db.exec(history.scripts[static_cast<std::size_t>(next - history.first)]));
    RG_TRY(db.exec("PRAGMA user_version=" + std::to_string(next)));
    RG_TRY(transaction.commit());
  }
  return {};
}

}  // namespace runglass
