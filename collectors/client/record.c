/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. Without a ring every function returns at once.
 * 2. A span belongs to the thread that began it; its stack is thread-local and dropped when the ring changes.
 * 3. Every function preserves errno.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/client/process_state.h"

#define MAX_DEPTH 64

struct open_span {
  int64_t start, cpu, microbatch, group, seq, bytes, parts_inside;
  uint32_t name;
  uint8_t category, part;
};

struct thread_state {
  struct rg_ring *ring; /* owner of the state below */
  uint32_t track;
  int depth;
  struct open_span spans[MAX_DEPTH];
};

static _Thread_local struct thread_state t_state;
static const char *const kPartNames[RG_PART_COUNT] = {"", "forward", "backward", "communication", "data", "optimizer"};

static struct thread_state *threadState(struct rg_ring *ring) {
  struct thread_state *state = &t_state;
  if (__builtin_expect(state->ring == ring, 1)) return state;
  char name[64] = "thread\x1fmain";
  const long tid = syscall(SYS_gettid);
  if (tid != getpid()) snprintf(name, sizeof(name), "thread\x1fthread %ld", tid);
  state->ring = ring;
  state->depth = 0;
  state->track = rg_ring_intern(ring, name, strlen(name));
  return state;
}

/* --- steps --------------------------------------------------------------------------------------------------------- */

static void tellProgress(struct rg_ring *ring, const struct thread_state *state, int64_t now) {
  struct rgr_progress progress = {.time = now, .microbatch = RG_NONE, .group = RG_NONE, .seq = RG_NONE, .since = RG_NONE};
  progress.step = atomic_load_explicit(&rg_current_step.step, memory_order_relaxed);
  progress.phase = (uint32_t)atomic_load_explicit(&rg_current_step.phase, memory_order_relaxed);
  if (state->depth > 0) {
    const struct open_span *span = &state->spans[(state->depth < MAX_DEPTH ? state->depth : MAX_DEPTH) - 1];
    progress.microbatch = span->microbatch;
    progress.group = span->group;
    progress.seq = span->seq;
    progress.since = span->start;
    progress.op = span->name;
  }
  rg_ring_progress(ring, &progress);
}

/* Time that the calling thread waited for a CPU, from the scheduler; absent where the kernel does not report it. */
static int64_t runDelay(void) {
  const long tid = syscall(SYS_gettid);
  if (rg_current_step.schedstat_fd < 0 || rg_current_step.schedstat_thread != tid) {
    if (rg_current_step.schedstat_fd >= 0) close(rg_current_step.schedstat_fd);
    rg_current_step.schedstat_fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    rg_current_step.schedstat_thread = tid;
  }
  char text[128];
  const ssize_t n = rg_current_step.schedstat_fd < 0 ? -1 : pread(rg_current_step.schedstat_fd, text, sizeof(text) - 1, 0);
  if (n <= 0) return RG_NONE;
  text[n] = 0;
  long long on_cpu, waiting;
  return sscanf(text, "%lld %lld", &on_cpu, &waiting) == 2 ? waiting : RG_NONE;
}

static void tellListener(int64_t step) {
  void (*listener)(int64_t) = atomic_load_explicit(&rg_listener.step, memory_order_acquire);
  if (listener) listener(step);
}

void rg_step_begin(int64_t step) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  const int saved = errno;
  if (!atomic_load(&rg_current_step.phase_said)) {
    const int seen = atomic_load(&rg_current_step.steps_seen);
    atomic_store(&rg_current_step.phase, seen == 0 ? RG_PHASE_INIT : seen < 10 ? RG_PHASE_WARMUP : RG_PHASE_STEADY);
  }
  atomic_store(&rg_current_step.phase_of_step, atomic_load(&rg_current_step.phase));
  for (int i = 0; i < RG_PART_COUNT; ++i) {
    atomic_store(&rg_current_step.part_ns[i], 0);
    atomic_store(&rg_current_step.wait_ns[i], 0);
    atomic_store(&rg_current_step.part_seen[i], 0);
  }
  rg_current_step.cpu = rg_clock(CLOCK_PROCESS_CPUTIME_ID);
  rg_current_step.run_delay = runDelay();
  const int64_t now = rg_now();
  atomic_store(&rg_current_step.start, now);
  atomic_store(&rg_current_step.step, step);
  tellProgress(ring, threadState(ring), now);
  tellListener(step);
  errno = saved;
}

