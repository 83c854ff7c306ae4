/* SPDX-License-Identifier: Apache-2.0 */
/* Converts CUPTI's full buffers to records of the ring.
 *
 * Threading:  the tracer's thread.
 * Ownership:  returns every buffer; keeps copies of names.
 * Units:      ns.
 * Errors:     a record of a size other than this version's, or outside its buffer, turns exact mode off. One without times is counted.
 * Cost:       two walks over a buffer, a look-up and a record of the ring per kernel.
 */
#ifndef RUNGLASS_CUDA_EXACT_RECORDS_H
#define RUNGLASS_CUDA_EXACT_RECORDS_H

#include <stdint.h>

/* `last`: process the held buffers now, without waiting for more. */
void rgc_tell_exact_records(int64_t now, int last);

#endif
