// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu_idle/idle_words.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "model/clock_reasons.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass {
namespace {

std::string number(const char* format, auto... values) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

std::string duration(double ns) { return shortDurationText(static_cast<DurNs>(std::llround(std::min(ns, 9e18)))); }

// "52.1 ms of a step of 154 ms", "1.2 s of 3.4 s".
std::string portion(IdleCause cause, const IdleTally& tally) {
  const auto samples = static_cast<double>(std::max<std::size_t>(tally.samples, 1));
  return duration(tally[cause].ns / samples) + (tally.steps.empty() ? " of " : " of a step of ") + duration(tally.window / samples);
}

// The mean over all units may hide a large share on a few.
std::string whereWords(const CauseSum& sum, const IdleTally& tally, const char* unit) {
  if (sum.units.empty() || sum.units.size() >= tally.units || sum.noticed_window <= 0) return {};
  return percentText(sum.noticed_ns / sum.noticed_window) + (tally.steps.empty() ? " of the time on " : " of a step on ") +
         std::to_string(sum.units.size()) + " of " + counted(tally.units, unit) + "; of all: ";
}

const char* meanwhile(IdleCause cause) {
  switch (cause) {
    case IdleCause::kCheckpoint:
      return " while a checkpoint was saved";
    case IdleCause::kData:
      return " while the data loader was asked for a batch";
    case IdleCause::kGc:
      return " while Python collected garbage";
    case IdleCause::kLogging:
      return " while logs or metrics were reported";
    case IdleCause::kSync:
      return " in synchronisation calls or within 200 µs after them: the queue had run dry";
    case IdleCause::kAllocation:
      return " in calls that allocate or free memory, which wait for the device";
    case IdleCause::kCopyCall:
      return " in copy calls of the host, or from such a call to its copy";
    case IdleCause::kSmallKernels:
      return " after kernels shorter than 10 µs, done before the next was issued";
    case IdleCause::kHostBound:
      return " before the next work was issued";
    case IdleCause::kLaunch:
      return " between the launch call's begin and the work's";
    case IdleCause::kQueued:
      return " with work issued that had not begun: kernels close together, streams that wait for others, or work that was not recorded";
    default:
      return "";
  }
}

std::string launchWords(const LaunchStats& launches) {
  if (launches.launches_known == 0) return {};
  return "; " + percentText(static_cast<double>(launches.starved) / static_cast<double>(launches.launches_known)) + " of " +
         std::to_string(launches.launches_known) + " launches found the device idle, median launch delay " +
         duration(static_cast<double>(launches.median_delay));
}

}  // namespace

std::string counted(std::size_t count, const char* one) { return std::to_string(count) + " " + one + (count == 1 ? "" : "s"); }

std::string spanEvidence(IdleCause cause, const IdleTally& tally, const LaunchStats& launches) {
  const CauseSum& sum = tally[cause];
  if (cause == IdleCause::kUnexplained)
    return tally.share(cause) >= kReported ? portion(cause, tally) + ": no recorded cause" : "every gap has a cause";
  const auto samples = static_cast<double>(std::max<std::size_t>(tally.samples, 1));
  std::string text = whereWords(sum, tally, "device") + portion(cause, tally) + meanwhile(cause);
  if (sum.stretches > 0)
    text += "; " + number("%.4g", static_cast<double>(sum.stretches) / samples) +
            (tally.steps.empty() ? " stretches" : " stretches a step") + ", the longest " + duration(sum.longest_ns);
  if (cause == IdleCause::kSmallKernels && launches.kernels > 0)
    text += "; " + percentText(static_cast<double>(launches.short_kernels) / static_cast<double>(launches.kernels)) + " of " +
            std::to_string(launches.kernels) + " kernels are that short, " + percentText(launches.short_share) + " of the kernels' time";
  if (cause == IdleCause::kHostBound || cause == IdleCause::kSmallKernels) text += launchWords(launches);
  return text;
}

std::string partEvidence(IdleCause cause, const IdleTally& tally) {
  const CauseSum& sum = tally[cause];
  if (cause == IdleCause::kUnexplained)
    return tally.share(cause) >= kReported ? portion(cause, tally) + " in no part" : "every moment of the steps is in a part";
  std::string text = whereWords(sum, tally, "rank") + portion(cause, tally) + meanwhile(cause);
  if (sum.rank) text += "; most on rank " + std::to_string(*sum.rank) + " in one step: " + duration(sum.longest_ns);
  return text;
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

std::string clockWords(const ClockSum& sum, const DeviceClocks& worst, const ThrottleShare& throttle, std::uint64_t mask) {
  std::string text = std::to_string(sum.held) + " of " + counted(sum.devices, "device") + " held down (" +
                     clockReasonWords(throttle.reasons & mask) + "); the worst" +
                     (worst.rank ? ", rank " + std::to_string(*worst.rank) + "'s," : std::string()) + " for " + percentText(throttle.held) +
                     " of the time at " + number("%.3g GHz", throttle.held_hertz / 1e9);
  if (!worst.level) return text + "; the clock without it was never seen";
  return text + " against " + number("%.3g GHz", *worst.level / 1e9) + (worst.level_of_others ? " of other devices" : " unthrottled") +
         (throttle.lost ? ", which costs it " + percentText(*throttle.lost) : std::string());
}

}  // namespace runglass
