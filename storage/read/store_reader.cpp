// SPDX-License-Identifier: Apache-2.0
// StoreReader: opening and the catalogue.
// Invariants:
// 1. Each call is one short read transaction; those under a hold share one for kHeldFor.
// 2. What is in the tail and not yet in the file is added, never doubled (live_tail.h).
#include "storage/read/store_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "storage/schema/past_attempts.h"
#include "storage/schema/rows.h"
#include "storage/schema/schema.h"
#include "storage/store_files.h"

namespace runglass {

Result<std::unique_ptr<Reader>> StoreReader::open(const std::string& path, ReaderOptions options) {
  auto reader = std::make_unique<StoreReader>(path, std::move(options));
  RG_TRY(reader->start());
  return std::unique_ptr<Reader>(std::move(reader));
}

Status StoreReader::start() {
  std::error_code ignored;
  const bool wal = std::filesystem::exists(walPath(m_path), ignored);
  const std::string folder = std::filesystem::path(resolvedStore(m_path)).parent_path().string();
  const bool writable =
      ::faccessat(AT_FDCWD, m_path.c_str(), W_OK, AT_EACCESS) == 0 && ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) == 0;
  m_immutable = !wal && !writable;
  if (!wal) RG_TRY(checkName());
  RG_ASSIGN(m_db, sqlite::Connection::open(m_path, m_immutable ? sqlite::OpenMode::kImmutable : sqlite::OpenMode::kReadOnly));
  RG_ASSIGN(const auto application, m_db.queryInt64("PRAGMA application_id"));
  if (application.value_or(0) != sqlite::kApplicationId) {
    return {Code::kFailedPrecondition, "cannot open store: " + m_path + ": this is an SQLite file, but not a Runglass store"};
  }
  RG_ASSIGN(const auto version, m_db.queryInt64("PRAGMA user_version"));
  const auto newest = static_cast<std::int64_t>(schemaScripts().size());
  if (version.value_or(0) > newest) {
    return {Code::kFailedPrecondition, "cannot open store: " + m_path + ": its schema " + std::to_string(*version) +
                                           " is newer than this program's " + std::to_string(newest) + "; use a newer runglass"};
  }
  if (version.value_or(0) < newest) {
    return {Code::kFailedPrecondition, "cannot open store: " + m_path + ": its schema " + std::to_string(version.value_or(0)) +
                                           " is older than this program's " + std::to_string(newest) +
                                           "; update it with: runglassctl recover --store " + m_path};
  }
  RG_TRY(addPastPid(m_db.raw(), m_path));
  return m_db.exec("PRAGMA query_only=ON; PRAGMA wal_autocheckpoint=0; PRAGMA cache_size=-8192");
}

// A store that is written has its newest pages in the -wal file of the writer's name of it, and shares no lock with another name.
Status StoreReader::checkName() const {
  const auto file = sqlite::DatabaseFile::open(m_path, false);
  const std::string other = file.ok() ? file->otherName() : "";
  if (other.empty()) return {};
  constexpr off_t kReadVersion = 19;  // of the file's header
  char version = 0;
  if (::pread(file->fd(), &version, 1, kReadVersion) != 1 || version < 2) return {};
  return {Code::kFailedPrecondition,
          "cannot open store: " + m_path + ": it is being written by another name of the file (" + other + "); open it by that name"};
}

Result<sqlite::Statement*> StoreReader::kept(sqlite::Statement& statement, std::string_view sql) {
  if (!statement) {
    RG_ASSIGN(statement, m_db.prepare(sql, true));
  }
  statement.reset();
  return &statement;
}

std::uint64_t StoreReader::generation() {
  // The tail counts what is not committed yet.
  const auto version = dataVersion();
  if (version.ok() && *version != m_data_version) {
    m_data_version = *version;
    ++m_generation;
  }
  return m_generation + (m_live ? m_live->generation() : 0);
}

Result<std::int64_t> StoreReader::dataVersion() {
  RG_ASSIGN(sqlite::Statement * statement, kept(m_version_sql, "PRAGMA data_version"));
  const auto row = statement->step();
  const std::int64_t version = row.ok() && *row ? statement->int64(0) : 0;
  statement->reset();
  RG_TRY(row.status());
  return version;
}

