// SPDX-License-Identifier: Apache-2.0
// What the parts of the writer do alike. Internal to storage.
//
// Threading:  the caller's.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "model/events.h"
#include "storage/read/live_tail.h"
#include "storage/sqlite/connection.h"
#include "storage/write/catalog.h"

namespace runglass {

// The limit on a store's size: what is refused, and how much was. The rules are in store_cap.cpp.
struct SizeCap {
  enum class Refusing : std::uint8_t { kNothing, kSamples, kScalarsToo };

  // A commit may add a page to each of the `open_chunks`: what the cap does not allow to be exceeded by is kept free for it.
  void set(std::int64_t cap, std::int64_t open_chunks);
  void judge(bool nothing_to_delete);
  bool refusesSamples() const { return refusing != Refusing::kNothing; }
  std::string ofCap() const;  // "of its cap of 7 MiB", and what of it is kept free

  Refusing refusing = Refusing::kNothing;
  std::int64_t refused = 0;                  // points, spans, lines and captures since the last flush
  std::int64_t cap = 0, room = 0, used = 0;  // bytes: of the newest retention's policy; what may be used of it; after the newest commit
};

// One more than the highest id of `table`, as the query `highest` tells it; also of a table that was made anew.
Result<std::int64_t> nextId(sqlite::Connection& db, std::string_view highest, std::string_view table);

// The id of a text, which Readers then know.
inline std::int64_t internedText(Catalog& catalog, LiveTail& tail, std::string_view text) {
  const std::int64_t id = catalog.text(text);
  tail.addText(id, text);
  return id;
}

// After a transaction with the catalogue: Readers see which parts may have changed, `also` among them.
void noteCommitted(Catalog& catalog, LiveTail& tail, std::initializer_list<StorePart> also = {});

// One of now.
inline Issue issueNow(std::string_view code, std::string source, std::string detail) {
  const TimeNs now = wallNow();
  return {.code = std::string(code), .source = std::move(source), .first = now, .last = now, .detail = std::move(detail)};
}

}  // namespace runglass
