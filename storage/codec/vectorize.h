// SPDX-License-Identifier: Apache-2.0
// RG_VECTORIZED: compiles a function also for AVX2, chosen at load time; RG_INLINE: part of such a function. Off under sanitizers, whose
// runtimes are not initialised yet when the choice is made, and on anything but x86-64.
//
// Cost:       a second copy of the code.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define RG_VECTORIZED __attribute__((target_clones("avx2", "default")))
#else
#define RG_VECTORIZED
#endif
#define RG_INLINE inline __attribute__((always_inline))
