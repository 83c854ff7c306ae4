-- SPDX-License-Identifier: Apache-2.0
-- Findings in the words of their time: what one said before it said what it says now.
ALTER TABLE rg_finding ADD COLUMN told_ns INTEGER;
CREATE TABLE rg_finding_told(finding_id INTEGER NOT NULL, told_ns INTEGER NOT NULL, severity INTEGER NOT NULL, start_ns INTEGER, end_ns INTEGER,
                             last_step INTEGER, score REAL, confidence REAL, coverage REAL, summary TEXT NOT NULL, evidence TEXT NOT NULL,
                             PRIMARY KEY(finding_id, told_ns)) WITHOUT ROWID;
