// SPDX-License-Identifier: Apache-2.0
// RowReader: the context of a log line: lines of the same node, rank and stream around it.
// Invariant: lines of one owner have one clock, which never runs backwards: their order is that of their times as stamped.
#include <algorithm>

#include "storage/read/row_reader.h"
#include "storage/schema/rows.h"

namespace runglass {
namespace {

constexpr int kScan = 100'000;  // lines of other owners that are examined on either side
constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min();

RowKey stampedKey(const LogLine& line, std::int64_t id) { return {line.time.value_or(kLowest), id}; }

bool sameOwner(const LogLine& a, const LogLine& b) {
  return a.attempt == b.attempt && a.node == b.node && a.rank == b.rank && a.stream == b.stream;
}

Result<std::optional<LogHit>> find(sqlite::Connection& db, const PendingRows& tail, std::int64_t id) {
  std::optional<LogHit> found;
  if (id >= tail.first_log && id < tail.first_log + static_cast<std::int64_t>(tail.logs.size())) {
    const LogLine& line = tail.logs[static_cast<std::size_t>(id - tail.first_log)];
    found = LogHit{stampedKey(line, id), line};
    return found;
  }
  RG_TRY(rows::each<LogLine>(db, " WHERE e.log_id = ?1",
                             [&](LogLine line) {
                               const RowKey key = stampedKey(line, id);
                               found = LogHit{key, std::move(line)};
                             },
                             {id}));
  return found;
}

// Up to `limit` lines of the file before or after `of`.
Status readSide(sqlite::Connection& db, const LogHit& of, bool back, std::size_t limit, const std::stop_token& stop,
                std::vector<LogHit>& lines) {
  const std::string time = std::to_string(of.key.time), id = std::to_string(of.key.id), sign = back ? " < " : " > ";
  const std::string near = of.line.time ? "(time_ns" + sign + time + " OR (time_ns = " + time + " AND log_id" + sign + id +
                                              ")) AND time_ns" + (back ? " <= " : " >= ") + time
                                        : "time_ns IS NULL AND log_id" + sign + id;
  const std::string order = std::string(" ORDER BY time_ns") + (back ? " DESC, log_id DESC" : ", log_id");
  const auto owner = [](std::uint64_t value) { return value == 0 ? std::string("NULL") : std::to_string(value); };
  RG_ASSIGN(
      auto statement,
      db.prepare("SELECT time_ns, attempt_id, node_id, rank, ?1, severity, text, log_id FROM (SELECT * FROM rg_log WHERE " + near + order +
                 " LIMIT " + std::to_string(kScan) + ") WHERE attempt_id IS " + owner(of.line.attempt.value) + " AND node_id IS " +
                 owner(of.line.node.value) + " AND rank IS " + (of.line.rank ? std::to_string(*of.line.rank) : "NULL") +
                 " AND stream IS (SELECT string_id FROM rg_string WHERE text = ?1)" + order + " LIMIT " + std::to_string(limit)));
  statement.bind(1, std::string_view(of.line.stream));
  while (true) {
    if (stop.stop_requested()) return {Code::kCancelled, "lines around one: stopped"};
    RG_ASSIGN(const bool row, statement.step());
    if (!row) return {};
    LogLine line = rows::read<LogLine>(statement);
    const RowKey key = stampedKey(line, statement.int64(7));
    lines.push_back({key, std::move(line)});
  }
}

}  // namespace

Result<LogContext> RowReader::logContext(std::int64_t log_id, std::size_t before, std::size_t after, std::stop_token stop) {
  LogContext answer;
  RG_TRY(m_file.consistent(
      [&](const PendingRows& tail) -> Status {
        RG_TRY(m_file.refreshClocks());
        answer = {};
        RG_ASSIGN(const auto asked, find(m_file.db(), tail, log_id));
        if (!asked) return {Code::kNotFound, "log line " + std::to_string(log_id) + ": it is not in " + m_file.path()};
        std::vector<LogHit> lines{*asked};
        RG_TRY(readSide(m_file.db(), *asked, true, before, stop, lines));
        RG_TRY(readSide(m_file.db(), *asked, false, after, stop, lines));
        std::int64_t id = tail.first_log;
        for (const LogLine& line : tail.logs) {
          if (id != log_id && sameOwner(line, asked->line)) lines.push_back({stampedKey(line, id), line});
          ++id;
        }
        std::ranges::sort(lines, {}, &LogHit::key);
        const auto at = static_cast<std::size_t>(std::ranges::find(lines, asked->key, &LogHit::key) - lines.begin());
        const std::size_t first = at - std::min(at, before), end = std::min(lines.size(), at + after + 1);
        const ClockMap* const clock = m_file.clocks().of(asked->line.node, asked->line.attempt, asked->line.rank);
        for (std::size_t i = first; i < end; ++i) {
          LogLine& line = lines[i].line;
          if (clock != nullptr && line.time) line.time = clock->corrected(*line.time);
          lines[i].key.time = line.time.value_or(kLowest);
          answer.lines.push_back(std::move(lines[i]));
        }
        answer.at = at - first;
        return {};
      },
      true));
  return answer;
}

}  // namespace runglass
