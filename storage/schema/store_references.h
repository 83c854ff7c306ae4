// SPDX-License-Identifier: Apache-2.0
// References between the tables of a store, and placeholders for lost rows. Internal to storage.
#pragma once

namespace runglass {

// A reference to a row elsewhere, with a query for the rows whose target is missing.
struct Reference {
  const char* what;
  const char* sql;  // "SELECT id FROM table WHERE …": the rows with a missing target
};
inline constexpr Reference kReferences[] = {
    {"attempt", "SELECT attempt_id FROM rg_attempt WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"device", "SELECT device_id FROM rg_device WHERE node_id <> 0 AND node_id NOT IN (SELECT node_id FROM rg_node)"},
    {"rank of attempt", "SELECT attempt_id FROM rg_rank WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"fact of attempt", "SELECT attempt_id FROM rg_fact WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"past attempt", "SELECT attempt_id FROM rg_past WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"past ranks of run", "SELECT run_id FROM rg_past_rank WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"past facts of run", "SELECT run_id FROM rg_past_fact WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"checkpoint of attempt", "SELECT attempt_id FROM rg_checkpoint WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"progress of attempt", "SELECT attempt_id FROM rg_progress WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"series", "SELECT series_id FROM rg_series WHERE attempt_id <> 0 AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"series", "SELECT series_id FROM rg_series WHERE node_id <> 0 AND node_id NOT IN (SELECT node_id FROM rg_node)"},
    {"series", "SELECT series_id FROM rg_series WHERE device_id <> 0 AND device_id NOT IN (SELECT device_id FROM rg_device)"},
    {"series", "SELECT series_id FROM rg_series WHERE metric NOT IN (SELECT string_id FROM rg_string)"},
    {"track", "SELECT track_id FROM rg_track WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"event", "SELECT event_id FROM rg_event WHERE attempt_id <> 0 AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"event", "SELECT event_id FROM rg_event WHERE node_id <> 0 AND node_id NOT IN (SELECT node_id FROM rg_node)"},
    {"log line", "SELECT log_id FROM rg_log WHERE attempt_id <> 0 AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"capture", "SELECT capture_id FROM rg_capture WHERE attempt_id IS NOT NULL AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"capture", "SELECT capture_id FROM rg_capture WHERE node_id IS NOT NULL AND node_id NOT IN (SELECT node_id FROM rg_node)"},
    {"finding", "SELECT finding_id FROM rg_finding WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"version of finding", "SELECT finding_id FROM rg_finding_told WHERE finding_id NOT IN (SELECT finding_id FROM rg_finding)"},
    {"incident", "SELECT incident_id FROM rg_incident WHERE run_id NOT IN (SELECT run_id FROM rg_run)"},
    {"incident",
     "SELECT incident_id FROM rg_incident WHERE attempt_id IS NOT NULL AND attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"pin", "SELECT pin_id FROM rg_pin WHERE incident_id IS NOT NULL AND incident_id NOT IN (SELECT incident_id FROM rg_incident)"},
    {"label", "SELECT label_id FROM rg_label WHERE attempt_id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"sample chunk", "SELECT chunk_id FROM rg_chunk WHERE series_id NOT IN (SELECT series_id FROM rg_series)"},
    {"thinned chunk", "SELECT chunk_id FROM rg_thinned WHERE series_id NOT IN (SELECT series_id FROM rg_series)"},
    {"pyramid row", "SELECT pyramid_id FROM rg_pyramid WHERE series_id NOT IN (SELECT series_id FROM rg_series)"},
    {"span chunk", "SELECT chunk_id FROM rg_span_chunk WHERE track_id NOT IN (SELECT track_id FROM rg_track)"},
};

// Rows that others refer to are replaced where they are lost, with the ids in use: the data that a lost row only labelled is kept.
struct Placeholder {
  const char* table;  // the table with the lost rows
  const char* sql;
};
inline constexpr Placeholder kPlaceholders[] = {
    {"rg_string",
     "INSERT OR IGNORE INTO rg_string(string_id, text) SELECT DISTINCT id, '(lost ' || id || ')' FROM (SELECT metric AS id FROM rg_series "
     "UNION SELECT source FROM rg_series UNION SELECT labels FROM rg_series UNION SELECT unit FROM rg_series UNION SELECT stream FROM "
     "rg_log) "
     "WHERE id IS NOT NULL AND id NOT IN (SELECT string_id FROM rg_string)"},
    {"rg_series",
     "INSERT OR IGNORE INTO rg_string(text) SELECT text FROM (SELECT '(lost series)' AS text UNION SELECT '') WHERE EXISTS (SELECT 1 FROM "
     "rg_chunk WHERE series_id NOT IN (SELECT series_id FROM rg_series))"},
    {"rg_series",
     "INSERT INTO rg_series(series_id, metric, source, labels, unit, kind, sample_count, first_x, last_x) SELECT c.series_id, m.string_id, "
     "e.string_id, e.string_id, e.string_id, 0, sum(c.n), min(c.x0), max(c.x1) FROM rg_chunk c, rg_string m, rg_string e WHERE m.text = "
     "'(lost series)' AND e.text = '' AND c.series_id NOT IN (SELECT series_id FROM rg_series) GROUP BY c.series_id"},
    {"rg_attempt",
     "INSERT INTO rg_attempt(attempt_id, run_id, number, key) SELECT id, ifnull((SELECT min(run_id) FROM rg_past_rank WHERE id BETWEEN "
     "first_attempt AND last_attempt HAVING min(run_id) = max(run_id)), -1), id, 'lost ' || id FROM (SELECT attempt_id AS id FROM rg_rank "
     "UNION SELECT attempt_id FROM rg_fact UNION SELECT attempt_id FROM rg_past UNION SELECT attempt_id FROM rg_series UNION SELECT "
     "attempt_id FROM rg_track UNION SELECT "
     "attempt_id FROM rg_event UNION SELECT attempt_id FROM rg_log) WHERE id > 0 AND id NOT IN (SELECT attempt_id FROM rg_attempt)"},
    {"rg_run",
     "INSERT INTO rg_run(run_id, uuid, name, time_domain, state, simulated) SELECT id, 'lost-run-' || id, 'lost run ' || id, 0, 0, 0 FROM "
     "(SELECT run_id AS id FROM rg_attempt WHERE run_id > 0 UNION SELECT run_id FROM rg_past_rank UNION SELECT run_id FROM rg_past_fact "
     "UNION SELECT run_id FROM rg_finding UNION SELECT run_id FROM rg_incident) WHERE "
     "id NOT IN (SELECT run_id FROM rg_run)"},
    {"rg_attempt",
     "INSERT OR IGNORE INTO rg_run(uuid, name, time_domain, state, simulated) SELECT 'lost-run', 'lost run', 0, 0, 0 WHERE EXISTS (SELECT "
     "1 FROM "
     "rg_attempt WHERE run_id = -1)"},
    {"rg_attempt", "UPDATE rg_attempt SET run_id = (SELECT run_id FROM rg_run WHERE uuid = 'lost-run') WHERE run_id = -1"},
    {"rg_node",
     "INSERT INTO rg_node(node_id, uuid, name, state) SELECT id, 'lost-node-' || id, 'lost node ' || id, 0 FROM (SELECT node_id AS id FROM "
     "rg_device UNION SELECT node_id FROM rg_series UNION SELECT node_id FROM rg_event UNION SELECT node_id FROM rg_capture) WHERE id > 0 "
     "AND "
     "id NOT IN (SELECT node_id FROM rg_node)"},
    {"rg_device",
     "INSERT INTO rg_device(device_id, uuid, kind) SELECT id, 'lost-device-' || id, 'gpu' FROM (SELECT device_id AS id FROM rg_series) "
     "WHERE "
     "id > 0 AND id NOT IN (SELECT device_id FROM rg_device)"},
};

}  // namespace runglass
