/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. rg_current_ring is set last, when the ring is complete, and cleared before the "alive" lock is released.
 * 2. A forked child starts detached; the records in its parent's ring stay the parent's.
 * 3. A held ring is filled like any other; only its identity_version stays 0, so that a reader does not declare it.
 * 4. Every function preserves errno.
 */
#define _GNU_SOURCE
#include <dirent.h>
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
#include "collectors/client/process_state.h"

struct rg_ring *_Atomic rg_current_ring;
struct rg_step_state rg_current_step = {.step = RG_NONE, .schedstat_fd = -1};
struct rg_listener rg_listener;
static struct rg_ring *g_newest;
static int g_held; /* the identity is from the environment and not yet published */
static pthread_mutex_t g_init = PTHREAD_MUTEX_INITIALIZER;

static void detachChild(void) {
  atomic_store(&rg_current_ring, NULL);
  pthread_mutex_init(&g_init, NULL);
}

/* Called with g_init locked. */
static void tellIdentity(struct rg_ring *ring) {
  g_held = 0;
  if (ring->header->identity_version == 0) __atomic_store_n(&ring->header->identity_version, 2, __ATOMIC_RELEASE);
}

void rg_tell_identity(void) {
  pthread_mutex_lock(&g_init);
  struct rg_ring *ring = rg_live();
  if (ring && g_held) tellIdentity(ring);
  pthread_mutex_unlock(&g_init);
}

static void endRing(const char *cause, uint32_t state) {
  void (*listener)(int) = atomic_load_explicit(&rg_listener.before_end, memory_order_acquire);
  if (listener && rg_live()) listener(state == RGR_END_EXIT);
  struct rg_ring *ring = atomic_exchange(&rg_current_ring, NULL);
  if (!ring) return;
  struct rgr_identity *identity = &ring->header->identity;
  if (cause) snprintf(identity->end_cause, sizeof(identity->end_cause), "%s", cause);
  ring->header->end_time = rg_clock(CLOCK_MONOTONIC);
  __atomic_store_n(&ring->header->end_state, state, __ATOMIC_RELEASE);
  close(ring->fd); /* releases the lock; the mapping stays for threads that still use it */
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

/* A directory of this user to which no other user can write. */
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
  /* lstat is a symbol of glibc 2.33 on the build machine; the trainer's glibc can be older. */
  if (syscall(SYS_newfstatat, AT_FDCWD, dir, &st, AT_SYMLINK_NOFOLLOW) != 0)
    return snprintf(why, why_bytes, "no directory %s: %s", dir, strerror(errno)), -1;
  if (!S_ISDIR(st.st_mode) || st.st_uid != getuid() || (st.st_mode & 022))
    return snprintf(why, why_bytes, "%s is not a directory of ours that only we can write to", dir), -1;
  return 0;
}

/* Removes a ring that was never read and whose owner has been dead for a day: without an agent, old rings would fill the memory file
 * system. Only before this process has a ring: closing any descriptor of its own ring would release the lock. Files with this process's
 * pid are skipped: one may be the recent ring of an earlier rg_init. */
static void removeIfOld(int dir_fd, const char *name) {
  static struct rgr_header header;
  const int fd = openat(dir_fd, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return;
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK && pread(fd, &header, sizeof(header), 0) == sizeof(header) &&
      (header.magic == RGR_MAGIC || header.magic == RGR_RECENT_MAGIC)) {
    const int64_t reported = header.progress[header.progress_version & 1].time;
    const int64_t last = header.progress_version > 0 && reported > header.anchor_mono ? reported : header.anchor_mono;
    if (rg_clock(CLOCK_MONOTONIC) - last > 24 * 3600 * INT64_C(1000000000)) unlinkat(dir_fd, name, 0);
  }
  close(fd);
}

static void removeOldRings(const char *dir) {
  DIR *listing = opendir(dir);
  if (!listing) return;
  int left = 4096;
  char ours[32];
  const size_t ours_bytes = (size_t)snprintf(ours, sizeof(ours), "%ld-", (long)getpid());
  for (struct dirent *entry; left-- > 0 && (entry = readdir(listing));) {
    const char *dot = strrchr(entry->d_name, '.');
    if (dot && (strcmp(dot, ".ring") == 0 || strcmp(dot, ".recent") == 0) && strncmp(entry->d_name, ours, ours_bytes) != 0)
      removeIfOld(dirfd(listing), entry->d_name);
  }
  closedir(listing);
}

static uint64_t ringSlots(void) {
  const char *text = getenv("RUNGLASS_RING_BYTES");
  const unsigned long long bytes = text ? strtoull(text, NULL, 10) : 0;
  uint64_t slots = RGR_MIN_SLOTS;
  const uint64_t wanted = bytes ? bytes / RGR_SLOT_BYTES : 32768;
  while (slots * 2 <= wanted && slots < RGR_MAX_RING_SLOTS) slots *= 2;
  return slots;
}

