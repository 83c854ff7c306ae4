-- SPDX-License-Identifier: Apache-2.0
-- The newest value of a series without its chunk; the extent of all spans from the index alone.
ALTER TABLE rg_series ADD COLUMN latest_bits INTEGER;
ALTER TABLE rg_series ADD COLUMN latest_ns INTEGER;
DROP INDEX rg_span_chunk_track;
CREATE INDEX rg_span_chunk_track ON rg_span_chunk(track_id, lane, t0, t1);
