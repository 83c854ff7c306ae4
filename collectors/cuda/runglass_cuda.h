/* SPDX-License-Identifier: Apache-2.0 */
/* librunglass_cuda: what a program may ask of the CUDA tracer that was preloaded into it. Look these up with dlsym(RTLD_DEFAULT, ...):
 * without the tracer they are not there.
 *
 * Threading:  every function from any thread, at any time.
 * Ownership:  none.
 * Units:      steps as in rg_step_begin().
 * Errors:     none; without CUDA nothing happens.
 * Cost:       an atomic store.
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
/* 1 while GPU operations are timed. */
RG_API int rg_cuda_active(void);

#ifdef __cplusplus
}
#endif

#endif
