/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. No CUDA call is made before a device is made current on this thread: the first one would create a context on GPU 0.
 * 2. This thread's capture mode is relaxed: querying an event while another thread captures a stream would invalidate that capture.
 * 3. Operations of one stream complete in order: only the first of each stream is queried.
 * 4. After a stop or a failure no CUDA call is made.
 */
#define _GNU_SOURCE
#include "collectors/cuda/poller.h"

#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "collectors/cuda/event_pool.h"
#include "collectors/cuda/exact_records.h"
#include "collectors/cuda/gpu_api.h"
#include "collectors/cuda/gpu_clock.h"
#include "collectors/cuda/kernel_filter.h"
#include "collectors/cuda/lane_table.h"
#include "collectors/cuda/quiet_thread.h"
#include "collectors/cuda/recent_ring.h"
#include "collectors/cuda/span_record.h"
#include "collectors/cuda/tracer_orders.h"

enum { kPairsAPass = 512 };
static const int64_t kSecond = INT64_C(1000000000), kLongestHeld = INT64_C(10000000000), kLongestWait = 200000000;

static struct rgc_op *_Atomic g_submitted;
static _Atomic int g_stop, g_stopped, g_flush_asked, g_flush_done;

/* The state below is used by the poller thread alone. */
static int g_device = -1;
static int64_t g_pending, g_active_at, g_counts_at, g_started_at;
static int g_identity_reported;

void rgc_submit(struct rgc_op *op) {
  struct rgc_op *first = atomic_load_explicit(&g_submitted, memory_order_relaxed);
  do op->next = first;
  while (!atomic_compare_exchange_weak_explicit(&g_submitted, &first, op, memory_order_release, memory_order_relaxed));
}

static void takeSubmitted(void) {
  struct rgc_op *op = atomic_exchange_explicit(&g_submitted, NULL, memory_order_acquire), *oldest_first = NULL;
  while (op) {
    struct rgc_op *next = op->next;
    op->next = oldest_first;
    oldest_first = op;
    op = next;
  }
  for (op = oldest_first; op;) {
    struct rgc_op *next = op->next;
    struct rgc_lane *lane = rgc_lane_of(op->stream, op->device);
    op->next = NULL;
    *(lane->first ? &lane->last->next : &lane->first) = op;
    lane->last = op;
    ++g_pending;
    op = next;
  }
}

static int useDevice(int device) {
  static int relaxed;
  if (device == g_device) return 0;
  const int error = rgc_gpu.set_device(device);
  g_device = error ? -1 : device;
  if (error || relaxed || !rgc_gpu.exchange_capture_mode) return error;
  relaxed = 1;
  int mode = RGC_CAPTURE_MODE_RELAXED;
  return rgc_gpu.exchange_capture_mode(&mode);
}

/* RGC_NOT_READY: still running on the GPU. */
static int finish(struct rgc_lane *lane, struct rgc_op *op) {
  const int status = rgc_gpu.event_query(op->end);
  if (status) return status;
  float ms = 0;
  int64_t start = 0;
  int error = rgc_gpu.elapsed(&ms, op->start, op->end);
  if (!error) error = rgc_clock_place(op->device, op->start, op->launched, &start);
  if (error) return error;
  /* An operation cannot start before its launch; the clocks are tied to within a few microseconds only. */
  if (start < op->launched) start = op->launched;
  if (op->kind != RGC_OP_KERNEL || !rgc_filter_refuses(op->name)) rgc_tell_span(lane, op, start, (int64_t)((double)ms * 1e6 + 0.5));
  atomic_store_explicit(&rgc_tracer.consecutive_failures, 0, memory_order_relaxed);
  return 0;
}

static int drainLane(struct rgc_lane *lane, int64_t now) {
  if (!lane->first) return 0;
  int error = useDevice(lane->first->device);
  if (!error) error = rgc_clock_keep(lane->first->device, now);
  if (error || !rgc_clock_ready(lane->first->device)) return error;
  while (lane->first) {
    struct rgc_op *op = lane->first;
    error = finish(lane, op);
    if (error) return error == RGC_NOT_READY ? 0 : error;
    lane->first = op->next;
    --g_pending;
    rgc_pool_give(op);
  }
  return 0;
}

