/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the C library's functions that moved in 2.34 to their older versions, so that the build runs on 2.17 and later.
 *
 * Errors:     a machine type not listed keeps the newest versions, which the ELF test then reports.
 */
#ifndef RUNGLASS_CUDA_OLD_SYMBOLS_H
#define RUNGLASS_CUDA_OLD_SYMBOLS_H

#if defined(__x86_64__)
#define RGC_OLD_SYMBOL(name) __asm__(".symver " #name "," #name "@GLIBC_2.2.5")
#elif defined(__aarch64__)
#define RGC_OLD_SYMBOL(name) __asm__(".symver " #name "," #name "@GLIBC_2.17")
#else
#define RGC_OLD_SYMBOL(name) _Static_assert(1, "newest symbol")
#endif

#endif
