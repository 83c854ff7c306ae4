-- SPDX-License-Identifier: Apache-2.0
-- The tables of a store. Times are int64 ns UTC, strings that repeat are interned in rg_string. docs/formats/schema.md explains every column.

-- Of the store itself, and interned texts.
CREATE TABLE rg_meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE rg_string(string_id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);

-- Nodes, devices and runs. Ranks and facts of superseded attempts are in rg_past_*, each once for as many attempts as have it.
CREATE TABLE rg_node(
  node_id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, rack TEXT, switch TEXT,
  state INTEGER NOT NULL, last_heard_ns INTEGER);
CREATE TABLE rg_device(
  device_id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, node_id INTEGER REFERENCES rg_node, device_index INTEGER,
  kind TEXT NOT NULL, model TEXT, memory_bytes INTEGER);
CREATE TABLE rg_run(
  run_id INTEGER PRIMARY KEY, uuid TEXT NOT NULL UNIQUE, name TEXT NOT NULL UNIQUE, time_domain INTEGER NOT NULL,
  state INTEGER NOT NULL, start_ns INTEGER, end_ns INTEGER, framework TEXT, simulated INTEGER NOT NULL);
CREATE TABLE rg_attempt(
  attempt_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES rg_run, number INTEGER NOT NULL,
  key TEXT NOT NULL, start_ns INTEGER, end_ns INTEGER, end_cause TEXT, planned INTEGER, resumed_from_step INTEGER,
  world_size INTEGER, tp_size INTEGER, pp_size INTEGER, dp_size INTEGER, cp_size INTEGER, ep_size INTEGER,
  vpp_size INTEGER, UNIQUE(run_id, key), UNIQUE(run_id, number));
CREATE TABLE rg_rank(
  attempt_id INTEGER NOT NULL, rank INTEGER NOT NULL, node_id INTEGER, device_id INTEGER, local_rank INTEGER,
  pid INTEGER, tp INTEGER, pp INTEGER, dp INTEGER, cp INTEGER, ep INTEGER,
  PRIMARY KEY(attempt_id, rank)) WITHOUT ROWID;
CREATE TABLE rg_fact(
  attempt_id INTEGER NOT NULL, node_id INTEGER NOT NULL DEFAULT 0, rank INTEGER NOT NULL DEFAULT -1,
  key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY(attempt_id, node_id, rank, key)) WITHOUT ROWID;
CREATE TABLE rg_past(attempt_id INTEGER PRIMARY KEY, crc INTEGER NOT NULL, pids BLOB NOT NULL);
CREATE TABLE rg_past_rank(
  run_id INTEGER NOT NULL, rank INTEGER NOT NULL, first_attempt INTEGER NOT NULL, last_attempt INTEGER NOT NULL,
  node_id INTEGER, device_id INTEGER, local_rank INTEGER, tp INTEGER, pp INTEGER, dp INTEGER, cp INTEGER, ep INTEGER,
  fork INTEGER, PRIMARY KEY(run_id, rank, first_attempt)) WITHOUT ROWID;
CREATE INDEX rg_past_rank_fork ON rg_past_rank(run_id, fork, rank);
CREATE TABLE rg_past_fact(
  run_id INTEGER NOT NULL, node_id INTEGER NOT NULL, rank INTEGER NOT NULL, key TEXT NOT NULL,
  first_attempt INTEGER NOT NULL, last_attempt INTEGER NOT NULL, value TEXT NOT NULL, fork INTEGER,
  PRIMARY KEY(run_id, node_id, rank, key, first_attempt)) WITHOUT ROWID;
CREATE INDEX rg_past_fact_fork ON rg_past_fact(run_id, fork, key);
CREATE TABLE rg_checkpoint(
  attempt_id INTEGER NOT NULL, step INTEGER NOT NULL, path TEXT NOT NULL, begin_ns INTEGER, durable_ns INTEGER,
  bytes INTEGER, PRIMARY KEY(attempt_id, step, path)) WITHOUT ROWID;
