/* SPDX-License-Identifier: Apache-2.0 */
/* librunglass_cuda: what a program may ask of the CUDA tracer that was preloaded into it. Look these up with dlsym(RTLD_DEFAULT, ...):
 * without the tracer they are not there.
 *
 * Threading:  every function from any thread, at any time.
 * Ownership:  none.
 * Units:      steps as in rg_step_begin().
 * Errors:     none; without CUDA nothing happens.
 * Cost:       an atomic store; trace_exact starts a thread.
 */
#ifndef RUNGLASS_CUDA_H
#define RUNGLASS_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef RG_API
#define RG_API __attribute__((visibility("default")))
#endif

/* Single kernels are timed in the steps that `every` divides, the same on all ranks; 0: in none. Returns what it was (100, or
 * RUNGLASS_TRACE_EVERY). */
RG_API int64_t rg_cuda_trace_every(int64_t every);
/* Also in the next `steps` steps. */
RG_API void rg_cuda_trace_steps(int64_t steps);
/* 1: from now on, steps or no steps; 0: as the other two say. */
RG_API void rg_cuda_trace_now(int on);
/* The next `steps` steps in exact mode: every kernel, copy and memset as CUPTI sees it, those inside libraries and graphs too. INT64_MAX:
 * from now on, steps or no steps; 0: no more. What stands in the way is told as client.gpu_exact_unavailable. As RUNGLASS_CUDA_EXACT. */
RG_API void rg_cuda_trace_exact(int64_t steps);
/* Every launch is timed from now on, into a file beside the ring that holds about the last `seconds` and survives this process; 0: no
 * more, and the file goes. As RUNGLASS_CUDA_RECENT. */
RG_API void rg_cuda_keep_recent(int seconds);
/* 1 while GPU operations are timed. */
RG_API int rg_cuda_active(void);

#ifdef __cplusplus
}
#endif

#endif
