// SPDX-License-Identifier: Apache-2.0
// zstd level 1 with contexts that are made once per thread.
//
// Threading:  any thread; each has contexts of its own.
// Ownership:  none kept.
// Units:      bytes.
// Errors:     unpack fails on anything that is not a frame of exactly the stated size.
// Cost:       about 400 MB/s packing, 1 GB/s unpacking.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace runglass {

// Replaces `out` by the frame of `bytes`; false when it would not be smaller than `limit` bytes.
bool zstdPack(std::string_view bytes, std::size_t limit, std::string& out);
// Replaces `out` by what `frame` holds, which must be `size` bytes. The caller bounds `size`.
bool zstdUnpack(std::string_view frame, std::size_t size, std::string& out);

}  // namespace runglass
