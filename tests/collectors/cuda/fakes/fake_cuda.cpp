// SPDX-License-Identifier: Apache-2.0
// libcuda.so.1, limited to the functions that trainers and the tracer call. A kernel takes grid_x microseconds.
#include "tests/collectors/cuda/fakes/fake_gpu.h"

namespace {

struct LaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
  void* stream;
  void* attributes;
  unsigned count;
};

int launch(unsigned grid_x, void* stream) {
  ++fakeReport()->launches;
  return fakeEnqueue(stream, static_cast<std::int64_t>(grid_x) * 1000, {.name = "of_the_driver", .grid = grid_x});
}

}  // namespace

FAKE_API int cuModuleGetFunction(void** function, void*, const char*) {
  static char functions[16];
  static int made = 0;
  *function = &functions[made++ % 16];
  return 0;
}
FAKE_API int cuLaunchKernel(void*, unsigned grid_x, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void* stream, void**,
                            void**) {
  return launch(grid_x, stream);
}
FAKE_API int cuLaunchKernelEx(const LaunchConfig* config, void*, void**, void**) { return launch(config->grid_x, config->stream); }
FAKE_API int cuGraphLaunch(void*, void* stream) { return launch(200, stream); }

FAKE_API int cuInit(unsigned) { return 0; }
FAKE_API int cuDeviceGetCount(int* count) {
  *count = 1;
  return 0;
}
FAKE_API int cuDeviceGet(int* device, int ordinal) {
  *device = ordinal;
  return 0;
}
// Compute capability 7.0, for the major and the minor attribute.
FAKE_API int cuDeviceGetAttribute(int* value, int attribute, int) {
  constexpr int kMajor = 75;
  *value = attribute == kMajor ? 7 : 0;
  return 0;
}
FAKE_API int cuModuleLoadData(void** module, const void*) {
  static char loaded;
  *module = &loaded;
  return 0;
}
FAKE_API int cuCtxGetDevice(int* device) { return fakeGetDevice(device); }
FAKE_API int cuDevicePrimaryCtxRetain(void** context, int device) {
  *context = reinterpret_cast<void*>(static_cast<std::uintptr_t>(device) + 1);
  return 0;
}
FAKE_API int cuCtxSetCurrent(void* context) { return fakeSetDevice(static_cast<int>(reinterpret_cast<std::uintptr_t>(context)) - 1); }
FAKE_API int cuStreamCreate(void** stream, unsigned) { return fakeStreamCreate(stream); }
FAKE_API int cuStreamSynchronize(void* stream) { return fakeStreamSynchronize(stream); }
FAKE_API int cuStreamIsCapturing(void* stream, int* status) { return fakeIsCapturing(stream, status); }
FAKE_API int cuThreadExchangeStreamCaptureMode(int* mode) { return fakeExchangeCaptureMode(mode); }
FAKE_API int cuEventCreate(void** event, unsigned) { return fakeEventCreate(event); }
FAKE_API int cuEventRecord(void* event, void* stream) { return fakeEventRecord(event, stream); }
FAKE_API int cuEventQuery(void* event) { return fakeEventQuery(event); }
FAKE_API int cuEventElapsedTime(float* ms, void* start, void* end) { return fakeEventElapsed(ms, start, end); }
