/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants: state of a ring (name ids, reported counts) is dropped when the ring changes. */
#define _GNU_SOURCE
#include "collectors/cuda/span_record.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/cuda/recent_ring.h"
#include "collectors/cuda/resolve.h"

enum { kKnownNames = 4096 };

/* State of a ring. */
struct memory {
  struct rg_ring *ring;
  struct {
    const char *name;
    uint32_t id;
  } names[kKnownNames];
};
static struct memory g_memories[RGC_WHERES];
static uint64_t g_reported[RGC_COUNTED];

static struct memory *memoryOf(enum rgc_where where, struct rg_ring *ring) {
  struct memory *memory = &g_memories[where];
  if (memory->ring == ring) return memory;
  memset(memory->names, 0, sizeof(memory->names));
  if (where == RGC_MAIN) memset(g_reported, 0, sizeof(g_reported));
  memory->ring = ring;
  return memory;
}

/* PyTorch's kernel names are readable only when demangled; the demangler is in the trainer's C++ library. */
static uint32_t internReadable(struct rg_ring *ring, const char *name) {
  if (strncmp(name, "_Z", 2) != 0) return rg_ring_intern(ring, name, strlen(name));
  typedef char *demangle_function(const char *, char *, size_t *, int *);
  demangle_function *demangle = (demangle_function *)rgc_find_demangler();
  int status = -1;
  char *readable = demangle ? demangle(name, NULL, NULL, &status) : NULL;
  const char *best = readable && status == 0 ? readable : name;
  const uint32_t id = rg_ring_intern(ring, best, strlen(best));
  free(readable);
  return id;
}

static uint32_t nameId(struct memory *memory, const char *name) {
  const uint64_t hash = (uint64_t)(uintptr_t)name * 0x9e3779b97f4a7c15ull >> 40;
  for (int i = 0; i < 16; ++i) {
    const uint64_t at = (hash + (uint64_t)i) % kKnownNames;
    if (memory->names[at].name == name) return memory->names[at].id;
    if (memory->names[at].name) continue;
    memory->names[at].id = internReadable(memory->ring, name);
    memory->names[at].name = name;
    return memory->names[at].id;
  }
  return internReadable(memory->ring, name);
}

static const char *cudaTypeName(int type) {
  switch (type) {
    case 0:
      return "float32";
    case 1:
      return "float64";
    case 2:
      return "float16";
    case 3:
      return "int8";
    case 4:
      return "complex64";
    case 5:
      return "complex128";
    case 8:
      return "uint8";
    case 10:
      return "int32";
    case 14:
      return "bfloat16";
    case 28:
      return "float8_e4m3";
    case 29:
      return "float8_e5m2";
    case 33:
      return "float4_e2m1";
    default:
      return "other";
  }
}

static const char *ncclTypeName(int type) {
  static const char *const kNames[] = {"int8",    "uint8",   "int32",   "uint32",   "int64",       "uint64",
                                       "float16", "float32", "float64", "bfloat16", "float8_e4m3", "float8_e5m2"};
  return type >= 0 && type < (int)(sizeof(kNames) / sizeof(kNames[0])) ? kNames[type] : "other";
}

static const char *redopName(int redop) {
  static const char *const kNames[] = {"sum", "prod", "max", "min", "avg"};
  return redop < (int)(sizeof(kNames) / sizeof(kNames[0])) ? kNames[redop] : "custom";
}

struct text {
  char bytes[512];
  size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(text->bytes + text->used, sizeof(text->bytes) - text->used, format, arguments);
  va_end(arguments);
  if (n > 0) text->used += (size_t)n < sizeof(text->bytes) - text->used ? (size_t)n : sizeof(text->bytes) - text->used - 1;
}