void rg_step_end(void) {
  struct rg_ring *ring = rg_live();
  const int64_t step = atomic_load(&rg_current_step.step);
  if (!ring || step == RG_NONE) return;
  const int saved = errno;
  const int64_t now = rg_now(), delay = runDelay();
  struct rgr_step record = {.step = step, .start = atomic_load(&rg_current_step.start)};
  record.dur = now - record.start;
  record.cpu = rg_clock(CLOCK_PROCESS_CPUTIME_ID) - rg_current_step.cpu;
  record.run_delay = delay == RG_NONE || rg_current_step.run_delay == RG_NONE ? RG_NONE : delay - rg_current_step.run_delay;
  rg_ring_put_one(ring, RGR_STEP, atomic_load(&rg_current_step.phase_of_step), 0, &record, sizeof(record));
  for (int i = 1; i < RG_PART_COUNT; ++i) {
    if (!atomic_load(&rg_current_step.part_seen[i])) continue;
    const int waits = i == RG_PART_COMMUNICATION || i == RG_PART_DATA;
    rg_part(kPartNames[i], atomic_load(&rg_current_step.part_ns[i]), waits ? atomic_load(&rg_current_step.wait_ns[i]) : RG_NONE);
  }
  atomic_fetch_add(&rg_current_step.steps_seen, 1);
  atomic_store(&rg_current_step.step, RG_NONE);
  tellListener(RG_NONE);
  errno = saved;
}

void rg_phase(int phase) {
  struct rg_ring *ring = rg_live();
  if (!ring || phase < RG_PHASE_INIT || phase > RG_PHASE_CHECKPOINT) return;
  atomic_store(&rg_current_step.phase_said, 1);
  atomic_store(&rg_current_step.phase, phase);
  /* A step counts as steady only if it was steady throughout. */
  if (phase != RG_PHASE_STEADY) atomic_store(&rg_current_step.phase_of_step, phase);
  tellProgress(ring, threadState(ring), rg_now());
}

void rg_part(const char *part, int64_t dur_ns, int64_t wait_ns) {
  struct rg_ring *ring = rg_live();
  const int64_t step = atomic_load(&rg_current_step.step);
  if (!ring || !part || step == RG_NONE) return;
  const struct rgr_part record = {step, rg_now(), dur_ns, wait_ns, rg_ring_intern(ring, part, strlen(part))};
  rg_ring_put_one(ring, RGR_PART, 0, 0, &record, sizeof(record));
}

/* --- values -------------------------------------------------------------------------------------------------------- */

uint32_t rg_name(const char *name) {
  struct rg_ring *ring = rg_live();
  return ring && name ? rg_ring_intern(ring, name, strlen(name)) : 0;
}

void rg_scalar_id(uint32_t name, int per_rank, int64_t step, double value) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  if (step == RG_NONE) step = atomic_load_explicit(&rg_current_step.step, memory_order_relaxed);
  const struct rgr_scalar record = {step, rg_now(), value, name};
  rg_ring_put_one(ring, RGR_SCALAR, per_rank != 0, 0, &record, sizeof(record));
}

void rg_scalar(const char *name, int64_t step, double value) { rg_scalar_id(rg_name(name), 0, step, value); }
void rg_rank_scalar(const char *name, int64_t step, double value) { rg_scalar_id(rg_name(name), 1, step, value); }

void rg_data_range(const char *source, int64_t first, int64_t last) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  const struct rgr_data_range record = {atomic_load(&rg_current_step.step), rg_now(), first, last, rg_name(source)};
  rg_ring_put_one(ring, RGR_DATA_RANGE, 0, 0, &record, sizeof(record));
}

/* --- spans --------------------------------------------------------------------------------------------------------- */

void rg_span_begin_id(uint32_t name, int category, int part, int64_t microbatch, int64_t group, int64_t seq, int64_t bytes) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  struct thread_state *state = threadState(ring);
  const int depth = state->depth++;
  if (depth >= MAX_DEPTH) return;
  struct open_span *span = &state->spans[depth];
  if (microbatch == RG_NONE && depth > 0) microbatch = span[-1].microbatch;
  span->part = part > 0 && part < RG_PART_COUNT ? (uint8_t)part : 0;
  const int waits = span->part == RG_PART_COMMUNICATION || span->part == RG_PART_DATA;
  span->cpu = waits ? rg_clock(CLOCK_THREAD_CPUTIME_ID) : 0;
  span->microbatch = microbatch;
  span->group = group;
  span->seq = seq;
  span->bytes = bytes;
  span->parts_inside = 0;
  span->name = name;
  span->category = category >= 0 && category <= RG_OTHER ? (uint8_t)category : RG_OTHER;
  span->start = rg_now();
  tellProgress(ring, state, span->start);
}

