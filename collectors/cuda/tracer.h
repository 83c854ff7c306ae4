/* SPDX-License-Identifier: Apache-2.0 */
/* Called by the interposed functions: decides whether an operation is timed, and with which pair of events.
 *
 * Threading:  begin/end/nested on the trainer's threads; between begin and end a rgc_op belongs to its thread, then to the tracer's
 *             thread.
 * Ownership:  an op given by begin must be given to end; `name` must live as long as the process.
 * Units:      ns of CLOCK_MONOTONIC, bytes.
 * Errors:     begin: NULL = not timed (off, in a capture, no event pair free: counted); end(NULL) does nothing. Nothing reaches the
 *             trainer.
 * Cost:       off: one load; timed: two event records, two compare-and-swaps, one clock reading. No lock and no allocation after the
 *             first operation on a device.
 */
#ifndef RUNGLASS_CUDA_TRACER_H
#define RUNGLASS_CUDA_TRACER_H

#include "collectors/cuda/tracer_state.h"

/* Starts the tracer at the first call into CUDA; 1 when operations are timed. */
int rgc_awake(void);
struct rgc_op *rgc_begin(rgc_stream stream, int device, enum rgc_kind kind, const char *name);
/* status: result of the real function; a failed operation is not recorded. */
void rgc_end(struct rgc_op *op, int status);
/* The same regardless of rgc_depth, for several at once. */
struct rgc_op *rgc_open(rgc_stream stream, int device, enum rgc_kind kind, const char *name);
void rgc_shut(struct rgc_op *op, int status);

/* Libraries call each other through the interposed functions: only the outermost call is timed. */
extern _Thread_local int rgc_depth;

/* Replaces rgc_begin() where nothing is timed. */
static inline struct rgc_op *rgc_begin_none(void) {
  ++rgc_depth;
  return 0;
}

/* Whether this kernel launch can be traced. Starts the tracer at the first launch. */
static inline int rgc_launch_traced(void) {
  const int mode = atomic_load_explicit(&rgc_tracer.launch_mode, memory_order_relaxed);
  if (__builtin_expect(mode == RGC_LAUNCH_PASS, 1)) return 0;
  if (mode == RGC_LAUNCH_COLD && !rgc_awake()) return 0;
  return atomic_load_explicit(&rgc_tracer.launch_mode, memory_order_relaxed) == RGC_LAUNCH_TRACE && rgc_depth == 0;
}

/* A host span around a call that waits. Pass the result of begin to end. */
int rgc_wait_begin(const char *name);
void rgc_wait_end(int begun);

#endif
