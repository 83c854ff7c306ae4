// SPDX-License-Identifier: Apache-2.0
// Splits a rank's step into parts that sum to the step, from its spans. The kernel: values in, values out.
//
// Each moment of a step belongs to one part, the first active one in StepPart's order: communication counts only while nothing is computed
// (exposed), the host only while the device is idle. Unions of intervals, so that spans of several streams and nested spans are not counted
// twice. Exposed and overlapped communication as in HolisticTraceAnalysis' breakdown; waiting and transfer as in Lin et al., "Understanding
// Stragglers in Large Model Training Using What-if Analysis", OSDI '25, section 3.
//
// Threading:  pure; any thread.
// Units:      TimeNs, DurNs. An open span ends at the maximum int64.
// Errors:     steps may overlap and come in any order; each gets its own sum.
// Cost:       O(n log n) in the spans, O(log n + segments inside) per step.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/spans.h"
#include "model/time.h"

namespace runglass {

enum class StepPart : std::uint8_t {
  kCompute = 0,
  kComm,      // exposed transfer
  kCommWait,  // exposed, before its last member had begun
  kCopy,      // copies and memsets of the device
  kCheckpoint,
  kGc,
  kDataload,
  kHost,  // operators, runtime calls, synchronization
  kIdle,  // nothing recorded
};
inline constexpr int kStepPartCount = 9;
const char* stepPartName(StepPart part);  // "compute", "comm", "comm_wait", …

struct PartSpan {
  TimeNs t0 = 0, t1 = 0;
  SpanCategory category = SpanCategory::kOther;
  TimeNs until = 0;  // of communication: the end of its waiting; before t0: it did not wait
};

struct StepParts {
  std::array<DurNs, kStepPartCount> ns{};  // sum: the step's duration
  DurNs overlapped_comm = 0;               // concurrent with computation; within kCompute
  DurNs operator[](StepPart part) const { return ns[static_cast<std::size_t>(part)]; }
};

// One entry per step. Annotations have no activity of their own and are left out.
std::vector<StepParts> partsOfSteps(std::span<const PartSpan> spans, std::span<const TimeRange> steps);

}  // namespace runglass
