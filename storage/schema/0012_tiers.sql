-- SPDX-License-Identifier: Apache-2.0
-- Schema 12. Clock readings by node and time, what retention leaves of scalars, and the age of chunks. SCHEMA.md explains every column.
CREATE TABLE rg_clock_reading(node_id INTEGER NOT NULL, raw_ns INTEGER NOT NULL, session TEXT NOT NULL, offset_ns INTEGER NOT NULL, error_ns INTEGER NOT NULL,
                              source TEXT NOT NULL, PRIMARY KEY(node_id, raw_ns)) WITHOUT ROWID;
INSERT OR REPLACE INTO rg_clock_reading SELECT node_id, raw_ns, session, offset_ns, error_ns, source FROM rg_clock_map ORDER BY raw_ns;
DROP TABLE rg_clock_map;
ALTER TABLE rg_clock_reading RENAME TO rg_clock_map;
-- The newest changes of the readings, so that a Reader loads only those since its last look.
CREATE TABLE rg_clock_change(change_id INTEGER PRIMARY KEY, node_id INTEGER NOT NULL, raw_ns INTEGER NOT NULL, offset_ns INTEGER NOT NULL,
                             error_ns INTEGER NOT NULL, replaced_ns INTEGER);
INSERT INTO rg_clock_change SELECT 1, node_id, raw_ns, offset_ns, error_ns, NULL FROM rg_clock_map LIMIT 1;
-- No time of a node is moved farther than this.
INSERT INTO rg_meta(key, value) SELECT 'clock_farthest_ns', ifnull(max(iif(abs(offset_ns) > error_ns, abs(offset_ns), 0)), 0) FROM rg_clock_map
  WHERE offset_ns > -9223372036854775808;
-- The rows of an attempt are looked up by it.
CREATE INDEX rg_track_attempt ON rg_track(attempt_id);
ALTER TABLE rg_stream ADD COLUMN changed_ns INTEGER;
CREATE TABLE rg_thinned(chunk_id INTEGER PRIMARY KEY, series_id INTEGER NOT NULL, x0 INTEGER NOT NULL, x1 INTEGER NOT NULL, n INTEGER NOT NULL, crc INTEGER NOT NULL,
                        data BLOB NOT NULL);
CREATE INDEX rg_thinned_series ON rg_thinned(series_id, x0);
CREATE TABLE rg_age(time_ns INTEGER PRIMARY KEY, chunk_id INTEGER NOT NULL);
