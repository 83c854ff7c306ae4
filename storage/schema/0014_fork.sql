-- SPDX-License-Identifier: Apache-2.0
-- Schema 14. The ranges of past ranks and facts that hold an attempt, without a look at all of its run. SCHEMA.md explains every column.
ALTER TABLE rg_past_rank ADD COLUMN fork INTEGER;
ALTER TABLE rg_past_fact ADD COLUMN fork INTEGER;
UPDATE rg_past_rank SET fork = (WITH RECURSIVE b(d) AS (VALUES(0) UNION ALL SELECT d + 1 FROM b WHERE d < 31)
  SELECT min((last_attempt >> d) << d) FROM b WHERE (last_attempt >> d) << d >= first_attempt);
UPDATE rg_past_fact SET fork = (WITH RECURSIVE b(d) AS (VALUES(0) UNION ALL SELECT d + 1 FROM b WHERE d < 31)
  SELECT min((last_attempt >> d) << d) FROM b WHERE (last_attempt >> d) << d >= first_attempt);
CREATE INDEX rg_past_rank_fork ON rg_past_rank(run_id, fork, rank);
CREATE INDEX rg_past_fact_fork ON rg_past_fact(run_id, fork, key);
