// SPDX-License-Identifier: GPL-3.0-or-later
// Opens a store for reading, without changing it.
//
// Threading:  any thread.
// Ownership:  the caller owns the Reader.
// Errors:     those of Store::reader(). Data that a killed writer left in the journal is reported on stderr, with the command that stores
//             it.
// Cost:       that of Store::reader(); such a journal is read once.
#pragma once

#include <memory>
#include <string>

#include "model/result.h"
#include "storage/reader.h"
#include "storage/writer.h"

namespace runglass {

// For an answer: during a second run around damaged pages (repaired_copy.h), the repaired copy under the store's own name.
Result<std::unique_ptr<Reader>> openForReading(const std::string& path);
// A repaired copy under the name of its store; `page_checksums`: those of the store.
Result<std::unique_ptr<Reader>> openCopy(const std::string& copy, const std::string& store, bool page_checksums);
// For a command that writes into the store, or checks it: always the store itself.
Result<std::unique_ptr<Reader>> openItself(const std::string& path);

// Writer options with the hub's replay function, for commands that write.
WriterOptions writerOptions();

}  // namespace runglass
