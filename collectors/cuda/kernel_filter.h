/* SPDX-License-Identifier: Apache-2.0 */
/* Filter of recorded kernels by name: those that contain one of the filter's parts.
 *
 * Threading:  set and refuses on the tracer's own thread; drops on any.
 * Ownership:  names live as long as the process (kernel_names.h).
 * Units:      bytes; parts are separated by '|'.
 * Errors:     a name without room in the table is matched at each of its spans.
 * Cost:       drops: one load without a filter, one hash look-up with one. A name is matched once per filter, at its first span; until
 *             then its kernels are timed.
 */
#ifndef RUNGLASS_CUDA_KERNEL_FILTER_H
#define RUNGLASS_CUDA_KERNEL_FILTER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern _Atomic uint64_t rgc_filter_number; /* of the current filter; 0: none */

/* Empty: every kernel is recorded. */
void rgc_filter_set(const char *text, size_t bytes);
/* 1: this kernel's spans are not recorded. */
int rgc_filter_refuses(const char *name);
int rgc_filter_known_refused(const char *name);

static inline int rgc_filter_on(void) { return atomic_load_explicit(&rgc_filter_number, memory_order_relaxed) != 0; }

#endif
