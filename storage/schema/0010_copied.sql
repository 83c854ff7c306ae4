-- SPDX-License-Identifier: Apache-2.0
-- Schema 10. How far a copy of another store has the summaries of a series over time. SCHEMA.md explains every column.
CREATE TABLE rg_copied(series_id INTEGER PRIMARY KEY, chunk INTEGER NOT NULL, points INTEGER NOT NULL, x1 INTEGER NOT NULL,
                       late_points INTEGER NOT NULL, late_x1 INTEGER NOT NULL);
