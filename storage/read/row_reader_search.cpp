// SPDX-License-Identifier: Apache-2.0
// RowReader: pages of events and log lines by time, words and owner; their density over time.
// Invariants:
// 1. The file is scanned in the order of times as stamped; a row is returned once no later row of the scan can precede it, which
//    ClockMaps::farthest() bounds.
// 2. If few lines contain the words, the index of words finds them, and they are sorted. If many do, a scan along time meets them soon
//    enough.
#include <sqlite3.h>

#include <algorithm>
#include <cstdint>
#include <queue>

#include "model/log_query.h"
#include "model/time_ranges.h"
#include "storage/read/row_reader.h"
#include "storage/read/run_members.h"
#include "storage/schema/rows.h"

namespace runglass {
namespace {

constexpr std::int64_t kFewHits = 100'000;
constexpr int kStopEvery = 4096;  // rows between checks of the stop token
constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();

template <class Row>
constexpr bool kIsEvent = std::is_same_v<Row, Event>;

template <class Row>
struct Found {
  RowKey key;
  Row row;
};

template <class Row>
struct Table;
template <>
struct Table<Event> {
  static constexpr const char* kName = "rg_event";
  static constexpr const char* kId = "event_id";
  static constexpr int kIdColumn = 0;
};
template <>
struct Table<LogLine> {
  static constexpr const char* kName = "rg_log";
  static constexpr const char* kId = "log_id";
  static constexpr int kIdColumn = 7;
};

// While it lives, statements of `db` end soon after a stop: one step may scan millions of rows without a match.
class StopWatch {
 public:
  StopWatch(sqlite::Connection& db, std::stop_token stop) : m_db(db), m_stop(std::move(stop)) {
    constexpr int kOps = 10'000;
    sqlite3_progress_handler(
        m_db.raw(), kOps, [](void* self) { return static_cast<StopWatch*>(self)->m_stop.stop_requested() ? 1 : 0; }, this);
  }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;
  ~StopWatch() { sqlite3_progress_handler(m_db.raw(), 0, nullptr, nullptr); }

 private:
  sqlite::Connection& m_db;
  const std::stop_token m_stop;
};

DeviceId deviceOf(const Event& event) { return event.device; }
DeviceId deviceOf(const LogLine&) { return {}; }

// A query over one kind of rows, with the clocks to correct by.
template <class Row>
class RowSearch {
 public:
  RowSearch(const RowQuery& query, const ClockMaps& clocks, std::stop_token stop)
      : m_query(query), m_words(query.words), m_clocks(clocks), m_stop(std::move(stop)) {}

  Status prepare(sqlite::Connection& db) {
    if (!m_query.run) return {};
    RG_ASSIGN(m_members, membersOf(db, *m_query.run));
    return {};
  }

  const LogQuery& words() const { return m_words; }
  bool newestFirst() const { return m_query.order == RowOrder::kNewestFirst; }
  // Whether `a` comes before `b` in the results.
  bool before(const RowKey& a, const RowKey& b) const { return newestFirst() ? b < a : a < b; }
  bool stopped() const { return m_stop.stop_requested(); }
  static Status cancelled() { return {Code::kCancelled, "search: stopped"}; }

  RowKey keyOf(Row& row, std::int64_t id) const {
    if (row.time) {
      const ClockMap* const clock = m_clocks.of(row.node, row.attempt, row.rank);
      if (clock != nullptr) row.time = clock->corrected(*row.time);
    }
    return {row.time.value_or(kLowest), id};
  }
  // `row` has its corrected time.
  bool wants(const Row& row, const RowKey& key) const {
    if (row.severity < m_query.at_least || !inRange(row.time) || !ownersFit(row)) return false;
    if (m_query.after && !before(*m_query.after, key)) return false;
    if constexpr (kIsEvent<Row>) {
      if (!m_query.kind.empty() && row.kind != m_query.kind) return false;
      return m_words.asksNothing() || m_words.matches(row.kind + ' ' + row.code + ' ' + row.message);
    } else {
      if (!m_query.stream.empty() && row.stream != m_query.stream) return false;
      return m_words.matches(row.text);
    }
  }