void rg_span_begin(const char *name, int category, int part, int64_t microbatch, int64_t group, int64_t seq, int64_t bytes) {
  rg_span_begin_id(rg_name(name), category, part, microbatch, group, seq, bytes);
}

static void putSpan(struct rg_ring *ring, uint32_t track, int depth, const struct open_span *span, int64_t dur) {
  struct rgr_span record = {.start = span->start, .dur = dur, .seq = span->seq, .bytes = span->bytes, .group = span->group};
  record.step = atomic_load_explicit(&rg_current_step.step, memory_order_relaxed);
  record.microbatch = span->microbatch > INT32_MIN && span->microbatch <= INT32_MAX ? (int32_t)span->microbatch : INT32_MIN;
  record.name = (uint16_t)span->name;
  record.track = (uint16_t)track;
  rg_ring_put_one(ring, RGR_SPAN, span->category, depth, &record, sizeof(record));
}

static void countPart(const struct open_span *span, int64_t dur) {
  const int part = span->part;
  const int64_t own = dur - span->parts_inside;
  atomic_store_explicit(&rg_current_step.part_seen[part], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&rg_current_step.part_ns[part], own, memory_order_relaxed);
  if (part != RG_PART_COMMUNICATION && part != RG_PART_DATA) return;
  int64_t wait = dur - (rg_clock(CLOCK_THREAD_CPUTIME_ID) - span->cpu);
  if (wait > own) wait = own;
  if (wait > 0) atomic_fetch_add_explicit(&rg_current_step.wait_ns[part], wait, memory_order_relaxed);
}

void rg_span_end(void) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  struct thread_state *state = threadState(ring);
  if (state->depth == 0) return;
  const int depth = --state->depth;
  if (depth >= MAX_DEPTH) {
    __atomic_fetch_add(&ring->header->dropped, 1, __ATOMIC_RELAXED);
    return;
  }
  const struct open_span *span = &state->spans[depth];
  const int64_t now = rg_now(), dur = now - span->start;
  putSpan(ring, state->track, depth, span, dur);
  if (span->part) countPart(span, dur);
  if (depth > 0) state->spans[depth - 1].parts_inside += span->part ? dur : span->parts_inside;
  tellProgress(ring, state, now);
}

uint32_t rg_track(const char *kind, const char *name) {
  struct rg_ring *ring = rg_live();
  char text[256];
  if (!ring || !kind || !name) return 0;
  const int n = snprintf(text, sizeof(text), "%s\x1f%s", kind, name);
  return rg_ring_intern(ring, text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void rg_span(uint32_t track, const char *name, int category, int64_t start_ns, int64_t dur_ns, int64_t microbatch, int64_t group,
             int64_t seq, int64_t bytes) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  const struct open_span span = {.start = start_ns,
                                 .microbatch = microbatch,
                                 .group = group,
                                 .seq = seq,
                                 .bytes = bytes,
                                 .name = rg_name(name),
                                 .category = category >= 0 && category <= RG_OTHER ? (uint8_t)category : RG_OTHER};
  putSpan(ring, track ? track : threadState(ring)->track, 0, &span, dur_ns);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void checkpoint(int durable, int64_t step, const char *path, int64_t bytes) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  if (!path) path = "";
  const size_t n = strnlen(path, 4096);
  const struct rgr_checkpoint record = {step, rg_now(), bytes, (uint32_t)n};
  rg_ring_put(ring, RGR_CHECKPOINT, durable, 0, &record, sizeof(record), path, n, NULL, 0);
}

void rg_checkpoint_begin(int64_t step, const char *path) { checkpoint(0, step, path, RG_NONE); }
void rg_checkpoint_durable(int64_t step, const char *path, int64_t bytes) { checkpoint(1, step, path, bytes); }

void rg_log(int severity, const char *stream, const char *text) {
  struct rg_ring *ring = rg_live();
  if (!ring || !text) return;
  if (severity < RG_DEBUG || severity > RG_CRITICAL) severity = RG_INFO;
  const size_t n = strnlen(text, 8001);
  const size_t kept = n > 8000 ? 8000 : n;
  const struct rgr_text record = {rg_now(), rg_name(stream ? stream : "client"), (uint32_t)kept, 0};
  rg_ring_put(ring, RGR_LOG, severity, kept < n, &record, sizeof(record), text, kept, NULL, 0);
}
