/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of ours in somebody else's process.
 *
 * Threading:  any thread.
 * Ownership:  it is detached; nobody joins it.
 * Units:      none.
 * Errors:     0: there is no thread.
 * Cost:       one thread. It takes no signals.
 */
#ifndef RUNGLASS_CUDA_QUIET_THREAD_H
#define RUNGLASS_CUDA_QUIET_THREAD_H

int rgc_start_thread(void *(*run)(void *));

#endif
