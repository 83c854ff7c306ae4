// SPDX-License-Identifier: Apache-2.0
// Functions shared by the parts of the writer. Internal to storage.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "model/events.h"
#include "storage/file_maintenance.h"
#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/write/catalog.h"

namespace runglass {

// The cap on a store's size: which data is refused, and how much was. The rules are in store_cap.cpp.
struct SizeCap {
  // Counted apart, each an issue of its own.
  enum Kind : std::uint8_t { kSamples, kScalars, kSpans, kCaptures, kLogLines, kKinds };

  // A commit may add a page to each of the `open_chunks`: that much of the cap is kept free.
  void set(std::int64_t cap, std::int64_t open_chunks);
  void judge(bool nothing_to_delete);
  bool refusesSamples() const { return refusing != CapRefuses::kNothing; }
  bool refusesScalars() const { return refusing >= CapRefuses::kScalarsToo; }
  std::string ofCap() const;  // "of its cap of 7 MiB", and the part of it that is kept free

  CapRefuses refusing = CapRefuses::kNothing;
  bool exhausted = false;                      // the newest retention left nothing to delete; commits until the next one count on it
  std::array<std::int64_t, kKinds> refused{};  // since the last flush
  std::int64_t cap = 0, room = 0, used = 0;    // bytes: the newest retention policy's cap, its usable part, in use after the newest commit
};

// One more than the highest id of `table`, as returned by the query `highest`; also for a rebuilt table.
Result<std::int64_t> nextId(sqlite::Connection& db, std::string_view highest, std::string_view table);

// The id of a text, which is then visible to Readers.
inline std::int64_t internedText(Catalog& catalog, LiveTail& tail, std::string_view text) {
  const std::int64_t id = catalog.text(text);
  tail.addText(id, text);
  return id;
}

// After a transaction with the catalogue: notifies Readers of the parts that may have changed, including `also`.
void noteCommitted(Catalog& catalog, LiveTail& tail, std::initializer_list<StorePart> also = {});

// An issue with the current time.
inline Issue issueNow(std::string_view code, std::string source, std::string detail) {
  const TimeNs now = wallNow();
  return {.code = std::string(code), .source = std::move(source), .first = now, .last = now, .detail = std::move(detail)};
}

}  // namespace runglass
