// SPDX-License-Identifier: Apache-2.0
// Captures: what a node and its ranks looked like at one moment, as texts for people: stacks, process states, tails of logs.
//
// Units:      TimeNs, bytes.
// Errors:     none. A piece that could not be had is no Capture: the order's answer and the agent's event name it with the reason.
// Cost:       a text of at most kMaxCaptureBytes each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/ids.h"
#include "model/time.h"

namespace runglass {

inline constexpr std::size_t kMaxCaptureBytes = std::size_t{1} << 20;

struct Capture {
  std::int64_t id = 0;  // filled by the store
  TimeNs time = 0;
  AttemptId attempt;                 // 0: of the node alone
  NodeId node;                       // where it was taken
  std::optional<std::int32_t> rank;  // absent: of the node
  // "stack", "native_stack", "process", "kernel_log", "nvml", "nccl_ras", "flight_recorder", "progress"
  std::string kind;
  std::string source;  // who gave it: "faulthandler", "py-spy", "/proc/4711", ...
  std::string reason;  // "by hand", "stall", "sigterm"
  std::string text;
  std::int64_t bytes = 0;            // of the text
  std::int64_t truncated_bytes = 0;  // before it, that were left out
};

// Why somebody wants one; an order's number. The third is the agent's own.
enum class CaptureReason : std::uint8_t { kByHand, kStall, kSigterm };
std::string_view captureReasonName(CaptureReason reason);

// At most `most` bytes of the text: the newest are at its end, so the end stays, from the begin of a line on where there is one. What is no
// text (zero bytes) becomes spaces.
void boundCapture(Capture& capture, std::size_t most = kMaxCaptureBytes);

}  // namespace runglass
