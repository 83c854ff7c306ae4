/* SPDX-License-Identifier: Apache-2.0 */
/* Exact mode: for some steps CUPTI tells every kernel, copy and memset; our own events time what stands above them.
 *
 * Threading:  want, wake, step, tells, open and shut on the trainer's threads; the buffers' functions on the tracer's thread; CUPTI is
 *             loaded, switched and flushed on a thread that exists only meanwhile.
 * Ownership:  64 buffers of 1 MiB, lent to CUPTI and back; touched only as far as they are used.
 * Units:      ns of CLOCK_MONOTONIC.
 * Errors:     what stands in the way is counted (rgc_counted) and ends the wish; the trainer is not told.
 * Cost:       off: one load per timed operation. On: a look-up of the stream, and what CUPTI itself costs.
 */
#ifndef RUNGLASS_CUDA_EXACT_TRACE_H
#define RUNGLASS_CUDA_EXACT_TRACE_H

#include "collectors/cuda/tracer_state.h"

#define RGC_EXACT_MOMENTS 256

void rgc_exact_want(int64_t steps);
void rgc_exact_wake(void);
/* A step begins, or RG_NONE: one ended. */
void rgc_exact_step(int64_t step);
/* What is there now reaches the buffers; waits 0.2 s at most, as does stop. */
void rgc_exact_flush(void);
void rgc_exact_stop(void);
/* A record made no sense: never again in this process. */
void rgc_exact_give_up(void);

void rgc_exact_see_stream(rgc_stream stream);
int rgc_exact_open_parent(const struct rgc_op *op);
void rgc_exact_shut(void);

/* 1: CUPTI tells this operation, so it is not timed by us. */
static inline int rgc_exact_tells(rgc_stream stream, enum rgc_kind kind) {
  if (__builtin_expect(!atomic_load_explicit(&rgc_tracer.exact_on, memory_order_relaxed), 1)) return 0;
  rgc_exact_see_stream(stream);
  return kind == RGC_OP_KERNEL || kind == RGC_OP_COPY || kind == RGC_OP_SET;
}
/* An operation of ours above CUPTI's begins; 1 when it is to be shut. */
static inline int rgc_exact_open(const struct rgc_op *op) {
  return __builtin_expect(atomic_load_explicit(&rgc_tracer.exact_on, memory_order_relaxed), 0) ? rgc_exact_open_parent(op) : 0;
}

/* --- for the tracer's thread ---------------------------------------------------------------------------------------- */

/* From `time` on what is launched belongs to `step` and is told, or not. */
struct rgc_moment {
  int64_t time, step;
  int on;
};
/* Oldest first; returns how many. */
int rgc_exact_moments(struct rgc_moment *moments);
/* The stream that CUPTI calls `id`; one nobody launched on through us gets a handle that is no stream's. */
rgc_stream rgc_exact_stream(int device, uint32_t id);
/* CUPTI is at work: its clock may be read. */
int rgc_exact_ready(void);
/* The next full buffer in the order they came, or NULL; give back what was taken. */
uint8_t *rgc_exact_take_buffer(size_t *valid_bytes);
void rgc_exact_give_buffer(uint8_t *buffer);

#endif
