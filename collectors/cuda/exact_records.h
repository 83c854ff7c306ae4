/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's full buffers as records of the ring.
 *
 * Threading:  the tracer's thread.
 * Ownership:  gives every buffer back; keeps copies of names.
 * Units:      ns.
 * Errors:     a record of another size than this version's, or outside its buffer: exact mode is given up. One without times is counted.
 * Cost:       two walks over a buffer, a look-up and a record of the ring per kernel.
 */
#ifndef RUNGLASS_CUDA_EXACT_RECORDS_H
#define RUNGLASS_CUDA_EXACT_RECORDS_H

#include <stdint.h>

/* `last`: do not wait for more. */
void rgc_tell_exact_records(int64_t now, int last);

#endif
