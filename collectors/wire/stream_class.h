// SPDX-License-Identifier: Apache-2.0
// The delivery classes of a session, in order of priority, and the streams that carry them. A class has several streams (lanes), each with
// its own sequence numbers, so that live batches need not wait behind the backlog.
#pragma once

#include <cstddef>
#include <cstdint>

namespace runglass {

enum class StreamClass : std::uint8_t { kProgress = 0, kEvents = 1, kLoss = 2, kLogs = 3, kMetrics = 4, kKernels = 5 };
inline constexpr std::size_t kStreamClassCount = 6;
inline constexpr const char* kStreamClassNames[kStreamClassCount] = {"progress", "events", "loss", "logs", "metrics", "kernels"};

// Stream c is the first lane of class c; the further lanes follow, class by class. Events have one lane only: updates of a run's state or a
// rank's node must arrive in order.
inline constexpr std::uint32_t kLanes = 3;
inline constexpr std::uint32_t kWireStreams = kLanes * (kStreamClassCount - 1) + 1;

constexpr std::uint32_t lanesOf(StreamClass stream) { return stream == StreamClass::kEvents ? 1 : kLanes; }
constexpr std::uint32_t wireStream(StreamClass stream, std::uint32_t lane) {
  const auto index = static_cast<std::uint32_t>(stream);
  const std::uint32_t among_laned = index - (stream > StreamClass::kEvents ? 1 : 0);
  return lane == 0 ? index : static_cast<std::uint32_t>(kStreamClassCount + (lane - 1) * (kStreamClassCount - 1)) + among_laned;
}

}  // namespace runglass
