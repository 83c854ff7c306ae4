/* SPDX-License-Identifier: Apache-2.0 */
/* The last seconds of all timed operations, in a circular file next to the ring that outlives its process.
 *
 * Threading:  the request from any thread; the rest on the tracer's thread.
 * Ownership:  the file belongs to the process until it ends; then an agent reads and deletes it.
 * Units:      seconds; ns of CLOCK_MONOTONIC.
 * Errors:     no room for the file: counted once per request (RGC_RECENT_REFUSED); there is no recent ring then.
 * Cost:       keep: a few loads per pass. The file: 64 MiB of shared memory, or RUNGLASS_CUDA_RECENT_BYTES; less where there is less.
 */
#ifndef RUNGLASS_CUDA_RECENT_RING_H
#define RUNGLASS_CUDA_RECENT_RING_H

#include "collectors/cuda/tracer_state.h"

/* NULL: there is none. */
struct rg_ring *rgc_recent(void);
/* Creates, updates and ends it according to the request. */
void rgc_recent_keep(int64_t now);
/* The process ends; the file stays. */
void rgc_recent_end(void);

#endif
