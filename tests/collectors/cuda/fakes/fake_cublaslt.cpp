// SPDX-License-Identifier: Apache-2.0
// libcublasLt.so.12: descriptors with the attributes that the tracer reads; a product takes 200 us.
#include <cstring>
#include <map>

#include "tests/collectors/cuda/fakes/fake_gpu.h"

namespace {

using Attributes = std::map<int, std::int64_t>;

int get(void* object, int attribute, void* to, std::size_t bytes, std::size_t* written) {
  const auto& attributes = *static_cast<Attributes*>(object);
  const auto found = attributes.find(attribute);
  if (found == attributes.end() || (bytes != 4 && bytes != 8)) return fake::kInvalidValue;
  std::memcpy(to, &found->second, bytes);
  *written = bytes;
  return 0;
}

}  // namespace

FAKE_API int cublasLtMatrixLayoutCreate(void** layout, int type, std::uint64_t rows, std::uint64_t columns, std::int64_t stride) {
  *layout = new Attributes{{0, type}, {2, rows}, {3, columns}, {4, stride}, {5, 1}};
  return 0;
}
FAKE_API int cublasLtMatmulDescCreate(void** description, int, int) {
  *description = new Attributes{{3, 0}, {4, 0}};
  return 0;
}
FAKE_API int cublasLtMatmulDescSetAttribute(void* description, int attribute, const void* from, std::size_t) {
  std::int32_t value = 0;
  std::memcpy(&value, from, sizeof(value));
  (*static_cast<Attributes*>(description))[attribute] = value;
  return 0;
}
FAKE_API int cublasLtMatrixLayoutGetAttribute(void* layout, int attribute, void* to, std::size_t bytes, std::size_t* written) {
  return get(layout, attribute, to, bytes, written);
}
FAKE_API int cublasLtMatmulDescGetAttribute(void* description, int attribute, void* to, std::size_t bytes, std::size_t* written) {
  return get(description, attribute, to, bytes, written);
}
FAKE_API int cublasLtMatmul(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*, void*,
                            void*, const void*, void*, std::size_t, void* stream) {
  ++fakeReport()->gemms;
  return fakeEnqueue(stream, 200'000);
}
