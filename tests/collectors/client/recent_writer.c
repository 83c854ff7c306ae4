/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tests/collectors/client/recent_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/client/ring.h"

/* Trainers of tests end without closing their writer: it stays reachable, so it is not a leak. */
static struct recent_writer *all_writers;

struct recent_writer {
  struct recent_writer *next;
  struct rg_ring *ring;
  uint32_t track, names[7];
};

struct recent_writer *recentOpen(const char *dir, uint64_t slots, int seconds) {
  struct recent_writer *writer = calloc(1, sizeof(*writer));
  struct rg_ring *beside = calloc(1, sizeof(*beside));
  char why[256] = "";
  if (!writer || !beside) return NULL;
  snprintf(beside->path, sizeof(beside->path), "%s/t.ring", dir);
  writer->ring = rg_ring_create_recent(beside, slots, why, sizeof(why));
  free(beside);
  if (!writer->ring) return fprintf(stderr, "%s\n", why), NULL;
  writer->next = all_writers;
  all_writers = writer;
  struct rgr_identity *identity = &writer->ring->header->identity;
  identity->rank = 3;
  identity->world = 8;
  identity->local_rank = INT64_MIN;
  identity->rank_tp = identity->rank_pp = identity->rank_dp = identity->rank_cp = identity->rank_ep = -1;
  strcpy(identity->run, "gpt");
  strcpy(identity->attempt, "a");
  writer->ring->header->recent_seconds = (uint32_t)seconds;
  writer->ring->header->identity_version = 2;
  static const char kTrack[] = "gpu_stream\x1fGPU 0 stream 1";
  writer->track = rg_ring_intern(writer->ring, kTrack, sizeof(kTrack) - 1);
  for (int i = 0; i < 7; ++i) {
    char name[16];
    const int n = snprintf(name, sizeof(name), "kernel_%d", i);
    writer->names[i] = rg_ring_intern(writer->ring, name, (size_t)n);
  }
  return writer;
}

void recentSpan(struct recent_writer *writer, int64_t number, int64_t start, int64_t dur, int shipped) {
  char args[200];
  /* Many lengths, so that the end of the ring cuts records at every position. */
  const int n =
      snprintf(args, sizeof(args), "{\"number\":%lld,\"pad\":\"%.*s\"}", (long long)number, (int)(number % 120),
               "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
  const struct rgr_gpu_span span = {.span = {.start = start,
                                             .dur = dur,
                                             .step = number,
                                             .seq = number * 3,
                                             .bytes = number * 5,
                                             .group = number * 7,
                                             .microbatch = (int32_t)(number % 1000),
                                             .name = (uint16_t)writer->names[number % 7],
                                             .track = (uint16_t)writer->track},
                                    .correlation = number * 11,
                                    .launched = INT64_MIN,
                                    .fixed_bytes = sizeof(span),
                                    .args_bytes = (uint32_t)n};
  rg_ring_overwrite(writer->ring, RGR_GPU_SPAN, shipped ? (int)RGR_SHIPPED : 0, 0, &span, sizeof(span), args, (size_t)n);
}

void recentBeat(struct recent_writer *writer, int64_t now) {
  const struct rgr_progress progress = {.time = now, .step = INT64_MIN};
  rg_ring_progress(writer->ring, &progress);
}

void recentTear(struct recent_writer *writer, uint64_t slots) { writer->ring->header->head += slots; }
