// SPDX-License-Identifier: Apache-2.0
// The loop of an importer that reads its file from begin to end.
//
// Threading:  one thread.
// Ownership:  a piece is valid during the call only.
// Units:      bytes.
// Errors:     the stream's own, and CANCELLED for a stop.
// Cost:       none of its own.
#pragma once

#include <functional>
#include <stop_token>
#include <string_view>

#include "collectors/importers/importer.h"

namespace runglass {

// Hands all of the stream to `take`, piece by piece.
Status readPieces(ByteStream& in, const ImportTarget& target, const std::stop_token& stop,
                  const std::function<void(std::string_view piece)>& take);
// What run() returns: damage behind something that was read makes the import partial, and is no failure.
Status endOfImport(const Status& status, ImportReport& report);

}  // namespace runglass
