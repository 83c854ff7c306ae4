/* SPDX-License-Identifier: Apache-2.0 */
/* Where a GPU's event lies on the host's clock: each device is tied by (host, gpu, host) readings on a stream of our own.
 *
 * Threading:  the tracer's thread only; the device must be current.
 * Ownership:  events and one stream per device, for ever.
 * Units:      ns of CLOCK_MONOTONIC.
 * Errors:     keep: the number of the CUDA call that failed. Not ready until a first tie succeeded: try again later.
 * Cost:       keep: four readings of some 10 us each, every second at most. Error: half the narrowest, plus the drift of a second and
 *             the rounding of floats (62 ns at a second's distance).
 */
#ifndef RUNGLASS_CUDA_GPU_CLOCK_H
#define RUNGLASS_CUDA_GPU_CLOCK_H

#include "collectors/cuda/abi.h"

int rgc_clock_keep(int device, int64_t now);
int rgc_clock_ready(int device);
/* A reading is under way and wants to be looked at soon. */
int rgc_clock_waits(int device, int64_t now);
/* Host time of `event`, which happened after `launched`. Returns CUDA's error. */
int rgc_clock_place(int device, rgc_event event, int64_t launched, int64_t *host);

/* CUPTI's clock, whatever it is (CLOCK_REALTIME, which may be set): a reading, and the host time of one of its stamps. */
void rgc_clock_read_cupti(int (*timestamp)(uint64_t *));
int64_t rgc_clock_of_cupti(uint64_t stamp);

#endif