  // " WHERE ..." on rows `e` that no matching row fails; its text parameters are bound by bindTexts().
  std::string conditions() const {
    std::string where = " WHERE e.severity >= " + std::to_string(static_cast<int>(m_query.at_least));
    if (m_query.at_least >= Severity::kWarning) where += " AND e.severity >= 2";  // the condition of the partial index, so that it is used
    if (m_query.run) where += ofRun(*m_query.run, kIsEvent<Row>);
    const auto owner = [&](const char* column, const auto& id) {
      if (id) where.append(" AND e.").append(column).append(" = ").append(std::to_string(id->value));
    };
    owner("attempt_id", m_query.attempt);
    owner("node_id", m_query.node);
    if constexpr (kIsEvent<Row>) owner("device_id", m_query.device);
    if (m_query.rank) where += " AND e.rank = " + std::to_string(*m_query.rank);
    if constexpr (kIsEvent<Row>) {
      if (!m_query.kind.empty()) where += " AND e.kind = ?1";
    } else if (!m_query.stream.empty()) {
      where += " AND e.stream = (SELECT string_id FROM rg_string WHERE text = ?1)";
    }
    return where;
  }
  void bindTexts(sqlite::Statement& statement) const {
    const std::string& text = kIsEvent<Row> ? m_query.kind : m_query.stream;
    if (!text.empty()) statement.bind(1, std::string_view(text));
  }
  // Stamped times that may belong to the range and, if `paged`, come after the last page.
  TimeRange stamped(bool paged) const {
    TimeRange range = m_query.range;
    if (paged && m_query.after && m_query.after->time != kLowest) {
      if (newestFirst() && m_query.after->time < kHighest)
        range.t1 = std::min(range.t1, m_query.after->time + 1);
      else
        range.t0 = std::max(range.t0, m_query.after->time);
    }
    return widened(range, m_clocks.farthest());
  }
  bool whole() const { return m_query.range == TimeRange{}; }

 private:
  bool inRange(const std::optional<TimeNs>& time) const {
    if (whole()) return true;
    return time && *time >= m_query.range.t0 && (*time < m_query.range.t1 || m_query.range.t1 == kHighest);
  }
  bool ownersFit(const Row& row) const {
    if (m_query.run && !m_members.own(row.attempt, row.node, deviceOf(row))) return false;
    if (m_query.attempt && row.attempt != *m_query.attempt) return false;
    if (m_query.node && row.node != *m_query.node) return false;
    if (m_query.device && deviceOf(row) != *m_query.device) return false;
    return !m_query.rank || row.rank == m_query.rank;
  }

  const RowQuery& m_query;
  const LogQuery m_words;
  const ClockMaps& m_clocks;
  const std::stop_token m_stop;
  RunMembers m_members;
};

// The first `limit` of the given rows, in the order of the search.
template <class Row>
class Best {
 public:
  Best(const RowSearch<Row>& search, std::size_t limit) : m_search(search), m_limit(limit) {}
  void add(Found<Row> row) {
    if (full() && !m_search.before(row.key, m_rows.front().key)) return;
    m_rows.push_back(std::move(row));
    std::ranges::push_heap(m_rows, order());
    if (m_rows.size() <= m_limit) return;
    std::ranges::pop_heap(m_rows, order());
    m_rows.pop_back();
  }
  bool full() const { return m_rows.size() >= m_limit; }
  // The last of the kept rows, which would be replaced first.
  const RowKey& last() const { return m_rows.front().key; }
  std::vector<Found<Row>> take() {
    std::ranges::sort(m_rows, order());
    return std::move(m_rows);
  }

