-- SPDX-License-Identifier: Apache-2.0
-- What nodes and ranks looked like when somebody asked, or when the run stood still. body: the text, zstd where packed is 1.
CREATE TABLE rg_capture(capture_id INTEGER PRIMARY KEY, time_ns INTEGER NOT NULL, attempt_id INTEGER, node_id INTEGER, rank INTEGER, kind TEXT NOT NULL,
  source TEXT NOT NULL, reason TEXT NOT NULL, bytes INTEGER NOT NULL, truncated_bytes INTEGER NOT NULL, packed INTEGER NOT NULL, crc INTEGER NOT NULL,
  body BLOB NOT NULL);
CREATE INDEX rg_capture_time ON rg_capture(time_ns);
