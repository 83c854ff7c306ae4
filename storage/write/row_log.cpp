// SPDX-License-Identifier: Apache-2.0
#include "storage/write/row_log.h"

#include <utility>

#include "storage/codec/capture_body.h"
#include "storage/maintain/rebuild_tables.h"
#include "storage/sqlite/bind_row.h"
#include "storage/write/writer_parts.h"

namespace runglass {
namespace {

constexpr std::int64_t kRowBytes = 64;
constexpr std::size_t kMaxIssues = 20'000;  // distinct ones per store
constexpr const char* kTooManyIssues = "store.too_many_issues";

std::string issueKey(std::string_view code, std::string_view source) {
  std::string key(code);
  key.push_back('\0');
  return key.append(source);
}

}  // namespace

Status RowLog::load() {
  RG_ASSIGN(m_next_event, nextId(m_db, "SELECT max(event_id) FROM rg_event", "rg_event"));
  RG_ASSIGN(m_next_capture, nextId(m_db, "SELECT max(capture_id) FROM rg_capture", "rg_capture"));
  RG_ASSIGN(m_next_log, nextId(m_db, "SELECT max(log_id) FROM rg_log", "rg_log"));
  RG_ASSIGN(auto rows, m_db.prepare("SELECT code, source FROM rg_issue LIMIT ?"));
  rows.bind(1, static_cast<std::int64_t>(kMaxIssues));
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return {};
    m_known_issues.insert(issueKey(rows.text(0), rows.text(1)));
  }
}

void RowLog::event(const Event& event) {
  m_tail->append([&](PendingRows& rows) {
    rows.events.push_back(event);
    rows.events.back().id = m_next_event++;
  });
  m_pending_bytes += kRowBytes + static_cast<std::int64_t>(event.message.size());
}

void RowLog::log(const LogLine& line) {
  internedText(m_catalog, *m_tail, line.stream);  // interned now, so that the flush has it in the catalogue already
  m_tail->append([&](PendingRows& rows) {
    if (rows.logs.empty()) rows.first_log = m_next_log;
    rows.logs.push_back(line);
    ++m_next_log;
  });
  m_pending_bytes += kRowBytes + static_cast<std::int64_t>(line.text.size());
}

void RowLog::label(const Label& label) {
  m_tail->append([&](PendingRows& rows) { rows.labels.push_back(label); });
}

void RowLog::capture(const Capture& capture) {
  auto row = std::make_shared<Capture>(capture);
  boundCapture(*row);
  row->id = m_next_capture++;
  m_pending_bytes += row->bytes;
  m_tail->append([&](PendingRows& rows) { rows.captures.push_back(std::move(row)); });
}

void RowLog::issue(const Issue& issue) {
  std::string key = issueKey(issue.code, issue.source);
  if (!m_known_issues.contains(key)) {
    if (m_known_issues.size() >= kMaxIssues && issue.code != kTooManyIssues)
      return this->issue({.code = kTooManyIssues,
                          .source = "store",
                          .count = issue.count,
                          .first = issue.first,
                          .last = issue.last,
                          .detail = "the last one: " + issue.code + " of " + issue.source});
    m_known_issues.insert(key);
  }
  m_tail->append([&](PendingRows& rows) {
    const auto [at, is_new] = m_pending_issues.try_emplace(std::move(key), rows.issues.size());
    if (is_new)
      rows.issues.push_back(issue);
    else
      runglass::addIssue(rows.issues[at->second], issue);
  });
}

const Issue* RowLog::waiting(const Issue& issue) const {
  const auto found = m_pending_issues.find(issueKey(issue.code, issue.source));
  return found == m_pending_issues.end() ? nullptr : &m_tail->pendingRows().issues[found->second];
}

bool RowLog::anyPending() const {
  const PendingRows& rows = m_tail->pendingRows();
  return !rows.events.empty() || !rows.logs.empty() || !rows.labels.empty() || !rows.issues.empty() || !rows.captures.empty();
}

void RowLog::commitBegins() {
  m_written_bytes = 0;
  m_log_cost = 0;
}

void RowLog::committed() {
  m_pending_issues.clear();
  m_pending_bytes = 0;
}