 private:
  auto order() const {
    return [this](const Found<Row>& a, const Found<Row>& b) { return m_search.before(a.key, b.key); };
  }
  const RowSearch<Row>& m_search;
  const std::size_t m_limit;
  std::vector<Found<Row>> m_rows;  // a heap: front() comes last in the results
};

// Steps through `statement` and gives each matching row to `best`; `done(stamped time)` returning true ends it.
template <class Row, class Done>
Status collect(sqlite::Statement& statement, const RowSearch<Row>& search, Best<Row>& best, Done done) {
  for (int steps = 1;; ++steps) {
    if (steps % kStopEvery == 0 && search.stopped()) return search.cancelled();
    RG_ASSIGN(const bool there, statement.step());
    if (!there) return {};
    Row row = rows::read<Row>(statement);
    if (done(row.time)) return {};
    const RowKey key = search.keyOf(row, statement.int64(Table<Row>::kIdColumn));
    if (search.wants(row, key)) best.add({key, std::move(row)});
  }
}

template <class Row>
Status walkTime(sqlite::Connection& db, const RowSearch<Row>& search, const RowQuery& query, DurNs farthest, Best<Row>& best) {
  const bool newest = search.newestFirst();
  const std::string order =
      std::string(" ORDER BY e.time_ns") + (newest ? " DESC, e." : ", e.") + Table<Row>::kId + (newest ? " DESC" : "");
  const auto timed = [&]() -> Status {
    const TimeRange range = search.stamped(true);
    std::string where = search.conditions() + " AND e.time_ns IS NOT NULL";
    if (range.t0 != kLowest) where += " AND e.time_ns >= " + std::to_string(range.t0);
    if (range.t1 != kHighest) where += " AND e.time_ns < " + std::to_string(range.t1);
    RG_ASSIGN(auto statement, db.prepare(std::string(rows::select<Row>()) + where + order));
    search.bindTexts(statement);
    return collect(statement, search, best, [&](const std::optional<TimeNs>& time) {
      if (!best.full() || !time) return false;
      const TimeRange reach = widened({*time, *time}, farthest);
      return newest ? best.last().time > reach.t1 : best.last().time < reach.t0;
    });
  };
  const auto untimed = [&]() -> Status {
    std::string where = search.conditions() + " AND e.time_ns IS NULL";
    if (query.after && query.after->time == kLowest)
      where += std::string(" AND e.") + Table<Row>::kId + (newest ? " < " : " > ") + std::to_string(query.after->id);
    RG_ASSIGN(auto statement, db.prepare(std::string(rows::select<Row>()) + where + order));
    search.bindTexts(statement);
    return collect(statement, search, best, [&](const auto&) { return best.full(); });
  };
  const bool past_timed = newest && query.after && query.after->time == kLowest;
  const bool past_untimed = !newest && query.after && query.after->time != kLowest;
  if (newest && !past_timed) RG_TRY(timed());
  if (search.whole() && !past_untimed && !(newest && best.full())) RG_TRY(untimed());
  if (!newest && !best.full()) RG_TRY(timed());
  return {};
}

// False: too many lines contain the words, or the index cannot be used.
Result<bool> fewHits(sqlite::Connection& db, const std::string& expression) {
  if (expression.empty()) return false;
  RG_ASSIGN(auto count, db.prepare("SELECT count(*) FROM (SELECT rowid FROM rg_log_words WHERE rg_log_words MATCH ?1 LIMIT ?2)"));
  count.bind(1, std::string_view(expression));
  count.bind(2, kFewHits + 1);
  RG_TRY(count.step().status());
  return count.int64(0) <= kFewHits;
}

Status walkHits(sqlite::Connection& db, const RowSearch<LogLine>& search, const std::string& expression, Best<LogLine>& best) {
  std::string sql(rows::select<LogLine>());
  sql += " WHERE e.log_id IN (SELECT rowid FROM rg_log_words WHERE rg_log_words MATCH ?1)";
  RG_ASSIGN(auto statement, db.prepare(sql));
  statement.bind(1, std::string_view(expression));
  return collect(statement, search, best, [](const auto&) { return false; });
}

template <class Row>
std::vector<Found<Row>> page(std::vector<Found<Row>> found, std::size_t limit, bool& more) {
  more = found.size() > limit;
  if (more) found.resize(limit);
  return found;
}

}  // namespace

Result<LogPage> RowReader::searchLogs(const RowQuery& query, std::stop_token stop) {
  LogPage answer;
  RG_TRY(m_file.consistent(
      [&](const PendingRows& tail) -> Status {
        RG_TRY(m_file.refreshClocks());
        const StopWatch watch(m_file.db(), stop);
        RowSearch<LogLine> search(query, m_file.clocks(), stop);
        RG_TRY(search.prepare(m_file.db()));
        Best<LogLine> best(search, query.limit + 1);
        const std::string expression = search.words().indexExpression();
        RG_ASSIGN(const bool few, fewHits(m_file.db(), expression));
        if (few)
          RG_TRY(walkHits(m_file.db(), search, expression, best));
        else
          RG_TRY(walkTime(m_file.db(), search, query, m_file.clocks().farthest(), best));
        std::int64_t id = tail.first_log;
        for (const LogLine& line : tail.logs) {
          LogLine row = line;
          const RowKey key = search.keyOf(row, id++);
          if (search.wants(row, key)) best.add({key, std::move(row)});
        }
        answer.hits.clear();
        for (auto& found : page(best.take(), query.limit, answer.more)) answer.hits.push_back({found.key, std::move(found.row)});
        return {};
      },
      true));
  return answer;
}

Result<EventPage> RowReader::searchEvents(const RowQuery& query, std::stop_token stop) {
  EventPage answer;
  RG_TRY(m_file.consistent([&](const PendingRows& tail) -> Status {
    RG_TRY(m_file.refreshClocks());
    const StopWatch watch(m_file.db(), stop);
    RowSearch<Event> search(query, m_file.clocks(), stop);
    RG_TRY(search.prepare(m_file.db()));
    Best<Event> best(search, query.limit + 1);
    RG_TRY(walkTime(m_file.db(), search, query, m_file.clocks().farthest(), best));
    for (const Event& event : tail.events) {
      Event row = event;
      const RowKey key = search.keyOf(row, row.id);
      if (search.wants(row, key)) best.add({key, std::move(row)});
    }
    answer.events.clear();
    for (auto& found : page(best.take(), query.limit, answer.more)) answer.events.push_back(std::move(found.row));
    return {};
  }));
  return answer;
}

namespace {

// Counts rows by part of the range and severity.
class DensityCount {
 public:
  DensityCount(TimeRange range, std::vector<SeverityCounts>& out) : m_range(range), m_out(out) {}
  void add(TimeNs time, std::int64_t severity) {
    if (time < m_range.t0 || time >= m_range.t1) return;
    const auto share = static_cast<double>(time - m_range.t0) / static_cast<double>(m_range.t1 - m_range.t0);
    const auto part = std::min(m_out.size() - 1, static_cast<std::size_t>(share * static_cast<double>(m_out.size())));
    ++m_out[part][static_cast<std::size_t>(std::clamp<std::int64_t>(severity, 0, kSeverityCount - 1))];
  }

