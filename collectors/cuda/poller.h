/* SPDX-License-Identifier: Apache-2.0 */
/* The tracer's thread: polls events without blocking other threads and writes finished operations to the ring.
 *
 * Threading:  submit from any thread; start once; flush and stop from any thread but the poller's.
 * Ownership:  a submitted op is the poller's until it gives it back to the pool.
 * Units:      ns.
 * Errors:     start: 0 without a thread. A failing event call stops the tracing (rgc_failed).
 * Cost:       submit: one compare-and-swap. The thread polls every 2 ms while the GPU works, every 10 ms otherwise. flush and stop wait
 *             for it at most 200 ms.
 */
#ifndef RUNGLASS_CUDA_POLLER_H
#define RUNGLASS_CUDA_POLLER_H

#include "collectors/cuda/tracer_state.h"

int rgc_poller_start(void);
void rgc_submit(struct rgc_op *op);
/* Writes all finished operations to the ring. */
void rgc_poller_flush(void);
void rgc_poller_stop(void);

#endif
