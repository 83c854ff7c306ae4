// SPDX-License-Identifier: Apache-2.0
#include "storage/read/row_reader.h"

#include <algorithm>
#include <map>

#include "model/time_ranges.h"
#include "storage/codec/capture_body.h"
#include "storage/read/run_members.h"
#include "storage/schema/rows.h"

namespace runglass {
namespace {

bool isWhole(const TimeRange& range) { return range == TimeRange{}; }

bool timeFits(const TimeRange& range, const std::optional<TimeNs>& time) {
  if (isWhole(range)) return true;
  return time && *time >= range.t0 && (*time < range.t1 || range.t1 == std::numeric_limits<TimeNs>::max());
}

// With clocks to correct, the query covers all rows that correction may move into the range; the range is then applied to corrected times.
EventFilter widened(const EventFilter& filter, const ClockMaps& clocks) {
  EventFilter wide = filter;
  if (clocks.none() || isWhole(filter.range)) return wide;
  wide.range = widened(filter.range, clocks.farthest());
  wide.limit = std::numeric_limits<std::int64_t>::max();
  return wide;
}

template <class Row>
void correct(std::vector<Row>& rows, const ClockMaps& clocks, const EventFilter& filter) {
  if (clocks.none()) return;
  for (Row& row : rows) {
    const ClockMap* clock = clocks.of(row.node, row.attempt, row.rank);
    if (clock != nullptr && row.time) row.time = clock->corrected(*row.time);
  }
  std::erase_if(rows, [&](const Row& row) { return !timeFits(filter.range, row.time); });
}

// Rows of the file, newest first; a row without a time is in the whole range only.
template <class Row>
Status fromFile(sqlite::Connection& db, const EventFilter& filter, std::string_view id, std::vector<Row>& rows) {
  std::string rest = " WHERE e.severity >= ?1";
  if (!isWhole(filter.range)) rest += " AND e.time_ns >= ?2 AND (e.time_ns < ?3 OR ?3 = 9223372036854775807)";
  if (filter.run) rest += ofRun(*filter.run, std::is_same_v<Row, Event>);
  const bool one_kind = std::is_same_v<Row, Event> && !filter.kind.empty();
  if (one_kind) rest += " AND e.kind = ?5";
  rest.append(" ORDER BY e.time_ns DESC, e.").append(id).append(" DESC LIMIT ?4");
  return rows::each<Row>(
      db, rest, [&](Row row) { rows.push_back(std::move(row)); },
      {static_cast<std::int64_t>(filter.at_least), filter.range.t0, filter.range.t1, static_cast<std::int64_t>(filter.limit)},
      one_kind ? std::optional<std::string_view>(filter.kind) : std::nullopt);
}

// Merges the tail's rows (newest last) into the file's (newest first) and keeps the newest `limit`.
template <class Row>
void addNewest(std::vector<Row>& rows, const std::vector<Row>& tail, std::size_t limit) {
  rows.insert(rows.begin(), tail.rbegin(), tail.rend());
  const auto newer = [](const Row& a, const Row& b) { return a.time > b.time; };
  std::stable_sort(rows.begin(), rows.end(), newer);
  if (rows.size() > limit) rows.resize(limit);
}

}  // namespace

Result<std::vector<Event>> RowReader::events(const EventFilter& filter) {
  std::vector<Event> found;
  RG_TRY(m_file.consistent([&](const PendingRows& tail) -> Status {
    RG_TRY(m_file.refreshClocks());
    const EventFilter wide = widened(filter, m_file.clocks());
    RG_TRY(fromFile(m_file.db(), wide, "event_id", found));
    RunMembers members;
    if (filter.run && !tail.events.empty()) {
      RG_ASSIGN(members, membersOf(m_file.db(), *filter.run));
    }
    std::vector<Event> fresh;
    for (const Event& e : tail.events) {
      if (e.severity < filter.at_least || !timeFits(wide.range, e.time)) continue;
      if (filter.run && !members.own(e.attempt, e.node, e.device)) continue;
      if (!filter.kind.empty() && e.kind != filter.kind) continue;
      fresh.push_back(e);
    }
    correct(found, m_file.clocks(), filter);
    correct(fresh, m_file.clocks(), filter);
    addNewest(found, fresh, filter.limit);
    return {};
  }));
  return found;
}

Result<std::vector<LogLine>> RowReader::logs(const EventFilter& filter) {
  std::vector<LogLine> found;
  RG_TRY(m_file.consistent(
      [&](const PendingRows& tail) -> Status {
        RG_TRY(m_file.refreshClocks());
        const EventFilter wide = widened(filter, m_file.clocks());
        RG_TRY(fromFile(m_file.db(), wide, "log_id", found));
        RunMembers members;
        if (filter.run && !tail.logs.empty()) {
          RG_ASSIGN(members, membersOf(m_file.db(), *filter.run));
        }
        std::vector<LogLine> fresh;
        for (const LogLine& l : tail.logs) {
          if (l.severity < filter.at_least || !timeFits(wide.range, l.time)) continue;
          if (filter.run && !members.own(l.attempt, l.node, {})) continue;
          fresh.push_back(l);
        }
        correct(found, m_file.clocks(), filter);
        correct(fresh, m_file.clocks(), filter);
        addNewest(found, fresh, filter.limit);
        return {};
      },
      true));
  return found;
}

Result<std::vector<Issue>> RowReader::issues() {
  std::vector<Issue> found;
  RG_TRY(m_file.consistent([&](const PendingRows& tail) -> Status {
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    RG_TRY(rows::each<Issue>(m_file.db(), " ORDER BY code, source", [&](Issue issue) {
      places.emplace(std::pair(issue.code, issue.source), found.size());
      found.push_back(std::move(issue));
    }));
    for (const Issue& more : tail.issues) {
      const auto [at, is_new] = places.try_emplace(std::pair(more.code, more.source), found.size());
      if (is_new)
        found.push_back(more);
      else
        addIssue(found[at->second], more);
    }
    return {};
  }));
  for (Issue& damage : m_file.damage().issues()) found.push_back(std::move(damage));
  return found;
}

Result<std::vector<Label>> RowReader::labels(RunId run) {
  std::vector<Label> found;
  RG_TRY(m_file.consistent([&](const PendingRows& tail) -> Status {
    RG_TRY(rows::each<Label>(m_file.db(), " WHERE attempt_id IN (SELECT attempt_id FROM rg_attempt WHERE run_id = ?1) ORDER BY label_id",
                             [&](Label label) { found.push_back(std::move(label)); }, {static_cast<std::int64_t>(run.value)}));
    if (tail.labels.empty()) return {};
    RG_ASSIGN(const RunMembers members, membersOf(m_file.db(), run));
    for (const Label& label : tail.labels) {
      if (members.attempts.count(label.attempt.value) != 0) found.push_back(label);
    }
    return {};
  }));
  return found;
}

Result<std::vector<Capture>> RowReader::captures(RunId run, TimeRange range, CaptureTexts texts) {
  std::vector<Capture> found;
  const bool with_text = texts == CaptureTexts::kWith;
  // Corrects its time; false: the corrected time is outside the range.
  const auto fits = [&](Capture& one) {
    if (const ClockMap* clock = m_file.clocks().of(one.node, one.attempt, one.rank)) one.time = clock->corrected(one.time);
    return timeFits(range, one.time);
  };
  const auto take = [&](rows::StoredCapture row) {
    if (!fits(row.capture)) return;
    if (with_text) {
      auto text = captureChecksum(row.body, row.packed, row.capture.bytes) == row.crc ? captureText(row.body, row.packed, row.capture.bytes)
                                                                                      : std::nullopt;
      if (!text) return m_file.damage().note("capture " + std::to_string(row.capture.id));
      row.capture.text = std::move(*text);
    }
    found.push_back(std::move(row.capture));
  };
  RG_TRY(m_file.consistent([&](const PendingRows& tail) -> Status {
    found.clear();
    RG_TRY(m_file.refreshClocks());
    const TimeRange stamped = widened(range, m_file.clocks().farthest());
    constexpr std::string_view kOfRun =
        " WHERE (c.attempt_id IN (SELECT attempt_id FROM rg_attempt WHERE run_id = ?1) OR (c.attempt_id IS NULL AND c.node_id IN (SELECT "
        "r.node_id FROM rg_rank r JOIN rg_attempt a ON a.attempt_id = r.attempt_id WHERE a.run_id = ?1 UNION SELECT node_id FROM "
        "rg_past_rank WHERE run_id = ?1))) AND c.time_ns BETWEEN ?2 AND ?3 "
        "ORDER BY c.time_ns";
    const std::initializer_list<std::int64_t> args = {static_cast<std::int64_t>(run.value), stamped.t0, stamped.t1};
    RG_TRY(with_text ? rows::each<rows::StoredCapture>(m_file.db(), kOfRun, take, args)
                     : rows::each<rows::CaptureHead>(m_file.db(), kOfRun, take, args));
    if (tail.captures.empty()) return {};
    RG_ASSIGN(const RunMembers members, membersOf(m_file.db(), run));
    for (const auto& one : tail.captures) {
      if (!members.own(one->attempt, one->node, {})) continue;
      Capture copy = *one;
      if (!with_text) copy.text.clear();
      if (fits(copy)) found.push_back(std::move(copy));
    }
    return {};
  }));
  std::ranges::stable_sort(found, {}, &Capture::time);
  return found;
}

}  // namespace runglass