std::shared_ptr<void> StoreReader::hold() {
  if (auto held = m_hold.lock()) return held;
  const std::shared_ptr<void> hold(this, [](void* reader) { static_cast<StoreReader*>(reader)->m_held.reset(); });
  m_hold = hold;
  return hold;
}

Result<StoreReader::Snapshot> StoreReader::snapshot(bool renew) {
  const bool held = !m_hold.expired();
  const TimeNs now = held ? monotonicNow() : 0;
  if (m_held && !renew && now - m_held_since < kHeldFor) return m_held;
  m_held.reset();
  RG_ASSIGN(auto begun, sqlite::Transaction::begin(m_db, sqlite::Transaction::Kind::kRead));
  auto snapshot = std::make_shared<sqlite::Transaction>(std::move(begun));
  if (held) m_held = snapshot, m_held_since = now;
  return snapshot;
}

Result<std::uint64_t> StoreReader::fileGeneration() {
  RG_ASSIGN(sqlite::Statement * statement, kept(m_generation_sql, "SELECT value FROM rg_meta WHERE key = 'generation'"));
  RG_ASSIGN(const bool row, statement->step());
  const auto generation = row ? static_cast<std::uint64_t>(statement->int64(0)) : 0;
  statement->reset();
  return generation;
}

namespace {

template <class Row>
Result<std::vector<Row>> all(sqlite::Connection& db, std::string_view rest, std::initializer_list<std::int64_t> args = {}) {
  std::vector<Row> rows;
  RG_TRY(rows::each<Row>(
      db, rest, [&](Row row) { rows.push_back(std::move(row)); }, args));
  return rows;
}
template <class Tag>
std::int64_t number(Id<Tag> id) {
  return static_cast<std::int64_t>(id.value);
}

}  // namespace

