/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of this process and its current step, shared by life.c (creates and ends the ring) and record.c (fills it).
 *
 * Threading:  rg_live() from any thread; the step belongs to the thread that runs rg_step_begin/end, its sums are atomic.
 * Ownership:  a ring lives until the process ends.
 * Units:      ns.
 * Errors:     rg_live() is NULL before rg_init, after rg_shutdown and in a forked child.
 * Cost:       one atomic load.
 */
#ifndef RUNGLASS_PROCESS_STATE_H
#define RUNGLASS_PROCESS_STATE_H

#include "collectors/client/ring.h"
#include "collectors/client/runglass.h"

#define RG_PART_COUNT 6

struct rg_step_state {
  _Atomic int64_t step, start;
  int64_t cpu, run_delay;
  _Atomic int phase, phase_of_step, phase_said, steps_seen;
  _Atomic int64_t part_ns[RG_PART_COUNT], wait_ns[RG_PART_COUNT];
  _Atomic int part_seen[RG_PART_COUNT];
  int schedstat_fd;
  long schedstat_thread;
};

extern struct rg_ring *_Atomic rg_current_ring;
extern struct rg_step_state rg_current_step;

/* Callbacks of a tracer linked with this library; NULL: none. */
struct rg_listener {
  void (*_Atomic step)(int64_t step);      /* a step begins; RG_NONE: it ended */
  void (*_Atomic before_end)(int exiting); /* the ring is about to end: last chance to write */
};
extern struct rg_listener rg_listener;

/* As rg_init(NULL), but the agent does not get the identity until rg_init() or rg_tell_identity(): a tracer starts before the trainer
 * has set its identity. */
int rg_init_held(void);
void rg_tell_identity(void);

static inline struct rg_ring *rg_live(void) { return atomic_load_explicit(&rg_current_ring, memory_order_acquire); }

#endif
