// SPDX-License-Identifier: Apache-2.0
// The relations that are plain views over rg_* tables. TEMP, created at open, so that a store file never contains a view. The clock that
// corrects a row's time is that of its node, or of its attempt and rank, as in ClockMaps. For a series the node takes precedence: the
// alignment of its rank does not apply to it.
#include "storage/sql/relations.h"

namespace runglass::sql {
namespace {

constexpr std::string_view kViews[] = {
    R"(CREATE TEMP VIEW run AS SELECT r.run_id, r.uuid AS run_uuid, r.name,
  CASE r.time_domain WHEN 0 THEN 'utc' WHEN 1 THEN 'relative' ELSE 'none' END AS time_domain,
  CASE r.state WHEN 1 THEN 'running' WHEN 2 THEN 'finished' WHEN 3 THEN 'failed' WHEN 4 THEN 'stalled' ELSE 'unknown' END AS state,
  r.start_ns, r.end_ns, nullif(a.world_size,0) AS world_size, nullif(a.tp_size,0) AS tp_size, nullif(a.pp_size,0) AS pp_size,
  nullif(a.dp_size,0) AS dp_size, nullif(a.cp_size,0) AS cp_size, nullif(a.ep_size,0) AS ep_size, nullif(a.vpp_size,0) AS vpp_size,
  nullif(r.framework,'') AS framework, r.simulated
  FROM main.rg_run r LEFT JOIN main.rg_attempt a ON a.run_id = r.run_id
    AND a.number = (SELECT max(number) FROM main.rg_attempt WHERE run_id = r.run_id))",

    R"(CREATE TEMP VIEW attempt AS SELECT a.run_id, a.number AS attempt, a.start_ns, a.end_ns, nullif(a.end_cause,'') AS end_cause,
  a.planned, a.resumed_from_step,
  (SELECT min(first_x) FROM main.rg_series s WHERE s.attempt_id = a.attempt_id AND s.kind = 2 AND s.sample_count > 0) AS first_step,
  (SELECT max(last_x) FROM main.rg_series s WHERE s.attempt_id = a.attempt_id AND s.kind = 2 AND s.sample_count > 0) AS last_step,
  nullif(a.world_size,0) AS world_size, nullif(a.tp_size,0) AS tp_size, nullif(a.pp_size,0) AS pp_size, nullif(a.dp_size,0) AS dp_size,
  nullif(a.cp_size,0) AS cp_size, nullif(a.ep_size,0) AS ep_size, nullif(a.vpp_size,0) AS vpp_size, nullif(a.key,'') AS key
  FROM main.rg_attempt a)",

