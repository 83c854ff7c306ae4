/* SPDX-License-Identifier: Apache-2.0 */
/* What the agent asks of this tracer, read from the ring (rgr_orders in ring_layout.h).
 *
 * Threading:  the tracer's own thread.
 * Ownership:  none.
 * Units:      steps, seconds.
 * Errors:     orders that are torn, cut or hostile are not taken; numbers are held to what the functions of runglass_cuda.h take.
 * Cost:       one load while nothing is asked.
 */
#ifndef RUNGLASS_CUDA_ORDERS_H
#define RUNGLASS_CUDA_ORDERS_H

void rgc_orders_look(void);

#endif