Status RowLog::save() {
  const PendingRows& rows = m_tail->pendingRows();
  if (!rows.events.empty()) {
    RG_ASSIGN(auto statement,
              m_db.prepare("INSERT OR REPLACE INTO rg_event(event_id, time_ns, attempt_id, node_id, device_id, rank, step, kind, "
                           "severity, code, message) VALUES(?,?,?,?,?,?,?,?,?,?,?)"));
    for (const Event& e : rows.events) {
      bindAll(statement, e.id, e.time, idOrNull(e.attempt), idOrNull(e.node), idOrNull(e.device), e.rank, e.step, std::string_view(e.kind),
              static_cast<int>(e.severity), std::string_view(e.code), std::string_view(e.message));
      RG_TRY(m_rows.put(m_db, statement, "rg_event"));
    }
  }
  RG_TRY(saveLogs());
  if (!rows.labels.empty()) {
    RG_ASSIGN(auto statement,
              m_db.prepare("INSERT INTO rg_label(label_id, attempt_id, kind, node_id, device_id, rank, start_ns, end_ns, first_step, "
                           "last_step, strength) VALUES(" +
                           newId("rg_label", "label_id") + ",?,?,?,?,?,?,?,?,?,?)"));
    for (const Label& l : rows.labels) {
      bindAll(statement, l.attempt.value, std::string_view(l.kind), idOrNull(l.node), idOrNull(l.device), l.rank, l.start, l.end,
              l.first_step, l.last_step, l.strength);
      RG_TRY(m_rows.put(m_db, statement, "rg_label"));
    }
  }
  RG_TRY(saveIssues(rows.issues));
  return saveCaptures();
}

Status RowLog::saveIssues(std::span<const Issue> issues) {
  if (issues.empty()) return {};
  RG_ASSIGN(
      auto statement,
      m_db.prepare(
          "INSERT INTO rg_issue(code, source, count, first_ns, last_ns, detail) VALUES(?,?,?,?,?,?) ON CONFLICT(code, source) DO "
          "UPDATE SET count = iif(count > 9223372036854775807 - excluded.count, 9223372036854775807, count + excluded.count), first_ns = "
          "min(ifnull(first_ns, excluded.first_ns), ifnull(excluded.first_ns, "
          "first_ns)), last_ns = max(ifnull(last_ns, excluded.last_ns), ifnull(excluded.last_ns, last_ns)), detail = excluded.detail"));
  for (const Issue& i : issues) {
    bindAll(statement, std::string_view(i.code), std::string_view(i.source), i.count, i.first, i.last, std::string_view(i.detail));
    RG_TRY(m_rows.put(m_db, statement, "rg_issue"));
  }
  return {};
}

Status RowLog::saveLogs() {
  const PendingRows& rows = m_tail->pendingRows();
  if (rows.logs.empty()) return {};
  const TimeNs begin = monotonicNow();
  RG_ASSIGN(auto line, m_db.prepare("INSERT INTO rg_log(log_id, time_ns, attempt_id, node_id, rank, stream, severity, text) "
                                    "VALUES(?,?,?,?,?,?,?,?)"));
  RG_ASSIGN(auto words, m_db.prepare("INSERT INTO rg_log_words(rowid, text) VALUES(?,?)"));
  std::int64_t id = rows.first_log;
  for (const LogLine& l : rows.logs) {
    // The words of a line must not be stored without it.
    RG_TRY(m_rows
               .together(m_db, "rg_log", std::nullopt,
                         [&]() -> Status {
                           bindAll(line, id, l.time, idOrNull(l.attempt), idOrNull(l.node), l.rank,
                                   internedText(m_catalog, *m_tail, l.stream), static_cast<int>(l.severity), std::string_view(l.text));
                           RG_TRY(m_rows.put(m_db, line, "rg_log"));
                           bindAll(words, id, std::string_view(l.text));
                           return m_rows.put(m_db, words, "rg_log_words");
                         })
               .status());
    ++id;
  }
  m_log_cost = monotonicNow() - begin;
  return {};
}

// Texts are packed once, when their rows are written.
Status RowLog::saveCaptures() {
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
    RG_TRY(m_rows.put(m_db, statement, "rg_capture"));
    m_written_bytes += static_cast<std::int64_t>(body.bytes.size());
  }
  return {};
}

}  // namespace runglass
