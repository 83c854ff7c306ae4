/* SPDX-License-Identifier: Apache-2.0 */
/* librunglass: reports the activity of a training process to Runglass. C ABI, libc only.
 *
 * Threading:  every function from any thread, at any time; before rg_init and after rg_shutdown they do nothing.
 * Ownership:  arguments are copied before a call returns; no memory is handed out.
 * Units:      ns; times are CLOCK_MONOTONIC; steps count from the trainer's own first step; bytes.
 * Errors:     none reach the trainer: no call blocks, exits, throws or sets errno. Without an agent the ring fills up and further
 *             records are counted as dropped. If rg_init fails, it prints the reason to stderr once.
 * Cost:       <= 150 ns per span or scalar. A forked child is detached; it may call rg_init itself.
 */
#ifndef RUNGLASS_H
#define RUNGLASS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RG_API
#define RG_API __attribute__((visibility("default")))
#endif

/* "Not given" for integers, as distinct from zero. */
#define RG_NONE INT64_MIN

enum rg_category {
  RG_COMPUTE = 0,
  RG_COMM,
  RG_MEMCPY,
  RG_MEMSET,
  RG_RUNTIME,
  RG_CPU_OP,
  RG_ANNOTATION,
  RG_SYNC,
  RG_DATALOAD,
  RG_CHECKPOINT,
  RG_GC,
  RG_IDLE,
  RG_OTHER
};
enum rg_phases { RG_PHASE_INIT = 0, RG_PHASE_WARMUP, RG_PHASE_STEADY, RG_PHASE_EVAL, RG_PHASE_CHECKPOINT };
enum rg_severity { RG_DEBUG = 0, RG_INFO, RG_WARNING, RG_ERROR, RG_CRITICAL };
/* Coarse parts of a step. A span with a part adds its own time (without nested parts) to that part of the current step; communication
 * and data also add the thread's time off the CPU as wait. */
enum rg_parts { RG_PART_NONE = 0, RG_PART_FORWARD, RG_PART_BACKWARD, RG_PART_COMMUNICATION, RG_PART_DATA, RG_PART_OPTIMIZER };

struct rg_options {
  size_t size;         /* sizeof(struct rg_options) */
  const char *run;     /* NULL: RUNGLASS_RUN, else the scheduler's job, else script and start time */
  const char *attempt; /* NULL: RUNGLASS_ATTEMPT, else job id and restart counts; must be equal on all ranks */
  const char *dir;     /* NULL: RUNGLASS_DIR, else $XDG_RUNTIME_DIR/runglass, else /dev/shm/runglass-<uid> */
  const char *framework;
  int64_t rank, world, local_rank; /* RG_NONE: from the environment */
};
/* Everything from the environment. */
#define RG_OPTIONS_INIT \
  { sizeof(struct rg_options), NULL, NULL, NULL, NULL, RG_NONE, RG_NONE, RG_NONE }

/* 0 = on (or already on), -1 = off. RUNGLASS=off in the environment keeps it off silently. */
RG_API int rg_init(const struct rg_options *options);
RG_API int rg_enabled(void);
RG_API int64_t rg_rank(void);       /* RG_NONE = unknown, or off */
RG_API int64_t rg_local_rank(void); /* RG_NONE = unknown, or off */
/* Orderly end; cause NULL = "finished". Without it a normal exit is reported as "exited", any other end as gone. */
RG_API void rg_shutdown(const char *cause);

/* Sizes of the parallel dimensions, 0 = unknown; order: fastest-varying first, NULL = "tp-cp-ep-dp-pp". */
RG_API void rg_layout(int tp, int pp, int dp, int cp, int ep, int vpp, const char *order);
/* This rank's coordinates where they do not follow from the order; -1 = unknown. */
RG_API void rg_coordinates(int tp, int pp, int dp, int cp, int ep);
RG_API void rg_fact(const char *key, const char *value); /* secret-looking keys are dropped */

RG_API void rg_step_begin(int64_t step);
RG_API void rg_step_end(void);
/* Without any call the first step counts as init, the next nine as warmup, the rest as steady. */
RG_API void rg_phase(int phase);
RG_API void rg_part(const char *part, int64_t dur_ns, int64_t wait_ns); /* of the current step; wait may be RG_NONE */

/* A value of the whole run (loss: report it from one rank), or of this rank. step RG_NONE = the current one. */
RG_API void rg_scalar(const char *name, int64_t step, double value);
RG_API void rg_rank_scalar(const char *name, int64_t step, double value);
/* Samples [first, last) of `source` that this rank consumed in the current step. */
RG_API void rg_data_range(const char *source, int64_t first, int64_t last);

/* Nested per thread. The agent sees an open span at once: for a hung rank it is the operation that hangs. */
RG_API void rg_span_begin(const char *name, int category, int part, int64_t microbatch, int64_t group, int64_t seq, int64_t bytes);
RG_API void rg_span_end(void);
/* A finished span with explicit times, on a track of the caller's ("gpu_stream", "stream 7"). */
RG_API void rg_span(uint32_t track, const char *name, int category, int64_t start_ns, int64_t dur_ns, int64_t microbatch, int64_t group,
                    int64_t seq, int64_t bytes);
RG_API uint32_t rg_track(const char *kind, const char *name);
RG_API int64_t rg_now(void); /* CLOCK_MONOTONIC */

/* Group of a transfer from one global rank to another. Both ends use it and count the transfers of their pair in `seq`, so that a send
 * and its receive can be matched. RG_NONE where an argument is not a rank. */
static inline int64_t rg_pair(int64_t from, int64_t to) {
  return from < 0 || to < 0 || from > INT32_MAX || to > INT32_MAX ? RG_NONE : (int64_t)1 << 62 | from << 31 | to;
}

/* The same with a name registered once, for callers to whom a string is expensive (Python). */
RG_API uint32_t rg_name(const char *name);
RG_API void rg_span_begin_id(uint32_t name, int category, int part, int64_t microbatch, int64_t group, int64_t seq, int64_t bytes);
RG_API void rg_scalar_id(uint32_t name, int per_rank, int64_t step, double value);

RG_API void rg_checkpoint_begin(int64_t step, const char *path);
RG_API void rg_checkpoint_durable(int64_t step, const char *path, int64_t bytes); /* bytes may be RG_NONE */
RG_API void rg_log(int severity, const char *stream, const char *text);

/* Records dropped so far because the ring was full. */
RG_API uint64_t rg_dropped(void);

#ifdef __cplusplus
}
#endif

#endif
