-- SPDX-License-Identifier: Apache-2.0
-- Schema 11. Whose an agent's uuid is. SCHEMA.md explains every column.
CREATE TABLE rg_agent(agent TEXT PRIMARY KEY, node_uuid TEXT NOT NULL, pass TEXT NOT NULL, seen_ns INTEGER NOT NULL) WITHOUT ROWID;
