/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. Only the exact thread calls CUPTI, with these exceptions: a stream's number and parents' marks (trainer's threads, while it is on),
 *    its clock and its walk over a full buffer (the tracer's thread).
 * 2. The subscription is held only while recording: there can be one subscriber, and PyTorch's profiler tries to subscribe only once.
 * 3. Operations launched between two moments belong to the earlier one; CUPTI records more than that, and the rest is dropped.
 * 4. A buffer is free, CUPTI's, or the tracer's. When none is free CUPTI drops records and counts them.
 * 5. At process exit the thread ends before CUPTI's own exit handlers run.
 * 6. After a refusal nothing is tried until the next request; after an invalid record, never again.
 */
#define _GNU_SOURCE
#include "collectors/cuda/exact_trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>

#include "collectors/cuda/cupti_library.h"
#include "collectors/cuda/gpu_api.h"
#include "collectors/cuda/quiet_thread.h"

enum { kBuffers = 64, kBufferBytes = 1 << 20, kMaxStreams = 512 };
static const int64_t kLongestWait = 200000000, kFlushEvery = 100000000, kLongestDrain = INT64_C(2000000000);

static _Atomic int64_t g_left; /* remaining steps; INT64_MAX: unlimited */
static _Atomic int g_running, g_ready, g_quit, g_broken, g_flush_asked, g_flush_done;

int rgc_exact_ready(void) { return atomic_load_explicit(&g_ready, memory_order_acquire); }

/* --- moments ------------------------------------------------------------------------------------------------------- */

/* Written without locks by the trainer's threads and the exact thread; `number` is stored last, and is 0 while the entry is incomplete. */
static struct {
  _Atomic uint64_t number;
  _Atomic int64_t time, step;
  _Atomic int on;
} g_moments[RGC_EXACT_MOMENTS];
static _Atomic uint64_t g_moment_count;

static void note(int64_t step, int on) {
  const uint64_t number = atomic_fetch_add(&g_moment_count, 1);
  __typeof__(&g_moments[0]) at = &g_moments[number % RGC_EXACT_MOMENTS];
  atomic_store(&at->number, 0);
  atomic_store(&at->time, rg_clock(CLOCK_MONOTONIC));
  atomic_store(&at->step, step);
  atomic_store(&at->on, on);
  atomic_store(&at->number, number + 1);
  atomic_store(&rgc_tracer.exact_on, on);
  rgc_refresh_launch_mode();
}

int rgc_exact_moments(struct rgc_moment *moments) {
  const uint64_t end = atomic_load(&g_moment_count);
  int count = 0;
  for (uint64_t i = end > RGC_EXACT_MOMENTS ? end - RGC_EXACT_MOMENTS : 0; i < end; ++i) {
    __typeof__(&g_moments[0]) at = &g_moments[i % RGC_EXACT_MOMENTS];
    if (atomic_load(&at->number) != i + 1) continue;
    const struct rgc_moment moment = {atomic_load(&at->time), atomic_load(&at->step), atomic_load(&at->on)};
    if (atomic_load(&at->number) == i + 1) moments[count++] = moment;
  }
  return count;
}

void rgc_exact_want(int64_t steps) {
  atomic_store(&g_left, steps > 0 && !atomic_load(&g_broken) ? steps : 0);
  if (steps <= 0 && atomic_load(&rgc_tracer.exact_on)) note(atomic_load(&rg_current_step.step), 0);
}

void rgc_exact_step(int64_t step) {
  if (!rgc_exact_ready()) {
    rgc_exact_wake(); /* requested before there was a ring */
    return;
  }
  const int64_t left = atomic_load(&g_left);
  int on = left > 0;
  if (step == RG_NONE) on = on && atomic_load(&rgc_tracer.exact_on);
  /* A request made meanwhile takes precedence. */
  int64_t expected = left;
  if (on && step != RG_NONE && left != INT64_MAX) atomic_compare_exchange_strong(&g_left, &expected, left - 1);
  if (on || atomic_load(&rgc_tracer.exact_on)) note(step, on);
}

/* --- streams ------------------------------------------------------------------------------------------------------- */

struct seen {
  rgc_stream _Atomic stream; /* the key's first half; stored last */
  int device;
  uint32_t id;
};
static struct seen g_seen[kMaxStreams]; /* open addressing, never full */
static _Atomic int g_seen_count;
static atomic_flag g_seen_busy = ATOMIC_FLAG_INIT;

static int isDefault(rgc_stream stream) { return (uintptr_t)stream <= 2; }

/* Default streams get a key that is not NULL, which marks a free entry; each device has its own. */
static rgc_stream keyOf(rgc_stream stream, int device) {
  return isDefault(stream) ? (rgc_stream)(((uintptr_t)device << 8) | ((uintptr_t)stream + 1)) : stream;
}

static struct seen *placeOf(rgc_stream key) {
  const uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15ull >> 40;
  for (uint64_t i = hash;; ++i) {
    struct seen *at = &g_seen[i % kMaxStreams];
    rgc_stream here = atomic_load_explicit(&at->stream, memory_order_acquire);
    if (here == key || here == NULL) return at;
  }
}

static void learnStream(rgc_stream stream, int device) {
  struct seen *at = placeOf(keyOf(stream, device));
  uint32_t id = 0;
  if (atomic_load(&at->stream) || atomic_load(&g_seen_count) >= kMaxStreams / 2) return;
  if (rgc_cupti.stream_id(NULL, (uintptr_t)stream == 2 ? NULL : stream, (uintptr_t)stream == 2, &id) != 0) return;
  at->device = device;
  at->id = id;
  atomic_store_explicit(&at->stream, keyOf(stream, device), memory_order_release);
  atomic_fetch_add(&g_seen_count, 1);
}

void rgc_exact_see_stream(rgc_stream stream) {
  int device = 0;
  if (!rgc_cupti.stream_id) return;
  if (!isDefault(stream) && atomic_load_explicit(&placeOf(stream)->stream, memory_order_relaxed)) return;
  if (rgc_gpu.get_device(&device) != 0) {
    rgc_gpu_clear();
    return;
  }
  if (atomic_load_explicit(&placeOf(keyOf(stream, device))->stream, memory_order_relaxed)) return;
  if (atomic_flag_test_and_set_explicit(&g_seen_busy, memory_order_acquire)) return; /* the next launch on this stream retries */
  learnStream(stream, device);
  learnStream(NULL, device);
  atomic_flag_clear_explicit(&g_seen_busy, memory_order_release);
}

rgc_stream rgc_exact_stream(int device, uint32_t id) {
  for (int i = 0; i < kMaxStreams; ++i) {
    const rgc_stream key = atomic_load_explicit(&g_seen[i].stream, memory_order_acquire);
    if (key && g_seen[i].device == device && g_seen[i].id == id)
      return key == keyOf(NULL, device) || key == keyOf((rgc_stream)1, device) ? NULL
             : key == keyOf((rgc_stream)2, device)                             ? (rgc_stream)2
                                                                               : key;
  }
  return (rgc_stream)(~(uintptr_t)0 - id);
}

/* --- parents ------------------------------------------------------------------------------------------------------- */

int rgc_exact_open_parent(const struct rgc_op *op) {
  rgc_exact_see_stream(op->stream);
  return rgc_cupti.push && rgc_cupti.pop && rgc_cupti.push(RGC_CUPTI_CUSTOM, (uint64_t)op->correlation) == 0;
}

void rgc_exact_shut(void) {
  uint64_t last;
  rgc_cupti.pop(RGC_CUPTI_CUSTOM, &last);
}

/* --- buffers ------------------------------------------------------------------------------------------------------- */

static uint8_t *g_arena;
static _Atomic int g_lent[kBuffers]; /* 0: free, 1: lent to CUPTI, 2: full */
static size_t g_valid[kBuffers];
static int g_next[kBuffers];
static _Atomic int g_full = -1;  /* newest first; pushed by CUPTI */
static int g_full_in_order = -1; /* owned by the tracer's thread */
static _Atomic int g_with_cupti;

static void request(uint8_t **buffer, size_t *bytes, size_t *most_records) {
  *buffer = NULL;
  *bytes = *most_records = 0;
  for (int i = 0; i < kBuffers && g_arena; ++i) {
    int free = 0;
    if (atomic_load_explicit(&g_lent[i], memory_order_relaxed) || !atomic_compare_exchange_strong(&g_lent[i], &free, 1)) continue;
    atomic_fetch_add(&g_with_cupti, 1);
    *buffer = g_arena + (size_t)i * kBufferBytes;
    *bytes = kBufferBytes;
    return;
  }
}

static void complete(rgc_handle context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid_bytes) {
  (void)context, (void)stream, (void)bytes;
  if (!g_arena || buffer < g_arena || buffer >= g_arena + (size_t)kBuffers * kBufferBytes) return;
  const int index = (int)((size_t)(buffer - g_arena) / kBufferBytes);
  int lent = 1;
  if (!atomic_compare_exchange_strong(&g_lent[index], &lent, 2)) return; /* already returned */
  g_valid[index] = valid_bytes < kBufferBytes ? valid_bytes : kBufferBytes;
  int first = atomic_load(&g_full);
  do g_next[index] = first;
  while (!atomic_compare_exchange_weak(&g_full, &first, index));
  atomic_fetch_sub(&g_with_cupti, 1);
}

uint8_t *rgc_exact_take_buffer(size_t *valid_bytes) {
  if (g_full_in_order < 0) {
    for (int at = atomic_exchange(&g_full, -1), next; at >= 0; at = next) {
      next = g_next[at];
      g_next[at] = g_full_in_order;
      g_full_in_order = at;
    }
  }
  const int index = g_full_in_order;
  if (index < 0) return NULL;
  g_full_in_order = g_next[index];
  *valid_bytes = g_valid[index];
  return g_arena + (size_t)index * kBufferBytes;
}

void rgc_exact_give_buffer(uint8_t *buffer) { atomic_store(&g_lent[(size_t)(buffer - g_arena) / kBufferBytes], 0); }

/* --- the thread ---------------------------------------------------------------------------------------------------- */

static const int kKinds[] = {RGC_CUPTI_KERNEL, RGC_CUPTI_MEMCPY,  RGC_CUPTI_MEMSET,  RGC_CUPTI_MEMCPY_PEER,
                             RGC_CUPTI_DRIVER, RGC_CUPTI_RUNTIME, RGC_CUPTI_EXTERNAL};
enum { kKindCount = sizeof(kKinds) / sizeof(kKinds[0]), kKindsNeeded = 4 };

static void nap(int64_t ns) {
  const struct timespec time = {0, (long)ns};
  nanosleep(&time, NULL);
}

static void ignore(void *data, int domain, uint32_t id, const void *about) { (void)data, (void)domain, (void)id, (void)about; }

static int alive(void) {
  return atomic_load(&rgc_tracer.state) == RGC_ON && !atomic_load_explicit(&g_quit, memory_order_acquire) && !atomic_load(&g_broken);
}
static int wanted(void) { return alive() && rg_live() && (atomic_load(&g_left) > 0 || atomic_load(&rgc_tracer.exact_on)); }

static void disableAll(void) {
  for (int i = 0; i < kKindCount; ++i) rgc_cupti.disable(kKinds[i]);
}

/* RGC_COUNTED: recording has begun. */
static enum rgc_counted begin(rgc_handle *subscriber) {
  const enum rgc_counted missing = rgc_cupti_find();
  if (missing != RGC_COUNTED) return missing;
  if (!g_arena) {
    void *map = mmap(NULL, (size_t)kBuffers * kBufferBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return RGC_EXACT_REFUSED;
    g_arena = map;
  }
  const int refused = rgc_cupti.subscribe(subscriber, ignore, NULL);
  if (refused) return refused == RGC_CUPTI_IN_USE ? RGC_EXACT_IN_USE : RGC_EXACT_REFUSED;
  int error = rgc_cupti.register_callbacks(request, complete);
  for (int i = 0; i < kKindCount && !error; ++i) {
    const int status = rgc_cupti.enable(kKinds[i]);
    if (i < kKindsNeeded) error = status; /* without the other kinds only a launch's time and parent are unknown */
  }
  if (!error) return RGC_COUNTED;
  disableAll();
  rgc_cupti.unsubscribe(*subscriber);
  return RGC_EXACT_REFUSED;
}

static void flush(uint32_t how) {
  const int asked = atomic_load_explicit(&g_flush_asked, memory_order_acquire);
  size_t dropped = 0;
  rgc_cupti.flush(how);
  if (rgc_cupti.dropped(NULL, 0, &dropped) == 0 && dropped > 0) rgc_count(RGC_EXACT_LOST, dropped);
  atomic_store_explicit(&g_flush_done, asked, memory_order_release);
}

static void record(void) {
  int64_t flushed = 0;
  while (wanted()) {
    const int64_t now = rg_clock(CLOCK_MONOTONIC);
    if (now - flushed >= kFlushEvery || atomic_load(&g_flush_asked) != atomic_load(&g_flush_done)) {
      flush(0);
      flushed = now;
    }
    nap(5000000);
  }
}

/* Waits for launched operations that still run: CUPTI delivers only complete records without a forced flush. */
static void end(rgc_handle subscriber) {
  if (atomic_load(&rgc_tracer.exact_on)) note(RG_NONE, 0);
  if (atomic_load(&rgc_tracer.state) == RGC_ON) {
    disableAll();
    const int64_t until = rg_clock(CLOCK_MONOTONIC) + kLongestDrain;
    flush(0);
    while (atomic_load(&g_with_cupti) > 0 && alive() && rg_clock(CLOCK_MONOTONIC) < until) {
      nap(20000000);
      flush(0);
    }
    flush(RGC_CUPTI_FLUSH_FORCED);
    rgc_cupti.unsubscribe(subscriber);
  }
  atomic_store(&g_ready, 0);
}

static void session(void) {
  rgc_handle subscriber = NULL;
  const enum rgc_counted refused = begin(&subscriber);
  if (refused != RGC_COUNTED) {
    rgc_count(refused, 1);
    atomic_store(&g_left, 0);
    return;
  }
  static int hooked;
  if (!hooked) hooked = 1, atexit(rgc_exact_stop); /* registered after CUPTI's own, so it runs before them */
  memset(g_seen, 0, sizeof(g_seen));
  atomic_store(&g_seen_count, 0);
  atomic_store_explicit(&g_ready, 1, memory_order_release);
  if (atomic_load(&g_left) == INT64_MAX) note(atomic_load(&rg_current_step.step), 1);
  record();
  end(subscriber);
}

static void *run(void *unused) {
  (void)unused;
  prctl(PR_SET_NAME, "runglass-cupti", 0, 0, 0);
  while (alive() && rg_live() && atomic_load(&g_left) > 0) session();
  atomic_store_explicit(&g_running, 0, memory_order_release);
  rgc_exact_wake(); /* a request may have come between the last check and the end */
  return NULL;
}

void rgc_exact_wake(void) {
  int idle = 0;
  if (atomic_load(&g_left) <= 0 || !alive() || !rg_live() || !atomic_compare_exchange_strong(&g_running, &idle, 1)) return;
  if (!rgc_start_thread(run)) atomic_store(&g_running, 0), rgc_count(RGC_EXACT_REFUSED, 1), atomic_store(&g_left, 0);
}

void rgc_exact_flush(void) {
  if (!rgc_exact_ready()) return;
  const int asked = atomic_fetch_add(&g_flush_asked, 1) + 1;
  const int64_t until = rg_clock(CLOCK_MONOTONIC) + kLongestWait;
  while (atomic_load_explicit(&g_flush_done, memory_order_acquire) < asked && rgc_exact_ready() && rg_clock(CLOCK_MONOTONIC) < until)
    nap(200000);
}

void rgc_exact_stop(void) {
  atomic_store_explicit(&g_quit, 1, memory_order_release);
  const int64_t until = rg_clock(CLOCK_MONOTONIC) + kLongestWait;
  while (atomic_load_explicit(&g_running, memory_order_acquire) && rg_clock(CLOCK_MONOTONIC) < until) nap(200000);
}

void rgc_exact_give_up(void) {
  if (atomic_exchange(&g_broken, 1) == 0) rgc_count(RGC_EXACT_BAD_RECORD, 1);
  atomic_store(&g_left, 0);
}
