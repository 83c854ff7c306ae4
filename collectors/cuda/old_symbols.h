/* SPDX-License-Identifier: Apache-2.0 */
/* Binds the C library's functions that moved in 2.34 to the names they had before, so that what is built here runs from 2.17 on.
 *
 * Threading:  none.
 * Ownership:  none.
 * Units:      none.
 * Errors:     a machine not listed keeps the newest names; the ELF test then says so.
 * Cost:       none.
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
