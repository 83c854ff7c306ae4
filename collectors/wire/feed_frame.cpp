// SPDX-License-Identifier: Apache-2.0
#include "collectors/wire/feed_frame.h"

#include <zstd.h>

#include <memory>

#include "model/crc32c.h"

namespace runglass {
namespace {

constexpr int kLevel = 6;  // the network is slow, the hub has time

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

v1::Frame packFrame(std::string_view payload) {
  static thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> kContext(ZSTD_createCCtx());
  v1::Frame frame;
  std::string& packed = *frame.mutable_packed();
  packed.resize(ZSTD_compressBound(payload.size()));
  const std::size_t size = ZSTD_compressCCtx(kContext.get(), packed.data(), packed.size(), payload.data(), payload.size(), kLevel);
  RG_CHECK(ZSTD_isError(size) == 0);  // the buffer has the maximum size
  packed.resize(size);
  frame.set_size(static_cast<std::uint32_t>(payload.size()));
  frame.set_crc32c(crc32c(payload));
  return frame;
}

Result<std::string> unpackFrame(const v1::Frame& frame, std::size_t most) {
  static thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> kContext(ZSTD_createDCtx());
  const auto damaged = [&](const char* why) { return Status(Code::kDataLoss, "frame " + std::to_string(frame.seq()) + ": " + why); };
  const std::string& packed = frame.packed();
  // Both sizes must agree before memory is allocated.
  if (frame.size() > most || ZSTD_getFrameContentSize(packed.data(), packed.size()) != frame.size())
    return damaged("larger than a frame may be, or not of the size it states");
  std::string payload(frame.size(), '\0');
  const std::size_t got = ZSTD_decompressDCtx(kContext.get(), payload.data(), payload.size(), packed.data(), packed.size());
  if (ZSTD_isError(got) != 0 || got != payload.size()) return damaged("cannot be unpacked");
  if (crc32c(payload) != frame.crc32c()) return damaged("wrong checksum");
  return payload;
}

}  // namespace runglass
