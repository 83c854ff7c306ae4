/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. It belongs to one main ring: another main ring gets another file.
 * 2. Its identity is a copy of the main ring's, taken while that was consistent; after a crash a reader has only this copy.
 */
#define _GNU_SOURCE
#include "collectors/cuda/recent_ring.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Used by the tracer's thread alone. */
static struct rg_ring *g_recent, *g_beside;
static int g_refused_seconds;
static uint64_t g_identity_version;
static int64_t g_reported_at;

static const int64_t kTellEvery = 100000000;
static const uint64_t kBytesByDefault = 64u << 20;

struct rg_ring *rgc_recent(void) { return g_recent; }

static uint64_t slotsWanted(void) {
  const char *text = getenv("RUNGLASS_CUDA_RECENT_BYTES");
  const unsigned long long bytes = text ? strtoull(text, NULL, 10) : 0;
  const uint64_t wanted = (bytes ? bytes : kBytesByDefault) / RGR_SLOT_BYTES;
  uint64_t slots = RGR_MIN_SLOTS;
  while (slots * 2 <= wanted && slots < RGR_MAX_RING_SLOTS) slots *= 2;
  return slots;
}

static void end(int remove) {
  if (!g_recent) return;
  g_recent->header->end_time = rg_clock(CLOCK_MONOTONIC);
  __atomic_store_n(&g_recent->header->end_state, RGR_END_EXIT, __ATOMIC_RELEASE);
  if (remove) unlink(g_recent->path);
  close(g_recent->fd); /* releases the lock; the mapping stays, as for any ring */
  g_recent = g_beside = NULL;
}

void rgc_recent_end(void) { end(0); }

static void begin(struct rg_ring *ring, int seconds) {
  char why[512];
  struct rg_ring *recent = rg_ring_create_recent(ring, slotsWanted(), why, sizeof(why));
  if (!recent) {
    g_refused_seconds = seconds;
    rgc_count(RGC_RECENT_REFUSED, 1);
    return;
  }
  recent->older = g_recent;
  memcpy(&recent->header->identity, &ring->header->identity, sizeof(ring->header->identity)); /* a held one is not published later */
  g_recent = recent;
  g_beside = ring;
  g_identity_version = 0;
  g_reported_at = 0;
}

/* The trainer may be writing it: a copy is valid only when the version is even and unchanged after it. */
static void copyIdentity(void) {
  const struct rgr_header *from = g_beside->header;
  struct rgr_header *to = g_recent->header;
  const uint64_t before = __atomic_load_n(&from->identity_version, __ATOMIC_ACQUIRE);
  if (before == g_identity_version || before % 2 != 0) return;
  __atomic_fetch_or(&to->identity_version, 1, __ATOMIC_ACQ_REL);
  __atomic_thread_fence(__ATOMIC_RELEASE); /* the version is odd before the identity changes */
  memcpy(&to->identity, &from->identity, sizeof(to->identity));
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (__atomic_load_n(&from->identity_version, __ATOMIC_RELAXED) != before) return; /* still odd: try again at the next pass */
  __atomic_store_n(&to->identity_version, before, __ATOMIC_RELEASE);
  g_identity_version = before;
}

void rgc_recent_keep(int64_t now) {
  const int seconds = atomic_load_explicit(&rgc_tracer.recent_seconds, memory_order_relaxed);
  struct rg_ring *ring = rg_live();
  if (g_recent && (seconds == 0 || (ring && ring != g_beside))) end(seconds == 0);
  if (seconds != g_refused_seconds) g_refused_seconds = 0;
  if (seconds == 0 || !ring) return;
  if (!g_recent && g_refused_seconds == 0) begin(ring, seconds);
  if (!g_recent) return;
  copyIdentity();
  if (now - g_reported_at < kTellEvery) return;
  g_reported_at = now;
  g_recent->header->recent_seconds = (uint32_t)seconds;
  const struct rgr_progress progress = {
      .time = now, .step = atomic_load(&rg_current_step.step), .microbatch = RG_NONE, .group = RG_NONE, .seq = RG_NONE, .since = RG_NONE};
  rg_ring_progress(g_recent, &progress);
}
