// SPDX-License-Identifier: Apache-2.0
// Why a device was idle, from the spans of its streams and of the host threads that launched them. The kernel: values in, values out.
//
// Gaps between the spans of all streams of a device (HolisticTraceAnalysis' idle time) are cut where the launch call of the next span
// began. After it, the work was on its way (kLaunch) or, where it had been issued before the gap, waited in its queue (kQueued: HTA's
// kernel wait, and dependencies between streams). Before it, the device waited for the host; the cause is the host's activity, in
// IdleCause's order. The launch that comes late is the issue latency of XPUTimer (Cui et al., "XPUTimer: Anomaly Diagnostics for Divergent
// LLM Training in GPU Clusters of Thousand-Plus Scale", arXiv 2502.05413): a short one means that the device was ready.
//
// Threading:  pure; any thread.
// Units:      TimeNs, DurNs. An open span ends at the maximum int64. Steps are half-open; where they overlap, the earlier step has the
//             time.
// Errors:     spans that end before they begin, and steps longer than kLongestStep, are left out.
// Cost:       O(n log n) in the spans, O(log n) per segment and step: 0.08 s per million spans.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/gpu_idle/idle_cause.h"
#include "analysis/steps/host_activity.h"
#include "model/spans.h"
#include "model/time.h"

namespace runglass {

inline constexpr DurNs kShortKernel = 10 * kNsPerUs;
// After a synchronization the host must issue work again: idle time within this window is attributed to the synchronization.
inline constexpr DurNs kSyncShadow = 200 * kNsPerUs;
// Between two launches of a burst the host does nothing else: a longer gap is not attributed to small kernels.
inline constexpr DurNs kLaunchStretch = 100 * kNsPerUs;
inline constexpr DurNs kLongestStep = 100'000 * kNsPerSecond;

struct DeviceSpan {
  TimeNs t0 = 0, t1 = 0;
  SpanCategory category = SpanCategory::kCompute;  // compute, comm, memcpy, memset
  TimeNs launched = kAbsent;                       // start of the call that issued it
  std::uint32_t track = 0;
};

struct HostSpan {
  TimeNs t0 = 0, t1 = 0;
  HostActivity activity = HostActivity::kWork;
  std::uint32_t track = 0;
};

struct CauseTally {
  DurNs ns = 0;
  std::uint32_t count = 0;  // intervals
  TimeRange longest{0, 0};  // interval
  std::uint32_t track = 0;  // of the device, on which the longest interval ends (or begins, at the end of the trace)
};

struct StepIdle {
  DurNs window = 0;
  DurNs compute = 0, comm = 0, copy = 0;  // exposed: time counts for the first of them that is active; their sum is the device's busy time
  DurNs overlapped_comm = 0;              // within `compute`
  std::array<CauseTally, kIdleCauseCount> causes{};
  DurNs busy() const { return compute + comm + copy; }
  DurNs idle() const { return window - busy(); }  // equals the sum of the causes
  const CauseTally& operator[](IdleCause cause) const { return causes[static_cast<std::size_t>(cause)]; }
};

struct DeviceIdle {
  std::vector<StepIdle> steps;  // in the order of the input
  // Spans that begin in a step.
  std::size_t kernels = 0, short_kernels = 0;
  DurNs kernel_ns = 0, short_kernel_ns = 0;
  std::size_t launches_known = 0;  // of kernels, copies and memsets
  std::size_t starved = 0;         // of those: issued while the device had no work
  DurNs median_delay = 0;          // from the start of the call to the start on the device, where known
};

DeviceIdle deviceIdle(std::span<const DeviceSpan> device, std::span<const HostSpan> host, std::span<const TimeRange> steps);

}  // namespace runglass
