/* SPDX-License-Identifier: Apache-2.0 */
/* libcupti, found or loaded only when exact mode is requested.
 *
 * Threading:  rgc_cupti_find on the exact tracer's thread; after a success the table never changes.
 * Ownership:  the library stays loaded.
 * Units:      bytes.
 * Errors:     find: RGC_COUNTED on success, else the counter to increment.
 * Cost:       once: loading a library of some MiB.
 */
#ifndef RUNGLASS_CUDA_CUPTI_LIBRARY_H
#define RUNGLASS_CUDA_CUPTI_LIBRARY_H

#include "collectors/cuda/cupti_abi.h"
#include "collectors/cuda/tracer_state.h"

extern struct rgc_cupti rgc_cupti;

enum rgc_counted rgc_cupti_find(void);
/* Size of a record of this library's version; 0: a kind that is not read. */
size_t rgc_cupti_record_bytes(uint32_t kind);

#endif
