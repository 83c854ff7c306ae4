-- SPDX-License-Identifier: Apache-2.0
-- Schema 15. The sentence of a finding as a message id and typed arguments. SCHEMA.md explains every column.
ALTER TABLE rg_finding ADD COLUMN message TEXT NOT NULL DEFAULT '';
ALTER TABLE rg_finding_told ADD COLUMN message TEXT NOT NULL DEFAULT '';
