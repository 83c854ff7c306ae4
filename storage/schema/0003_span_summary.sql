-- SPDX-License-Identifier: Apache-2.0
-- A picture of any stretch of time from the index alone: it holds each chunk's summary. Chunks of older stores have none; readers make it.
ALTER TABLE rg_span_chunk ADD COLUMN summary BLOB;
DROP INDEX rg_span_chunk_track;
CREATE INDEX rg_span_chunk_track ON rg_span_chunk(track_id, lane, t0, t1, n, first_span_id, sealed, summary);
