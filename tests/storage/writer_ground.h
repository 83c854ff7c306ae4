// SPDX-License-Identifier: Apache-2.0
// WriterGround: the objects shared by the parts of a writer, over a new store; for tests of one part.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "storage/read/live_tail.h"
#include "storage/schema/past_attempts.h"
#include "storage/sqlite/connection.h"
#include "storage/write/catalog.h"
#include "storage/write/commit_rows.h"
#include "storage/write/first_failure.h"
#include "storage/write/writer_parts.h"
#include "tests/support/temp_store.h"

namespace runglass {

class WriterGround {
 public:
  WriterGround() {
    RG_CHECK(store.writer().value()->close().ok());
    db = sqlite::Connection::open(path, sqlite::OpenMode::kReadWrite).value();
    RG_CHECK(addPastPid(db.raw(), path).ok());
    RG_CHECK(catalog.load(db).ok());
    tail.setGeneration(1);
  }
  // One transaction with everything that a part saves, and the catalogue; if `save` fails, none.
  template <class Save>
  Status commit(const Save& save) {
    tail.forgetStored();
    RG_ASSIGN(auto transaction, sqlite::Transaction::begin(db, sqlite::Transaction::Kind::kImmediate));
    RG_TRY(catalog.save(db, rows));
    RG_TRY(save());
    RG_TRY(transaction.commit());
    tail.commitDone();
    noteCommitted(catalog, tail);
    return {};
  }
  std::int64_t number(const std::string& sql) { return db.queryInt64(sql).value().value_or(-1); }

  TempStore store;
  const std::string path = store.path();
  sqlite::Connection db;
  CommitRows rows;
  Catalog catalog;
  LiveTail tail;
  FirstFailure failure;
};

// Returned by a save that fails halfway, for retried commits.
inline Status diskFull() { return {Code::kResourceExhausted, "the disk is full"}; }

}  // namespace runglass
