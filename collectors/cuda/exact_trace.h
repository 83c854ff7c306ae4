/* SPDX-License-Identifier: Apache-2.0 */
/* Exact mode: for some steps CUPTI records every kernel, copy and memset; the tracer's own events time only the operations above them.
 *
 * Threading:  `want`, `wake`, `step`, `tells`, `open` and `shut` on the trainer's threads; the buffers' functions on the tracer's thread;
 *             CUPTI is loaded, switched and flushed on a thread that exists only during exact mode.
 * Ownership:  64 buffers of 1 MiB, lent to CUPTI in turn; pages are touched only as they are used.
 * Units:      ns of CLOCK_MONOTONIC.
 * Errors:     an obstacle is counted (rgc_counted) and ends the request; the trainer is not notified.
 * Cost:       off: one load per timed operation. On: a look-up of the stream, and CUPTI's own cost.
 */
#ifndef RUNGLASS_CUDA_EXACT_TRACE_H
#define RUNGLASS_CUDA_EXACT_TRACE_H

#include "collectors/cuda/tracer_state.h"

#define RGC_EXACT_MOMENTS 256

void rgc_exact_want(int64_t steps);
void rgc_exact_wake(void);
/* A step begins, or RG_NONE: a step ended. */
void rgc_exact_step(int64_t step);
/* Delivers CUPTI's complete records to the buffers; waits at most 0.2 s, as does stop. */
void rgc_exact_flush(void);
void rgc_exact_stop(void);
/* After an invalid record: turns exact mode off for the rest of the process. */
void rgc_exact_give_up(void);

void rgc_exact_see_stream(rgc_stream stream);
int rgc_exact_open_parent(const struct rgc_op *op);
void rgc_exact_shut(void);

/* 1: CUPTI records this operation, so the tracer does not time it. */
static inline int rgc_exact_tells(rgc_stream stream, enum rgc_kind kind) {
  if (__builtin_expect(!atomic_load_explicit(&rgc_tracer.exact_on, memory_order_relaxed), 1)) return 0;
  rgc_exact_see_stream(stream);
  return kind == RGC_OP_KERNEL || kind == RGC_OP_COPY || kind == RGC_OP_SET;
}
/* Begins an operation above CUPTI's; 1 when it must be shut. */
static inline int rgc_exact_open(const struct rgc_op *op) {
  return __builtin_expect(atomic_load_explicit(&rgc_tracer.exact_on, memory_order_relaxed), 0) ? rgc_exact_open_parent(op) : 0;
}

/* --- for the tracer's thread ---------------------------------------------------------------------------------------- */

/* From `time` on, launches belong to `step` and are recorded if `on`. */
struct rgc_moment {
  int64_t time, step;
  int on;
};
/* Oldest first; returns their number. */
int rgc_exact_moments(struct rgc_moment *moments);
/* The stream with CUPTI's number `id`; without a launch seen on it, a handle that no stream has. */
rgc_stream rgc_exact_stream(int device, uint32_t id);
/* Whether CUPTI is running, so that its clock can be read. */
int rgc_exact_ready(void);
/* The next full buffer in order of completion, or NULL; every taken buffer must be given back. */
uint8_t *rgc_exact_take_buffer(size_t *valid_bytes);
void rgc_exact_give_buffer(uint8_t *buffer);

#endif
