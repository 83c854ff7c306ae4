// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu_idle/idle_words.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/clock_reasons.h"
#include "model/number_text.h"

namespace runglass {
namespace {

using words::Arg;
using words::Message;

Arg duration(double ns) { return words::shortDuration(static_cast<DurNs>(std::llround(std::min(ns, 9e18)))); }

// "52.1 ms of a step of 154 ms", "1.2 s of 3.4 s".
Message portion(IdleCause cause, const IdleTally& tally) {
  const auto samples = static_cast<double>(std::max<std::size_t>(tally.samples, 1));
  return Message{tally.steps.empty() ? "idle_portion" : "idle_portion_of_step",
                 {{"part", duration(tally[cause].ns / samples)}, {"whole", duration(tally.window / samples)}}};
}

// The mean over all units may hide a large share on a few.
Arg whereWords(const CauseSum& sum, const IdleTally& tally, bool devices) {
  if (sum.units.empty() || sum.units.size() >= tally.units || sum.noticed_window <= 0) return {};
  const Arg share = words::ratio(sum.noticed_ns / sum.noticed_window);
  if (devices)
    return Message{tally.steps.empty() ? "idle_on_devices" : "idle_on_devices_of_step",
                   {{"share", share}, {"count", sum.units.size()}, {"total", tally.units}}};
  return Message{tally.steps.empty() ? "idle_on_ranks" : "idle_on_ranks_of_step",
                 {{"share", share}, {"count", sum.units.size()}, {"total", tally.units}}};
}

Arg meanwhile(IdleCause cause) {
  switch (cause) {
    case IdleCause::kCheckpoint:
      return Message{"idle_while_checkpoint", {}};
    case IdleCause::kData:
      return Message{"idle_while_data", {}};
    case IdleCause::kGc:
      return Message{"idle_while_gc", {}};
    case IdleCause::kLogging:
      return Message{"idle_while_logging", {}};
    case IdleCause::kSync:
      return Message{"idle_while_sync", {}};
    case IdleCause::kAllocation:
      return Message{"idle_while_allocation", {}};
    case IdleCause::kCopyCall:
      return Message{"idle_while_copy_call", {}};
    case IdleCause::kSmallKernels:
      return Message{"idle_while_small_kernels", {}};
    case IdleCause::kHostBound:
      return Message{"idle_while_host_bound", {}};
    case IdleCause::kLaunch:
      return Message{"idle_while_launch", {}};
    case IdleCause::kQueued:
      return Message{"idle_while_queued", {}};
    default:
      return {};
  }
}

Arg launchWords(const LaunchStats& launches) {
  if (launches.launches_known == 0) return {};
  return Message{"idle_launches",
                 {{"share", words::ratio(static_cast<double>(launches.starved) / static_cast<double>(launches.launches_known))},
                  {"count", launches.launches_known},
                  {"delay", duration(static_cast<double>(launches.median_delay))}}};
}

}  // namespace

Message spanEvidence(IdleCause cause, const IdleTally& tally, const LaunchStats& launches) {
  const CauseSum& sum = tally[cause];
  if (cause == IdleCause::kUnexplained && tally.share(cause) < kReported) return Message{"idle_all_explained", {}};
  if (cause == IdleCause::kUnexplained) return Message{"idle_no_cause", {{"portion", portion(cause, tally)}}};
  const auto samples = static_cast<double>(std::max<std::size_t>(tally.samples, 1));
  Arg stretches, small, launched;
  if (sum.stretches > 0)
    stretches = Message{tally.steps.empty() ? "idle_stretches" : "idle_stretches_a_step",
                        {{"count", numberText(static_cast<double>(sum.stretches) / samples)}, {"longest", duration(sum.longest_ns)}}};
  if (cause == IdleCause::kSmallKernels && launches.kernels > 0)
    small = Message{"idle_short_kernels",
                    {{"share", words::ratio(static_cast<double>(launches.short_kernels) / static_cast<double>(launches.kernels))},
                     {"count", launches.kernels},
                     {"time", words::ratio(launches.short_share)}}};
  if (cause == IdleCause::kHostBound || cause == IdleCause::kSmallKernels) launched = launchWords(launches);
  return Message{"idle_spans",
                 {{"where", whereWords(sum, tally, true)},
                  {"portion", portion(cause, tally)},
                  {"meanwhile", meanwhile(cause)},
                  {"stretches", stretches},
                  {"kernels", small},
                  {"launches", launched}}};
}

Message partEvidence(IdleCause cause, const IdleTally& tally) {
  const CauseSum& sum = tally[cause];
  if (cause == IdleCause::kUnexplained && tally.share(cause) < kReported) return Message{"idle_all_in_parts", {}};
  if (cause == IdleCause::kUnexplained) return Message{"idle_no_part", {{"portion", portion(cause, tally)}}};
  return Message{"idle_parts",
                 {{"where", whereWords(sum, tally, false)},
                  {"portion", portion(cause, tally)},
                  {"meanwhile", meanwhile(cause)},
                  {"rank", sum.rank},
                  {"longest", duration(sum.longest_ns)}}};
}

void ClockSum::add(const DeviceClocks& device, const ThrottleShare& throttle) {
  ++devices;
  if (throttle.held <= 0) return;
  ++held;
  known += throttle.lost ? 1 : 0;
  lost += throttle.lost.value_or(0);
  const double value = throttle.lost.value_or(0) + 1e-3 * throttle.held;
  if (value > worst_value) worst_value = value, worst = &device;
}

Message clockWords(const ClockSum& sum, const DeviceClocks& worst, const ThrottleShare& throttle, std::uint64_t mask, Arg sample) {
  Arg::List reasons;
  for (std::string& name : clockReasonNames(throttle.reasons & mask)) reasons.emplace_back(words::Term{std::move(name)});
  if (reasons.empty()) reasons.emplace_back(words::Term{"none"});
  const Message held = Message{"idle_clocks_held",
                               {{"held", sum.held},
                                {"devices", sum.devices},
                                {"reasons", std::move(reasons)},
                                {"rank", worst.rank},
                                {"share", words::ratio(throttle.held)},
                                {"clock", valueText(throttle.held_hertz, "hertz")}}};
  if (!worst.level) return Message{"idle_clocks_alone", {{"held", held}, {"sample", std::move(sample)}}};
  return Message{worst.level_of_others ? "idle_clocks_of_others" : "idle_clocks_unthrottled",
                 {{"held", held},
                  {"level", valueText(*worst.level, "hertz")},
                  {"lost", throttle.lost ? Arg(words::ratio(*throttle.lost)) : Arg()},
                  {"sample", std::move(sample)}}};
}

}  // namespace runglass
