/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. Until the first call into CUDA nothing is created: no ring, no thread, no handler. After a fork the child stays inert.
 * 2. The trainer's threads never wait: an operation that would have to wait is counted and passed through.
 * 3. An op given to the poller has both its events recorded on its stream; every other op goes directly back to its pool.
 * 4. The runtime's last error is the trainer's: an error caused by the tracer is removed.
 */
#define _GNU_SOURCE
#include "collectors/cuda/tracer.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/cuda/communicators.h"
#include "collectors/cuda/event_pool.h"
#include "collectors/cuda/exact_trace.h"
#include "collectors/cuda/gpu_api.h"
#include "collectors/cuda/kernel_names.h"
#include "collectors/cuda/poller.h"
#include "collectors/cuda/runglass_cuda.h"
#include "collectors/cuda/trace_rules.h"

enum { kFirstPairs = 256 };

_Thread_local int rgc_depth;

/* --- life ---------------------------------------------------------------------------------------------------------- */

static void onEnd(int exiting) {
  (void)exiting; /* a process that exits has stopped the poller already */
  if (!rg_cuda_active()) return;
  rgc_exact_flush();
  rgc_poller_flush();
}

static void atExit(void) {
  if (atomic_load(&rgc_tracer.state) < RGC_ON) return;
  const int64_t state = atomic_load(&rgc_tracer.state);
  if (state == RGC_ON) rgc_exact_stop();
  if (state == RGC_ON || state == RGC_STOPPED) rgc_poller_stop();
  atomic_store(&rgc_tracer.launch_mode, RGC_LAUNCH_PASS);
  atomic_store(&rgc_tracer.state, RGC_OFF);
}

static void inChild(void) {
  atomic_store(&rgc_tracer.exact_on, 0);
  atomic_store(&rgc_tracer.launch_mode, RGC_LAUNCH_PASS);
  atomic_store(&rgc_tracer.state, RGC_OFF);
  rgc_kernel_names_in_child();
  rgc_comms_in_child();
}

__attribute__((constructor)) static void hearSteps(void) {
  atomic_store(&rg_listener.step, rgc_on_step);
  atomic_store(&rg_listener.before_end, onEnd);
}

static int start(void) {
  const char *off = getenv("RUNGLASS_CUDA");
  if (off && (strcmp(off, "off") == 0 || strcmp(off, "0") == 0)) return RGC_OFF;
  if (!rgc_gpu_find()) return RGC_OFF;
  if (rg_init_held() != 0) return RGC_NO_RING;
  static int hooked;
  if (hooked) return RGC_ON;
  hooked = 1;
  rgc_pool_capacity((uint32_t)rgc_environment_number("RUNGLASS_CUDA_EVENTS", 8192, 2, 1 << 20) / 2);
  if (!rgc_poller_start()) return RGC_OFF;
  rgc_want_from_environment();
  pthread_atfork(NULL, NULL, inChild);
  atexit(atExit); /* registered after CUDA's own and the ring's, so it runs before them */
  return RGC_ON;
}

int rgc_awake(void) {
  int state = atomic_load_explicit(&rgc_tracer.state, memory_order_acquire);
  if (__builtin_expect(state == RGC_ON, 1)) return 1;
  if (state != RGC_COLD || !atomic_compare_exchange_strong(&rgc_tracer.state, &state, RGC_STARTING)) return 0;
  const int saved = errno;
  const int now = start();
  atomic_store(&rgc_tracer.state, now);
  if (now == RGC_ON) {
    rgc_choose_launch_mode(atomic_load(&rg_current_step.step), 1);
    rgc_exact_wake();
  } else {
    atomic_store(&rgc_tracer.launch_mode, RGC_LAUNCH_PASS);
  }
  errno = saved;
  return now == RGC_ON;
}

/* --- operations ---------------------------------------------------------------------------------------------------- */

