// SPDX-License-Identifier: Apache-2.0
// A library that statically contains CUDA's runtime and exports its symbols; there is no other runtime in the process.
extern "C" __attribute__((visibility("default"))) int cudaDeviceSynchronize() { return 77; }
extern "C" __attribute__((visibility("default"))) int workload(int, char**) { return cudaDeviceSynchronize() == 77 ? 0 : 1; }
