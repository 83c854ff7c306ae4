/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernels are told, by their names: those that contain one of the filter's parts.
 *
 * Threading:  set and refuses on the tracer's own thread; drops on any.
 * Ownership:  names live as long as the process (kernel_names.h).
 * Units:      bytes; parts are separated by '|'.
 * Errors:     a name that finds no room in the table is decided each time it is told.
 * Cost:       drops: one load without a filter, one hash look-up with one. A name is read once per filter, when its first span is told:
 *             until then its kernels are timed.
 */
#ifndef RUNGLASS_CUDA_KERNEL_FILTER_H
#define RUNGLASS_CUDA_KERNEL_FILTER_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

extern _Atomic uint64_t rgc_filter_number; /* of the filter in force; 0: none */

/* Empty: every kernel is told. */
void rgc_filter_set(const char *text, size_t bytes);
/* 1: this kernel's spans are not told. */
int rgc_filter_refuses(const char *name);
int rgc_filter_known_refused(const char *name);

static inline int rgc_filter_on(void) { return atomic_load_explicit(&rgc_filter_number, memory_order_relaxed) != 0; }

#endif
