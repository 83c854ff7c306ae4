// SPDX-License-Identifier: Apache-2.0
// Captures: the state of a node and its ranks at one moment, as texts: stacks, process states, tails of logs.
//
// Units:      TimeNs, bytes.
// Errors:     a part that could not be captured has no Capture: the command's answer and the agent's event name it with the reason.
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
  AttemptId attempt;                 // 0: of the node only
  NodeId node;                       // the captured node
  std::optional<std::int32_t> rank;  // absent: of the node
  // "stack", "native_stack", "process", "kernel_log", "nvml", "nccl_ras", "flight_recorder", "progress"
  std::string kind;
  std::string source;  // the tool or file: "faulthandler", "py-spy", "/proc/4711", ...
  std::string reason;  // "by hand", "stall", "sigterm"
  std::string text;
  std::int64_t bytes = 0;            // of the text
  std::int64_t truncated_bytes = 0;  // cut off before the text
};

// The trigger of a capture; the number of a capture command. The third one is used by the agent itself.
enum class CaptureReason : std::uint8_t { kByHand, kStall, kSigterm };
std::string_view captureReasonName(CaptureReason reason);

// Limits the text to `most` bytes. The newest part is at its end, so the end is kept, starting at the begin of a line where possible. Zero
// bytes become spaces.
void boundCapture(Capture& capture, std::size_t most = kMaxCaptureBytes);

}  // namespace runglass
