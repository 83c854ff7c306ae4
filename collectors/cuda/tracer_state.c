/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants: the runtime's last error is the trainer's: an error caused by the tracer is removed. */
#define _GNU_SOURCE
#include "collectors/cuda/tracer_state.h"

#include "collectors/cuda/gpu_api.h"

enum { kMaxFailures = 64 };

struct rgc_tracer rgc_tracer = {.state = RGC_COLD, .launch_mode = RGC_LAUNCH_COLD, .every = RG_NONE};

void rgc_count(enum rgc_counted what, uint64_t more) { atomic_fetch_add_explicit(&rgc_tracer.counted[what], more, memory_order_relaxed); }

static void leave(int from, int to) {
  if (atomic_compare_exchange_strong(&rgc_tracer.state, &from, to)) atomic_store(&rgc_tracer.launch_mode, RGC_LAUNCH_PASS);
}

void rgc_failed(int error) {
  rgc_gpu_clear();
  if (error >= RGC_CAPTURE_FIRST && error <= RGC_CAPTURE_LAST) {
    rgc_count(RGC_IN_CAPTURE, 1);
    return;
  }
  if (error == RGC_INVALID_VALUE || error == RGC_INVALID_HANDLE) {
    rgc_count(RGC_OP_FAILED, 1);
    if (atomic_fetch_add(&rgc_tracer.consecutive_failures, 1) < kMaxFailures) return;
  }
  if (atomic_load(&rgc_tracer.state) != RGC_ON) return;
  leave(RGC_ON, RGC_STOPPED);
  if (error != RGC_UNLOADING) rgc_count(RGC_TRACE_STOPPED, 1);
}

void rgc_refresh_launch_mode(void) {
  if (atomic_load(&rgc_tracer.state) != RGC_ON) return;
  const int on = atomic_load(&rgc_tracer.ordinary) || atomic_load(&rgc_tracer.exact_on) || atomic_load(&rgc_tracer.recent_seconds) > 0;
  atomic_store(&rgc_tracer.launch_mode, on ? RGC_LAUNCH_TRACE : RGC_LAUNCH_PASS);
}
