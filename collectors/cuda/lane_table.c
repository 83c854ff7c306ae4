/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants: open addressing without removal; a lane keeps its place. */
#define _GNU_SOURCE
#include "collectors/cuda/lane_table.h"

enum { kMaxStreams = 1024 };

static struct rgc_lane g_lanes[kMaxStreams + 1]; /* the last one is shared by all streams without room */
static uint16_t g_lane_order[kMaxStreams + 1];
static int g_lane_count, g_streams_of[RGC_MAX_DEVICES];

int rgc_lane_count(void) { return g_lane_count; }
struct rgc_lane *rgc_lane_at(int index) { return &g_lanes[g_lane_order[index]]; }

struct rgc_lane *rgc_lane_of(rgc_stream stream, int device) {
  const uint64_t hash = ((uint64_t)(uintptr_t)stream ^ (uint64_t)device << 56) * 0x9e3779b97f4a7c15ull >> 40;
  struct rgc_lane *lane = &g_lanes[kMaxStreams];
  for (int i = 0; i < kMaxStreams; ++i) {
    struct rgc_lane *at = &g_lanes[(hash + (uint64_t)i) % kMaxStreams];
    if (at->used && (at->stream != stream || at->device != device)) continue;
    lane = at;
    break;
  }
  if (lane->used) return lane;
  lane->used = 1;
  lane->stream = stream;
  lane->device = (int16_t)device;
  /* Stream 0 and cudaStreamLegacy are the same stream. */
  lane->number = (uintptr_t)stream <= 1 ? 0 : ++g_streams_of[device];
  g_lane_order[g_lane_count++] = (uint16_t)(lane - g_lanes);
  return lane;
}
