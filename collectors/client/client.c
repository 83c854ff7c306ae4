/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. g_ring is NULL before rg_init, after rg_shutdown and in a forked child: every function then returns at once.
 * 2. A span belongs to the thread that began it; its stack is thread-local and forgotten when the ring changes.
 * 3. errno is as it was when a function returns.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "collectors/client/identity.h"
#include "collectors/client/ring.h"
#include "collectors/client/runglass.h"

#define MAX_DEPTH 64
#define PART_COUNT 6

struct open_span {
  int64_t start, cpu, microbatch, group, seq, bytes, parts_inside;
  uint32_t name;
  uint8_t category, part;
};

struct thread_state {
  struct rg_ring *ring; /* what the rest belongs to */
  uint32_t track;
  int depth;
  struct open_span spans[MAX_DEPTH];
};

struct step_state { /* one step at a time in a process */
  _Atomic int64_t step, start;
  int64_t cpu, run_delay;
  _Atomic int phase, phase_of_step, phase_said, steps_seen;
  _Atomic int64_t part_ns[PART_COUNT], wait_ns[PART_COUNT];
  _Atomic int part_seen[PART_COUNT];
  int schedstat_fd;
  long schedstat_thread;
};

static struct rg_ring *_Atomic g_ring;
static struct step_state g_step = {.step = RG_NONE, .schedstat_fd = -1};
static _Thread_local struct thread_state t_state;
static pthread_mutex_t g_init = PTHREAD_MUTEX_INITIALIZER;
static const char *const kPartNames[PART_COUNT] = {"", "forward", "backward", "communication", "data", "optimizer"};

static struct rg_ring *live(void) { return atomic_load_explicit(&g_ring, memory_order_acquire); }

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

/* --- life ---------------------------------------------------------------------------------------------------------- */

static void detachChild(void) {
  atomic_store(&g_ring, NULL);
  pthread_mutex_init(&g_init, NULL);
}

static void endRing(const char *cause, uint32_t state) {
  struct rg_ring *ring = atomic_exchange(&g_ring, NULL);
  if (!ring) return;
  struct rgr_identity *identity = &ring->header->identity;
  if (cause) snprintf(identity->end_cause, sizeof(identity->end_cause), "%s", cause);
  ring->header->end_time = rg_clock(CLOCK_MONOTONIC);
  __atomic_store_n(&ring->header->end_state, state, __ATOMIC_RELEASE);
  close(ring->fd); /* gives the lock up; the mapping stays for threads that are still inside */
}

static void atExit(void) { endRing(NULL, RGR_END_EXIT); }

static void makeDirectories(const char *dir) {
  char path[400];
  snprintf(path, sizeof(path), "%s", dir);
  for (char *at = path + 1; *at; ++at) {
    if (*at != '/') continue;
    *at = 0;
    mkdir(path, 0700);
    *at = '/';
  }
  mkdir(path, 0700);
}

/* A directory of ours that nobody else can write to. */
static int chooseDirectory(const struct rg_options *options, char *dir, size_t bytes, char *why, size_t why_bytes) {
  const char *given = options->dir ? options->dir : getenv("RUNGLASS_DIR");
  const char *runtime = getenv("XDG_RUNTIME_DIR");
  if (given && *given)
    snprintf(dir, bytes, "%s", given);
  else if (runtime && *runtime)
    snprintf(dir, bytes, "%s/runglass", runtime);
  else
    snprintf(dir, bytes, "/dev/shm/runglass-%ld", (long)getuid());
  makeDirectories(dir);
  struct stat st;
  if (lstat(dir, &st) != 0) return snprintf(why, why_bytes, "no directory %s: %s", dir, strerror(errno)), -1;
  if (!S_ISDIR(st.st_mode) || st.st_uid != getuid() || (st.st_mode & 022))
    return snprintf(why, why_bytes, "%s is not a directory of ours that only we can write to", dir), -1;
  return 0;
}

static uint64_t ringSlots(void) {
  const char *text = getenv("RUNGLASS_RING_BYTES");
  const unsigned long long bytes = text ? strtoull(text, NULL, 10) : 0;
  uint64_t slots = RGR_MIN_SLOTS;
  const uint64_t wanted = bytes ? bytes / RGR_SLOT_BYTES : 32768;
  while (slots * 2 <= wanted && slots < RGR_MAX_RING_SLOTS) slots *= 2;
  return slots;
}

