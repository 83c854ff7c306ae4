-- SPDX-License-Identifier: Apache-2.0
-- How far the ranks of an attempt are moved on top of their nodes' clocks. made_ns tells one alignment from the one it replaced.
CREATE TABLE rg_clock_align(attempt_id INTEGER PRIMARY KEY, made_ns INTEGER NOT NULL, source TEXT NOT NULL, matches INTEGER NOT NULL, residual_ns INTEGER);
CREATE TABLE rg_clock_shift(attempt_id INTEGER NOT NULL, rank INTEGER NOT NULL, at_ns INTEGER NOT NULL, shift_ns INTEGER NOT NULL, error_ns INTEGER NOT NULL,
  PRIMARY KEY(attempt_id, rank, at_ns)) WITHOUT ROWID;
