-- SPDX-License-Identifier: Apache-2.0
-- Incidents as people work on them: an identity across stores, what was found out, and pins that come and go with them.
ALTER TABLE rg_incident ADD COLUMN uuid TEXT NOT NULL DEFAULT '';
ALTER TABLE rg_incident ADD COLUMN attempt_id INTEGER;
ALTER TABLE rg_incident ADD COLUMN severity INTEGER NOT NULL DEFAULT 2;
ALTER TABLE rg_incident ADD COLUMN updated_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE rg_incident ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE rg_incident ADD COLUMN summary TEXT NOT NULL DEFAULT '';
ALTER TABLE rg_incident ADD COLUMN notes TEXT NOT NULL DEFAULT '';
ALTER TABLE rg_incident ADD COLUMN reason TEXT NOT NULL DEFAULT '';
ALTER TABLE rg_incident ADD COLUMN evidence TEXT NOT NULL DEFAULT '[]';
UPDATE rg_incident SET uuid = lower(hex(randomblob(16))), updated_ns = created_ns;
CREATE UNIQUE INDEX rg_incident_uuid ON rg_incident(uuid);
ALTER TABLE rg_pin ADD COLUMN incident_id INTEGER;
CREATE INDEX rg_pin_incident ON rg_pin(incident_id) WHERE incident_id IS NOT NULL;
