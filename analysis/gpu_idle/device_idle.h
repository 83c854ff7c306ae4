// SPDX-License-Identifier: Apache-2.0
// Why a device did nothing, from the spans of its streams and of the threads that fed it. The kernel: values in, values out.
//
// Gaps between the spans of all streams of a device (HolisticTraceAnalysis' idle time) are cut where the launch call of the next span
// began: after it, the work was on its way (kLaunch) or, where it had been issued before the gap, waited in its queue (kQueued: HTA's
// kernel wait and dependencies of streams). Before it, the device waited for the host, which is told by what the host did, in IdleCause's
// order; the launch that comes late is the issue latency of XPUTimer (Cui et al., "XPUTimer: Anomaly Diagnostics for Divergent LLM Training
// in GPU Clusters of Thousand-Plus Scale", arXiv 2502.05413): a short one says that the device stood ready.
//
// Threading:  pure; any thread.
// Units:      TimeNs, DurNs. An open span ends at the highest int64. Steps are half-open; where they overlap, a moment is the
//             earlier one's.
// Errors:     none. Spans that end before they begin, and steps longer than kLongestStep, are left out.
// Cost:       O(n log n) of the spans, O(log n) per segment and step: 1 M spans 0.08 s.
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
// After a synchronisation the host has to issue anew: what comes within this time is the synchronisation's.
inline constexpr DurNs kSyncShadow = 200 * kNsPerUs;
// Between two launches of a stretch the host does nothing else: a longer way to the next one is not the kernels' smallness.
inline constexpr DurNs kLaunchStretch = 100 * kNsPerUs;
inline constexpr DurNs kLongestStep = 100'000 * kNsPerSecond;

struct DeviceSpan {
  TimeNs t0 = 0, t1 = 0;
  SpanCategory category = SpanCategory::kCompute;  // compute, comm, memcpy, memset
  TimeNs launched = kAbsent;                       // begin of the call that issued it
  std::uint32_t track = 0;
};

struct HostSpan {
  TimeNs t0 = 0, t1 = 0;
  HostActivity activity = HostActivity::kWork;
  std::uint32_t track = 0;
};

struct CauseTally {
  DurNs ns = 0;
  std::uint32_t count = 0;  // stretches
  TimeRange longest{0, 0};  // of them
  std::uint32_t track = 0;  // of the device, on which the longest ends (or begins, at the end of the trace)
};

struct StepIdle {
  DurNs window = 0;
  DurNs compute = 0, comm = 0, copy = 0;  // exposed: a moment is the first of them; their sum is the time in which the device worked
  DurNs overlapped_comm = 0;              // inside `compute`
  std::array<CauseTally, kIdleCauseCount> causes{};
  DurNs busy() const { return compute + comm + copy; }
  DurNs idle() const { return window - busy(); }  // equals the causes' sum
  const CauseTally& operator[](IdleCause cause) const { return causes[static_cast<std::size_t>(cause)]; }
};

struct DeviceIdle {
  std::vector<StepIdle> steps;  // as given
  // Of spans that begin in a step.
  std::size_t kernels = 0, short_kernels = 0;
  DurNs kernel_ns = 0, short_kernel_ns = 0;
  std::size_t launches_known = 0;  // of kernels, copies and sets
  std::size_t starved = 0;         // of them: issued when the device had nothing to do
  DurNs median_delay = 0;          // from the call's begin to the device's, of those known
};

DeviceIdle deviceIdle(std::span<const DeviceSpan> device, std::span<const HostSpan> host, std::span<const TimeRange> steps);

}  // namespace runglass
