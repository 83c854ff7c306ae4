/* SPDX-License-Identifier: Apache-2.0 */
/* The streams with launches, and the pending operations of each.
 *
 * Threading:  the tracer's thread only.
 * Ownership:  lanes live as long as the process.
 */
#ifndef RUNGLASS_CUDA_LANE_TABLE_H
#define RUNGLASS_CUDA_LANE_TABLE_H

#include "collectors/cuda/span_record.h"

/* The stream's lane; all streams without room share one. */
struct rgc_lane *rgc_lane_of(rgc_stream stream, int device);
int rgc_lane_count(void);
/* In order of first use. */
struct rgc_lane *rgc_lane_at(int index);

#endif
