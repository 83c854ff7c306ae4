// SPDX-License-Identifier: Apache-2.0
// CRC32C (Castagnoli), the checksum of chunks, the journal, the wire and the spool.
//
// Threading:  pure.
// Units:      the usual reflected CRC with initial and final XOR 0xFFFFFFFF: crc32c("123456789") == 0xE3069283.
// Cost:       about 8 GB/s with SSE 4.2, 0.4 GB/s without.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace runglass {

// `seed` is the checksum of the preceding bytes, so that crc32c(b, crc32c(a)) == crc32c(a + b).
std::uint32_t crc32c(std::string_view bytes, std::uint32_t seed = 0);

}  // namespace runglass
