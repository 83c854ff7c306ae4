/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's side of a ring file (ring_layout.h): create, intern, put, progress.
 *
 * Threading:  any thread, also inside a signal handler; rg_ring_create outside of one only.
 * Ownership:  a ring is never unmapped: a thread may still use it at shutdown.
 * Units:      ns of CLOCK_MONOTONIC, bytes.
 * Errors:     create: NULL with one line in `why`. put: a full ring counts a drop. intern: a full table gives id 0.
 * Cost:       put: one compare-and-swap, one 64-byte store; intern: one hash look-up.
 */
#ifndef RUNGLASS_RING_H
#define RUNGLASS_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "collectors/client/ring_layout.h"

#define RG_LOOKUP_SIZE (RGR_MAX_STRINGS * 2)

struct rg_ring {
  struct rgr_header *header;
  unsigned char *slots;
  struct rgr_string *strings;
  char *string_data;
  uint64_t slot_count; /* a power of two */
  int fd;              /* holds the "alive" lock */
  _Atomic uint64_t tail_seen;
  atomic_flag strings_busy, progress_busy;
  uint32_t string_bytes_used;
  _Atomic uint32_t lookup[RG_LOOKUP_SIZE]; /* string id, 0 = free */
  char path[512];
  struct rg_ring *older; /* rings of this process are never freed; this keeps them reachable */
};

struct rg_ring *rg_ring_create(const char *dir, uint64_t slots, char *why, size_t why_bytes);
/* A recent ring next to `of`. */
struct rg_ring *rg_ring_create_recent(const struct rg_ring *of, uint64_t slots, char *why, size_t why_bytes);
uint32_t rg_ring_intern(struct rg_ring *ring, const char *text, size_t bytes);
/* One record: fixed part, then up to two strings. Returns 0 when it was dropped. */
int rg_ring_put(struct rg_ring *ring, int type, int a, int b, const void *fixed, size_t fixed_bytes, const void *s1, size_t n1,
                const void *s2, size_t n2);
/* Fast path: a record of one slot. */
int rg_ring_put_one(struct rg_ring *ring, int type, int a, int b, const void *fixed, size_t fixed_bytes);
/* Writes to a recent ring over the oldest records. One thread only. */
void rg_ring_overwrite(struct rg_ring *ring, int type, int a, int b, const void *fixed, size_t fixed_bytes, const void *s1, size_t n1);
void rg_ring_progress(struct rg_ring *ring, const struct rgr_progress *progress);

static inline int64_t rg_clock(clockid_t id) {
  struct timespec ts;
  clock_gettime(id, &ts);
  return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

#endif
