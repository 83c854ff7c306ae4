// SPDX-License-Identifier: Apache-2.0
// What a rank did in a step, from its spans: parts that sum to the step. The kernel: values in, values out.
//
// Each moment of a step belongs to one part, the first of StepPart's order that was under way: communication counts only where nothing was
// computed at that moment (exposed), the host only where the device did nothing. Interval unions, so spans of several streams and nested
// spans are not counted twice. Exposed against overlapped communication as in HolisticTraceAnalysis' breakdown; waiting against transfer
// as in Lin et al., "Understanding Stragglers in Large Model Training Using What-if Analysis", OSDI '25, section 3.
//
// Threading:  pure; any thread.
// Units:      TimeNs, DurNs. A span that is still open ends at the highest int64.
// Errors:     none. Steps may overlap and come in any order; each gets its own sum.
// Cost:       O(n log n) of the spans, O(log n + segments inside) a step.
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
  kCommWait,  // exposed, and its last member had not begun
  kCopy,      // copies and memory sets of the device
  kCheckpoint,
  kGc,
  kDataload,
  kHost,  // operators, calls of the runtime, synchronisation
  kIdle,  // nothing was recorded
};
inline constexpr int kStepPartCount = 9;
const char* stepPartName(StepPart part);  // "compute", "comm", "comm_wait", …

struct PartSpan {
  TimeNs t0 = 0, t1 = 0;
  SpanCategory category = SpanCategory::kOther;
  TimeNs until = 0;  // of communication: it waited until then; before t0: it did not
};

struct StepParts {
  std::array<DurNs, kStepPartCount> ns{};  // sum: the step's duration
  DurNs overlapped_comm = 0;               // beside computation; inside kCompute
  DurNs operator[](StepPart part) const { return ns[static_cast<std::size_t>(part)]; }
};

// One entry per step. Annotations say nothing about what was done and are left out.
std::vector<StepParts> partsOfSteps(std::span<const PartSpan> spans, std::span<const TimeRange> steps);

}  // namespace runglass
