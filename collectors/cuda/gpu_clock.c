/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. A valid reference's event has happened and its host time is known; its event is recorded anew only after it was made invalid.
 * 2. Events are placed from the newest reference before them, at most seconds away: elapsed times are floats in ms, whose steps grow
 *    with the distance (4 us after a minute). So between two ties a chain of references follows, one a second.
 */
#define _GNU_SOURCE
#include "collectors/cuda/gpu_clock.h"

#include "collectors/client/ring.h"
#include "collectors/cuda/gpu_api.h"
#include "collectors/cuda/tracer.h"

enum { kReferences = 4, kTries = 8 };
static const int64_t kTieEvery = INT64_C(60000000000), kHopEvery = INT64_C(1000000000), kLongestWait = 2000000;

struct reference {
  rgc_event event;
  int64_t host;
  int valid;
};

struct gpu_clock {
  rgc_stream stream;
  struct reference references[kReferences];
  rgc_event spare; /* for tries of a tie */
  int newest, hopping;
  int64_t tied, told; /* told: when the newest reference was made */
};
static struct gpu_clock g_clocks[RGC_MAX_DEVICES];

static int prepare(struct gpu_clock *clock) {
  if (clock->spare) return 0;
  int error = clock->stream ? 0 : rgc_gpu.stream_create(&clock->stream, RGC_STREAM_NON_BLOCKING);
  for (int i = 0; i < kReferences && !error; ++i)
    if (!clock->references[i].event) error = rgc_gpu.event_create(&clock->references[i].event, 0);
  return error ? error : rgc_gpu.event_create(&clock->spare, 0);
}

/* Records `event` and waits for it; the narrower the two host readings, the better it is known. */
static int readPair(struct gpu_clock *clock, rgc_event event, int64_t *middle, int64_t *width) {
  const int64_t before = rg_clock(CLOCK_MONOTONIC);
  int64_t after = before;
  int status = rgc_gpu.event_record(event, clock->stream);
  while (status == 0 && (status = rgc_gpu.event_query(event)) == RGC_NOT_READY && after - before < kLongestWait) {
    after = rg_clock(CLOCK_MONOTONIC);
    status = 0;
  }
  if (status == 0) after = rg_clock(CLOCK_MONOTONIC);
  *middle = before + (after - before) / 2;
  *width = after - before;
  return status;
}

static int tie(struct gpu_clock *clock, int64_t now) {
  const int slot = (clock->newest + 1) % kReferences;
  struct reference *reference = &clock->references[slot];
  int64_t best = kLongestWait;
  reference->valid = 0;
  clock->hopping = 0;
  for (int i = 0; i < kTries; ++i) {
    int64_t middle, width;
    const int error = readPair(clock, clock->spare, &middle, &width);
    if (error == RGC_NOT_READY) continue;
    if (error) return error;
    if (width >= best) continue;
    best = width;
    const rgc_event event = reference->event;
    *reference = (struct reference){clock->spare, middle, 1};
    clock->spare = event;
  }
  if (!reference->valid) return 0; /* a stream of ours that waits for milliseconds: next time */
  clock->newest = slot;
  clock->tied = clock->told = now;
  return 0;
}

static int hop(struct gpu_clock *clock, int64_t now) {
  const int slot = (clock->newest + 1) % kReferences;
  struct reference *reference = &clock->references[slot];
  if (!clock->hopping) {
    reference->valid = 0;
    clock->hopping = 1;
    return rgc_gpu.event_record(reference->event, clock->stream);
  }
  const int status = rgc_gpu.event_query(reference->event);
  if (status == RGC_NOT_READY) return 0;
  float ms = 0;
  const struct reference *from = &clock->references[clock->newest];
  const int error = status ? status : rgc_gpu.elapsed(&ms, from->event, reference->event);
  if (error) return error;
  reference->host = from->host + (int64_t)((double)ms * 1e6);
  reference->valid = 1;
  clock->newest = slot;
  clock->hopping = 0;
  clock->told = now;
  return 0;
}

int rgc_clock_keep(int device, int64_t now) {
  struct gpu_clock *clock = &g_clocks[device];
  const int error = prepare(clock);
  if (error) return error;
  if (!rgc_clock_ready(device) || now - clock->tied >= kTieEvery) return tie(clock, now);
  return clock->hopping || now - clock->told >= kHopEvery ? hop(clock, now) : 0;
}

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
