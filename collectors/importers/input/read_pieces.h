// SPDX-License-Identifier: Apache-2.0
// The read loop of importers that read their file sequentially.
//
// Threading:  one thread.
// Ownership:  a piece is valid during the call only.
// Units:      bytes.
// Errors:     the stream's own, and CANCELLED for a stop.
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

#include "collectors/importers/importer.h"

namespace runglass {

// Passes the whole stream to `take`, piece by piece.
Status readPieces(ByteStream& in, const ImportTarget& target, const std::stop_token& stop,
                  const std::function<void(std::string_view piece)>& take);
// Result of run(): damage after successfully read data makes the import partial, and is not a failure.
Status endOfImport(const Status& status, ImportReport& report);

}  // namespace runglass
