// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/input/read_pieces.h"

namespace runglass {

Status readPieces(ByteStream& in, const ImportTarget& target, const std::stop_token& stop,
                  const std::function<void(std::string_view piece)>& take) {
  while (true) {
    if (stop.stop_requested()) return {Code::kCancelled, "import of " + target.path + " was stopped"};
    RG_ASSIGN(const std::string_view piece, in.next());
    if (piece.empty()) return {};
    take(piece);
  }
}

Status endOfImport(const Status& status, ImportReport& report) {
  if (status.ok() || status.code() == Code::kCancelled || !report.run) return status;
  report.partial_reason = status.message();
  return {};
}

}  // namespace runglass
