/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. A valid reference's event has completed and its host time is known; its event is recorded again only after the reference was
 *    invalidated.
 * 2. Events are placed relative to the newest reference before them, at most seconds away: elapsed times are floats in ms, whose
 *    resolution gets coarser with the distance (4 us after a minute), and the two clocks drift apart by microseconds a second.
 * 3. An event completed between the last query that found it pending and the first that did not. So a reading is narrow however late it
 *    comes: where all streams share one hardware queue (CUDA_DEVICE_MAX_CONNECTIONS=1), after everything launched before.
 * 4. CUPTI's stamps are on a host clock of its own, which runs at the rate of CLOCK_MONOTONIC but for corrections: between two readings
 *    the difference is interpolated, outside of them the nearest one is used.
 * 5. When a reading is too wide, the chain of references is extended by the GPU's own clock, for at most 60 s.
 */
#define _GNU_SOURCE
#include "collectors/cuda/gpu_clock.h"

#include "collectors/client/ring.h"
#include "collectors/cuda/gpu_api.h"
#include "collectors/cuda/tracer_state.h"

enum { kReferences = 4, kTries = 4, kFirstTries = 8 };
static const int64_t kReadEvery = INT64_C(1000000000), kTieEvery = INT64_C(60000000000), kSpin = 200000, kNarrow = 200000;

struct reference {
  rgc_event event;
  int64_t host;
  int valid;
};

struct gpu_clock {
  rgc_stream stream;
  struct reference references[kReferences];
  int newest;
  int64_t tied, read; /* time of the last accepted reading; end of the last round of readings */
  /* The current round of readings. */
  rgc_event asked; /* recorded, or the next to be recorded */
  int64_t asked_at, not_yet_at, best_width;
  int waiting, tries;
};
static struct gpu_clock g_clocks[RGC_MAX_DEVICES];

static int prepare(struct gpu_clock *clock) {
  if (clock->asked) return 0;
  int error = clock->stream ? 0 : rgc_gpu.stream_create(&clock->stream, RGC_STREAM_NON_BLOCKING);
  for (int i = 0; i < kReferences && !error; ++i)
    if (!clock->references[i].event) error = rgc_gpu.event_create(&clock->references[i].event, 0);
  return error ? error : rgc_gpu.event_create(&clock->asked, 0);
}

static int ask(struct gpu_clock *clock) {
  clock->asked_at = clock->not_yet_at = rg_clock(CLOCK_MONOTONIC);
  const int error = rgc_gpu.event_record(clock->asked, clock->stream);
  clock->waiting = !error;
  return error;
}

/* Polls for a fifth of a millisecond after the request, later once a pass; RGC_NOT_READY: try again at the next pass. */
static int look(struct gpu_clock *clock, int64_t *seen_at) {
  const int64_t until = clock->asked_at + kSpin;
  for (;;) {
    const int64_t before = rg_clock(CLOCK_MONOTONIC);
    const int status = rgc_gpu.event_query(clock->asked);
    *seen_at = rg_clock(CLOCK_MONOTONIC);
    if (status != RGC_NOT_READY) return status;
    clock->not_yet_at = before;
    if (*seen_at >= until) return status;
  }
}

/* Keeps the narrowest reading of a round in the slot. */
static void keepNarrowest(struct gpu_clock *clock, struct reference *slot, int64_t seen_at) {
  const int64_t width = seen_at - clock->not_yet_at;
  if (clock->tries++ > 0 && width >= clock->best_width) return;
  const rgc_event event = slot->event;
  slot->event = clock->asked;
  slot->host = clock->not_yet_at + width / 2;
  clock->asked = event;
  clock->best_width = width;
}

static int settle(struct gpu_clock *clock, int slot, int64_t now) {
  struct reference *reference = &clock->references[slot];
  if (rgc_clock_ready((int)(clock - g_clocks)) && clock->best_width > kNarrow && now - clock->tied < kTieEvery) {
    float ms = 0;
    const struct reference *from = &clock->references[clock->newest];
    const int error = rgc_gpu.elapsed(&ms, from->event, reference->event);
    if (error) return error;
    reference->host = from->host + (int64_t)((double)ms * 1e6);
  } else {
    clock->tied = now;
  }
  reference->valid = 1;
  clock->newest = slot;
  clock->read = now;
  clock->tries = 0;
  return 0;
}