    R"(CREATE TEMP VIEW attempt_fact AS SELECT a.run_id, a.number AS attempt, n.name AS node, nullif(f.rank,-1) AS rank, f.key, f.value
  FROM main.rg_fact f JOIN main.rg_attempt a USING(attempt_id) LEFT JOIN main.rg_node n ON n.node_id = f.node_id
  UNION ALL SELECT a.run_id, a.number, n.name, nullif(p.rank,-1), p.key, p.value
  FROM main.rg_past x JOIN main.rg_attempt a USING(attempt_id) CROSS JOIN (WITH RECURSIVE b(d) AS (VALUES(0) UNION ALL
    SELECT d + 1 FROM b WHERE d < 31) SELECT d FROM b) b CROSS JOIN main.rg_past_fact p INDEXED BY rg_past_fact_fork ON p.run_id = a.run_id AND p.fork = ((x.attempt_id >> b.d) | 1) << b.d AND x.attempt_id BETWEEN p.first_attempt
    AND p.last_attempt LEFT JOIN main.rg_node n ON n.node_id = p.node_id
  WHERE NOT EXISTS (SELECT 1 FROM main.rg_fact f WHERE f.attempt_id = x.attempt_id AND f.node_id = p.node_id AND f.rank = p.rank AND f.key = p.key))",

    R"(CREATE TEMP VIEW checkpoint AS SELECT a.run_id, a.number AS attempt, c.step, c.begin_ns, c.durable_ns, c.bytes, c.path
  FROM main.rg_checkpoint c JOIN main.rg_attempt a USING(attempt_id))",

    R"(CREATE TEMP VIEW thinned_series AS SELECT s.series_id, a.run_id, a.number AS attempt, s.rank, m.text AS tag, e.last_x AS up_to_step,
  e.sample_count - (SELECT ifnull(sum(t.n), 0) FROM main.rg_thinned t WHERE t.series_id = s.series_id) AS points
  FROM main.rg_expired e JOIN main.rg_series s USING(series_id) JOIN main.rg_string m ON m.string_id = s.metric
  LEFT JOIN main.rg_attempt a ON a.attempt_id = s.attempt_id WHERE s.kind = 2)",

    R"(CREATE TEMP VIEW rank AS SELECT a.run_id, a.number AS attempt, r.rank, n.name AS node, d.uuid AS device_uuid, r.tp, r.pp, r.dp, r.cp, r.ep,
  r.local_rank, r.pid
  FROM main.rg_rank r JOIN main.rg_attempt a USING(attempt_id) LEFT JOIN main.rg_node n ON n.node_id = r.node_id
  LEFT JOIN main.rg_device d ON d.device_id = r.device_id
  UNION ALL SELECT a.run_id, a.number, p.rank, n.name, d.uuid, p.tp, p.pp, p.dp, p.cp, p.ep, p.local_rank, past_pid(x.pids, p.rank)
  FROM main.rg_past x JOIN main.rg_attempt a USING(attempt_id) CROSS JOIN (WITH RECURSIVE b(d) AS (VALUES(0) UNION ALL
    SELECT d + 1 FROM b WHERE d < 31) SELECT d FROM b) b CROSS JOIN main.rg_past_rank p INDEXED BY rg_past_rank_fork ON p.run_id = a.run_id AND p.fork = ((x.attempt_id >> b.d) | 1) << b.d AND x.attempt_id BETWEEN p.first_attempt
    AND p.last_attempt LEFT JOIN main.rg_node n ON n.node_id = p.node_id LEFT JOIN main.rg_device d ON d.device_id = p.device_id
  WHERE NOT EXISTS (SELECT 1 FROM main.rg_rank r WHERE r.attempt_id = x.attempt_id AND r.rank = p.rank))",

    R"(CREATE TEMP VIEW node AS SELECT name AS node, nullif(rack,'') AS rack, nullif(switch,'') AS switch,
  CASE state WHEN 1 THEN 'alive' WHEN 2 THEN 'stale' WHEN 3 THEN 'lost' WHEN 4 THEN 'left' ELSE 'unknown' END AS state,
  last_heard_ns, uuid AS node_uuid FROM main.rg_node)",

    R"(CREATE TEMP VIEW device AS SELECT d.uuid AS device_uuid, n.name AS node, d.device_index, d.kind, nullif(d.model,'') AS model, d.memory_bytes
  FROM main.rg_device d LEFT JOIN main.rg_node n ON n.node_id = d.node_id)",

    R"(CREATE TEMP VIEW series AS SELECT s.series_id, a.run_id, n.name AS node, d.uuid AS device_uuid, s.rank, m.text AS metric,
  nullif(l.text,'') AS labels, nullif(u.text,'') AS unit, CASE s.kind WHEN 0 THEN 'gauge' WHEN 1 THEN 'counter' ELSE 'scalar' END AS kind,
  s.sample_count, corrected(s.first_ns, s.node_id, s.attempt_id, CASE WHEN s.node_id THEN NULL ELSE s.rank END) AS first_ns,
  corrected(s.last_ns, s.node_id, s.attempt_id, CASE WHEN s.node_id THEN NULL ELSE s.rank END) AS last_ns, a.number AS attempt, nullif(c.text,'') AS source, nullif(lower(hex(s.identity)),'') AS identity
  FROM main.rg_series s JOIN main.rg_string m ON m.string_id = s.metric LEFT JOIN main.rg_string l ON l.string_id = s.labels
  LEFT JOIN main.rg_string u ON u.string_id = s.unit LEFT JOIN main.rg_string c ON c.string_id = s.source
  LEFT JOIN main.rg_attempt a ON a.attempt_id = s.attempt_id LEFT JOIN main.rg_device d ON d.device_id = s.device_id
  LEFT JOIN main.rg_node n ON n.node_id = coalesce(nullif(s.node_id,0), d.node_id))",

    R"(CREATE TEMP VIEW progress AS SELECT a.run_id, a.number AS attempt, p.rank, corrected(p.time_ns, NULL, p.attempt_id, p.rank) AS time_ns, p.step, p.microbatch, nullif(p.op,'') AS op,
  p.group_id, p.seq, corrected(p.since_ns, NULL, p.attempt_id, p.rank) AS since_ns, nullif(p.phase,'') AS phase FROM main.rg_progress p JOIN main.rg_attempt a USING(attempt_id))",

    R"(CREATE TEMP VIEW track AS SELECT t.track_id, a.run_id, a.number AS attempt, t.rank, t.kind, t.name, nullif(lower(hex(t.identity)),'') AS identity
  FROM main.rg_track t JOIN main.rg_attempt a USING(attempt_id))",

    R"(CREATE TEMP VIEW event AS SELECT e.event_id, corrected(e.time_ns, e.node_id, e.attempt_id, e.rank) AS time_ns, a.run_id, a.number AS attempt, n.name AS node, d.uuid AS device_uuid, e.rank, e.kind,
  CASE e.severity WHEN 0 THEN 'debug' WHEN 1 THEN 'info' WHEN 2 THEN 'warning' WHEN 3 THEN 'error' ELSE 'critical' END AS severity,
  nullif(e.code,'') AS code, e.message, e.step
  FROM main.rg_event e LEFT JOIN main.rg_attempt a USING(attempt_id) LEFT JOIN main.rg_device d ON d.device_id = e.device_id
  LEFT JOIN main.rg_node n ON n.node_id = coalesce(nullif(e.node_id,0), d.node_id))",

    R"(CREATE TEMP VIEW log_line AS SELECT corrected(g.time_ns, g.node_id, g.attempt_id, g.rank) AS time_ns, a.run_id, a.number AS attempt, n.name AS node, g.rank, s.text AS stream,
  CASE g.severity WHEN 0 THEN 'debug' WHEN 1 THEN 'info' WHEN 2 THEN 'warning' WHEN 3 THEN 'error' ELSE 'critical' END AS severity, g.text, g.log_id
  FROM main.rg_log g LEFT JOIN main.rg_attempt a USING(attempt_id) LEFT JOIN main.rg_node n ON n.node_id = g.node_id
  LEFT JOIN main.rg_string s ON s.string_id = g.stream)",

    R"(CREATE TEMP VIEW finding AS SELECT f.finding_id, f.run_id, a.number AS attempt, f.kind,
  CASE f.severity WHEN 0 THEN 'debug' WHEN 1 THEN 'info' WHEN 2 THEN 'warning' WHEN 3 THEN 'error' ELSE 'critical' END AS severity,
  f.start_ns, f.end_ns, f.first_step, f.last_step, n.name AS node, f.rank, f.dp, f.pp, f.tp, f.score, f.confidence, f.coverage, f.summary,
  f.evidence, f.subject, f.message
  FROM main.rg_finding f LEFT JOIN main.rg_attempt a USING(attempt_id) LEFT JOIN main.rg_node n ON n.node_id = f.node_id)",

    R"(CREATE TEMP VIEW finding_told AS SELECT finding_id, told_ns,
  CASE severity WHEN 0 THEN 'debug' WHEN 1 THEN 'info' WHEN 2 THEN 'warning' WHEN 3 THEN 'error' ELSE 'critical' END AS severity,
  start_ns, end_ns, last_step, score, confidence, coverage, summary, evidence, message FROM (SELECT finding_id, told_ns, severity, start_ns, end_ns,
  last_step, score, confidence, coverage, summary, evidence, message FROM main.rg_finding WHERE told_ns IS NOT NULL UNION ALL SELECT * FROM main.rg_finding_told))",

    R"(CREATE TEMP VIEW incident AS SELECT i.incident_id, i.run_id, i.title, i.state, i.start_ns, i.end_ns, i.created_ns, i.findings, i.uuid AS incident_uuid, a.number AS attempt,
  CASE i.severity WHEN 0 THEN 'debug' WHEN 1 THEN 'info' WHEN 2 THEN 'warning' WHEN 3 THEN 'error' ELSE 'critical' END AS severity,
  i.updated_ns, nullif(i.cause,'') AS cause, nullif(i.summary,'') AS summary, nullif(i.notes,'') AS notes, nullif(i.reason,'') AS reason, i.evidence
  FROM main.rg_incident i LEFT JOIN main.rg_attempt a USING(attempt_id))",

    R"(CREATE TEMP VIEW comm_group AS SELECT a.run_id, a.number AS attempt, g.group_id, g.kind, g.name, g.ranks
  FROM main.rg_comm_group g JOIN main.rg_attempt a USING(attempt_id))",

    R"(CREATE TEMP VIEW capture AS SELECT c.capture_id, a.run_id, a.number AS attempt, corrected(c.time_ns, c.node_id, c.attempt_id, c.rank) AS time_ns, n.name AS node, c.rank, c.kind, c.source, c.reason,
  c.bytes, c.truncated_bytes, capture_text(c.body, c.packed, c.bytes) AS text
  FROM main.rg_capture c LEFT JOIN main.rg_attempt a USING(attempt_id) LEFT JOIN main.rg_node n ON n.node_id = c.node_id)",

    R"(CREATE TEMP VIEW note AS SELECT run_id, time_ns, author, text, note_id FROM main.rg_note)",

    R"(CREATE TEMP VIEW alert AS SELECT a.alert_id, a.run_id, a.rule, a.cause, a.kind,
  CASE a.severity WHEN 0 THEN 'debug' WHEN 1 THEN 'info' WHEN 2 THEN 'warning' WHEN 3 THEN 'error' ELSE 'critical' END AS severity,
  a.since_ns, a.end_ns, a.due_ns, a.told_ns, a.told_count,
  (SELECT max(s.until_ns) FROM main.rg_snooze s WHERE s.cause = a.cause OR s.rule = a.rule) AS snoozed_until_ns,
  a.summary, a.link, nullif(a.delivery,'') AS delivery FROM main.rg_alert a)",

    R"(CREATE TEMP VIEW label AS SELECT a.run_id, l.kind, n.name AS node, l.rank, d.uuid AS device_uuid, l.start_ns, l.end_ns, l.first_step, l.last_step,
  l.strength, a.number AS attempt
  FROM main.rg_label l JOIN main.rg_attempt a USING(attempt_id) LEFT JOIN main.rg_node n ON n.node_id = l.node_id
  LEFT JOIN main.rg_device d ON d.device_id = l.device_id)",

    R"(CREATE TEMP VIEW ingest_issue AS SELECT i.code, issue_severity(i.code) AS severity, i.source, i.count, i.first_ns, i.last_ns, i.detail
  FROM main.rg_issue i)",
};

// The definition with times as stored: "corrected(time, ...)" becomes "time".
std::string uncorrected(std::string_view definition) {
  constexpr std::string_view kCall = "corrected(";
  std::string text(definition);
  for (std::size_t at = text.find(kCall); at != std::string::npos; at = text.find(kCall, at)) {
    const std::size_t comma = text.find(',', at), end = text.find(')', at);
    text.replace(at, end + 1 - at, text.substr(at + kCall.size(), comma - at - kCall.size()));
  }
  return text;
}

}  // namespace

std::vector<std::string> viewDefinitions(bool correcting) {
  std::vector<std::string> definitions;
  for (const std::string_view view : kViews) definitions.push_back(correcting ? std::string(view) : uncorrected(view));
  return definitions;
}

}  // namespace runglass::sql