static int start(const struct rg_options *options, int held) {
  const char *off = getenv("RUNGLASS");
  if (off && (strcmp(off, "off") == 0 || strcmp(off, "0") == 0)) return -1;
  char dir[400], why[512];
  struct rg_ring *ring = NULL;
  if (chooseDirectory(options, dir, sizeof(dir), why, sizeof(why)) == 0) {
    removeOldRings(dir);
    ring = rg_ring_create(dir, ringSlots(), why, sizeof(why));
  }
  if (!ring) {
    fprintf(stderr, "runglass: off: %s\n", why);
    return -1;
  }
  ring->older = g_newest;
  g_newest = ring;
  struct rgr_header *header = ring->header;
  rg_identity_fill(&header->identity, options);
  g_held = held;
  if (!held) tellIdentity(ring);
  if (header->identity.local_rank == RG_NONE || header->identity.local_rank == 0 || header->identity.rank == 0) rg_facts_send(ring);
  atomic_store(&rg_current_step.step, RG_NONE);
  atomic_store(&rg_current_step.phase, RG_PHASE_INIT);
  atomic_store(&rg_current_step.phase_said, 0);
  atomic_store(&rg_current_step.steps_seen, 0);
  atomic_store_explicit(&rg_current_ring, ring, memory_order_release);
  static int hooked;
  if (!hooked) {
    hooked = 1;
    pthread_atfork(NULL, NULL, detachChild);
    atexit(atExit);
  }
  return 0;
}

/* Gives the ring that a tracer created the trainer's identity; 0: the trainer needs another directory, so the held ring ends. */
static int adoptHeld(struct rg_ring *ring, const struct rg_options *options) {
  const size_t folder = (size_t)(strrchr(ring->path, '/') - ring->path);
  if (options->dir && *options->dir && (strlen(options->dir) != folder || strncmp(options->dir, ring->path, folder) != 0)) {
    atomic_store(&rg_current_ring, NULL);
    unlink(ring->path);
    close(ring->fd);
    return 0;
  }
  rg_identity_fill(&ring->header->identity, options);
  tellIdentity(ring);
  return 1;
}

static int init(const struct rg_options *options, int held) {
  const int saved = errno;
  pthread_mutex_lock(&g_init);
  struct rg_ring *ring = rg_live();
  int result = 0;
  if (ring && g_held && !held && !adoptHeld(ring, options)) ring = NULL;
  if (!ring) result = start(options, held);
  pthread_mutex_unlock(&g_init);
  errno = saved;
  return result;
}

int rg_init(const struct rg_options *options) {
  struct rg_options given = RG_OPTIONS_INIT;
  if (options) memcpy(&given, options, options->size < sizeof(given) ? options->size : sizeof(given));
  return init(&given, 0);
}

int rg_init_held(void) {
  const struct rg_options given = RG_OPTIONS_INIT;
  return init(&given, 1);
}

int rg_enabled(void) { return rg_live() != NULL; }

int64_t rg_rank(void) {
  struct rg_ring *ring = rg_live();
  return ring ? ring->header->identity.rank : RG_NONE;
}

int64_t rg_local_rank(void) {
  struct rg_ring *ring = rg_live();
  return ring ? ring->header->identity.local_rank : RG_NONE;
}

void rg_shutdown(const char *cause) {
  const int saved = errno;
  endRing(cause ? cause : "finished", RGR_END_SHUTDOWN);
  errno = saved;
}

uint64_t rg_dropped(void) {
  struct rg_ring *ring = rg_live();
  return ring ? __atomic_load_n(&ring->header->dropped, __ATOMIC_RELAXED) : 0;
}

int64_t rg_now(void) { return rg_clock(CLOCK_MONOTONIC); }

/* --- identity ------------------------------------------------------------------------------------------------------ */

static struct rgr_identity *beginIdentity(struct rg_ring *ring) {
  pthread_mutex_lock(&g_init);
  tellIdentity(ring);
  __atomic_fetch_add(&ring->header->identity_version, 1, __ATOMIC_ACQ_REL);
  __atomic_thread_fence(__ATOMIC_RELEASE); /* the version is odd before the identity changes */
  return &ring->header->identity;
}

static void endIdentity(struct rg_ring *ring) {
  __atomic_fetch_add(&ring->header->identity_version, 1, __ATOMIC_ACQ_REL);
  pthread_mutex_unlock(&g_init);
}

void rg_layout(int tp, int pp, int dp, int cp, int ep, int vpp, const char *order) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  struct rgr_identity *identity = beginIdentity(ring);
  identity->tp = tp, identity->pp = pp, identity->dp = dp;
  identity->cp = cp, identity->ep = ep, identity->vpp = vpp;
  if (order) snprintf(identity->order, sizeof(identity->order), "%s", order);
  endIdentity(ring);
}

void rg_coordinates(int tp, int pp, int dp, int cp, int ep) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  struct rgr_identity *identity = beginIdentity(ring);
  identity->rank_tp = tp, identity->rank_pp = pp, identity->rank_dp = dp;
  identity->rank_cp = cp, identity->rank_ep = ep;
  endIdentity(ring);
}

void rg_fact(const char *key, const char *value) {
  struct rg_ring *ring = rg_live();
  if (ring && key && value) rg_fact_put(ring, 0, key, value);
}