CREATE TABLE rg_comm_group(
  attempt_id INTEGER NOT NULL, group_id INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, ranks TEXT NOT NULL,
  PRIMARY KEY(attempt_id, group_id)) WITHOUT ROWID;

-- Series and tracks: identity names them in every store.
CREATE TABLE rg_series(
  series_id INTEGER PRIMARY KEY, attempt_id INTEGER, rank INTEGER, node_id INTEGER, device_id INTEGER,
  metric INTEGER NOT NULL REFERENCES rg_string, source INTEGER NOT NULL REFERENCES rg_string,
  labels INTEGER NOT NULL REFERENCES rg_string, unit INTEGER NOT NULL REFERENCES rg_string, kind INTEGER NOT NULL,
  sample_count INTEGER NOT NULL DEFAULT 0, first_x INTEGER, last_x INTEGER, first_ns INTEGER, last_ns INTEGER,
  latest_bits INTEGER, latest_ns INTEGER, identity BLOB);
CREATE INDEX rg_series_attempt ON rg_series(attempt_id);
CREATE TABLE rg_track(
  track_id INTEGER PRIMARY KEY, attempt_id INTEGER NOT NULL, rank INTEGER, kind TEXT NOT NULL, name TEXT NOT NULL,
  identity BLOB);
CREATE INDEX rg_track_attempt ON rg_track(attempt_id);
CREATE TABLE rg_progress(
  attempt_id INTEGER NOT NULL, rank INTEGER NOT NULL, time_ns INTEGER, step INTEGER, microbatch INTEGER,
  group_id INTEGER, seq INTEGER, phase TEXT, op TEXT, since_ns INTEGER, PRIMARY KEY(attempt_id, rank)) WITHOUT ROWID;

-- What was recorded at a moment. rg_log_words holds which word is in which line and nothing else (no positions, no
-- text, no sizes): whether words follow each other is seen in the line itself.
CREATE TABLE rg_event(
  event_id INTEGER PRIMARY KEY, time_ns INTEGER, attempt_id INTEGER, node_id INTEGER, device_id INTEGER, rank INTEGER,
  step INTEGER, kind TEXT NOT NULL, severity INTEGER NOT NULL, code TEXT NOT NULL, message TEXT NOT NULL);
CREATE INDEX rg_event_time ON rg_event(time_ns, severity);
CREATE INDEX rg_event_severe ON rg_event(time_ns, severity) WHERE severity >= 2;
CREATE TABLE rg_log(
  log_id INTEGER PRIMARY KEY, time_ns INTEGER, attempt_id INTEGER, node_id INTEGER, rank INTEGER,
  stream INTEGER REFERENCES rg_string, severity INTEGER NOT NULL, text TEXT NOT NULL);
CREATE INDEX rg_log_time ON rg_log(time_ns, severity);
CREATE INDEX rg_log_severe ON rg_log(time_ns, severity) WHERE severity >= 2;
CREATE VIRTUAL TABLE rg_log_words USING fts5(
  text, content='rg_log', content_rowid='log_id', tokenize='ascii', detail=none, columnsize=0);
CREATE TABLE rg_capture(
  capture_id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, attempt_id INTEGER, node_id INTEGER, rank INTEGER,
  kind TEXT NOT NULL, source TEXT NOT NULL, reason TEXT NOT NULL, bytes INTEGER NOT NULL,
  truncated_bytes INTEGER NOT NULL, packed INTEGER NOT NULL, crc INTEGER NOT NULL, body BLOB NOT NULL);
CREATE INDEX rg_capture_time ON rg_capture(time_ns);
CREATE TABLE rg_issue(
  code TEXT NOT NULL, source TEXT NOT NULL, count INTEGER NOT NULL, first_ns INTEGER, last_ns INTEGER,
  detail TEXT NOT NULL, PRIMARY KEY(code, source)) WITHOUT ROWID;