Result<std::vector<Node>> StoreReader::nodes() { return all<Node>(m_db, " ORDER BY name, node_id"); }
Result<std::vector<Device>> StoreReader::devices() { return all<Device>(m_db, " ORDER BY node_id, kind, device_index, device_id"); }
Result<std::vector<Run>> StoreReader::runs() { return all<Run>(m_db, " ORDER BY run_id"); }
Result<Run> StoreReader::run(RunId run) {
  RG_ASSIGN(auto found, all<Run>(m_db, " WHERE run_id = ?1", {number(run)}));
  if (found.empty()) return Status(Code::kNotFound, "run " + std::to_string(run.value) + ": not in this store");
  return std::move(found.front());
}
Result<std::vector<Attempt>> StoreReader::attempts(RunId run) {
  return all<Attempt>(m_db, " WHERE run_id = ?1 ORDER BY number", {number(run)});
}
Result<Attempt> StoreReader::attempt(AttemptId attempt) {
  RG_ASSIGN(auto found, all<Attempt>(m_db, " WHERE attempt_id = ?1", {number(attempt)}));
  if (found.empty()) return Status(Code::kNotFound, "attempt " + std::to_string(attempt.value) + ": not in this store");
  return std::move(found.front());
}
Result<std::vector<Rank>> StoreReader::ranks(AttemptId attempt) {
  return all<Rank>(m_db, " WHERE attempt_id = ?1 ORDER BY rank", {number(attempt)});
}
Result<std::vector<Fact>> StoreReader::facts(AttemptId attempt) {
  return all<Fact>(m_db, " WHERE attempt_id = ?1 ORDER BY key, node_id, rank", {number(attempt)});
}
Result<std::optional<DurNs>> StoreReader::clockError(NodeId node, TimeNs time) {
  // A seek each: a node may have very many readings.
  RG_ASSIGN(auto row,
            m_db.prepare("SELECT ifnull((SELECT error_ns FROM rg_clock_map WHERE node_id = ?1 AND raw_ns <= ?2 ORDER BY raw_ns DESC "
                         "LIMIT 1), (SELECT error_ns FROM rg_clock_map WHERE node_id = ?1 ORDER BY raw_ns LIMIT 1))"));
  row.bind(1, node.value);
  row.bind(2, time);
  RG_ASSIGN(const bool found, row.step());
  return found ? row.optionalInt64(0) : std::nullopt;
}
Result<std::optional<DurNs>> StoreReader::clockError(AttemptId attempt, std::int32_t rank, TimeNs time) {
  RG_ASSIGN(auto shift,
            m_db.prepare("SELECT error_ns FROM rg_clock_shift WHERE attempt_id = ?1 AND rank = ?2 ORDER BY at_ns > ?3, abs(at_ns - "
                         "?3) LIMIT 1"));
  shift.bind(1, attempt.value);
  shift.bind(2, rank);
  shift.bind(3, time);
  RG_ASSIGN(const bool aligned, shift.step());
  if (aligned && m_aligned) return shift.optionalInt64(0);
  RG_ASSIGN(auto node, m_db.prepare("SELECT node_id FROM " + rankNodes() + " WHERE attempt_id = ?1 AND rank = ?2 AND node_id IS NOT NULL"));
  node.bind(1, attempt.value);
  node.bind(2, rank);
  RG_ASSIGN(const bool known, node.step());
  if (!known) return std::optional<DurNs>();
  return clockError(NodeId{static_cast<std::uint64_t>(node.int64(0))}, time);
}
Result<std::optional<ClockAlignment>> StoreReader::alignment(AttemptId attempt) {
  if (!m_aligned) return std::optional<ClockAlignment>();
  RG_ASSIGN(auto head, m_db.prepare("SELECT r.uuid, a.number, c.source, c.matches, c.residual_ns FROM rg_clock_align c JOIN rg_attempt a "
                                    "USING(attempt_id) JOIN rg_run r USING(run_id) WHERE attempt_id = ?1"));
  head.bind(1, attempt.value);
  RG_ASSIGN(const bool row, head.step());
  if (!row) return std::optional<ClockAlignment>();
  ClockAlignment found{.run_uuid = std::string(head.text(0)),
                       .attempt = static_cast<std::int32_t>(head.int64(1)),
                       .source = std::string(head.text(2)),
                       .matches = head.int64(3),
                       .residual = head.optionalInt64(4),
                       .shifts = {}};
  RG_ASSIGN(auto shifts,
            m_db.prepare("SELECT rank, at_ns, shift_ns, error_ns FROM rg_clock_shift WHERE attempt_id = ?1 ORDER BY rank, at_ns"));
  shifts.bind(1, attempt.value);
  while (true) {
    RG_ASSIGN(const bool more, shifts.step());
    if (!more) return std::optional(std::move(found));
    found.shifts.push_back({static_cast<std::int32_t>(shifts.int64(0)), shifts.int64(1), shifts.int64(2), shifts.int64(3)});
  }
}
Result<std::unique_ptr<Reader>> StoreReader::unaligned() {
  auto reader = std::make_unique<StoreReader>(m_path, ReaderOptions{m_live}, false);
  RG_TRY(reader->start());
  return std::unique_ptr<Reader>(std::move(reader));
}
Result<std::vector<CommGroup>> StoreReader::groups(AttemptId attempt) {
  return all<CommGroup>(m_db, " WHERE attempt_id = ?1 ORDER BY group_id", {number(attempt)});
}
Result<std::vector<Checkpoint>> StoreReader::checkpoints(RunId run) {
  return all<Checkpoint>(m_db, " WHERE attempt_id IN (SELECT attempt_id FROM rg_attempt WHERE run_id = ?1) ORDER BY attempt_id, step, path",
                         {number(run)});
}
Result<std::vector<Progress>> StoreReader::progress(RunId run) {
  RG_TRY(refreshClocks());
  RG_ASSIGN(
      auto found,
      all<Progress>(m_db,
                    " WHERE attempt_id = (SELECT attempt_id FROM rg_attempt WHERE run_id = ?1 ORDER BY number DESC LIMIT 1) ORDER BY rank",
                    {number(run)}));
  for (Progress& one : found) {
    const ClockMap* const clock = m_clocks.of(one.attempt, one.rank);
    if (clock == nullptr) continue;
    one.time = clock->corrected(one.time);
    if (one.since) one.since = clock->corrected(*one.since);
  }
  return found;
}
Result<std::vector<Track>> StoreReader::tracks(AttemptId attempt) {
  return all<Track>(m_db, " WHERE t.attempt_id = ?1 ORDER BY t.rank, t.track_id", {number(attempt)});
}
Result<std::vector<Note>> StoreReader::notes(RunId run) {
  return all<Note>(m_db, " WHERE n.run_id = ?1 ORDER BY n.time_ns, n.note_id", {number(run)});
}
Result<std::vector<Finding>> StoreReader::findings(std::optional<RunId> run) {
  if (!run) return all<Finding>(m_db, " ORDER BY finding_id");
  return all<Finding>(m_db, " WHERE run_id = ?1 ORDER BY finding_id", {number(*run)});
}

