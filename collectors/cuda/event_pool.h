/* SPDX-License-Identifier: Apache-2.0 */
/* Pool of ready CUDA event pairs, one per device.
 *
 * Threading:  take and give from any thread; fill from one thread per device at a time (concurrent calls return at once).
 * Ownership:  ops belong to the pool; take lends them.
 * Errors:     take: NULL when all are in use. fill: the error of the event call that failed.
 * Cost:       take, give: one compare-and-swap. An unused device costs nothing.
 */
#ifndef RUNGLASS_CUDA_EVENT_POOL_H
#define RUNGLASS_CUDA_EVENT_POOL_H

#include "collectors/cuda/tracer_state.h"

/* Pairs per device; set before the first use. */
void rgc_pool_capacity(uint32_t pairs);
struct rgc_op *rgc_pool_take(int device);
void rgc_pool_give(struct rgc_op *op);
int rgc_pool_used(int device);  /* the poller must fill it */
void rgc_pool_want(int device); /* marks it for filling where no thread can do so at once */
/* Creates up to `pairs` more; the device must be current. */
int rgc_pool_fill(int device, uint32_t pairs);

#endif
