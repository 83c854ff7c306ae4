// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu_idle/machine_idle.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace runglass {
namespace {

constexpr std::uint64_t kHeldDown = kThermalReasons | kPowerCapReason;
constexpr double kIdleClock = 0.5;  // of the highest clock; below it a device is idle

double lengthOf(const TimeRange& when) { return std::max(0.0, static_cast<double>(when.t1) - static_cast<double>(when.t0)); }

bool isClock(const ClockBin& bin) { return std::isfinite(bin.hertz) && bin.hertz > 0; }

}  // namespace

void lengthen(TimeRange& longest, TimeRange& open, TimeRange more) {
  open = open.t1 == more.t0 && open.t0 < open.t1 ? TimeRange{open.t0, more.t1} : more;
  if (lengthOf(open) > lengthOf(longest)) longest = open;
}

std::optional<double> unthrottledHertz(std::span<const ClockBin> bins) {
  double highest = 0;
  for (const ClockBin& bin : bins)
    if (isClock(bin)) highest = std::max(highest, bin.hertz);
  std::vector<double> free;
  for (const ClockBin& bin : bins)
    if (isClock(bin) && bin.reasons && (*bin.reasons & kHeldDown) == 0 && bin.hertz >= kIdleClock * highest) free.push_back(bin.hertz);
  if (free.empty()) return std::nullopt;
  const auto at = free.begin() + static_cast<std::ptrdiff_t>((free.size() - 1) * 9 / 10);
  std::ranges::nth_element(free, at);
  return *at;
}

std::optional<ThrottleShare> throttleShare(std::span<const ClockBin> bins, std::uint64_t mask, std::optional<double> level) {
  double all = 0, held = 0, lost = 0, hertz = 0;
  ThrottleShare out;
  TimeRange open{0, 0};
  for (const ClockBin& bin : bins) {
    if (!isClock(bin) || !bin.reasons) continue;
    const double ns = lengthOf(bin.when);
    all += ns;
    const bool thermal = (*bin.reasons & kThermalReasons) != 0;
    if ((*bin.reasons & mask) == 0 || (mask == kPowerCapReason && thermal)) continue;
    held += ns;
    hertz += ns * bin.hertz;
    out.reasons |= *bin.reasons & mask;
    if (level && *level > 0) lost += ns * std::clamp(1 - bin.hertz / *level, 0.0, 1.0);
    lengthen(out.longest, open, bin.when);
  }
  if (!(all > 0)) return std::nullopt;
  out.held = held / all;
  out.held_hertz = held > 0 ? hertz / held : 0;
  if (level && *level > 0) out.lost = lost / all;
  if (held == 0) out.lost = 0;
  return out;
}

std::optional<SaturationShare> saturationShare(std::span<const CpuBin> bins) {
  double all = 0, saturated = 0, busy = 0, busy_ns = 0;
  SaturationShare out;
  TimeRange open{0, 0};
  for (const CpuBin& bin : bins) {
    const bool has_busy = std::isfinite(bin.busy), has_pressure = std::isfinite(bin.pressure);
    if (!has_busy && !has_pressure) continue;
    const double ns = lengthOf(bin.when);
    all += ns;
    if (has_busy) busy += ns * bin.busy, busy_ns += ns;
    if (!(has_busy && bin.busy >= kSaturatedCpu) && !(has_pressure && bin.pressure >= kSaturatedPressure)) continue;
    saturated += ns;
    lengthen(out.longest, open, bin.when);
  }
  if (!(all > 0)) return std::nullopt;
  out.share = saturated / all;
  out.mean_busy = busy_ns > 0 ? busy / busy_ns : 0;
  return out;
}

std::optional<StallShare> stallShare(std::span<const StallBin> bins) {
  double all = 0, stalled = 0, most = 0;
  bool any = false, timed = true;
  StallShare out;
  for (const StallBin& bin : bins) {
    if (!std::isfinite(bin.grown)) continue;
    any = true;
    const double ns = lengthOf(bin.when);
    all += ns;
    if (!(bin.grown > 0)) continue;
    out.count += bin.grown;
    timed &= std::isfinite(bin.pressure);
    if (std::isfinite(bin.pressure)) stalled += ns * std::clamp(bin.pressure, 0.0, 1.0);
    if (bin.grown > most) most = bin.grown, out.longest = bin.when;
  }
  if (!any || !(all > 0)) return std::nullopt;
  if (timed) out.share = stalled / all;
  return out;
}

}  // namespace runglass
