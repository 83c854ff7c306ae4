/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of the agent to this tracer, read from the ring (rgr_orders in ring_layout.h).
 *
 * Threading:  the tracer's own thread.
 * Units:      steps, seconds.
 * Errors:     torn, truncated or hostile commands are ignored; numbers are limited to the ranges of the functions in runglass_cuda.h.
 * Cost:       one load without new commands.
 */
#ifndef RUNGLASS_CUDA_ORDERS_H
#define RUNGLASS_CUDA_ORDERS_H

void rgc_orders_look(void);

#endif
