// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12 as far as trainers and the tracer call it. A kernel takes grid.x microseconds, a copy 30.
#include "tests/collectors/cuda/fakes/fake_gpu.h"

namespace {

thread_local int t_last_error = 0;

// The runtime remembers what went wrong, "not ready" included.
int remember(int error) {
  if (error != 0) t_last_error = error;
  return error;
}

constexpr std::int64_t kCopyNs = 30'000;

int copy(void* stream) {
  ++fakeReport()->copies;
  return remember(fakeEnqueue(stream, kCopyNs));
}

struct Dim3 {
  unsigned x, y, z;
};
struct LaunchConfig {
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
  void* attributes;
  unsigned count;
};

}  // namespace

FAKE_API void** __cudaRegisterFatBinary(void* binary) { return static_cast<void**>(binary); }
FAKE_API void __cudaRegisterFunction(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*) {}

FAKE_API int cudaSetDevice(int device) { return remember(fakeSetDevice(device)); }
FAKE_API int cudaGetDevice(int* device) { return fakeGetDevice(device); }
FAKE_API int cudaGetLastError() {
  const int error = t_last_error;
  t_last_error = 0;
  return error;
}

FAKE_API int cudaLaunchKernel(const void*, Dim3 grid, Dim3, void**, std::size_t, void* stream) {
  ++fakeReport()->launches;
  return remember(grid.y == 0 ? fake::kInvalidValue : fakeEnqueue(stream, static_cast<std::int64_t>(grid.x) * 1000));
}
FAKE_API int __cudaGetKernel(void** kernel, const void* host) {
  *kernel = const_cast<char*>(static_cast<const char*>(host) + 1);
  return 0;
}
FAKE_API int __cudaLaunchKernel(void*, Dim3 grid, Dim3, void**, std::size_t, void* stream) {
  ++fakeReport()->launches;
  return remember(fakeEnqueue(stream, static_cast<std::int64_t>(grid.x) * 1000));
}
FAKE_API int cudaLaunchKernelExC(const LaunchConfig* config, const void*, void**) {
  ++fakeReport()->launches;
  return remember(fakeEnqueue(config->stream, static_cast<std::int64_t>(config->grid.x) * 1000));
}
FAKE_API int cudaGraphLaunch(void*, void* stream) {
  ++fakeReport()->launches;
  return remember(fakeEnqueue(stream, 200'000));
}
FAKE_API int cudaFuncGetName(const char** name, const void*) {
  *name = "asked_kernel";
  return 0;
}

FAKE_API int cudaMemcpyAsync(void*, const void*, std::size_t, int, void* stream) { return copy(stream); }
FAKE_API int cudaMemcpy(void*, const void*, std::size_t, int) {
  copy(nullptr);
  return remember(fakeStreamSynchronize(nullptr));
}
FAKE_API int cudaMemsetAsync(void*, int, std::size_t, void* stream) { return copy(stream); }
FAKE_API int cudaMemset(void*, int, std::size_t) { return copy(nullptr); }

FAKE_API int cudaStreamCreateWithFlags(void** stream, unsigned) { return remember(fakeStreamCreate(stream)); }
FAKE_API int cudaStreamSynchronize(void* stream) { return remember(fakeStreamSynchronize(stream)); }
FAKE_API int cudaDeviceSynchronize() { return remember(fakeDeviceSynchronize()); }
FAKE_API int cudaStreamBeginCapture(void* stream, int) { return remember(fakeCapture(stream, 1)); }
FAKE_API int cudaStreamEndCapture(void* stream, void** graph) {
  *graph = stream;
  return remember(fakeCapture(stream, 0));
}
FAKE_API int cudaStreamIsCapturing(void* stream, int* status) { return remember(fakeIsCapturing(stream, status)); }
FAKE_API int cudaThreadExchangeStreamCaptureMode(int* mode) { return fakeExchangeCaptureMode(mode); }

FAKE_API int cudaEventCreateWithFlags(void** event, unsigned) { return remember(fakeEventCreate(event)); }
FAKE_API int cudaEventRecord(void* event, void* stream) { return remember(fakeEventRecord(event, stream)); }
FAKE_API int cudaEventQuery(void* event) { return remember(fakeEventQuery(event)); }
FAKE_API int cudaEventSynchronize(void* event) { return remember(fakeEventSynchronize(event)); }
FAKE_API int cudaEventElapsedTime(float* ms, void* start, void* end) { return remember(fakeEventElapsed(ms, start, end)); }