-- Findings, incidents and alerts.
CREATE TABLE rg_finding(
  finding_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, attempt_id INTEGER, kind TEXT NOT NULL,
  subject TEXT NOT NULL, severity INTEGER NOT NULL, start_ns INTEGER, end_ns INTEGER, first_step INTEGER,
  last_step INTEGER, node_id INTEGER, rank INTEGER, dp INTEGER, pp INTEGER, tp INTEGER, score REAL, confidence REAL,
  coverage REAL, summary TEXT NOT NULL, evidence TEXT NOT NULL, told_ns INTEGER,
  message TEXT NOT NULL DEFAULT '');
CREATE UNIQUE INDEX rg_finding_key ON rg_finding(run_id, kind, subject, ifnull(first_step, -9223372036854775808));
CREATE TABLE rg_finding_told(
  finding_id INTEGER NOT NULL, told_ns INTEGER NOT NULL, severity INTEGER NOT NULL, start_ns INTEGER, end_ns INTEGER,
  last_step INTEGER, score REAL, confidence REAL, coverage REAL, summary TEXT NOT NULL, evidence TEXT NOT NULL,
  message TEXT NOT NULL DEFAULT '', PRIMARY KEY(finding_id, told_ns)) WITHOUT ROWID;
CREATE TABLE rg_incident(
  incident_id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL, title TEXT NOT NULL, state TEXT NOT NULL,
  start_ns INTEGER, end_ns INTEGER, created_ns INTEGER NOT NULL, findings TEXT NOT NULL, uuid TEXT NOT NULL,
  attempt_id INTEGER, severity INTEGER NOT NULL, updated_ns INTEGER NOT NULL, cause TEXT NOT NULL,
  summary TEXT NOT NULL, notes TEXT NOT NULL, reason TEXT NOT NULL, evidence TEXT NOT NULL);
CREATE UNIQUE INDEX rg_incident_uuid ON rg_incident(uuid);
CREATE TABLE rg_pin(
  pin_id INTEGER PRIMARY KEY, t0_ns INTEGER NOT NULL, t1_ns INTEGER NOT NULL, reason TEXT NOT NULL,
  incident_id INTEGER);
