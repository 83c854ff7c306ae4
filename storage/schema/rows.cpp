// SPDX-License-Identifier: Apache-2.0
#include "storage/schema/rows.h"

#include <charconv>
#include <limits>

#include "model/far_time.h"
#include "storage/schema/past_attempts.h"

namespace runglass::rows {
namespace {

template <class Tag>
void readId(const sqlite::Statement& s, int column, Id<Tag>& id) {
  id.value = static_cast<std::uint64_t>(s.int64(column));
}
std::optional<std::int32_t> optionalInt32(const sqlite::Statement& s, int column) {
  return s.isNull(column) ? std::nullopt : std::optional(static_cast<std::int32_t>(s.int64(column)));
}
std::int32_t int32(const sqlite::Statement& s, int column) { return static_cast<std::int32_t>(s.int64(column)); }
std::string text(const sqlite::Statement& s, int column) { return std::string(s.text(column)); }

// Older stores hold times as agents reported them, without a limit: axes and sums over them would overflow.
std::optional<TimeNs> time(const sqlite::Statement& s, int column) { return nearTime(s.optionalInt64(column)); }

// A number of a file as an enum; `fallback` for an unknown value, as a newer or damaged file may have.
template <class E>
E enumOf(std::int64_t number, E last, E fallback) {
  return number >= 0 && number <= static_cast<std::int64_t>(last) ? static_cast<E>(number) : fallback;
}

}  // namespace

template <>
std::string_view select<Node>() {
  return "SELECT node_id, uuid, name, rack, switch, state, last_heard_ns FROM rg_node";
}
template <>
Node read<Node>(const sqlite::Statement& s) {
  Node n;
  readId(s, 0, n.id);
  n.uuid = text(s, 1), n.name = text(s, 2), n.rack = text(s, 3), n.fabric_switch = text(s, 4);
  n.state = enumOf(s.int64(5), NodeState::kLeft, NodeState::kUnknown);
  n.last_heard = time(s, 6);
  return n;
}

template <>
std::string_view select<Device>() {
  return "SELECT device_id, uuid, node_id, device_index, kind, model, memory_bytes FROM rg_device";
}
template <>
Device read<Device>(const sqlite::Statement& s) {
  Device d;
  readId(s, 0, d.id);
  d.uuid = text(s, 1);
  readId(s, 2, d.node);
  d.index = optionalInt32(s, 3);
  d.kind = text(s, 4), d.model = text(s, 5);
  d.memory_bytes = s.optionalInt64(6);
  return d;
}

template <>
std::string_view select<Run>() {
  return "SELECT run_id, uuid, name, time_domain, state, start_ns, end_ns, framework, simulated FROM rg_run";
}
template <>
Run read<Run>(const sqlite::Statement& s) {
  Run r;
  readId(s, 0, r.id);
  r.uuid = text(s, 1), r.name = text(s, 2);
  r.time_domain = enumOf(s.int64(3), TimeDomain::kNone, TimeDomain::kNone);
  r.state = enumOf(s.int64(4), RunState::kStalled, RunState::kUnknown);
  r.start = time(s, 5), r.end = time(s, 6);
  r.framework = text(s, 7);
  r.simulated = s.int64(8) != 0;
  return r;
}

template <>
std::string_view select<Attempt>() {
  return "SELECT attempt_id, run_id, number, key, start_ns, end_ns, end_cause, planned, resumed_from_step, world_size, tp_size, pp_size, "
         "dp_size, cp_size, ep_size, vpp_size, "
         "(SELECT min(first_x) FROM rg_series s WHERE s.attempt_id = a.attempt_id AND s.kind = 2 AND s.sample_count > 0), "
         "(SELECT max(last_x) FROM rg_series s WHERE s.attempt_id = a.attempt_id AND s.kind = 2 AND s.sample_count > 0) FROM rg_attempt a";
}
template <>
Attempt read<Attempt>(const sqlite::Statement& s) {
  Attempt a;
  readId(s, 0, a.id);
  readId(s, 1, a.run);
  a.number = int32(s, 2);
  a.key = text(s, 3);
  a.start = time(s, 4), a.end = time(s, 5);
  a.end_cause = text(s, 6);
  if (!s.isNull(7)) a.planned = s.int64(7) != 0;
  a.resumed_from_step = s.optionalInt64(8);
  a.layout = {int32(s, 9), int32(s, 10), int32(s, 11), int32(s, 12), int32(s, 13), int32(s, 14), int32(s, 15)};
  a.first_step = s.optionalInt64(16), a.last_step = s.optionalInt64(17);
  return a;
}

template <>
std::string_view select<Rank>() {
  static const std::string kSelect =
      "SELECT attempt_id, rank, node_id, device_id, local_rank, pid, tp, pp, dp, cp, ep FROM (SELECT attempt_id, rank, node_id, device_id, "
      "local_rank, pid, tp, pp, dp, cp, ep FROM rg_rank UNION ALL SELECT x.attempt_id, p.rank, p.node_id, p.device_id, p.local_rank, "
      "past_pid(x.pids, p.rank), p.tp, p.pp, p.dp, p.cp, p.ep FROM " +
      kPastRanks + ")";
  return kSelect;
}
template <>
Rank read<Rank>(const sqlite::Statement& s) {
  Rank r;
  readId(s, 0, r.attempt);
  r.rank = int32(s, 1);
  readId(s, 2, r.node);
  readId(s, 3, r.device);
  r.local_rank = optionalInt32(s, 4), r.pid = optionalInt32(s, 5);
  r.tp = optionalInt32(s, 6), r.pp = optionalInt32(s, 7), r.dp = optionalInt32(s, 8), r.cp = optionalInt32(s, 9),
  r.ep = optionalInt32(s, 10);
  return r;
}

template <>
std::string_view select<Fact>() {
  static const std::string kSelect =
      "SELECT attempt_id, node_id, rank, key, value FROM (SELECT attempt_id, node_id, rank, key, value FROM rg_fact UNION ALL SELECT "
      "x.attempt_id, p.node_id, p.rank, p.key, p.value FROM " +
      kPastFacts + ")";
  return kSelect;
}
template <>
Fact read<Fact>(const sqlite::Statement& s) {
  Fact f;
  readId(s, 0, f.attempt);
  readId(s, 1, f.node);
  if (s.int64(2) >= 0) f.rank = int32(s, 2);
  f.key = text(s, 3), f.value = text(s, 4);
  return f;
}

template <>
std::string_view select<Checkpoint>() {
  return "SELECT attempt_id, step, path, begin_ns, durable_ns, bytes FROM rg_checkpoint";
}
template <>
Checkpoint read<Checkpoint>(const sqlite::Statement& s) {
  Checkpoint c;
  readId(s, 0, c.attempt);
  c.step = s.int64(1);
  c.path = text(s, 2);
  c.begin = time(s, 3), c.durable = time(s, 4), c.bytes = s.optionalInt64(5);
  return c;
}

template <>
std::string_view select<CommGroup>() {
  return "SELECT attempt_id, group_id, kind, name, ranks FROM rg_comm_group";
}
template <>
CommGroup read<CommGroup>(const sqlite::Statement& s) {
  CommGroup g;
  readId(s, 0, g.attempt);
  g.id = s.int64(1);
  g.kind = text(s, 2), g.name = text(s, 3);
  const std::string_view list = s.text(4);
  for (std::size_t at = list.find_first_of("0123456789"); at < list.size(); at = list.find_first_of("0123456789", at)) {
    std::int32_t rank = 0;
    const auto [end, error] = std::from_chars(list.data() + at, list.data() + list.size(), rank);
    if (error != std::errc()) break;
    g.ranks.push_back(rank);
    at = static_cast<std::size_t>(end - list.data());
  }
  return g;
}

template <>
std::string_view select<Progress>() {
  return "SELECT attempt_id, rank, time_ns, step, microbatch, group_id, seq, phase, op, since_ns FROM rg_progress";
}
template <>
Progress read<Progress>(const sqlite::Statement& s) {
  Progress p;
  readId(s, 0, p.attempt);
  p.rank = int32(s, 1);
  p.time = nearTime(s.int64(2));
  p.step = s.optionalInt64(3), p.microbatch = s.optionalInt64(4), p.group = s.optionalInt64(5), p.seq = s.optionalInt64(6);
  p.phase = text(s, 7), p.op = text(s, 8);
  p.since = time(s, 9);
  return p;
}

template <>
std::string_view select<ClockReading>() {
  return "SELECT node_id, session, raw_ns, offset_ns, error_ns, source FROM rg_clock_map";
}
template <>
ClockReading read<ClockReading>(const sqlite::Statement& s) {
  ClockReading c;
  readId(s, 0, c.node);
  c.session = text(s, 1);
  c.raw = s.int64(2), c.offset = s.int64(3), c.error = s.int64(4);
  c.source = text(s, 5);
  return c;
}

template <>
std::string_view select<Series>() {
  return "SELECT s.series_id, s.attempt_id, s.rank, s.node_id, s.device_id, m.text, o.text, l.text, u.text, s.kind, s.sample_count, "
         "s.first_x, "
         "s.last_x, s.first_ns, s.last_ns, a.run_id FROM rg_series s JOIN rg_string m ON m.string_id = s.metric "
         "JOIN rg_string o ON o.string_id = s.source JOIN rg_string l ON l.string_id = s.labels JOIN rg_string u ON u.string_id = s.unit "
         "LEFT JOIN rg_attempt a ON a.attempt_id = s.attempt_id";
}
template <>
Series read<Series>(const sqlite::Statement& s) {
  Series series;
  readId(s, 0, series.id);
  readId(s, 1, series.key.attempt);
  series.key.rank = optionalInt32(s, 2);
  readId(s, 3, series.key.node);
  readId(s, 4, series.key.device);
  series.key.metric = text(s, 5), series.key.source = text(s, 6), series.key.labels = text(s, 7), series.key.unit = text(s, 8);
  series.key.kind = enumOf(s.int64(9), SeriesKind::kScalar, SeriesKind::kGauge);
  series.sample_count = s.int64(10);
  series.first_x = s.int64(11), series.last_x = s.int64(12);
  series.first_time = time(s, 13), series.last_time = time(s, 14);
  readId(s, 15, series.run);
  return series;
}

template <>
std::string_view select<Track>() {
  return "SELECT t.track_id, t.attempt_id, t.rank, t.kind, t.name, a.run_id FROM rg_track t LEFT JOIN rg_attempt a ON a.attempt_id = "
         "t.attempt_id";
}
template <>
Track read<Track>(const sqlite::Statement& s) {
  Track t;
  readId(s, 0, t.id);
  readId(s, 1, t.key.attempt);
  t.key.rank = optionalInt32(s, 2);
  t.key.kind = text(s, 3), t.key.name = text(s, 4);
  readId(s, 5, t.run);
  return t;
}

template <>
std::string_view select<Event>() {
  return "SELECT event_id, time_ns, attempt_id, node_id, device_id, rank, step, kind, severity, code, message FROM rg_event e";
}
template <>
Event read<Event>(const sqlite::Statement& s) {
  Event e;
  e.id = s.int64(0);
  e.time = time(s, 1);
  readId(s, 2, e.attempt);
  readId(s, 3, e.node);
  readId(s, 4, e.device);
  e.rank = optionalInt32(s, 5);
  e.step = s.optionalInt64(6);
  e.kind = text(s, 7);
  e.severity = enumOf(s.int64(8), Severity::kCritical, Severity::kInfo);
  e.code = text(s, 9), e.message = text(s, 10);
  return e;
}

template <>
std::string_view select<LogLine>() {
  return "SELECT time_ns, attempt_id, node_id, rank, (SELECT text FROM rg_string WHERE string_id = e.stream), severity, text, log_id FROM "
         "rg_log "
         "e";
}
template <>
LogLine read<LogLine>(const sqlite::Statement& s) {
  LogLine l;
  l.time = time(s, 0);
  readId(s, 1, l.attempt);
  readId(s, 2, l.node);
  l.rank = optionalInt32(s, 3);
  l.stream = text(s, 4);
  l.severity = enumOf(s.int64(5), Severity::kCritical, Severity::kInfo);
  l.text = text(s, 6);
  return l;
}

template <>
std::string_view select<Issue>() {
  return "SELECT code, source, count, first_ns, last_ns, detail FROM rg_issue";
}
template <>
Issue read<Issue>(const sqlite::Statement& s) {
  Issue i;
  i.code = text(s, 0), i.source = text(s, 1);
  i.count = s.int64(2);
  i.first = time(s, 3), i.last = time(s, 4);
  i.detail = text(s, 5);
  return i;
}

template <>
std::string_view select<StoredCapture>() {
  return "SELECT capture_id, time_ns, attempt_id, node_id, rank, kind, source, reason, bytes, truncated_bytes, packed, crc, body FROM "
         "rg_capture c";
}
template <>
StoredCapture read<StoredCapture>(const sqlite::Statement& s) {
  StoredCapture row;
  Capture& c = row.capture;
  c.id = s.int64(0), c.time = nearTime(s.int64(1));
  readId(s, 2, c.attempt);
  readId(s, 3, c.node);
  c.rank = optionalInt32(s, 4);
  c.kind = text(s, 5), c.source = text(s, 6), c.reason = text(s, 7);
  c.bytes = s.int64(8), c.truncated_bytes = s.int64(9);
  row.packed = s.int64(10) != 0;
  row.crc = static_cast<std::uint32_t>(s.int64(11));
  row.body = std::string(s.blob(12));
  return row;
}

template <>
std::string_view select<CaptureHead>() {
  return "SELECT capture_id, time_ns, attempt_id, node_id, rank, kind, source, reason, bytes, truncated_bytes, packed, crc, NULL FROM "
         "rg_capture c";
}
template <>
CaptureHead read<CaptureHead>(const sqlite::Statement& s) {
  return {read<StoredCapture>(s)};
}

template <>
std::string_view select<Label>() {
  return "SELECT attempt_id, kind, node_id, device_id, rank, start_ns, end_ns, first_step, last_step, strength FROM rg_label";
}
template <>
Label read<Label>(const sqlite::Statement& s) {
  Label l;
  readId(s, 0, l.attempt);
  l.kind = text(s, 1);
  readId(s, 2, l.node);
  readId(s, 3, l.device);
  l.rank = optionalInt32(s, 4);
  l.start = time(s, 5), l.end = time(s, 6), l.first_step = s.optionalInt64(7), l.last_step = s.optionalInt64(8);
  l.strength = s.real(9);
  return l;
}

template <>
std::string_view select<Note>() {
  return "SELECT n.note_id, r.uuid, n.time_ns, n.author, n.text FROM rg_note n JOIN rg_run r ON r.run_id = n.run_id";
}
template <>
Note read<Note>(const sqlite::Statement& s) {
  Note note;
  note.id = s.int64(0);
  note.run_uuid = text(s, 1);
  note.time = s.optionalInt64(2);
  note.author = text(s, 3), note.text = text(s, 4);
  return note;
}

template <>
std::string_view select<Finding>() {
  return "SELECT finding_id, run_id, attempt_id, kind, subject, severity, start_ns, end_ns, first_step, last_step, node_id, rank, dp, pp, "
         "tp, score, confidence, coverage, summary, evidence, told_ns, message FROM rg_finding";
}
template <>
Finding read<Finding>(const sqlite::Statement& s) {
  Finding f;
  f.id = s.int64(0);
  readId(s, 1, f.run);
  readId(s, 2, f.attempt);
  f.kind = text(s, 3), f.subject = text(s, 4);
  f.severity = enumOf(s.int64(5), Severity::kCritical, Severity::kInfo);
  f.start = time(s, 6), f.end = time(s, 7), f.first_step = s.optionalInt64(8), f.last_step = s.optionalInt64(9);
  readId(s, 10, f.node);
  f.rank = optionalInt32(s, 11), f.dp = optionalInt32(s, 12), f.pp = optionalInt32(s, 13), f.tp = optionalInt32(s, 14);
  f.score = s.optionalReal(15), f.confidence = s.optionalReal(16), f.coverage = s.optionalReal(17);
  f.summary = text(s, 18), f.evidence = text(s, 19);
  f.published = s.optionalInt64(20);
  f.message = text(s, 21);
  return f;
}

template <>
std::string_view select<StoredIncident>() {
  return "SELECT incident_id, run_id, uuid, attempt_id, title, state, severity, start_ns, end_ns, created_ns, updated_ns, cause, summary, "
         "notes, reason, findings, evidence FROM rg_incident";
}
template <>
StoredIncident read<StoredIncident>(const sqlite::Statement& s) {
  StoredIncident row;
  Incident& i = row.incident;
  i.id = s.int64(0);
  readId(s, 1, i.run);
  i.uuid = text(s, 2);
  readId(s, 3, i.attempt);
  i.title = text(s, 4);
  i.state = incidentStateFromName(s.text(5)).value_or(IncidentState::kOpen);
  i.severity = enumOf(s.int64(6), Severity::kCritical, Severity::kWarning);
  if (!s.isNull(7)) i.range = TimeRange{s.int64(7), s.optionalInt64(8).value_or(std::numeric_limits<TimeNs>::max())};
  i.created = s.int64(9), i.updated = s.int64(10);
  i.cause = text(s, 11), i.summary = text(s, 12), i.notes = text(s, 13), i.reason = text(s, 14);
  row.findings = text(s, 15), row.evidence = text(s, 16);
  return row;
}

template <>
std::string_view select<Alert>() {
  return "SELECT alert_id, run_id, rule, cause, kind, severity, since_ns, end_ns, due_ns, told_ns, told_count, summary, link, delivery "
         "FROM "
         "rg_alert";
}
template <>
Alert read<Alert>(const sqlite::Statement& s) {
  Alert a;
  a.id = s.int64(0);
  readId(s, 1, a.run);
  a.rule = text(s, 2), a.cause = text(s, 3), a.kind = text(s, 4);
  a.severity = enumOf(s.int64(5), Severity::kCritical, Severity::kInfo);
  a.since = s.int64(6);
  a.end = s.optionalInt64(7), a.due = s.optionalInt64(8), a.notified = s.optionalInt64(9);
  a.count = s.int64(10);
  a.summary = text(s, 11), a.link = text(s, 12), a.delivery = text(s, 13);
  return a;
}

template <>
std::string_view select<Snooze>() {
  return "SELECT rule, cause, until_ns, author FROM rg_snooze";
}
template <>
Snooze read<Snooze>(const sqlite::Statement& s) {
  return {.rule = text(s, 0), .cause = text(s, 1), .until = s.int64(2), .author = text(s, 3)};
}

Status eachText(sqlite::Connection& db, const std::function<void(std::int64_t id, std::string_view text)>& take) {
  RG_ASSIGN(sqlite::Statement statement, db.prepare("SELECT string_id, text FROM rg_string"));
  while (true) {
    RG_ASSIGN(const bool row, statement.step());
    if (!row) return {};
    take(statement.int64(0), statement.text(1));
  }
}

}  // namespace runglass::rows
