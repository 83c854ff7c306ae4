// SPDX-License-Identifier: Apache-2.0
// The messages of xpu_timer's .timeline files, decoded by hand from protobuf's wire format. There are two layouts: that of the CUDA-event
// build and that of the CUPTI build, which wraps the details and has streams.
//
// Threading:  pure.
// Ownership:  texts are copied.
// Units:      µs since 1970 as written; bytes.
// Errors:     false for bytes that are not such a message, or more than 64 KiB. Unknown fields are skipped.
// Cost:       one pass; a message's details are at most as long as its bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace runglass::xpu_timer {

// Operands of a kernel. `json` has members without the braces: "dtype":"BF16","shapes":[1,2]
struct Details {
  std::string json;
  std::optional<std::uint64_t> comm_hash, seq, bytes;
  std::optional<std::uint32_t> stream;
};

struct KernelTrace {
  enum Kind : std::uint32_t { kMatmul = 0, kCollective = 1, kMemory = 2 };
  std::uint32_t kind = kMatmul, code = 0;
  std::uint64_t start_us = 0, dur_us = 0, delay_us = 0, count = 0;
  bool is_host = false;
  Details details;
};

struct HostTrace {
  std::uint64_t start_us = 0, dur_us = 0, count = 0;
  std::string name;
  std::optional<std::uint64_t> collected, uncollectable;
};

bool readKernelTrace(std::string_view message, KernelTrace& into);
bool readHostTrace(std::string_view message, HostTrace& into);

}  // namespace runglass::xpu_timer
