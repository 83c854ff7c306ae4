// SPDX-License-Identifier: Apache-2.0
// Frames of a feed: payloads compressed here, because gRPC's own compression inflates before it checks sizes.
//
// Threading:  any thread; each has its own contexts.
// Units:      bytes.
// Errors:     unpackFrame(): DATA_LOSS an invalid frame, a size other than stated, or a wrong checksum.
// Cost:       about 100 MB/s packing, 500 MB/s unpacking; never more memory than kMaxFrame.
#pragma once

#include <string>
#include <string_view>

#include "model/result.h"
#include "runglass/v1/follow.pb.h"

namespace runglass {

inline constexpr std::size_t kMaxFrame = std::size_t{32} << 20;  // unpacked; typically a few hundred KiB; all notes of a store are in one

// Key in the trailing metadata of a Follow call: the uuid of the hub's store.
inline constexpr const char* kStoreKey = "runglass-store";

// All fields except seq and definitions.
v1::Frame packFrame(std::string_view payload);
Result<std::string> unpackFrame(const v1::Frame& frame, std::size_t most = kMaxFrame);

}  // namespace runglass
