// SPDX-License-Identifier: Apache-2.0
// The delivery classes of a session: each is a stream with sequence numbers of its own, sent in this order when there is too little room.
//
// Threading:  constants.
// Ownership:  none.
// Units:      none.
// Errors:     none.
// Cost:       free.
#pragma once

#include <cstddef>
#include <cstdint>

namespace runglass {

enum class StreamClass : std::uint8_t { kProgress = 0, kEvents = 1, kLoss = 2, kLogs = 3, kMetrics = 4, kKernels = 5 };
inline constexpr std::size_t kStreamClassCount = 6;
inline constexpr const char* kStreamClassNames[kStreamClassCount] = {"progress", "events", "loss", "logs", "metrics", "kernels"};

}  // namespace runglass