Status StoreReader::refreshSeries() {
  RG_ASSIGN(const std::int64_t version, dataVersion());
  if (m_series_version == version) return {};
  // The old ones go first: a hub's are very many, and its watch reads them after each commit.
  const std::size_t known = m_series.size();
  m_series = {};
  m_series_of.clear(), m_series_with_metric.clear(), m_attempts_with_series.clear();
  m_series_version.reset();
  m_series.reserve(known);
  RG_TRY(rows::each<Series>(m_db, " ORDER BY s.series_id", [this](Series series) {
    std::vector<std::uint32_t>& of = m_series_of[series.key.attempt.value];
    if (of.empty()) m_attempts_with_series[series.run.value].push_back(series.key.attempt.value);
    const auto place = static_cast<std::uint32_t>(m_series.size());
    of.push_back(place);
    m_series_with_metric[series.key.metric].push_back(place);
    m_series.push_back(std::move(series));
  }));
  m_series_version = version;
  return {};
}

// Their places, by id: of an attempt, run or metric these alone, so that asking for each attempt does not look at all series each time.
std::vector<std::uint32_t> StoreReader::seriesOf(const SeriesFilter& filter) const {
  std::vector<std::uint32_t> places;
  const auto add = [&](std::uint64_t attempt) {
    const auto known = m_series_of.find(attempt);
    if (known != m_series_of.end()) places.insert(places.end(), known->second.begin(), known->second.end());
  };
  if (filter.attempt) {
    add(filter.attempt->value);
  } else if (filter.run) {
    const auto known = m_attempts_with_series.find(filter.run->value);
    if (known != m_attempts_with_series.end()) std::ranges::for_each(known->second, add);
    std::ranges::sort(places);
  } else if (filter.metric) {
    const auto known = m_series_with_metric.find(*filter.metric);
    if (known != m_series_with_metric.end()) places = known->second;
  } else {
    places.resize(m_series.size());
    std::iota(places.begin(), places.end(), 0U);
  }
  return places;
}

Result<std::vector<Series>> StoreReader::series(const SeriesFilter& filter) {
  RG_TRY(refreshSeries());
  RG_TRY(refreshClocks());
  const auto wanted = [&filter](const Series& s) {
    return (!filter.run || s.run == *filter.run) && (!filter.attempt || s.key.attempt == *filter.attempt) &&
           (!filter.node || s.key.node == *filter.node) && (!filter.device || s.key.device == *filter.device) &&
           (!filter.kind || s.key.kind == *filter.kind) && (!filter.metric || s.key.metric == *filter.metric);
  };
  std::vector<Series> found;
  for (const std::uint32_t place : seriesOf(filter)) {
    const Series& stored = m_series[place];
    if (!wanted(stored)) continue;
    Series& s = found.emplace_back(stored);
    if (const auto extent = m_live ? m_live->extent(s.id) : std::nullopt) {
      s.sample_count = extent->count;
      s.first_x = extent->first_x, s.last_x = extent->last_x;
      s.first_time = extent->first_time, s.last_time = extent->last_time;
    }
    const ClockMap* clock = s.key.node ? m_clocks.of(s.key.node) : m_clocks.of(s.key.attempt, s.key.rank);
    if (clock == nullptr) continue;
    if (s.key.kind != SeriesKind::kScalar) s.first_x = clock->corrected(s.first_x), s.last_x = clock->corrected(s.last_x);
    if (s.first_time) s.first_time = clock->corrected(*s.first_time);
    if (s.last_time) s.last_time = clock->corrected(*s.last_time);
  }
  return found;
}

Status StoreReader::query(std::string_view sql, const SqlSink& sink, std::stop_token stop) {
  RG_TRY(refreshClocks());
  // Views that correct times do without the indices on them, so they are made where there is something to correct.
  const ClockMaps* const clocks = m_clocks.none() ? nullptr : &m_clocks;
  if (!m_session || m_session_clocks != clocks) {
    RG_ASSIGN(m_session, SqlSession::open(m_path, m_immutable, *this, clocks));
    m_session_clocks = clocks;
  }
  return m_session->query(sql, sink, std::move(stop));
}

}  // namespace runglass
