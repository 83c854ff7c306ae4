// SPDX-License-Identifier: Apache-2.0
// StoreWriter: captures. Texts are packed once, when their rows are written.
#include "storage/codec/capture_body.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/store_writer.h"

namespace runglass {
void StoreWriter::capture(const Capture& capture) {
  atRest();
  if (m_replaying_stored) return;
  if (m_cap.refusesSamples()) {
    ++m_cap.refused;
    return;
  }
  auto row = std::make_shared<Capture>(capture);
  boundCapture(*row);
  row->id = m_next_capture++;
  m_pending_bytes += row->bytes;
  m_tail->append([&](PendingRows& rows) { rows.captures.push_back(std::move(row)); });
}

Status StoreWriter::saveCaptures() {
  const PendingRows& rows = m_tail->pendingRows();
  if (rows.captures.empty()) return {};
  RG_ASSIGN(auto statement,
            m_db.prepare("INSERT OR REPLACE INTO rg_capture(capture_id, time_ns, attempt_id, node_id, rank, kind, source, reason, bytes, "
                         "truncated_bytes, packed, crc, body) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)"));
  for (const auto& c : rows.captures) {
    const CaptureBody body = captureBody(c->text);
    statement.bind(1, c->id);
    statement.bind(2, c->time);
    statement.bind(3, idOrNull(c->attempt));
    statement.bind(4, idOrNull(c->node));
    statement.bind(5, c->rank);
    statement.bind(6, std::string_view(c->kind));
    statement.bind(7, std::string_view(c->source));
    statement.bind(8, std::string_view(c->reason));
    statement.bind(9, c->bytes);
    statement.bind(10, c->truncated_bytes);
    statement.bind(11, body.packed ? 1 : 0);
    statement.bind(12, captureChecksum(body.bytes, body.packed, c->bytes));
    statement.bindBlob(13, body.bytes);
    RG_TRY(put(statement, "rg_capture"));
    m_flushed_bytes += static_cast<std::int64_t>(body.bytes.size());
  }
  return {};
}

}  // namespace runglass