static void describeGemm(struct text *text, const struct rgc_gemm *gemm) {
  const double flops = 2.0 * (double)gemm->m * (double)gemm->n * (double)gemm->k * (double)gemm->batch;
  add(text, "\"m\":%lld,\"n\":%lld,\"k\":%lld,\"batch\":%lld,", (long long)gemm->m, (long long)gemm->n, (long long)gemm->k,
      (long long)gemm->batch);
  add(text, "\"trans\":\"%c%c\",\"dtype\":\"%s\",", gemm->trans_a, gemm->trans_b, cudaTypeName(gemm->type_a));
  if (gemm->type_c != gemm->type_a) add(text, "\"dtype_out\":\"%s\",", cudaTypeName(gemm->type_c));
  /* A complex multiply-add is four real ones. */
  add(text, "\"flops\":%.0f", gemm->type_a == 4 || gemm->type_a == 5 ? flops * 4 : flops);
}

static void describeComm(struct text *text, const struct rgc_comm *comm, int64_t seq) {
  add(text, "\"dtype\":\"%s\",\"count\":%lld", ncclTypeName(comm->type), (long long)comm->count);
  if (comm->ranks >= 0) add(text, ",\"ranks\":%d,\"rank\":%d", comm->ranks, comm->rank);
  if (comm->redop >= 0) add(text, ",\"redop\":\"%s\"", redopName(comm->redop));
  if (comm->peer >= 0) add(text, ",\"peer\":%d", comm->peer);
  if (comm->root >= 0) add(text, ",\"root\":%d", comm->root);
  if (comm->ops > 1) add(text, ",\"ops\":%d", comm->ops);
  if (comm->ops > 1 && comm->last_seq != RG_NONE && comm->last_seq != seq) add(text, ",\"last_seq\":%lld", (long long)comm->last_seq);
}

static void describeKernel(struct text *text, struct rgc_dim3 grid, struct rgc_dim3 block, int64_t shared_bytes) {
  add(text, "\"grid\":[%u,%u,%u],\"block\":[%u,%u,%u],\"shared_bytes\":%lld", grid.x, grid.y, grid.z, block.x, block.y, block.z,
      (long long)shared_bytes);
}

static void describe(struct text *text, const struct rgc_op *op) {
  add(text, "{");
  if (op->kind == RGC_OP_KERNEL)
    describeKernel(text, op->about.kernel.grid, op->about.kernel.block, op->about.kernel.shared_bytes);
  else if (op->kind == RGC_OP_GEMM)
    describeGemm(text, &op->about.gemm);
  else if (op->kind == RGC_OP_COMM)
    describeComm(text, &op->about.comm, op->seq);
  add(text, "}");
}

static void describeExact(struct text *text, const struct rgc_exact_span *span) {
  add(text, "{\"exact\":true");
  if (span->grid.x > 0) add(text, ","), describeKernel(text, span->grid, span->block, span->shared_bytes);
  if (span->parent != RG_NONE) add(text, ",\"parent\":%lld", (long long)span->parent);
  if (span->of_graph) add(text, ",\"graph\":true");
  if (span->queued != RG_NONE) add(text, ",\"queue_delay_ns\":%lld", (long long)(span->start - span->queued));
  add(text, "}");
}

static int categoryOf(const struct rgc_op *op) {
  switch ((enum rgc_kind)op->kind) {
    case RGC_OP_COMM:
      return RG_COMM;
    case RGC_OP_COPY:
      return RG_MEMCPY;
    case RGC_OP_SET:
      return RG_MEMSET;
    default:
      return RG_COMPUTE;
  }
}

