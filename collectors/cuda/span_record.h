/* SPDX-License-Identifier: Apache-2.0 */
/* A finished operation as a record of the ring and of the recent ring, with its shapes as JSON arguments.
 *
 * Threading:  the tracer's thread only.
 * Ownership:  borrows the op; a lane remembers its track's name in the ring.
 * Units:      ns of CLOCK_MONOTONIC, bytes, floating-point operations.
 * Errors:     no ring: not told. A full ring counts it.
 * Cost:       about a microsecond; a kernel's name is demangled once.
 */
#ifndef RUNGLASS_CUDA_SPAN_RECORD_H
#define RUNGLASS_CUDA_SPAN_RECORD_H

#include "collectors/cuda/tracer_state.h"

enum rgc_where { RGC_MAIN, RGC_RECENT, RGC_WHERES };

/* A stream and what is under way on it. */
struct rgc_lane {
  rgc_stream stream;
  struct rgc_op *first, *last;
  struct {
    struct rg_ring *ring; /* what `track` belongs to */
    uint32_t track;
  } in[RGC_WHERES];
  int number;
  int16_t device;
  uint8_t used;
};

void rgc_tell_span(struct rgc_lane *lane, const struct rgc_op *op, int64_t start, int64_t dur);

/* A kernel, copy or memset as CUPTI saw it. */
struct rgc_exact_span {
  const char *name; /* lives as long as the process */
  int category;
  int64_t start, dur, launched, queued, step, bytes, correlation, parent; /* RG_NONE where not known */
  struct rgc_dim3 grid, block;                                            /* grid.x = 0: no kernel */
  int64_t shared_bytes;
  int of_graph;
};
/* Beside the parent's track, one below it. */
void rgc_tell_exact(struct rgc_lane *lane, const struct rgc_exact_span *span);

/* The counts that grew since they were told. */
void rgc_tell_counts(int64_t now);

#endif
