// SPDX-License-Identifier: Apache-2.0
#include "storage/codec/zstd_frame.h"

#include <zstd.h>

#include <memory>

namespace runglass {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

ZSTD_CCtx* packer() {
  static thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> kContext(ZSTD_createCCtx());
  return kContext.get();
}
ZSTD_DCtx* unpacker() {
  static thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> kContext(ZSTD_createDCtx());
  return kContext.get();
}

}  // namespace

bool zstdPack(std::string_view bytes, std::size_t limit, std::string& out) {
  out.resize(ZSTD_compressBound(bytes.size()));
  const std::size_t size = ZSTD_compressCCtx(packer(), out.data(), out.size(), bytes.data(), bytes.size(), 1);
  if (ZSTD_isError(size) != 0 || size >= limit) return false;
  out.resize(size);
  return true;
}

bool zstdUnpack(std::string_view frame, std::size_t size, std::string& out) {
  // The size in the frame's header must match before memory is allocated.
  if (ZSTD_getFrameContentSize(frame.data(), frame.size()) != size) return false;
  out.resize(size);
  const std::size_t got = ZSTD_decompressDCtx(unpacker(), out.data(), out.size(), frame.data(), frame.size());
  return ZSTD_isError(got) == 0 && got == size;
}

}  // namespace runglass