/* 1: written to the ring. `flags` are combined with the category. */
static int put(enum rgc_where where, struct rg_ring *ring, struct rgc_lane *lane, const char *name, struct rgr_gpu_span record,
               int category, int depth, int flags, const struct text *args) {
  struct memory *memory = memoryOf(where, ring);
  if (lane->in[where].ring != ring) {
    char track[64];
    snprintf(track, sizeof(track), "gpu_stream\x1fGPU %d stream %d", lane->device, lane->number);
    lane->in[where].ring = ring;
    lane->in[where].track = rg_ring_intern(ring, track, strlen(track));
  }
  record.span.name = (uint16_t)nameId(memory, name);
  record.span.track = (uint16_t)lane->in[where].track;
  record.fixed_bytes = sizeof(record);
  record.args_bytes = (uint32_t)args->used;
  if (where == RGC_MAIN) return rg_ring_put(ring, RGR_GPU_SPAN, category, depth, &record, sizeof(record), args->bytes, args->used, NULL, 0);
  rg_ring_overwrite(ring, RGR_GPU_SPAN, category | flags, depth, &record, sizeof(record), args->bytes, args->used);
  return 1;
}

/* `args_of_recent`: 0 for a single kernel, so that the recent ring holds more of them. */
static void putAll(struct rgc_lane *lane, const char *name, const struct rgr_gpu_span *record, int category, int depth, int to_main,
                   const struct text *args, int args_of_recent) {
  static const struct text kNone = {.used = 0};
  struct rg_ring *ring = rg_live(), *recent = rgc_recent();
  const int shipped = to_main && ring && put(RGC_MAIN, ring, lane, name, *record, category, depth, 0, args);
  if (recent) put(RGC_RECENT, recent, lane, name, *record, category, depth, shipped ? (int)RGR_SHIPPED : 0, args_of_recent ? args : &kNone);
}

void rgc_tell_span(struct rgc_lane *lane, const struct rgc_op *op, int64_t start, int64_t dur) {
  struct text args = {.used = 0};
  describe(&args, op);
  const struct rgr_gpu_span record = {
      .span = {.start = start,
               .dur = dur > 0 ? dur : 0,
               .step = op->step,
               .seq = op->seq,
               .bytes = op->bytes,
               .group = op->group,
               .microbatch = INT32_MIN},
      .correlation = op->correlation,
      .launched = op->launched,
  };
  putAll(lane, op->name, &record, categoryOf(op), 0, op->to_main, &args, op->kind == RGC_OP_GEMM || op->kind == RGC_OP_COMM);
}

void rgc_tell_exact(struct rgc_lane *lane, const struct rgc_exact_span *span) {
  struct text args = {.used = 0};
  describeExact(&args, span);
  const struct rgr_gpu_span record = {
      .span = {.start = span->start,
               .dur = span->dur,
               .step = span->step,
               .seq = RG_NONE,
               .bytes = span->bytes,
               .group = RG_NONE,
               .microbatch = INT32_MIN},
      .correlation = span->correlation,
      .launched = span->launched,
  };
  putAll(lane, span->name, &record, span->category, span->parent != RG_NONE, 1, &args, span->parent != RG_NONE);
}

void rgc_tell_counts(int64_t now) {
  static const char *const kNames[RGC_COUNTED] = {"gpu_pool_empty",
                                                  "gpu_in_capture",
                                                  "gpu_trace_stopped",
                                                  "gpu_op_failed",
                                                  "gpu_unfinished",
                                                  "gpu_exact_no_library",
                                                  "gpu_exact_unknown_version",
                                                  "gpu_exact_in_use",
                                                  "gpu_exact_refused",
                                                  "gpu_exact_bad_record",
                                                  "gpu_exact_lost",
                                                  "gpu_recent_refused"};
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  memoryOf(RGC_MAIN, ring);
  for (int i = 0; i < RGC_COUNTED; ++i) {
    const uint64_t total = atomic_load_explicit(&rgc_tracer.counted[i], memory_order_relaxed);
    if (total == g_reported[i]) continue;
    const struct rgr_count record = {now, total, rg_ring_intern(ring, kNames[i], strlen(kNames[i]))};
    if (rg_ring_put_one(ring, RGR_COUNT, 0, 0, &record, sizeof(record))) g_reported[i] = total;
  }
}
