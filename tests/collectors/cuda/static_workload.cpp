// SPDX-License-Identifier: Apache-2.0
// A library that has CUDA's runtime inside and lets its symbols out, as happens; there is no other runtime in the process.
extern "C" __attribute__((visibility("default"))) int cudaDeviceSynchronize() { return 77; }
extern "C" __attribute__((visibility("default"))) int workload(int, char**) { return cudaDeviceSynchronize() == 77 ? 0 : 1; }