CREATE INDEX rg_pin_incident ON rg_pin(incident_id) WHERE incident_id IS NOT NULL;
CREATE TABLE rg_note(
  note_id INTEGER PRIMARY KEY, run_id INTEGER, time_ns INTEGER, author TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE rg_alert(
  alert_id INTEGER PRIMARY KEY, run_id INTEGER, rule TEXT NOT NULL, cause TEXT NOT NULL, kind TEXT NOT NULL,
  severity INTEGER NOT NULL, since_ns INTEGER NOT NULL, end_ns INTEGER, due_ns INTEGER, told_ns INTEGER,
  told_count INTEGER NOT NULL, summary TEXT NOT NULL, link TEXT NOT NULL, delivery TEXT NOT NULL,
  UNIQUE(rule, cause, since_ns));
CREATE TABLE rg_snooze(
  rule TEXT NOT NULL, cause TEXT NOT NULL, until_ns INTEGER NOT NULL, author TEXT NOT NULL,
  PRIMARY KEY(rule, cause)) WITHOUT ROWID;
CREATE TABLE rg_label(
  label_id INTEGER PRIMARY KEY, attempt_id INTEGER NOT NULL, kind TEXT NOT NULL, node_id INTEGER, device_id INTEGER,
  rank INTEGER, start_ns INTEGER, end_ns INTEGER, first_step INTEGER, last_step INTEGER, strength REAL);

-- Senders of data, and where this store has data from.
CREATE TABLE rg_stream(
  agent TEXT NOT NULL, session TEXT NOT NULL, stream INTEGER NOT NULL, next_seq INTEGER NOT NULL, changed_ns INTEGER,
  PRIMARY KEY(agent, session, stream)) WITHOUT ROWID;
CREATE TABLE rg_agent(
  agent TEXT PRIMARY KEY, node_uuid TEXT NOT NULL, pass TEXT NOT NULL, seen_ns INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE rg_import(
  path_key TEXT PRIMARY KEY, identity TEXT NOT NULL, offset INTEGER NOT NULL, run_id INTEGER,
  state TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE rg_copied(
  series_id INTEGER PRIMARY KEY, chunk INTEGER NOT NULL, points INTEGER NOT NULL, x1 INTEGER NOT NULL,
  late_points INTEGER NOT NULL, late_x1 INTEGER NOT NULL);

-- Clocks.
CREATE TABLE rg_clock_map(
  node_id INTEGER NOT NULL, raw_ns INTEGER NOT NULL, session TEXT NOT NULL, offset_ns INTEGER NOT NULL,
  error_ns INTEGER NOT NULL, source TEXT NOT NULL, PRIMARY KEY(node_id, raw_ns)) WITHOUT ROWID;
CREATE TABLE rg_clock_change(
  change_id INTEGER PRIMARY KEY, node_id INTEGER NOT NULL, raw_ns INTEGER NOT NULL, offset_ns INTEGER NOT NULL,
  error_ns INTEGER NOT NULL, replaced_ns INTEGER);
CREATE TABLE rg_clock_align(
  attempt_id INTEGER PRIMARY KEY, made_ns INTEGER NOT NULL, source TEXT NOT NULL, matches INTEGER NOT NULL,
  residual_ns INTEGER);
CREATE TABLE rg_clock_shift(
  attempt_id INTEGER NOT NULL, rank INTEGER NOT NULL, at_ns INTEGER NOT NULL, shift_ns INTEGER NOT NULL,
  error_ns INTEGER NOT NULL, PRIMARY KEY(attempt_id, rank, at_ns)) WITHOUT ROWID;

-- Columnar data: one row per chunk. Formats: docs/formats/schema.md, "Chunk formats". rg_expired: what retention deleted.
-- The index of span chunks holds each chunk's summary: a picture of any range of time comes from it alone.
CREATE TABLE rg_chunk(
  chunk_id INTEGER PRIMARY KEY, series_id INTEGER NOT NULL, x0 INTEGER NOT NULL, x1 INTEGER NOT NULL,
  n INTEGER NOT NULL, sealed INTEGER NOT NULL, late INTEGER NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX rg_chunk_series ON rg_chunk(series_id, x0, x1);
CREATE INDEX rg_chunk_open ON rg_chunk(series_id) WHERE sealed = 0;
CREATE TABLE rg_pyramid(
  pyramid_id INTEGER PRIMARY KEY, series_id INTEGER NOT NULL, x0 INTEGER NOT NULL, x1 INTEGER NOT NULL,
  chunks INTEGER NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX rg_pyramid_series ON rg_pyramid(series_id, x0);
CREATE TABLE rg_thinned(
  chunk_id INTEGER PRIMARY KEY, series_id INTEGER NOT NULL, x0 INTEGER NOT NULL, x1 INTEGER NOT NULL,
  n INTEGER NOT NULL, crc INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX rg_thinned_series ON rg_thinned(series_id, x0);
CREATE TABLE rg_expired(series_id INTEGER PRIMARY KEY, sample_count INTEGER NOT NULL, last_x INTEGER NOT NULL);
CREATE TABLE rg_age(time_ns INTEGER PRIMARY KEY, chunk_id INTEGER NOT NULL);
CREATE TABLE rg_span_chunk(
  chunk_id INTEGER PRIMARY KEY, track_id INTEGER NOT NULL, lane INTEGER NOT NULL, t0 INTEGER NOT NULL,
  t1 INTEGER NOT NULL, n INTEGER NOT NULL, first_span_id INTEGER NOT NULL, sealed INTEGER NOT NULL,
  crc INTEGER NOT NULL, data BLOB NOT NULL, summary BLOB);
CREATE INDEX rg_span_chunk_open ON rg_span_chunk(track_id) WHERE sealed = 0;
CREATE INDEX rg_span_chunk_track ON rg_span_chunk(track_id, lane, t0, t1, n, first_span_id, sealed, summary);

-- No time of a node is moved farther than this.
INSERT INTO rg_meta(key, value) VALUES('clock_farthest_ns', 0);
