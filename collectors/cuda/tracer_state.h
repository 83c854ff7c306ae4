/* SPDX-License-Identifier: Apache-2.0 */
/* Shared state of the tracer's parts: operations, on/off state, error counters.
 *
 * Threading:  any. Between begin and end an rgc_op belongs to its thread, then to the tracer's thread.
 * Units:      ns of CLOCK_MONOTONIC, bytes.
 * Cost:       an untraced launch reads launch_mode only.
 */
#ifndef RUNGLASS_CUDA_TRACER_STATE_H
#define RUNGLASS_CUDA_TRACER_STATE_H

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
  uint32_t index, next_free; /* index in its device's pool; 1 + index of the next free op */
  int16_t device;
  uint8_t kind;
  uint8_t to_main; /* else only for the recent ring */
  uint8_t parent;  /* CUPTI records its kernels, as its children */
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
  _Atomic int state;          /* rgc_state */
  _Atomic int launch_mode;    /* rgc_launch_mode: the only field that an untraced launch reads */
  _Atomic int ordinary;       /* the step rules trace this launch: it goes to the main ring */
  _Atomic int exact_on;       /* CUPTI records current launches */
  _Atomic int recent_seconds; /* requested length of the recent ring; 0: none */
  _Atomic int64_t every, more_steps, correlation;
  _Atomic int64_t window_first, window_end; /* steps requested by a command, half-open */
  _Atomic uint64_t counted[RGC_COUNTED];
  _Atomic int consecutive_failures;
};
extern struct rgc_tracer rgc_tracer;

void rgc_count(enum rgc_counted what, uint64_t more);
/* An event call failed: an occasional failure is the operation's own, else the context is lost and tracing stops. */
void rgc_failed(int error);
/* To call when exact mode, the recent ring or the step rules begin or cease to need launches. */
void rgc_refresh_launch_mode(void);

#endif
