// SPDX-License-Identifier: Apache-2.0
// A program of the driver alone: no CUDA runtime is in the process.
#include <unistd.h>

#include "collectors/client/runglass.h"

extern "C" {
int cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cuStreamCreate(void **, unsigned);
int cuStreamSynchronize(void *);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
}

int main() {
  void *context = nullptr, *stream = nullptr, *function = nullptr;
  rg_init(nullptr);
  cuDevicePrimaryCtxRetain(&context, 0);
  cuCtxSetCurrent(context);
  cuStreamCreate(&stream, 1);
  cuModuleGetFunction(&function, nullptr, "jit_kernel");
  rg_step_begin(0);
  for (int i = 0; i < 5; ++i) cuLaunchKernel(function, 80, 1, 1, 32, 1, 1, 0, stream, nullptr, nullptr);
  cuStreamSynchronize(stream);
  rg_step_end();
  return 0;
}
