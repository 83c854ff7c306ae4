/* SPDX-License-Identifier: Apache-2.0 */
/* librunglass_cuda: functions for a program into which the CUDA tracer was preloaded. Look these up with dlsym(RTLD_DEFAULT, ...):
 * without the tracer they do not exist.
 *
 * Threading:  every function from any thread, at any time.
 * Units:      steps as in rg_step_begin().
 * Errors:     none reported; without CUDA the functions do nothing.
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

/* Times single kernels in the steps that `every` divides, the same on all ranks; 0: in none. Returns the previous value (100, or
 * RUNGLASS_TRACE_EVERY). */
RG_API int64_t rg_cuda_trace_every(int64_t every);
/* Times them also in the next `steps` steps. */
RG_API void rg_cuda_trace_steps(int64_t steps);
/* 1: times them from now on, in every step and between steps; 0: only as the other two request. */
RG_API void rg_cuda_trace_now(int on);
/* Exact mode in the next `steps` steps: every kernel, copy and memset as CUPTI records it, including those inside libraries and graphs.
 * INT64_MAX: from now on, also between steps; 0: off. An obstacle is reported as client.gpu_exact_unavailable. Same as
 * RUNGLASS_CUDA_EXACT. */
RG_API void rg_cuda_trace_exact(int64_t steps);
/* Times every launch from now on, into a file next to the ring that holds about the last `seconds` and survives this process; 0: off,
 * and the file is deleted. Same as RUNGLASS_CUDA_RECENT. */
RG_API void rg_cuda_keep_recent(int seconds);
/* 1 while GPU operations are timed. */
RG_API int rg_cuda_active(void);

#ifdef __cplusplus
}
#endif

#endif