static int start(const struct rg_options *options) {
  const char *off = getenv("RUNGLASS");
  if (off && (strcmp(off, "off") == 0 || strcmp(off, "0") == 0)) return -1;
  char dir[400], why[512];
  struct rg_ring *ring = NULL;
  if (chooseDirectory(options, dir, sizeof(dir), why, sizeof(why)) == 0) {
    ring = rg_ring_create(dir, ringSlots(), why, sizeof(why));
  }
  if (!ring) {
    fprintf(stderr, "runglass: off: %s\n", why);
    return -1;
  }
  struct rgr_header *header = ring->header;
  rg_identity_fill(&header->identity, options);
  __atomic_store_n(&header->identity_version, 2, __ATOMIC_RELEASE);
  if (header->identity.local_rank == RG_NONE || header->identity.local_rank == 0 || header->identity.rank == 0) rg_facts_send(ring);
  atomic_store(&g_step.step, RG_NONE);
  atomic_store(&g_step.phase, RG_PHASE_INIT);
  atomic_store(&g_step.phase_said, 0);
  atomic_store(&g_step.steps_seen, 0);
  atomic_store_explicit(&g_ring, ring, memory_order_release);
  static int hooked;
  if (!hooked) {
    hooked = 1;
    pthread_atfork(NULL, NULL, detachChild);
    atexit(atExit);
  }
  return 0;
}

int rg_init(const struct rg_options *options) {
  struct rg_options given = RG_OPTIONS_INIT;
  if (options) memcpy(&given, options, options->size < sizeof(given) ? options->size : sizeof(given));
  const int saved = errno;
  pthread_mutex_lock(&g_init);
  const int result = live() ? 0 : start(&given);
  pthread_mutex_unlock(&g_init);
  errno = saved;
  return result;
}

int rg_enabled(void) { return live() != NULL; }

int64_t rg_rank(void) {
  struct rg_ring *ring = live();
  return ring ? ring->header->identity.rank : RG_NONE;
}

int64_t rg_local_rank(void) {
  struct rg_ring *ring = live();
  return ring ? ring->header->identity.local_rank : RG_NONE;
}

void rg_shutdown(const char *cause) {
  const int saved = errno;
  endRing(cause ? cause : "finished", RGR_END_SHUTDOWN);
  errno = saved;
}

uint64_t rg_dropped(void) {
  struct rg_ring *ring = live();
  return ring ? __atomic_load_n(&ring->header->dropped, __ATOMIC_RELAXED) : 0;
}

int64_t rg_now(void) { return rg_clock(CLOCK_MONOTONIC); }

/* --- identity ------------------------------------------------------------------------------------------------------ */

static struct rgr_identity *beginIdentity(struct rg_ring *ring) {
  pthread_mutex_lock(&g_init);
  __atomic_fetch_add(&ring->header->identity_version, 1, __ATOMIC_ACQ_REL);
  return &ring->header->identity;
}

static void endIdentity(struct rg_ring *ring) {
  __atomic_fetch_add(&ring->header->identity_version, 1, __ATOMIC_ACQ_REL);
  pthread_mutex_unlock(&g_init);
}

void rg_layout(int tp, int pp, int dp, int cp, int ep, int vpp, const char *order) {
  struct rg_ring *ring = live();
  if (!ring) return;
  struct rgr_identity *identity = beginIdentity(ring);
  identity->tp = tp, identity->pp = pp, identity->dp = dp;
  identity->cp = cp, identity->ep = ep, identity->vpp = vpp;
  if (order) snprintf(identity->order, sizeof(identity->order), "%s", order);
  endIdentity(ring);
}

void rg_coordinates(int tp, int pp, int dp, int cp, int ep) {
  struct rg_ring *ring = live();
  if (!ring) return;
  struct rgr_identity *identity = beginIdentity(ring);
  identity->rank_tp = tp, identity->rank_pp = pp, identity->rank_dp = dp;
  identity->rank_cp = cp, identity->rank_ep = ep;
  endIdentity(ring);
}

void rg_fact(const char *key, const char *value) {
  struct rg_ring *ring = live();
  if (ring && key && value) rg_fact_put(ring, 0, key, value);
}

/* --- steps --------------------------------------------------------------------------------------------------------- */

