// SPDX-License-Identifier: GPL-3.0-or-later
// How runglassctl opens a store for reading: what a crashed writer left in the journal is stored first.
//
// Threading:  main thread.
// Ownership:  the caller owns the Reader.
// Units:      none.
// Errors:     those of Reader::open. A journal that cannot be replayed (read-only folder) is a note on stderr, not a failure.
// Cost:       recovery writes the store once.
#pragma once

#include <memory>
#include <string>

#include "model/result.h"
#include "storage/reader.h"
#include "storage/writer.h"

namespace runglass {

Result<std::unique_ptr<Reader>> openForReading(const std::string& path);

// Writer options with the hub's replay function, for commands that write.
WriterOptions writerOptions();

}  // namespace runglass
