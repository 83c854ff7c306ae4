/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants: launch_mode follows from the current requests, whatever their source. */
#define _GNU_SOURCE
#include "collectors/cuda/trace_rules.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/cuda/exact_trace.h"
#include "collectors/cuda/runglass_cuda.h"
#include "collectors/cuda/tracer_state.h"

enum { kEveryByDefault = 100 };

static _Atomic int g_forced;

int64_t rgc_environment_number(const char *name, int64_t otherwise, int64_t least, int64_t most) {
  const char *text = getenv(name);
  char *end;
  const long long value = text && *text ? strtoll(text, &end, 10) : otherwise;
  return !text || !*text || *end ? otherwise : value < least ? least : value > most ? most : value;
}

/* The environment applies until the program sets a value. */
static int64_t traceEvery(void) {
  int64_t every = atomic_load(&rgc_tracer.every);
  if (every != RG_NONE) return every;
  const int64_t first = rgc_environment_number("RUNGLASS_TRACE_EVERY", kEveryByDefault, 0, INT64_MAX);
  return atomic_compare_exchange_strong(&rgc_tracer.every, &every, first) ? first : every;
}

void rgc_choose_launch_mode(int64_t step, int step_is_new) {
  const int64_t every = traceEvery();
  int on = atomic_load(&g_forced);
  if (step != RG_NONE) {
    on |= every > 0 && step >= 0 && step % every == 0;
    on |= step >= atomic_load(&rgc_tracer.window_first) && step < atomic_load(&rgc_tracer.window_end);
    if (step_is_new && atomic_load(&rgc_tracer.more_steps) > 0) on |= atomic_fetch_sub(&rgc_tracer.more_steps, 1) > 0;
  }
  atomic_store(&rgc_tracer.ordinary, on);
  rgc_refresh_launch_mode();
}

void rgc_on_step(int64_t step) {
  int no_ring = RGC_NO_RING;
  /* The environment prevented a ring, but the trainer has created one since. */
  if (atomic_load(&rgc_tracer.state) == no_ring && atomic_compare_exchange_strong(&rgc_tracer.state, &no_ring, RGC_COLD))
    atomic_store(&rgc_tracer.launch_mode, RGC_LAUNCH_COLD);
  if (atomic_load(&rgc_tracer.state) != RGC_ON) return;
  rgc_exact_step(step);
  rgc_choose_launch_mode(step, 1);
}

void rgc_trace_window(int64_t first, int64_t steps) {
  /* Between the stores the window is empty. */
  atomic_store(&rgc_tracer.window_end, INT64_MIN);
  atomic_store(&rgc_tracer.window_first, first);
  atomic_store(&rgc_tracer.window_end, first > INT64_MAX - steps ? INT64_MAX : first + steps);
}

int64_t rg_cuda_trace_every(int64_t every) {
  traceEvery();
  return atomic_exchange(&rgc_tracer.every, every > 0 ? every : 0);
}
void rg_cuda_trace_steps(int64_t steps) { atomic_store(&rgc_tracer.more_steps, steps > 0 ? steps : 0); }
int rg_cuda_active(void) { return atomic_load(&rgc_tracer.state) == RGC_ON; }
void rg_cuda_trace_now(int on) {
  atomic_store(&g_forced, on != 0);
  if (rg_cuda_active()) rgc_choose_launch_mode(atomic_load(&rg_current_step.step), 0);
}
void rg_cuda_trace_exact(int64_t steps) {
  rgc_exact_want(steps);
  if (rg_cuda_active()) rgc_exact_wake();
}
void rg_cuda_keep_recent(int seconds) {
  atomic_store(&rgc_tracer.recent_seconds, seconds > 0 ? seconds : 0);
  rgc_refresh_launch_mode();
}

void rgc_want_from_environment(void) {
  const char *exact = getenv("RUNGLASS_CUDA_EXACT");
  if (exact && strcmp(exact, "on") == 0)
    rgc_exact_want(INT64_MAX);
  else if (exact)
    rgc_exact_want(rgc_environment_number("RUNGLASS_CUDA_EXACT", 0, 0, INT64_MAX));
  const int recent = (int)rgc_environment_number("RUNGLASS_CUDA_RECENT", 0, 0, 24 * 3600);
  if (recent > 0) atomic_store(&rgc_tracer.recent_seconds, recent);
}
