/* SPDX-License-Identifier: Apache-2.0 */
/* Names of kernels by launched pointer: host functions as nvcc's start-up code registers them, driver handles as they are looked up.
 *
 * Threading:  put takes a lock; get does not. Any thread.
 * Ownership:  a registered name is borrowed from its library until the first get copies it; copies live until the process ends.
 * Errors:     get: NULL for an unregistered pointer; without memory the name is dropped.
 * Cost:       put: amortised O(1), PyTorch registers 100,000 kernels; get: one hash look-up.
 */
#ifndef RUNGLASS_CUDA_KERNEL_NAMES_H
#define RUNGLASS_CUDA_KERNEL_NAMES_H

/* `copy_now`: the caller's text is temporary. */
void rgc_kernel_put(const void *kernel, const char *name, int copy_now);
const char *rgc_kernel_get(const void *kernel);
void rgc_kernel_names_in_child(void);

#endif
