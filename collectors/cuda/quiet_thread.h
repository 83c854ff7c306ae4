/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of the tracer in the trainer's process.
 *
 * Threading:  any thread.
 * Ownership:  it is detached, never joined.
 * Errors:     0: no thread was created.
 * Cost:       one thread, with all signals blocked.
 */
#ifndef RUNGLASS_CUDA_QUIET_THREAD_H
#define RUNGLASS_CUDA_QUIET_THREAD_H

int rgc_start_thread(void *(*run)(void *));

#endif
