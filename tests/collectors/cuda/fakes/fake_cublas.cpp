// SPDX-License-Identifier: Apache-2.0
// libcublas.so.12: a product takes 250 us. cublasGemmEx goes through cublasLt and a kernel launch, as the real one may.
#include "tests/collectors/cuda/fakes/fake_gpu.h"

namespace {

struct Dim3 {
  unsigned x, y, z;
};
struct Handle {
  void* stream = nullptr;
};
constexpr std::int64_t kProductNs = 250'000;

int product(void* handle) {
  ++fakeReport()->gemms;
  return fakeEnqueue(static_cast<Handle*>(handle)->stream, kProductNs);
}

}  // namespace

FAKE_API int cudaLaunchKernel(const void*, Dim3, Dim3, void**, std::size_t, void*);
FAKE_API int cublasLtMatmul(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*, void*,
                            void*, const void*, void*, std::size_t, void*);

FAKE_API int cublasCreate_v2(void** handle) {
  *handle = new Handle;
  return 0;
}
FAKE_API int cublasSetStream_v2(void* handle, void* stream) {
  static_cast<Handle*>(handle)->stream = stream;
  return 0;
}
FAKE_API int cublasGetStream_v2(void* handle, void** stream) {
  *stream = static_cast<Handle*>(handle)->stream;
  return 0;
}
FAKE_API int cublasSgemm_v2(void* handle, int, int, int, int, int, const void*, const void*, int, const void*, int, const void*, void*,
                            int) {
  return product(handle);
}
FAKE_API int cublasGemmEx(void* handle, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int, const void*,
                          void*, int, int, int, int) {
  void* stream = static_cast<Handle*>(handle)->stream;
  cudaLaunchKernel(reinterpret_cast<const void*>(&product), {50, 1, 1}, {1, 1, 1}, nullptr, 0, stream);
  return cublasLtMatmul(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                        nullptr, 0, stream);
}
FAKE_API int cublasGemmStridedBatchedEx(void* handle, int, int, int, int, int, const void*, const void*, int, int, long long, const void*,
                                        int, int, long long, const void*, void*, int, int, long long, int, int, int) {
  return product(handle);
}
