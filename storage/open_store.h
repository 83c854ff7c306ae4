// SPDX-License-Identifier: Apache-2.0
// openStore: the one door to a store, whatever keeps it.
//
// Threading:  Store is a value; what it opens is its caller's.
// Errors:     INVALID_ARGUMENT a scheme that this program does not know; FAILED_PRECONDITION a newer schema, not a store, or, for a writer,
// a
//             folder on a network filesystem, where neither SQLite's locks nor its shared memory hold; ALREADY_EXISTS another process
//             writes it (names its pid); PERMISSION_DENIED; RESOURCE_EXHAUSTED disk full.
// Cost:       openStore() none.
#pragma once

#include <memory>
#include <string>

#include "storage/reader.h"
#include "storage/writer.h"

namespace runglass {

class ChangeReader;

class Store {
 public:
  explicit Store(std::string url) : m_url(std::move(url)) {}
  const std::string& url() const { return m_url; }
  // Changes nothing. A store that cannot be written and has no -wal opens read-only in place.
  Result<std::unique_ptr<Reader>> reader(ReaderOptions options = {}) const;
  // Of a file: creates it if it is missing, migrates an older schema (after a copy of the file), replays the journal. One at a time.
  Result<std::unique_ptr<Writer>> writer(WriterOptions options = {}) const;
  // For who copies the store.
  Result<std::unique_ptr<ChangeReader>> changes(ReaderOptions options = {}) const;

 private:
  std::string m_url;
};

// `url`: the path of a file, or file:PATH.
inline Store openStore(std::string url) { return Store(std::move(url)); }

}  // namespace runglass