static int fillPools(void) {
  for (int device = 0; device < RGC_MAX_DEVICES; ++device) {
    if (!rgc_pool_used(device)) continue;
    int error = useDevice(device);
    if (!error) error = rgc_pool_fill(device, kPairsAPass);
    if (error) return error;
  }
  return 0;
}

static int tracing(void) { return atomic_load_explicit(&rgc_tracer.state, memory_order_acquire) == RGC_ON; }

static void pass(int64_t now, int last) {
  rgc_recent_keep(now);
  takeSubmitted();
  if (g_pending > 0) g_active_at = now;
  int error = 0;
  for (int i = 0; i < rgc_lane_count() && !error && tracing(); ++i) error = drainLane(rgc_lane_at(i), now);
  if (!error && tracing()) error = fillPools();
  if (!error && tracing()) rgc_tell_exact_records(now, last);
  if (error) rgc_failed(error);
}

/* The trainer has had time to set its identity, and a ring without published identity fills up unread. */
static void tellIdentityInTime(int64_t now) {
  struct rg_ring *ring = rg_live();
  if (g_identity_reported || !ring) return;
  const uint64_t waiting = __atomic_load_n(&ring->header->head, __ATOMIC_RELAXED) - __atomic_load_n(&ring->header->tail, __ATOMIC_RELAXED);
  if (now - g_started_at < kLongestHeld && waiting < ring->slot_count / 2) return;
  g_identity_reported = 1;
  rg_tell_identity();
}

static void nap(int64_t ns) {
  const struct timespec time = {0, (long)ns};
  nanosleep(&time, NULL);
}

static void *run(void *unused) {
  (void)unused;
  prctl(PR_SET_NAME, "runglass-cuda", 0, 0, 0);
  prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  g_started_at = g_active_at = rg_clock(CLOCK_MONOTONIC);
  for (int stop = 0; !stop;) {
    stop = atomic_load_explicit(&g_stop, memory_order_acquire);
    const int asked = atomic_load_explicit(&g_flush_asked, memory_order_acquire);
    const int64_t now = rg_clock(CLOCK_MONOTONIC);
    rgc_orders_look();
    pass(now, stop || asked != atomic_load(&g_flush_done));
    if (stop && tracing() && g_pending > 0) rgc_count(RGC_UNFINISHED, (uint64_t)g_pending);
    if (stop || asked != atomic_load(&g_flush_done) || now - g_counts_at >= kSecond) {
      g_counts_at = now;
      rgc_tell_counts(now);
    }
    tellIdentityInTime(now);
    atomic_store_explicit(&g_flush_done, asked, memory_order_release);
    if (!stop) nap(g_device >= 0 && rgc_clock_waits(g_device, now) ? 50000 : now - g_active_at < kSecond ? 2000000 : 10000000);
  }
  rgc_recent_end();
  atomic_store_explicit(&g_stopped, 1, memory_order_release);
  return NULL;
}

int rgc_poller_start(void) { return rgc_start_thread(run); }

void rgc_poller_flush(void) {
  const int asked = atomic_fetch_add(&g_flush_asked, 1) + 1;
  const int64_t until = rg_clock(CLOCK_MONOTONIC) + kLongestWait;
  while (atomic_load_explicit(&g_flush_done, memory_order_acquire) < asked && !atomic_load(&g_stopped) && rg_clock(CLOCK_MONOTONIC) < until)
    nap(200000);
}

void rgc_poller_stop(void) {
  atomic_store_explicit(&g_stop, 1, memory_order_release);
  const int64_t until = rg_clock(CLOCK_MONOTONIC) + kLongestWait;
  while (!atomic_load_explicit(&g_stopped, memory_order_acquire) && rg_clock(CLOCK_MONOTONIC) < until) nap(200000);
}
