/* SPDX-License-Identifier: Apache-2.0 */
/* The last seconds of everything timed, in a file beside the ring that is written over and over and outlives its process.
 *
 * Threading:  the wish from any thread; the rest on the tracer's thread.
 * Ownership:  the file is the process's until it ends; then an agent reads it and removes it.
 * Units:      seconds; ns of CLOCK_MONOTONIC.
 * Errors:     no room for the file: counted once per wish (RGC_RECENT_REFUSED), and none is kept.
 * Cost:       keep: a few loads per pass. The file: 64 MiB of shared memory, or RUNGLASS_CUDA_RECENT_BYTES; less where there is less.
 */
#ifndef RUNGLASS_CUDA_RECENT_RING_H
#define RUNGLASS_CUDA_RECENT_RING_H

#include "collectors/cuda/tracer_state.h"

/* NULL: none is kept. */
struct rg_ring *rgc_recent(void);
/* Makes, follows and ends it as wanted. */
void rgc_recent_keep(int64_t now);
/* The process ends; the file stays. */
void rgc_recent_end(void);

#endif
