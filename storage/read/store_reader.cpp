// SPDX-License-Identifier: Apache-2.0
// StoreReader: opening and the catalogue.
#include "storage/read/store_reader.h"

#include <algorithm>

#include "storage/schema/past_attempts.h"
#include "storage/schema/rows.h"

namespace runglass {

Result<std::unique_ptr<Reader>> StoreReader::open(const std::string& path, ReaderOptions options) {
  auto reader = std::make_unique<StoreReader>(path, std::move(options));
  RG_TRY(reader->start());
  return std::unique_ptr<Reader>(std::move(reader));
}

std::uint64_t StoreReader::generation() {
  // The tail counts uncommitted changes.
  const auto version = m_file.dataVersion();
  if (version.ok() && *version != m_data_version) {
    m_data_version = *version;
    ++m_generation;
  }
  return m_generation + (m_file.live() ? m_file.live()->generation() : 0);
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

Result<std::vector<Node>> StoreReader::nodes() { return all<Node>(m_file.db(), " ORDER BY name, node_id"); }
Result<std::vector<Device>> StoreReader::devices() { return all<Device>(m_file.db(), " ORDER BY node_id, kind, device_index, device_id"); }
Result<std::vector<Run>> StoreReader::runs() { return all<Run>(m_file.db(), " ORDER BY run_id"); }
Result<Run> StoreReader::run(RunId run) {
  RG_ASSIGN(auto found, all<Run>(m_file.db(), " WHERE run_id = ?1", {number(run)}));
  if (found.empty()) return Status(Code::kNotFound, "run " + std::to_string(run.value) + ": not in this store");
  return std::move(found.front());
}
Result<std::vector<Attempt>> StoreReader::attempts(RunId run) {
  return all<Attempt>(m_file.db(), " WHERE run_id = ?1 ORDER BY number", {number(run)});
}
Result<Attempt> StoreReader::attempt(AttemptId attempt) {
  RG_ASSIGN(auto found, all<Attempt>(m_file.db(), " WHERE attempt_id = ?1", {number(attempt)}));
  if (found.empty()) return Status(Code::kNotFound, "attempt " + std::to_string(attempt.value) + ": not in this store");
  return std::move(found.front());
}
Result<std::vector<Rank>> StoreReader::ranks(AttemptId attempt) {
  return all<Rank>(m_file.db(), " WHERE attempt_id = ?1 ORDER BY rank", {number(attempt)});
}
Result<std::vector<Fact>> StoreReader::facts(AttemptId attempt) {
  return all<Fact>(m_file.db(), " WHERE attempt_id = ?1 ORDER BY key, node_id, rank", {number(attempt)});
}
Result<std::optional<DurNs>> StoreReader::clockError(NodeId node, TimeNs time) {
  // One index seek each: a node may have very many readings.
  RG_ASSIGN(auto row,
            m_file.db().prepare("SELECT ifnull((SELECT error_ns FROM rg_clock_map WHERE node_id = ?1 AND raw_ns <= ?2 ORDER BY raw_ns DESC "
                                "LIMIT 1), (SELECT error_ns FROM rg_clock_map WHERE node_id = ?1 ORDER BY raw_ns LIMIT 1))"));
  row.bind(1, node.value);
  row.bind(2, time);
  RG_ASSIGN(const bool found, row.step());
  return found ? row.optionalInt64(0) : std::nullopt;
}
Result<std::optional<DurNs>> StoreReader::clockError(AttemptId attempt, std::int32_t rank, TimeNs time) {
  RG_ASSIGN(auto shift,
            m_file.db().prepare("SELECT error_ns FROM rg_clock_shift WHERE attempt_id = ?1 AND rank = ?2 ORDER BY at_ns > ?3, abs(at_ns - "
                                "?3) LIMIT 1"));
  shift.bind(1, attempt.value);
  shift.bind(2, rank);
  shift.bind(3, time);
  RG_ASSIGN(const bool aligned, shift.step());
  if (aligned && m_file.aligned()) return shift.optionalInt64(0);
  RG_ASSIGN(auto node,
            m_file.db().prepare("SELECT node_id FROM " + rankNodes() + " WHERE attempt_id = ?1 AND rank = ?2 AND node_id IS NOT NULL"));
  node.bind(1, attempt.value);
  node.bind(2, rank);
  RG_ASSIGN(const bool known, node.step());
  if (!known) return std::optional<DurNs>();
  return clockError(NodeId{static_cast<std::uint64_t>(node.int64(0))}, time);
}
Result<std::optional<ClockAlignment>> StoreReader::alignment(AttemptId attempt) {
  if (!m_file.aligned()) return std::optional<ClockAlignment>();
  RG_ASSIGN(auto head,
            m_file.db().prepare("SELECT r.uuid, a.number, c.source, c.matches, c.residual_ns FROM rg_clock_align c JOIN rg_attempt a "
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
            m_file.db().prepare("SELECT rank, at_ns, shift_ns, error_ns FROM rg_clock_shift WHERE attempt_id = ?1 ORDER BY rank, at_ns"));
  shifts.bind(1, attempt.value);
  while (true) {
    RG_ASSIGN(const bool more, shifts.step());
    if (!more) return std::optional(std::move(found));
    found.shifts.push_back({static_cast<std::int32_t>(shifts.int64(0)), shifts.int64(1), shifts.int64(2), shifts.int64(3)});
  }
}
Result<std::unique_ptr<Reader>> StoreReader::unaligned() {
  auto reader = std::make_unique<StoreReader>(m_file.path(), ReaderOptions{m_file.live()}, false);
  RG_TRY(reader->start());
  return std::unique_ptr<Reader>(std::move(reader));
}
Result<std::vector<CommGroup>> StoreReader::groups(AttemptId attempt) {
  return all<CommGroup>(m_file.db(), " WHERE attempt_id = ?1 ORDER BY group_id", {number(attempt)});
}
Result<std::vector<Checkpoint>> StoreReader::checkpoints(RunId run) {
  return all<Checkpoint>(m_file.db(),
                         " WHERE attempt_id IN (SELECT attempt_id FROM rg_attempt WHERE run_id = ?1) ORDER BY attempt_id, step, path",
                         {number(run)});
}
Result<std::vector<Progress>> StoreReader::progress(RunId run) {
  RG_TRY(m_file.refreshClocks());
  RG_ASSIGN(
      auto found,
      all<Progress>(m_file.db(),
                    " WHERE attempt_id = (SELECT attempt_id FROM rg_attempt WHERE run_id = ?1 ORDER BY number DESC LIMIT 1) ORDER BY rank",
                    {number(run)}));
  for (Progress& one : found) {
    const ClockMap* const clock = m_file.clocks().of(one.attempt, one.rank);
    if (clock == nullptr) continue;
    one.time = clock->corrected(one.time);
    if (one.since) one.since = clock->corrected(*one.since);
  }
  return found;
}
Result<std::vector<Track>> StoreReader::tracks(AttemptId attempt) {
  return all<Track>(m_file.db(), " WHERE t.attempt_id = ?1 ORDER BY t.rank, t.track_id", {number(attempt)});
}
Result<std::vector<Note>> StoreReader::notes(RunId run) {
  return all<Note>(m_file.db(), " WHERE n.run_id = ?1 ORDER BY n.time_ns, n.note_id", {number(run)});
}
Result<std::vector<Finding>> StoreReader::findings(std::optional<RunId> run) {
  if (!run) return all<Finding>(m_file.db(), " ORDER BY finding_id");
  return all<Finding>(m_file.db(), " WHERE run_id = ?1 ORDER BY finding_id", {number(*run)});
}

Result<std::vector<Series>> StoreReader::series(const SeriesFilter& filter) {
  RG_TRY(m_series.refresh());
  RG_TRY(m_file.refreshClocks());
  const auto wanted = [&filter](const Series& s) {
    return (!filter.run || s.run == *filter.run) && (!filter.attempt || s.key.attempt == *filter.attempt) &&
           (!filter.node || s.key.node == *filter.node) && (!filter.device || s.key.device == *filter.device) &&
           (!filter.kind || s.key.kind == *filter.kind) && (!filter.metric || s.key.metric == *filter.metric);
  };
  std::vector<Series> found;
  for (const std::uint32_t place : m_series.placesOf(filter)) {
    const Series& stored = m_series.all()[place];
    if (!wanted(stored)) continue;
    Series& s = found.emplace_back(stored);
    if (const auto extent = m_file.live() ? m_file.live()->extent(s.id) : std::nullopt) {
      s.sample_count = extent->count;
      s.first_x = extent->first_x, s.last_x = extent->last_x;
      s.first_time = extent->first_time, s.last_time = extent->last_time;
    }
    const ClockMap* clock = s.key.node ? m_file.clocks().of(s.key.node) : m_file.clocks().of(s.key.attempt, s.key.rank);
    if (clock == nullptr) continue;
    if (s.key.kind != SeriesKind::kScalar) s.first_x = clock->corrected(s.first_x), s.last_x = clock->corrected(s.last_x);
    if (s.first_time) s.first_time = clock->corrected(*s.first_time);
    if (s.last_time) s.last_time = clock->corrected(*s.last_time);
  }
  return found;
}

Result<SampleColumns> StoreReader::samples(SeriesId series, TimeRange range, std::stop_token stop) {
  RG_ASSIGN(SampleColumns samples, m_points.samples(series, range, std::move(stop)));
  RG_ASSIGN(samples.summarised, m_bins.samplesSummarised(series, range));
  return samples;
}

Status StoreReader::query(std::string_view sql, const SqlSink& sink, std::stop_token stop) {
  RG_TRY(m_file.refreshClocks());
  // Views that correct times cannot use the indexes on them, so correcting views are created only where there is something to correct.
  const ClockMaps* const clocks = m_file.clocks().none() ? nullptr : &m_file.clocks();
  if (!m_session || m_session_clocks != clocks) {
    RG_ASSIGN(m_session, SqlSession::open(m_file.path(), m_file.immutable(), *this, clocks));
    m_session_clocks = clocks;
  }
  return m_session->query(sql, sink, std::move(stop));
}

}  // namespace runglass
