// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12, limited to the functions that trainers and the tracer call. A kernel takes grid.x microseconds, a copy 30.
#include <map>
#include <string>

#include "tests/collectors/cuda/fakes/fake_gpu.h"

namespace {

thread_local int t_last_error = 0;

// The runtime remembers the last error, including "not ready".
int remember(int error) {
  if (error != 0) t_last_error = error;
  return error;
}

constexpr std::int64_t kCopyNs = 30'000;

int copy(void* stream, std::size_t bytes, int kind) {
  ++fakeReport()->copies;
  return remember(fakeEnqueue(stream, kCopyNs, {.kind = fake::Work::kCopy, .bytes = static_cast<std::int64_t>(bytes), .copy_kind = kind}));
}
int set(void* stream, std::size_t bytes) {
  ++fakeReport()->copies;
  return remember(fakeEnqueue(stream, kCopyNs, {.kind = fake::Work::kSet, .bytes = static_cast<std::int64_t>(bytes)}));
}

struct Dim3 {
  unsigned x, y, z;
};
std::map<const void*, std::string>& names() {
  static std::map<const void*, std::string> names;
  return names;
}

// A kernel of grid.x microseconds.
int launch(const void* function, const Dim3& grid, const Dim3& block, std::size_t shared, void* stream) {
  ++fakeReport()->launches;
  if (grid.y == 0) return remember(fake::kInvalidValue);
  if (!fakeObserved()) return remember(fakeEnqueue(stream, static_cast<std::int64_t>(grid.x) * 1000));
  const auto name = names().find(function);
  const fake::Work work{.name = name != names().end() ? name->second.c_str() : "nameless",
                        .grid = grid.x,
                        .block = block.x,
                        .shared = static_cast<unsigned>(shared)};
  return remember(fakeEnqueue(stream, static_cast<std::int64_t>(grid.x) * 1000, work));
}

struct LaunchConfig {
  Dim3 grid, block;
  std::size_t shared;
  void* stream;
  void* attributes;
  unsigned count;
};

}  // namespace

FAKE_API void** __cudaRegisterFatBinary(void* binary) { return static_cast<void**>(binary); }
FAKE_API void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, void*, void*, void*, void*, int*) {
  names()[host] = name;
}

FAKE_API int cudaSetDevice(int device) { return remember(fakeSetDevice(device)); }
FAKE_API int cudaGetDevice(int* device) { return fakeGetDevice(device); }
FAKE_API int cudaGetLastError() {
  const int error = t_last_error;
  t_last_error = 0;
  return error;
}

FAKE_API int cudaLaunchKernel(const void* function, Dim3 grid, Dim3 block, void**, std::size_t shared, void* stream) {
  return launch(function, grid, block, shared, stream);
}
FAKE_API int __cudaGetKernel(void** kernel, const void* host) {
  *kernel = const_cast<char*>(static_cast<const char*>(host) + 1);
  names()[*kernel] = names()[host];
  return 0;
}
FAKE_API int __cudaLaunchKernel(void* kernel, Dim3 grid, Dim3 block, void**, std::size_t shared, void* stream) {
  return launch(kernel, grid, block, shared, stream);
}
FAKE_API int cudaLaunchKernelExC(const LaunchConfig* config, const void* function, void**) {
  return launch(function, config->grid, config->block, config->shared, config->stream);
}
FAKE_API int cudaGraphLaunch(void*, void* stream) {
  ++fakeReport()->launches;
  return remember(fakeEnqueue(stream, 200'000, {.name = "of_a_graph", .graph_kernels = 4}));
}
FAKE_API int cudaFuncGetName(const char** name, const void*) {
  *name = "asked_kernel";
  return 0;
}

FAKE_API int cudaMemcpyAsync(void*, const void*, std::size_t bytes, int kind, void* stream) { return copy(stream, bytes, kind); }
FAKE_API int cudaMemcpy(void*, const void*, std::size_t bytes, int kind) {
  copy(nullptr, bytes, kind);
  return remember(fakeStreamSynchronize(nullptr));
}
FAKE_API int cudaMemsetAsync(void*, int, std::size_t bytes, void* stream) { return set(stream, bytes); }
FAKE_API int cudaMemset(void*, int, std::size_t bytes) { return set(nullptr, bytes); }

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
