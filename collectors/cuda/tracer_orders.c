/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. Commands are copied out of the shared page before they are read, and accepted only as a whole: the copy's check confirms it.
 * 2. They describe a state, not an action: the same commands twice change nothing, so that an agent can write them again.
 */
#define _GNU_SOURCE
#include "collectors/cuda/tracer_orders.h"

#include <string.h>

#include "collectors/cuda/kernel_filter.h"
#include "collectors/cuda/runglass_cuda.h"
#include "collectors/cuda/trace_rules.h"
#include "collectors/cuda/tracer_state.h"

enum { kMaxSteps = 1000000, kMaxSeconds = 3600 };

static struct rg_ring *g_ring;
static struct rgr_orders g_taken; /* from g_ring; serial 0: none yet */
static uint32_t g_reported;
static int g_exact_due;

/* 0 while nothing is timed, so that a request is answered accordingly. */
static uint32_t abilities(void) {
  if (!rg_cuda_active()) return 0;
  return RGR_CAN_TRACE | RGR_CAN_EXACT | RGR_CAN_KEEP_RECENT;
}

static int64_t within(int64_t value, int64_t most) { return value < 0 ? 0 : value > most ? most : value; }

static void carryOut(const struct rgr_orders *orders) {
  const int first = g_taken.serial == 0;
  if (orders->trace_every != RGR_UNSAID && (first || orders->trace_every != g_taken.trace_every)) rg_cuda_trace_every(orders->trace_every);
  if (orders->first_step != RGR_UNSAID) rgc_trace_window(orders->first_step, within(orders->steps, kMaxSteps));
  if (orders->filter_bytes <= RGR_FILTER_BYTES &&
      (orders->filter_bytes != g_taken.filter_bytes || memcmp(orders->filter, g_taken.filter, orders->filter_bytes) != 0))
    rgc_filter_set(orders->filter, orders->filter_bytes);
  if (orders->exact_first != RGR_UNSAID &&
      (first || orders->exact_first != g_taken.exact_first || orders->exact_steps != g_taken.exact_steps))
    g_exact_due = 1;
  if (orders->recent_seconds != RGR_UNSAID && (first || orders->recent_seconds != g_taken.recent_seconds))
    rg_cuda_keep_recent((int)within(orders->recent_seconds, kMaxSeconds));
  g_taken = *orders;
}

/* A request for exact mode takes effect at the next step, so it is made in the step before the first. */
static void beginExactInTime(void) {
  const int64_t step = atomic_load(&rg_current_step.step);
  if (!g_exact_due || (g_taken.exact_steps > 0 && (step == RG_NONE || step < g_taken.exact_first - 1))) return;
  g_exact_due = 0;
  rg_cuda_trace_exact(within(g_taken.exact_steps, kMaxSteps));
}

void rgc_orders_look(void) {
  struct rg_ring *ring = rg_live();
  if (!ring) return;
  struct rgr_tracer *reported = (struct rgr_tracer *)((unsigned char *)ring->header + RGR_TRACER_AT);
  const struct rgr_orders *asked = (const struct rgr_orders *)((const unsigned char *)ring->header + RGR_ORDERS_AT);
  if (ring != g_ring) {
    g_ring = ring;
    g_taken.serial = 0;
    g_reported = 0;
  }
  const uint32_t able = abilities();
  if (able != g_reported) __atomic_store_n(&reported->abilities, g_reported = able, __ATOMIC_RELEASE);
  const uint64_t serial = __atomic_load_n(&asked->serial, __ATOMIC_ACQUIRE);
  if (serial != g_taken.serial) {
    struct rgr_orders orders;
    memcpy(&orders, asked, sizeof(orders));
    /* Being written, or not valid commands: read again next time. */
    if (orders.serial != serial || orders.check != rgr_orders_check(&orders)) return;
    carryOut(&orders);
    __atomic_store_n(&reported->taken, serial, __ATOMIC_RELEASE);
  }
  beginExactInTime();
}
