-- SPDX-License-Identifier: Apache-2.0
-- Log lines by their words; log lines and events of a time and severity from the index alone, the severe ones from one of their own.
-- rg_log_words holds which word is in which line and nothing else (no positions, no text, no sizes): whether words follow each other is
-- seen in the line itself.
CREATE VIRTUAL TABLE rg_log_words USING fts5(text, content='rg_log', content_rowid='log_id', tokenize='ascii', detail=none, columnsize=0);
INSERT INTO rg_log_words(rg_log_words) VALUES('rebuild');
DROP INDEX rg_log_time;
CREATE INDEX rg_log_time ON rg_log(time_ns, severity);
CREATE INDEX rg_log_severe ON rg_log(time_ns, severity) WHERE severity >= 2;
DROP INDEX rg_event_time;
CREATE INDEX rg_event_time ON rg_event(time_ns, severity);
CREATE INDEX rg_event_severe ON rg_event(time_ns, severity) WHERE severity >= 2;
