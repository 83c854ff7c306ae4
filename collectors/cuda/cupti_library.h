/* SPDX-License-Identifier: Apache-2.0 */
/* libcupti, found or loaded when exact mode is asked for and at no other time.
 *
 * Threading:  rgc_cupti_find on the exact tracer's thread; the table never changes once it succeeded.
 * Ownership:  the library stays loaded.
 * Units:      bytes.
 * Errors:     find: RGC_COUNTED when all is well, else what to count.
 * Cost:       once: loading a library of some MiB.
 */
#ifndef RUNGLASS_CUDA_CUPTI_LIBRARY_H
#define RUNGLASS_CUDA_CUPTI_LIBRARY_H

#include "collectors/cuda/cupti_abi.h"
#include "collectors/cuda/tracer_state.h"

extern struct rgc_cupti rgc_cupti;

enum rgc_counted rgc_cupti_find(void);
/* Of a record of this library's version; 0: a kind we do not read. */
size_t rgc_cupti_record_bytes(uint32_t kind);

#endif
