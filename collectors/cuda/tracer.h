/* SPDX-License-Identifier: Apache-2.0 */
/* What the interposed functions call: is this operation timed, and by which pair of events.
 *
 * Threading:  begin/end/nested on the trainer's threads; a rgc_op is between begin and end its thread's, then the tracer's thread's.
 * Ownership:  an op given by begin must be given to end; `name` must live as long as the process.
 * Units:      ns of CLOCK_MONOTONIC, bytes.
 * Errors:     begin: NULL = not timed (off, in a capture, no event left: counted); end(NULL) does nothing. Nothing reaches the trainer.
 * Cost:       switched off one load; timed: two event records, two compare-and-swaps, one clock reading. No lock, no allocation after
 *             the first operation on a device.
 */
#ifndef RUNGLASS_CUDA_TRACER_H
#define RUNGLASS_CUDA_TRACER_H

#include <stdatomic.h>

#include "collectors/client/process_state.h"
#include "collectors/cuda/abi.h"

#define RGC_MAX_DEVICES 64
#define RGC_CURRENT_DEVICE (-1)

enum rgc_kind { RGC_OP_KERNEL, RGC_OP_GRAPH, RGC_OP_GEMM, RGC_OP_COMM, RGC_OP_COPY, RGC_OP_SET };

struct rgc_gemm {
  int64_t m, n, k, batch;
  int type_a, type_c; /* cudaDataType */
  char trans_a, trans_b;
};
struct rgc_comm {
  int64_t count, last_seq;
  int type, redop, peer, root, ranks, rank, ops; /* absent: -1 */
};

struct rgc_op {
  struct rgc_op *next;
  rgc_event start, end;
  rgc_stream stream;
  const char *name;
  int64_t launched, step, correlation, bytes, group, seq;
  uint32_t index, next_free; /* place in its device's pool; 1 + place of the next free one */
  int16_t device;
  uint8_t kind;
  uint8_t to_main; /* else only the recent ring wants it */
  uint8_t parent;  /* its kernels are told by CUPTI, as its children */
  union {
    struct {
      struct rgc_dim3 grid, block;
      int64_t shared_bytes;
    } kernel;
    struct rgc_gemm gemm;
    struct rgc_comm comm;
  } about;
};

enum rgc_state { RGC_COLD, RGC_STARTING, RGC_ON, RGC_NO_RING, RGC_STOPPED, RGC_OFF };
enum rgc_launch_mode { RGC_LAUNCH_PASS, RGC_LAUNCH_TRACE, RGC_LAUNCH_COLD };
enum rgc_counted {
  RGC_POOL_EMPTY,
  RGC_IN_CAPTURE,
  RGC_TRACE_STOPPED,
  RGC_OP_FAILED,
  RGC_UNFINISHED,
  RGC_EXACT_NO_LIBRARY,
  RGC_EXACT_UNKNOWN_VERSION,
  RGC_EXACT_IN_USE,
  RGC_EXACT_REFUSED,
  RGC_EXACT_BAD_RECORD,
  RGC_EXACT_LOST,
  RGC_RECENT_REFUSED,
  RGC_COUNTED
};

struct rgc_tracer {
  _Atomic int state;       /* rgc_state */
  _Atomic int launch_mode; /* rgc_launch_mode: all that an untraced launch looks at */
  _Atomic int ordinary;    /* the rules of steps want this launch: it goes to the main ring */
  _Atomic int64_t every, more_steps, correlation;
  _Atomic int64_t window_first, window_end; /* steps that were ordered, half-open */
  _Atomic uint64_t counted[RGC_COUNTED];
  _Atomic int consecutive_failures;
};
extern struct rgc_tracer rgc_tracer;

/* Also in the steps [first, first + steps); replaces the ones asked before. */
void rgc_trace_window(int64_t first, int64_t steps);

/* Wakes up at the first call into CUDA; 1 when operations are timed. */
int rgc_awake(void);
struct rgc_op *rgc_begin(rgc_stream stream, int device, enum rgc_kind kind, const char *name);
/* status: what the real function returned; a failed operation is not told. */
void rgc_end(struct rgc_op *op, int status);
/* The same without minding rgc_depth, for several at once. */
struct rgc_op *rgc_open(rgc_stream stream, int device, enum rgc_kind kind, const char *name);
void rgc_shut(struct rgc_op *op, int status);
void rgc_count(enum rgc_counted what, uint64_t more);
/* An event call failed: once in a while is that operation's own fault, else the context is gone and tracing stops. */
void rgc_failed(int error);

/* Exact mode or the recent ring came or went: they too want to see launches. */
void rgc_refresh_launch_mode(void);

/* Libraries call each other through the same names: only the outermost call is timed. */
extern _Thread_local int rgc_depth;

/* In place of rgc_begin() where nothing is timed. */
static inline struct rgc_op *rgc_begin_none(void) {
  ++rgc_depth;
  return 0;
}

/* Should this kernel launch be looked at? Wakes the tracer at the first one. */
static inline int rgc_launch_traced(void) {
  const int mode = atomic_load_explicit(&rgc_tracer.launch_mode, memory_order_relaxed);
  if (__builtin_expect(mode == RGC_LAUNCH_PASS, 1)) return 0;
  if (mode == RGC_LAUNCH_COLD && !rgc_awake()) return 0;
  return atomic_load_explicit(&rgc_tracer.launch_mode, memory_order_relaxed) == RGC_LAUNCH_TRACE && rgc_depth == 0;
}

/* A host span around a call that waits. What begin returns goes to end. */
int rgc_wait_begin(const char *name);
void rgc_wait_end(int begun);

#endif
