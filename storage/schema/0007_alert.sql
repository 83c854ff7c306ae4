-- SPDX-License-Identifier: Apache-2.0
-- What people were told, so that a restarted hub does not tell it again; what they do not want to hear for a while.
CREATE TABLE rg_alert(alert_id INTEGER PRIMARY KEY, run_id INTEGER, rule TEXT NOT NULL, cause TEXT NOT NULL, kind TEXT NOT NULL, severity INTEGER NOT NULL,
                      since_ns INTEGER NOT NULL, end_ns INTEGER, due_ns INTEGER, told_ns INTEGER, told_count INTEGER NOT NULL,
                      summary TEXT NOT NULL, link TEXT NOT NULL, delivery TEXT NOT NULL, UNIQUE(rule, cause, since_ns));
CREATE TABLE rg_snooze(rule TEXT NOT NULL, cause TEXT NOT NULL, until_ns INTEGER NOT NULL, author TEXT NOT NULL, PRIMARY KEY(rule, cause)) WITHOUT ROWID;
