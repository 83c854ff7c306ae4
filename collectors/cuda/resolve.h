/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the real function behind an interposed one.
 *
 * Threading:  any thread; not inside a signal handler.
 * Ownership:  libraries are searched, never loaded or unloaded.
 * Errors:     NULL where no loaded library has the symbol; the next call searches again, as the library can be loaded later.
 * Cost:       once per function: two hash look-ups, or a walk over the loaded libraries; then one atomic load.
 */
#ifndef RUNGLASS_CUDA_RESOLVE_H
#define RUNGLASS_CUDA_RESOLVE_H

#include <stdatomic.h>
#include <stddef.h>

typedef void (*rgc_function)(void);

enum rgc_library { RGC_CUDART, RGC_DRIVER, RGC_NCCL, RGC_CUBLAS, RGC_CUBLASLT, RGC_LIBRARY_COUNT };

/* `caller`: an address in the code that called the interposed function, or NULL. A library with its own copy of the CUDA runtime gets
 * that copy where there is no other. */
rgc_function rgc_find(enum rgc_library library, const char *symbol, const void *caller);

/* In one library, opened by the caller. */
rgc_function rgc_symbol(void *handle, const char *symbol);

/* __cxa_demangle of any C++ library in the process; the tracer's thread only. */
rgc_function rgc_find_demangler(void);

static inline rgc_function rgc_real(rgc_function _Atomic *known, enum rgc_library library, const char *symbol, const void *caller) {
  rgc_function real = atomic_load_explicit(known, memory_order_acquire);
  if (__builtin_expect(real != NULL, 1)) return real;
  real = rgc_find(library, symbol, caller);
  atomic_store_explicit(known, real, memory_order_release);
  return real;
}

/* Declares `real` in the interposed function `name`: the real function, of the same type, or NULL. */
#define RGC_FIND(library, name)          \
  static rgc_function _Atomic name##_at; \
  const __typeof__(&name) real = (__typeof__(&name))rgc_real(&name##_at, library, #name, __builtin_return_address(0))

#endif
