/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a GPU event's time to the host clock: each device is tied by (host, gpu, host) readings on a stream of the tracer.
 *
 * Threading:  the tracer's thread only; the device must be current.
 * Ownership:  events and one stream per device, never freed.
 * Units:      ns of CLOCK_MONOTONIC.
 * Errors:     keep: the error of the CUDA call that failed. Not ready until the first reading succeeded: try again later.
 * Cost:       keep: four readings of some 10 us each, at most once a second. Error: half the narrowest, plus the drift of a second and
 *             the rounding of floats (62 ns at a second's distance).
 */
#ifndef RUNGLASS_CUDA_GPU_CLOCK_H
#define RUNGLASS_CUDA_GPU_CLOCK_H

#include "collectors/cuda/abi.h"

int rgc_clock_keep(int device, int64_t now);
int rgc_clock_ready(int device);
/* Whether a reading is pending and must be polled soon. */
int rgc_clock_waits(int device, int64_t now);
/* Host time of `event`, which completed after `launched`. Returns CUDA's error. */
int rgc_clock_place(int device, rgc_event event, int64_t launched, int64_t *host);

/* CUPTI's clock (often CLOCK_REALTIME, which can be set): takes a reading; converts one of its stamps to host time. */
void rgc_clock_read_cupti(int (*timestamp)(uint64_t *));
int64_t rgc_clock_of_cupti(uint64_t stamp);

#endif
