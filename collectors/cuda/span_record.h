/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a finished operation to the ring and to the recent ring, with its shapes as JSON arguments.
 *
 * Threading:  the tracer's thread only.
 * Ownership:  borrows the op; a lane caches its track's name in the ring.
 * Units:      ns of CLOCK_MONOTONIC, bytes, floating-point operations.
 * Errors:     no ring: not recorded. A full ring counts it.
 * Cost:       about a microsecond; a kernel's name is demangled once.
 */
#ifndef RUNGLASS_CUDA_SPAN_RECORD_H
#define RUNGLASS_CUDA_SPAN_RECORD_H

#include "collectors/cuda/tracer_state.h"

enum rgc_where { RGC_MAIN, RGC_RECENT, RGC_WHERES };

/* A stream and its pending operations. */
struct rgc_lane {
  rgc_stream stream;
  struct rgc_op *first, *last;
  struct {
    struct rg_ring *ring; /* the ring that `track` belongs to */
    uint32_t track;
  } in[RGC_WHERES];
  int number;
  int16_t device;
  uint8_t used;
};

void rgc_tell_span(struct rgc_lane *lane, const struct rgc_op *op, int64_t start, int64_t dur);

/* A kernel, copy or memset as CUPTI recorded it. */
struct rgc_exact_span {
  const char *name; /* lives as long as the process */
  int category;
  int64_t start, dur, launched, queued, step, bytes, correlation, parent; /* RG_NONE where unknown */
  struct rgc_dim3 grid, block;                                            /* grid.x = 0: not a kernel */
  int64_t shared_bytes;
  int of_graph;
};
/* On the parent's track, one level below it. */
void rgc_tell_exact(struct rgc_lane *lane, const struct rgc_exact_span *span);

/* Writes the counts that have grown since they were last written. */
void rgc_tell_counts(int64_t now);

#endif