static void tellProgress(struct rg_ring *ring, const struct thread_state *state, int64_t now) {
  struct rgr_progress progress = {.time = now, .microbatch = RG_NONE, .group = RG_NONE, .seq = RG_NONE, .since = RG_NONE};
  progress.step = atomic_load_explicit(&g_step.step, memory_order_relaxed);
  progress.phase = (uint32_t)atomic_load_explicit(&g_step.phase, memory_order_relaxed);
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

/* How long the calling thread has waited for a CPU, from the scheduler; absent where the kernel does not say. */
static int64_t runDelay(void) {
  const long tid = syscall(SYS_gettid);
  if (g_step.schedstat_fd < 0 || g_step.schedstat_thread != tid) {
    if (g_step.schedstat_fd >= 0) close(g_step.schedstat_fd);
    g_step.schedstat_fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    g_step.schedstat_thread = tid;
  }
  char text[128];
  const ssize_t n = g_step.schedstat_fd < 0 ? -1 : pread(g_step.schedstat_fd, text, sizeof(text) - 1, 0);
  if (n <= 0) return RG_NONE;
  text[n] = 0;
  long long on_cpu, waiting;
  return sscanf(text, "%lld %lld", &on_cpu, &waiting) == 2 ? waiting : RG_NONE;
}

void rg_step_begin(int64_t step) {
  struct rg_ring *ring = live();
  if (!ring) return;
  const int saved = errno;
  if (!atomic_load(&g_step.phase_said)) {
    const int seen = atomic_load(&g_step.steps_seen);
    atomic_store(&g_step.phase, seen == 0 ? RG_PHASE_INIT : seen < 10 ? RG_PHASE_WARMUP : RG_PHASE_STEADY);
  }
  atomic_store(&g_step.phase_of_step, atomic_load(&g_step.phase));
  for (int i = 0; i < PART_COUNT; ++i) {
    atomic_store(&g_step.part_ns[i], 0);
    atomic_store(&g_step.wait_ns[i], 0);
    atomic_store(&g_step.part_seen[i], 0);
  }
  g_step.cpu = rg_clock(CLOCK_PROCESS_CPUTIME_ID);
  g_step.run_delay = runDelay();
  const int64_t now = rg_now();
  atomic_store(&g_step.start, now);
  atomic_store(&g_step.step, step);
  tellProgress(ring, threadState(ring), now);
  errno = saved;
}

void rg_step_end(void) {
  struct rg_ring *ring = live();
  const int64_t step = atomic_load(&g_step.step);
  if (!ring || step == RG_NONE) return;
  const int saved = errno;
  const int64_t now = rg_now(), delay = runDelay();
  struct rgr_step record = {.step = step, .start = atomic_load(&g_step.start)};
  record.dur = now - record.start;
  record.cpu = rg_clock(CLOCK_PROCESS_CPUTIME_ID) - g_step.cpu;
  record.run_delay = delay == RG_NONE || g_step.run_delay == RG_NONE ? RG_NONE : delay - g_step.run_delay;
  rg_ring_put_one(ring, RGR_STEP, atomic_load(&g_step.phase_of_step), 0, &record, sizeof(record));
  for (int i = 1; i < PART_COUNT; ++i) {
    if (!atomic_load(&g_step.part_seen[i])) continue;
    const int waits = i == RG_PART_COMMUNICATION || i == RG_PART_DATA;
    rg_part(kPartNames[i], atomic_load(&g_step.part_ns[i]), waits ? atomic_load(&g_step.wait_ns[i]) : RG_NONE);
  }
  atomic_fetch_add(&g_step.steps_seen, 1);
  atomic_store(&g_step.step, RG_NONE);
  errno = saved;
}

void rg_phase(int phase) {
  struct rg_ring *ring = live();
  if (!ring || phase < RG_PHASE_INIT || phase > RG_PHASE_CHECKPOINT) return;
  atomic_store(&g_step.phase_said, 1);
  atomic_store(&g_step.phase, phase);
  /* A step that was anything but steady for a while is not a steady one. */
  if (phase != RG_PHASE_STEADY) atomic_store(&g_step.phase_of_step, phase);
  tellProgress(ring, threadState(ring), rg_now());
}

void rg_part(const char *part, int64_t dur_ns, int64_t wait_ns) {
  struct rg_ring *ring = live();
  const int64_t step = atomic_load(&g_step.step);
  if (!ring || !part || step == RG_NONE) return;
  const struct rgr_part record = {step, rg_now(), dur_ns, wait_ns, rg_ring_intern(ring, part, strlen(part))};
  rg_ring_put_one(ring, RGR_PART, 0, 0, &record, sizeof(record));
}

/* --- values -------------------------------------------------------------------------------------------------------- */

uint32_t rg_name(const char *name) {
  struct rg_ring *ring = live();
  return ring && name ? rg_ring_intern(ring, name, strlen(name)) : 0;
}

void rg_scalar_id(uint32_t name, int per_rank, int64_t step, double value) {
  struct rg_ring *ring = live();
  if (!ring) return;
  if (step == RG_NONE) step = atomic_load_explicit(&g_step.step, memory_order_relaxed);
  const struct rgr_scalar record = {step, rg_now(), value, name};
  rg_ring_put_one(ring, RGR_SCALAR, per_rank != 0, 0, &record, sizeof(record));
}

void rg_scalar(const char *name, int64_t step, double value) { rg_scalar_id(rg_name(name), 0, step, value); }
void rg_rank_scalar(const char *name, int64_t step, double value) { rg_scalar_id(rg_name(name), 1, step, value); }

void rg_data_range(const char *source, int64_t first, int64_t last) {
  struct rg_ring *ring = live();
  if (!ring) return;
  const struct rgr_data_range record = {atomic_load(&g_step.step), rg_now(), first, last, rg_name(source)};
  rg_ring_put_one(ring, RGR_DATA_RANGE, 0, 0, &record, sizeof(record));
}

/* --- spans --------------------------------------------------------------------------------------------------------- */

void rg_span_begin_id(uint32_t name, int category, int part, int64_t microbatch, int64_t group, int64_t seq, int64_t bytes) {
  struct rg_ring *ring = live();
  if (!ring) return;
  struct thread_state *state = threadState(ring);
  const int depth = state->depth++;
  if (depth >= MAX_DEPTH) return;
  struct open_span *span = &state->spans[depth];
  if (microbatch == RG_NONE && depth > 0) microbatch = span[-1].microbatch;
  span->part = part > 0 && part < PART_COUNT ? (uint8_t)part : 0;
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
  record.step = atomic_load_explicit(&g_step.step, memory_order_relaxed);
  record.microbatch = span->microbatch > INT32_MIN && span->microbatch <= INT32_MAX ? (int32_t)span->microbatch : INT32_MIN;
  record.name = (uint16_t)span->name;
  record.track = (uint16_t)track;
  rg_ring_put_one(ring, RGR_SPAN, span->category, depth, &record, sizeof(record));
}

static void countPart(const struct open_span *span, int64_t dur) {
  const int part = span->part;
  const int64_t own = dur - span->parts_inside;
  atomic_store_explicit(&g_step.part_seen[part], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&g_step.part_ns[part], own, memory_order_relaxed);
  if (part != RG_PART_COMMUNICATION && part != RG_PART_DATA) return;
  int64_t wait = dur - (rg_clock(CLOCK_THREAD_CPUTIME_ID) - span->cpu);
  if (wait > own) wait = own;
  if (wait > 0) atomic_fetch_add_explicit(&g_step.wait_ns[part], wait, memory_order_relaxed);
}

void rg_span_end(void) {
  struct rg_ring *ring = live();
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
  struct rg_ring *ring = live();
  char text[256];
  if (!ring || !kind || !name) return 0;
  const int n = snprintf(text, sizeof(text), "%s\x1f%s", kind, name);
  return rg_ring_intern(ring, text, n < 0 ? 0 : (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
}

void rg_span(uint32_t track, const char *name, int category, int64_t start_ns, int64_t dur_ns, int64_t microbatch, int64_t group,
             int64_t seq, int64_t bytes) {
  struct rg_ring *ring = live();
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

/* --- words --------------------------------------------------------------------------------------------------------- */

static void checkpoint(int durable, int64_t step, const char *path, int64_t bytes) {
  struct rg_ring *ring = live();
  if (!ring) return;
  if (!path) path = "";
  const size_t n = strnlen(path, 4096);
  const struct rgr_checkpoint record = {step, rg_now(), bytes, (uint32_t)n};
  rg_ring_put(ring, RGR_CHECKPOINT, durable, 0, &record, sizeof(record), path, n, NULL, 0);
}

void rg_checkpoint_begin(int64_t step, const char *path) { checkpoint(0, step, path, RG_NONE); }
void rg_checkpoint_durable(int64_t step, const char *path, int64_t bytes) { checkpoint(1, step, path, bytes); }

void rg_log(int severity, const char *stream, const char *text) {
  struct rg_ring *ring = live();
  if (!ring || !text) return;
  if (severity < RG_DEBUG || severity > RG_CRITICAL) severity = RG_INFO;
  const size_t n = strnlen(text, 8001);
  const size_t kept = n > 8000 ? 8000 : n;
  const struct rgr_text record = {rg_now(), rg_name(stream ? stream : "client"), (uint32_t)kept, 0};
  rg_ring_put(ring, RGR_LOG, severity, kept < n, &record, sizeof(record), text, kept, NULL, 0);
}
