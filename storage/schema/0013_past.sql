-- SPDX-License-Identifier: Apache-2.0
-- Schema 13. Ranks and facts of superseded attempts, each once for as many attempts as have it. SCHEMA.md explains every column.
CREATE TABLE rg_past(attempt_id INTEGER PRIMARY KEY, crc INTEGER NOT NULL, pids BLOB NOT NULL);
CREATE TABLE rg_past_rank(run_id INTEGER NOT NULL, rank INTEGER NOT NULL, first_attempt INTEGER NOT NULL, last_attempt INTEGER NOT NULL,
                          node_id INTEGER, device_id INTEGER, local_rank INTEGER, tp INTEGER, pp INTEGER, dp INTEGER, cp INTEGER, ep INTEGER,
                          PRIMARY KEY(run_id, rank, first_attempt)) WITHOUT ROWID;
CREATE TABLE rg_past_fact(run_id INTEGER NOT NULL, node_id INTEGER NOT NULL, rank INTEGER NOT NULL, key TEXT NOT NULL,
                          first_attempt INTEGER NOT NULL, last_attempt INTEGER NOT NULL, value TEXT NOT NULL,
                          PRIMARY KEY(run_id, node_id, rank, key, first_attempt)) WITHOUT ROWID;
