/* SPDX-License-Identifier: Apache-2.0 */
/* Invariants:
 * 1. An op is in exactly one place: the free list, a trainer's thread, or the tracer's queues.
 * 2. The free list's head carries a tag that grows with every change, so that equal heads are the same state (no ABA problem).
 * 3. `made` only grows; all ops below it have both events.
 */
#define _GNU_SOURCE
#include "collectors/cuda/event_pool.h"

#include <sys/mman.h>

#include "collectors/cuda/gpu_api.h"

struct pool {
  _Atomic uint64_t free; /* tag << 32 | 1 + index; low half 0 = empty */
  struct rgc_op *_Atomic ops;
  _Atomic uint32_t made;
  _Atomic int wanted;
  atomic_flag filling;
};

static struct pool g_pools[RGC_MAX_DEVICES];
static uint32_t g_capacity = 4096;

void rgc_pool_capacity(uint32_t pairs) { g_capacity = pairs; }

int rgc_pool_used(int device) {
  return atomic_load_explicit(&g_pools[device].made, memory_order_acquire) > 0 || atomic_load(&g_pools[device].wanted);
}

void rgc_pool_want(int device) { atomic_store(&g_pools[device].wanted, 1); }

struct rgc_op *rgc_pool_take(int device) {
  struct pool *pool = &g_pools[device];
  uint64_t head = atomic_load_explicit(&pool->free, memory_order_acquire);
  while ((uint32_t)head) {
    struct rgc_op *op = &atomic_load_explicit(&pool->ops, memory_order_relaxed)[(uint32_t)head - 1];
    /* The op may have been taken meanwhile, with a stale link; then the tag has changed and the exchange fails. */
    const uint64_t next = ((head >> 32) + 1) << 32 | __atomic_load_n(&op->next_free, __ATOMIC_RELAXED);
    if (atomic_compare_exchange_weak_explicit(&pool->free, &head, next, memory_order_acq_rel, memory_order_acquire)) return op;
  }
  return NULL;
}

void rgc_pool_give(struct rgc_op *op) {
  struct pool *pool = &g_pools[op->device];
  uint64_t head = atomic_load_explicit(&pool->free, memory_order_relaxed), next;
  do {
    __atomic_store_n(&op->next_free, (uint32_t)head, __ATOMIC_RELAXED);
    next = ((head >> 32) + 1) << 32 | (op->index + 1);
  } while (!atomic_compare_exchange_weak_explicit(&pool->free, &head, next, memory_order_acq_rel, memory_order_relaxed));
}

static int fill(struct pool *pool, int device, uint32_t pairs) {
  struct rgc_op *ops = atomic_load(&pool->ops);
  if (!ops) {
    /* Address space for all ops; pages are touched only as they are used. */
    void *map = mmap(NULL, g_capacity * sizeof(*ops), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) return 0;
    ops = map;
    atomic_store(&pool->ops, ops);
  }
  uint32_t made = atomic_load(&pool->made);
  for (; pairs > 0 && made < g_capacity; --pairs) {
    struct rgc_op *op = &ops[made];
    int error = op->start ? 0 : rgc_gpu.event_create(&op->start, 0);
    if (!error) error = rgc_gpu.event_create(&op->end, 0);
    if (error) return error;
    op->index = made;
    op->device = (int16_t)device;
    atomic_store_explicit(&pool->made, ++made, memory_order_release);
    rgc_pool_give(op);
  }
  return 0;
}

int rgc_pool_fill(int device, uint32_t pairs) {
  struct pool *pool = &g_pools[device];
  if (atomic_load_explicit(&pool->made, memory_order_relaxed) >= g_capacity) return 0;
  if (atomic_flag_test_and_set_explicit(&pool->filling, memory_order_acquire)) return 0;
  const int error = fill(pool, device, pairs);
  atomic_flag_clear_explicit(&pool->filling, memory_order_release);
  return error;
}
