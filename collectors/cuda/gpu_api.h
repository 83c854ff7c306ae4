/* SPDX-License-Identifier: Apache-2.0 */
/* GPU calls of the tracer itself: those of the CUDA runtime where it is loaded, else the driver's equivalents.
 *
 * Threading:  rgc_gpu_find once; then the table never changes. setDevice only on the tracer's own thread.
 * Ownership:  events and streams created with it are the tracer's and live until the process ends.
 * Units:      elapsed: milliseconds as a float, as in CUDA.
 * Errors:     CUDA's error numbers. A failure leaves an error in the runtime's per-thread state; clear() removes it.
 */
#ifndef RUNGLASS_CUDA_GPU_API_H
#define RUNGLASS_CUDA_GPU_API_H

#include "collectors/cuda/abi.h"

struct rgc_gpu_api {
  int (*get_device)(int *);
  int (*set_device)(int);
  int (*event_create)(rgc_event *, unsigned flags);
  int (*event_record)(rgc_event, rgc_stream);
  int (*event_query)(rgc_event);
  int (*elapsed)(float *, rgc_event, rgc_event);
  int (*is_capturing)(rgc_stream, int *status);
  int (*stream_create)(rgc_stream *, unsigned flags);
  int (*exchange_capture_mode)(int *mode);           /* may be NULL */
  int (*last_error)(void);                           /* NULL: the driver has none */
  int (*function_name)(const char **, const void *); /* NULL before CUDA 12.3 */
};
extern struct rgc_gpu_api rgc_gpu;

/* 1 when a library was found. */
int rgc_gpu_find(void);
static inline void rgc_gpu_clear(void) {
  if (rgc_gpu.last_error) rgc_gpu.last_error();
}

#endif