int rgc_clock_keep(int device, int64_t now) {
  struct gpu_clock *clock = &g_clocks[device];
  const int ready = rgc_clock_ready(device), idle = !clock->waiting && clock->tries == 0;
  if (ready && idle && now - clock->read < kReadEvery) return 0;
  int error = prepare(clock);
  const int slot = ready ? (clock->newest + 1) % kReferences : clock->newest;
  clock->references[slot].valid = 0;
  while (!error) {
    int64_t seen_at;
    if (!clock->waiting) error = ask(clock);
    if (!error) error = look(clock, &seen_at);
    if (error) break;
    clock->waiting = 0;
    keepNarrowest(clock, &clock->references[slot], seen_at);
    const int slow = seen_at - clock->asked_at > kSpin; /* a full queue: one good reading is enough */
    if ((slow && clock->best_width <= kNarrow) || clock->tries >= (ready ? kTries : kFirstTries)) return settle(clock, slot, now);
  }
  return error == RGC_NOT_READY ? 0 : error;
}

int rgc_clock_waits(int device, int64_t now) { return g_clocks[device].waiting && now - g_clocks[device].asked_at < kReadEvery; }

int rgc_clock_ready(int device) { return g_clocks[device].references[g_clocks[device].newest].valid; }

int rgc_clock_place(int device, rgc_event event, int64_t launched, int64_t *host) {
  const struct gpu_clock *clock = &g_clocks[device];
  const struct reference *from = &clock->references[clock->newest];
  for (int i = 0; i < kReferences && from->host > launched; ++i) {
    const struct reference *older = &clock->references[(clock->newest + kReferences - i) % kReferences];
    if (older->valid) from = older;
  }
  float ms = 0;
  const int error = rgc_gpu.elapsed(&ms, from->event, event);
  *host = from->host + (int64_t)((double)ms * 1e6);
  return error;
}

/* --- CUPTI ---------------------------------------------------------------------------------------------------------- */

enum { kCuptiReadings = 64 };
static struct {
  int64_t host, ahead; /* ahead: CUPTI's stamp - host */
} g_cupti[kCuptiReadings];
static uint64_t g_cupti_count;

void rgc_clock_read_cupti(int (*timestamp)(uint64_t *)) {
  int64_t host = 0, ahead = 0, narrowest = INT64_MAX;
  for (int i = 0; i < kTries; ++i) {
    uint64_t stamp = 0;
    const int64_t before = rg_clock(CLOCK_MONOTONIC);
    if (timestamp(&stamp) != 0 || stamp == 0) return;
    const int64_t width = rg_clock(CLOCK_MONOTONIC) - before;
    if (width >= narrowest) continue;
    narrowest = width;
    host = before + width / 2;
    ahead = (int64_t)stamp - host;
  }
  g_cupti[g_cupti_count % kCuptiReadings].host = host;
  g_cupti[g_cupti_count % kCuptiReadings].ahead = ahead;
  ++g_cupti_count;
}

int64_t rgc_clock_of_cupti(uint64_t stamp) {
  const uint64_t oldest = g_cupti_count > kCuptiReadings ? g_cupti_count - kCuptiReadings : 0;
  int64_t ahead = 0;
  for (uint64_t i = g_cupti_count; i-- > oldest;) {
    const int64_t host = g_cupti[i % kCuptiReadings].host, here = g_cupti[i % kCuptiReadings].ahead;
    const int64_t after = (int64_t)stamp - host - here;
    if (after >= 0 && i + 1 < g_cupti_count) {
      const int64_t length = g_cupti[(i + 1) % kCuptiReadings].host - host, more = g_cupti[(i + 1) % kCuptiReadings].ahead - here;
      return (int64_t)stamp - here -
             (length > 0 ? (int64_t)((double)more * (double)(after < length ? after : length) / (double)length) : 0);
    }
    ahead = here;
    if (after >= 0) break;
  }
  return (int64_t)stamp - ahead;
}