/* The first pairs of a device are created by the thread that uses it; the poller creates the rest. */
static struct rgc_op *firstPair(int device) {
  int mode = RGC_CAPTURE_MODE_RELAXED, current = -1;
  if (rgc_pool_used(device)) return NULL;
  if (rgc_gpu.get_device(&current) != 0 || current != device) return rgc_pool_want(device), NULL;
  if (rgc_gpu.exchange_capture_mode) rgc_gpu.exchange_capture_mode(&mode);
  const int error = rgc_pool_fill(device, kFirstPairs);
  if (rgc_gpu.exchange_capture_mode) rgc_gpu.exchange_capture_mode(&mode);
  if (error) rgc_failed(error);
  return rgc_pool_take(device);
}

static struct rgc_op *takePair(rgc_stream stream, int device) {
  int capturing = 0, error = 0;
  if (device == RGC_CURRENT_DEVICE) error = rgc_gpu.get_device(&device);
  if (!error) error = rgc_gpu.is_capturing(stream, &capturing);
  if (error) return rgc_failed(error), NULL;
  if (capturing) return rgc_count(RGC_IN_CAPTURE, 1), NULL;
  if (device < 0 || device >= RGC_MAX_DEVICES) return rgc_count(RGC_OP_FAILED, 1), NULL;
  struct rgc_op *op = rgc_pool_take(device);
  if (!op) op = firstPair(device);
  if (!op) rgc_count(RGC_POOL_EMPTY, 1);
  return op;
}

struct rgc_op *rgc_open(rgc_stream stream, int device, enum rgc_kind kind, const char *name) {
  if (!rgc_awake() || !rg_live()) return NULL;
  struct rgc_op *op = takePair(stream, device);
  if (!op) return NULL;
  op->stream = stream;
  op->kind = (uint8_t)kind;
  op->name = name;
  op->to_main = (kind != RGC_OP_KERNEL && kind != RGC_OP_GRAPH) || atomic_load_explicit(&rgc_tracer.ordinary, memory_order_relaxed) ||
                atomic_load_explicit(&rgc_tracer.exact_on, memory_order_relaxed);
  op->parent = 0;
  op->bytes = op->group = op->seq = RG_NONE;
  op->step = atomic_load_explicit(&rg_current_step.step, memory_order_relaxed);
  op->correlation = atomic_fetch_add_explicit(&rgc_tracer.correlation, 1, memory_order_relaxed) + 1;
  op->launched = rg_clock(CLOCK_MONOTONIC);
  const int error = rgc_gpu.event_record(op->start, stream);
  if (!error) {
    op->parent = (uint8_t)rgc_exact_open(op);
    return op;
  }
  rgc_pool_give(op);
  rgc_failed(error);
  return NULL;
}

struct rgc_op *rgc_begin(rgc_stream stream, int device, enum rgc_kind kind, const char *name) {
  if (rgc_depth++ > 0) return NULL;
  return rgc_exact_tells(stream, kind) ? NULL : rgc_open(stream, device, kind, name);
}

void rgc_shut(struct rgc_op *op, int status) {
  if (!op) return;
  if (op->parent) rgc_exact_shut();
  const int error = status == 0 ? rgc_gpu.event_record(op->end, op->stream) : 0;
  if (status == 0 && error == 0) {
    rgc_submit(op);
    return;
  }
  rgc_pool_give(op);
  if (error) rgc_failed(error);
}

void rgc_end(struct rgc_op *op, int status) {
  --rgc_depth;
  rgc_shut(op, status);
}

int rgc_wait_begin(const char *name) {
  if (rgc_depth++ > 0 || !rgc_awake()) return 0;
  rg_span_begin(name, RG_SYNC, RG_PART_NONE, RG_NONE, RG_NONE, RG_NONE, RG_NONE);
  return 1;
}

void rgc_wait_end(int begun) {
  --rgc_depth;
  if (begun) rg_span_end();
}
