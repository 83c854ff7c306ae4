/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. A buffer is walked twice: first for calls and parents, then, once the buffers of the same time are there, for the operations: a
 *    kernel's record precedes that of the call that launched it.
 * 2. No byte is read outside a buffer, and none of a record whose size is not this version's.
 * 3. Operations launched while no moment is on belong to the event tracer, which has recorded them.
 */
#define _GNU_SOURCE
#include "collectors/cuda/exact_records.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/cuda/cupti_library.h"
#include "collectors/cuda/exact_trace.h"
#include "collectors/cuda/gpu_clock.h"
#include "collectors/cuda/lane_table.h"
#include "collectors/cuda/span_record.h"

enum { kCalls = 1 << 16, kMaxHeld = 64, kNames = 8192 };
static const int64_t kHold = 150000000, kReadClockEvery = 250000000;

/* Indexed by the low bits of the correlation; a later call replaces an earlier one, since recent ones are looked up. */
static struct {
  uint64_t start, parent;
  uint32_t correlation, parent_correlation;
} g_calls[kCalls];

static struct held {
  uint8_t *bytes;
  size_t valid;
  int64_t since;
} g_held[kMaxHeld];
static int g_held_count;

static struct rgc_moment g_moments[RGC_EXACT_MOMENTS];
static int g_moment_count;
static int64_t g_clock_read_at;

/* --- names --------------------------------------------------------------------------------------------------------- */

/* A permanent copy: CUPTI's text can be freed with its module. */
static const char *keep(const char *name) {
  static const char *known[kNames];
  static int count;
  uint64_t hash = 0xcbf29ce484222325ull;
  for (const char *at = name; *at; ++at) hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
  for (uint64_t i = hash ^ hash >> 29;; ++i) {
    const char **at = &known[i % kNames];
    if (*at && strcmp(*at, name) == 0) return *at;
    if (*at) continue;
    if (count >= kNames / 2 || !(*at = strdup(name))) return "(too many kernels)";
    ++count;
    return *at;
  }
}

static const char *copyName(int kind) {
  static const char *const kCopies[] = {"Memcpy",      "Memcpy HtoD", "Memcpy DtoH", "Memcpy HtoA", "Memcpy AtoH", "Memcpy AtoA",
                                        "Memcpy AtoD", "Memcpy DtoA", "Memcpy DtoD", "Memcpy HtoH", "Memcpy PtoP"};
  return kind >= 0 && kind < (int)(sizeof(kCopies) / sizeof(kCopies[0])) ? kCopies[kind] : kCopies[0];
}

/* --- walks --------------------------------------------------------------------------------------------------------- */

/* Calls `take` for every complete record; 0: a record is invalid. */
static int walk(const struct held *buffer, void (*take)(uint32_t kind, uint8_t *record)) {
  uint8_t *record = NULL;
  const uint8_t *end = buffer->bytes + buffer->valid;
  uint8_t *before = NULL;
  for (;; before = record) {
    const int status = rgc_cupti.next_record(buffer->bytes, buffer->valid, &record);
    uint32_t kind = 0;
    if (before) memcpy(&kind, before, sizeof(kind));
    const size_t size = before ? rgc_cupti_record_bytes(kind) : 0;
    const uint8_t *next = status == 0 ? record : end;
    if (status == 0 && (next < buffer->bytes || next + sizeof(kind) > end || next <= before)) return 0;
    if (before && size && (status == 0 ? (size_t)(next - before) != size : (size_t)(next - before) < size)) return 0;
    if (before && size) take(kind, before);
    if (status != 0) return 1; /* no more records, or an incomplete record of a forced flush, which is the last */
  }
}

static void takeCall(uint32_t kind, uint8_t *bytes) {
  if (kind == RGC_CUPTI_RUNTIME || kind == RGC_CUPTI_DRIVER) {
    struct rgc_cupti_call call;
    memcpy(&call, bytes, sizeof(call));
    __typeof__(&g_calls[0]) known = &g_calls[call.correlation % kCalls];
    /* A runtime call and the driver call inside it can share a correlation; the outer one began first. */
    if (known->correlation != call.correlation || call.start < known->start) known->start = call.start;
    known->correlation = call.correlation;
  } else if (kind == RGC_CUPTI_EXTERNAL) {
    struct rgc_cupti_external external;
    memcpy(&external, bytes, sizeof(external));
    if (external.external_kind != RGC_CUPTI_CUSTOM) return;
    g_calls[external.correlation % kCalls].parent = external.external;
    g_calls[external.correlation % kCalls].parent_correlation = external.correlation;
  } else if (kind == RGC_CUPTI_KERNEL) {
    struct rgc_cupti_kernel kernel;
    memcpy(&kernel, bytes, sizeof(kernel));
    kernel.name = kernel.name && kernel.name[0] ? keep(kernel.name) : "(unnamed kernel)";
    memcpy(bytes + offsetof(struct rgc_cupti_kernel, name), &kernel.name, sizeof(kernel.name));
  }
}

/* --- spans --------------------------------------------------------------------------------------------------------- */

