// SPDX-License-Identifier: Apache-2.0
// SqlSession: read-only SQL over the relations of the contract, on its own connection; the implementation of Reader::query.
//
// Threading:  one thread at a time, the Reader's.
// Ownership:  borrows the Reader and its clock maps, which must outlive it; owns its connection.
// Units:      int64 ns UTC in all relations; see docs/formats/schema.md, "Relations".
// Errors:     INVALID_ARGUMENT: invalid SQL (with SQLite's message); PERMISSION_DENIED: anything but reading; CANCELLED by the stop token
//             or the sink; DATA_LOSS: the store contains foreign triggers, views or tables.
// Cost:       rows stream; memory is one series or one track at a time, plus what SQLite needs to sort.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "model/result.h"
#include "storage/reader.h"

namespace runglass {

class ClockMaps;

class SqlSession {
 public:
  // `immutable`: as the Reader opened the file. `clocks` corrects the times of views; null: they are correct as stored.
  static Result<std::unique_ptr<SqlSession>> open(const std::string& path, bool immutable, Reader& reader, const ClockMaps* clocks);
  virtual ~SqlSession() = default;

  virtual Status query(std::string_view sql, const Reader::SqlSink& sink, std::stop_token stop) = 0;
};

}  // namespace runglass
