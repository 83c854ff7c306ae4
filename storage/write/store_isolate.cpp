// SPDX-License-Identifier: Apache-2.0
// StoreWriter: data that cannot be recorded or stored does not affect other data.
// Invariants:
// 1. Data that a series or track in the file cannot accept continues in another one (OpenChunks, SpanLanes).
// 2. A row that the file refuses, and a batch that cannot be recorded, are in <store>-ingest.bad before a high-water mark moves past them.
#include "model/crc32c.h"
#include "storage/write/store_writer.h"
#include "storage/write/writer_parts.h"

namespace runglass {

void StoreWriter::setAside(const StreamKey& stream, std::uint64_t seq, std::string_view payload, const Status& why) {
  const std::string number = std::to_string(stream.stream);
  const std::string kept = m_bad.append(
      {{"agent", stream.agent}, {"session", stream.session}, {"stream", number}, {"seq", std::to_string(seq)}, {"reason", why.message()}},
      payload);
  issue(
      issueNow("store.batch_set_aside", stream.agent,
               "session " + stream.session + ", stream " + number + ", batch " + std::to_string(seq) + ": " + why.message() + "; " + kept));
}

// In a careful commit. If nothing can be stored, the damage is not limited to a part: the commit fails, and acknowledged batches stay in
// the journal.
Status StoreWriter::saveSeriesCarefully() {
  m_lanes.clearRefused();
  bool any = false;
  const std::size_t before = m_rows.refused().size(), units = m_chunks.unsaved().size() + m_lanes.unsaved().size();
  const auto why = [this] { return Status(Code::kDataLoss, m_rows.refused().back().why); };
  for (std::size_t i = 0; i < m_chunks.unsaved().size(); ++i) {
    const SeriesId id = m_chunks.unsaved()[i];
    const Result<bool> stored = m_rows.together(m_db, "rg_chunk", id.value, [&] { return m_chunks.save(id); });
    if (m_rows.mustRestart()) m_chunks.moveOn(id, stored.status());
    RG_TRY(stored.status());
    any |= *stored;
  }
  for (const TrackId id : m_lanes.unsaved()) {
    RG_ASSIGN(const bool stored, m_rows.together(m_db, "rg_span_chunk", id.value, [&] { return m_lanes.save(id); }));
    any |= stored;
    if (!stored) m_lanes.noteRefused(id, why());
  }
  constexpr std::size_t kFew = 3;
  if (!any && units > kFew && m_rows.refused().size() - before >= units) return why();
  return {};
}

Status StoreWriter::setAsideRefused() {
  std::vector<Issue> issues;
  for (const CommitRows::Refused& rows : m_rows.refused()) {
    // A retried commit refuses the same rows.
    const std::string kept = m_kept_refused.insert(crc32c(rows.sql)).second
                                 ? m_bad.append({{"table", rows.table}, {"reason", rows.why}}, rows.sql)
                                 : "kept in " + m_bad.path();
    issues.push_back(issueNow("store.row_refused", rows.table, rows.why + "; " + kept));
  }
  return m_log.saveIssues(issues);
}

// After a commit.
void StoreWriter::dropRefused() {
  m_kept_refused.clear();
  m_lanes.dropRefused();
}

}  // namespace runglass