struct found {
  struct rgc_exact_span span;
  uint64_t start, end, queued;
  uint32_t device, stream, correlation;
};

static const struct rgc_moment *momentOf(int64_t time) {
  int low = 0, high = g_moment_count;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (g_moments[middle].time <= time)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &g_moments[low - 1] : NULL;
}

static void tell(struct found *found) {
  struct rgc_exact_span *span = &found->span;
  const __typeof__(&g_calls[0]) call = &g_calls[found->correlation % kCalls];
  const int known = call->correlation == found->correlation && call->start != 0;
  const int timed = found->start != 0 && found->end >= found->start;
  if (found->device >= RGC_MAX_DEVICES || (!known && !timed)) {
    rgc_count(RGC_EXACT_LOST, 1);
    return;
  }
  span->launched = known ? rgc_clock_of_cupti(call->start) : RG_NONE;
  const struct rgc_moment *moment = momentOf(known ? span->launched : rgc_clock_of_cupti(found->start));
  if (!moment || !moment->on) return;
  if (!timed) {
    rgc_count(RGC_EXACT_LOST, 1);
    return;
  }
  span->start = rgc_clock_of_cupti(found->start);
  span->dur = (int64_t)(found->end - found->start);
  span->step = known ? moment->step : RG_NONE;
  span->queued = found->queued ? rgc_clock_of_cupti(found->queued) : RG_NONE;
  span->parent = call->parent_correlation == found->correlation && call->parent != 0 ? (int64_t)call->parent : RG_NONE;
  span->correlation = (INT64_C(1) << 32) | found->correlation;
  rgc_tell_exact(rgc_lane_of(rgc_exact_stream((int)found->device, found->stream), (int)found->device), span);
}

static void takeKernel(const uint8_t *bytes) {
  struct rgc_cupti_kernel kernel;
  memcpy(&kernel, bytes, sizeof(kernel));
  const char *name = kernel.name; /* already a permanent copy */
  struct found found = {
      .span = {.name = name,
               /* ncclKernel_..., ncclDevKernel_... */
               .category = strncmp(name, "nccl", 4) == 0 ? RG_COMM : RG_COMPUTE,
               .bytes = RG_NONE,
               .grid = {(unsigned)kernel.grid[0], (unsigned)kernel.grid[1], (unsigned)kernel.grid[2]},
               .block = {(unsigned)kernel.block[0], (unsigned)kernel.block[1], (unsigned)kernel.block[2]},
               .shared_bytes = (int64_t)kernel.static_shared_bytes + kernel.dynamic_shared_bytes,
               .of_graph = kernel.graph_node != 0},
      .start = kernel.start,
      .end = kernel.end,
      .queued = kernel.queued,
      .device = kernel.device,
      .stream = kernel.stream,
      .correlation = kernel.correlation,
  };
  tell(&found);
}

static void takeWork(uint32_t kind, uint8_t *bytes) {
  if (kind == RGC_CUPTI_KERNEL) takeKernel(bytes);
  if (kind != RGC_CUPTI_MEMCPY && kind != RGC_CUPTI_MEMSET && kind != RGC_CUPTI_MEMCPY_PEER) return;
  struct rgc_cupti_copy copy;
  memcpy(&copy, bytes, sizeof(copy));
  struct rgc_cupti_peer_copy peer;
  if (kind == RGC_CUPTI_MEMCPY_PEER) memcpy(&peer, bytes, sizeof(peer)), copy.correlation = peer.correlation;
  const int sets = kind == RGC_CUPTI_MEMSET;
  struct found found = {
      .span = {.name = sets ? "Memset" : copyName(copy.copy_kind), .category = sets ? RG_MEMSET : RG_MEMCPY, .bytes = (int64_t)copy.bytes},
      .start = copy.start,
      .end = copy.end,
      .device = copy.device,
      .stream = copy.stream,
      .correlation = copy.correlation};
  tell(&found);
}

void rgc_tell_exact_records(int64_t now, int last) {
  if (rgc_exact_ready() && now - g_clock_read_at >= kReadClockEvery) {
    g_clock_read_at = now;
    rgc_clock_read_cupti(rgc_cupti.timestamp);
  }
  size_t valid;
  for (uint8_t *bytes; g_held_count < kMaxHeld && (bytes = rgc_exact_take_buffer(&valid));) {
    const struct held held = {bytes, valid, now};
    if (walk(&held, takeCall)) {
      g_held[g_held_count++] = held;
    } else {
      rgc_exact_give_up();
      rgc_exact_give_buffer(bytes);
    }
  }
  if (g_held_count == 0) return;
  g_moment_count = rgc_exact_moments(g_moments);
  int done = 0;
  for (; done < g_held_count && (last || now - g_held[done].since >= kHold); ++done) {
    walk(&g_held[done], takeWork);
    rgc_exact_give_buffer(g_held[done].bytes);
  }
  g_held_count -= done;
  memmove(g_held, g_held + done, (size_t)g_held_count * sizeof(g_held[0]));
}