 private:
  const TimeRange m_range;
  std::vector<SeverityCounts>& m_out;
};

template <class Row>
Status countRows(sqlite::Connection& db, const RowSearch<Row>& search, bool times_only, const std::vector<Row>& tail, DensityCount count) {
  const TimeRange range = search.stamped(false);
  const std::string where =
      search.conditions() + " AND e.time_ns >= " + std::to_string(range.t0) + " AND e.time_ns < " + std::to_string(range.t1);
  const std::string select =
      times_only ? std::string("SELECT e.time_ns, e.severity FROM ") + Table<Row>::kName + " e" : std::string(rows::select<Row>());
  RG_ASSIGN(auto statement, db.prepare(select + where));
  search.bindTexts(statement);
  for (int steps = 1;; ++steps) {
    if (steps % kStopEvery == 0 && search.stopped()) return search.cancelled();
    RG_ASSIGN(const bool there, statement.step());
    if (!there) break;
    if (times_only) {
      count.add(statement.int64(0), statement.int64(1));
      continue;
    }
    Row row = rows::read<Row>(statement);
    const RowKey key = search.keyOf(row, 0);
    if (search.wants(row, key)) count.add(key.time, static_cast<std::int64_t>(row.severity));
  }
  for (const Row& fresh : tail) {
    Row row = fresh;
    const RowKey key = search.keyOf(row, 0);
    if (search.wants(row, key)) count.add(key.time, static_cast<std::int64_t>(row.severity));
  }
  return {};
}

}  // namespace

Result<RowDensity> RowReader::rowDensity(const RowQuery& asked, std::size_t parts, std::stop_token stop) {
  RowQuery query = asked;
  query.after.reset();
  RowDensity answer;
  if (parts == 0 || query.range.t0 >= query.range.t1) return Status(Code::kInvalidArgument, "density: the range or its parts are empty");
  RG_TRY(m_file.consistent(
      [&](const PendingRows& tail) -> Status {
        RG_TRY(m_file.refreshClocks());
        const StopWatch watch(m_file.db(), stop);
        answer.events.assign(parts, {});
        answer.logs.assign(parts, {});
        // Where only times and severities matter, an index alone is enough.
        const bool times_only = LogQuery(query.words).asksNothing() && !query.run && !query.attempt && !query.node && !query.device &&
                                !query.rank && query.kind.empty() && query.stream.empty() &&
                                m_file.clocks().farthest() < (query.range.t1 / 2 - query.range.t0 / 2) / static_cast<std::int64_t>(parts);
        RowSearch<Event> events(query, m_file.clocks(), stop);
        RG_TRY(events.prepare(m_file.db()));
        RG_TRY(countRows(m_file.db(), events, times_only, tail.events, DensityCount(query.range, answer.events)));
        RowSearch<LogLine> logs(query, m_file.clocks(), stop);
        RG_TRY(logs.prepare(m_file.db()));
        return countRows(m_file.db(), logs, times_only, tail.logs, DensityCount(query.range, answer.logs));
      },
      true));
  return answer;
}

}  // namespace runglass
