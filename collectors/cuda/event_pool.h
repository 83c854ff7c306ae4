/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs of CUDA events, ready to use, one pool per device.
 *
 * Threading:  take and give from any thread; fill from one thread per device at a time (others are turned away).
 * Ownership:  ops belong to the pool for ever; taking one lends it.
 * Units:      none.
 * Errors:     take: NULL when all are under way. fill: the number of the event call that failed.
 * Cost:       take, give: one compare-and-swap. A device that is never used costs nothing.
 */
#ifndef RUNGLASS_CUDA_EVENT_POOL_H
#define RUNGLASS_CUDA_EVENT_POOL_H

#include "collectors/cuda/tracer_state.h"

/* Pairs per device; set before the first use. */
void rgc_pool_capacity(uint32_t pairs);
struct rgc_op *rgc_pool_take(int device);
void rgc_pool_give(struct rgc_op *op);
int rgc_pool_used(int device);  /* the poller is to fill it */
void rgc_pool_want(int device); /* makes it so, where no thread can fill it at once */
/* Makes up to `pairs` more; the device must be current. */
int rgc_pool_fill(int device, uint32_t pairs);

#endif
