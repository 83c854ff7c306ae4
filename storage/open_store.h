// SPDX-License-Identifier: Apache-2.0
// openStore: the entry point for opening a store, whatever its storage.
//
// Threading:  Store is a value; what it opens belongs to the caller.
// Errors:     INVALID_ARGUMENT: an unknown URL scheme; FAILED_PRECONDITION: a newer schema, not a store, or, for a writer, a folder on a
//             network filesystem, where neither SQLite's locks nor its shared memory work; ALREADY_EXISTS: another process writes it (the
//             message has its pid); PERMISSION_DENIED; RESOURCE_EXHAUSTED: disk full.
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
  // Does not change the store. A store that cannot be written and has no -wal opens read-only in place.
  Result<std::unique_ptr<Reader>> reader(ReaderOptions options = {}) const;
  // For a file: creates it if missing, migrates an older schema (after copying the file), replays the journal. One writer at a time.
  Result<std::unique_ptr<Writer>> writer(WriterOptions options = {}) const;
  // For replication.
  Result<std::unique_ptr<ChangeReader>> changes(ReaderOptions options = {}) const;

 private:
  std::string m_url;
};

// `url`: the path of a file, or file:PATH.
inline Store openStore(std::string url) { return Store(std::move(url)); }

}  // namespace runglass
