// SPDX-License-Identifier: Apache-2.0
#include "storage/write/stream_marks.h"

#include "storage/sqlite/bind_row.h"

namespace runglass {

Result<std::uint64_t> StreamMarks::next(const StreamKey& stream) {
  if (const auto known = m_streams.find(stream); known != m_streams.end()) return known->second.next_seq;
  if (!m_find) {
    RG_ASSIGN(m_db, sqlite::Connection::open(m_path, sqlite::OpenMode::kReadOnly));
    RG_ASSIGN(m_find, m_db.prepare("SELECT next_seq FROM rg_stream WHERE agent = ? AND session = ? AND stream = ?", true));
  }
  m_find.reset();
  bindAll(m_find, std::string_view(stream.agent), std::string_view(stream.session), stream.stream);
  RG_ASSIGN(const bool row, m_find.step());
  const auto next = row ? static_cast<std::uint64_t>(m_find.int64(0)) : 0;
  m_find.reset();
  if (row) m_streams[stream] = {next, false, m_now};
  return next;
}

void StreamMarks::set(const StreamKey& stream, std::uint64_t next) {
  m_streams[stream] = {next, true, m_now};
  m_any_changed = true;
}

StreamMarks::Marks StreamMarks::take(TimeNs now) {
  m_now = now;
  Marks marks;
  for (auto& [stream, state] : m_streams) {
    if (!std::exchange(state.changed, false)) continue;
    state.touched = m_now;
    marks.emplace_back(stream, state.next_seq);
  }
  // The others are in the file with the same values.
  std::erase_if(m_streams, [this](const auto& one) { return one.second.touched < m_now - m_idle; });
  m_any_changed = false;
  return marks;
}

void StreamMarks::putBack(const Marks& marks) {
  for (const auto& [stream, next] : marks) m_streams[stream].changed = m_any_changed = true;
}

Status StreamMarks::save(sqlite::Connection& db, const Marks& marks) {
  if (marks.empty()) return {};
  RG_ASSIGN(auto statement, db.prepare("INSERT OR REPLACE INTO rg_stream(agent, session, stream, next_seq, changed_ns) VALUES(?,?,?,?,?)"));
  for (const auto& [stream, next] : marks) {
    bindAll(statement, std::string_view(stream.agent), std::string_view(stream.session), stream.stream, next, wallNow());
    RG_TRY(statement.run());
  }
  return {};
}

void StreamMarks::close() {
  m_find = {};
  m_db = {};
}

}  // namespace runglass
