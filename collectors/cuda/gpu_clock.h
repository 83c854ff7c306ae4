/* SPDX-License-Identifier: Apache-2.0 */
/* Where a GPU's event lies on the host's clock: each device is tied by (host, gpu, host) readings on a stream of our own.
 *
 * Threading:  the tracer's thread only; the device must be current.
 * Ownership:  events and one stream per device, for ever.
 * Units:      ns of CLOCK_MONOTONIC.
 * Errors:     keep: the number of the CUDA call that failed. Not ready until a first tie succeeded: try again later.
 * Cost:       keep: every second one event, every 60 s eight readings of some 10 us each. Error: half the narrowest reading, plus the
 *             drift and float rounding (62 ns at a second's distance) since then.
 */
#ifndef RUNGLASS_CUDA_GPU_CLOCK_H
#define RUNGLASS_CUDA_GPU_CLOCK_H

#include "collectors/cuda/abi.h"

int rgc_clock_keep(int device, int64_t now);
int rgc_clock_ready(int device);
/* Host time of `event`, which happened after `launched`. Returns CUDA's error. */
int rgc_clock_place(int device, rgc_event event, int64_t launched, int64_t *host);

#endif
