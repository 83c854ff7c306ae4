// SPDX-License-Identifier: Apache-2.0
#include "analysis/gpu_idle/idle_tally.h"

#include <algorithm>

#include "analysis/gpu_idle/idle_answer.h"

namespace runglass {

void IdleTally::add(const StepSample& sample) {
  window += sample.window;
  ++samples;
  units = std::max(units, sample.unit + 1);
  if (sample.step) steps.insert(*sample.step);
  for (std::size_t c = 0; c < sample.ns.size(); ++c) {
    CauseSum& sum = causes[c];
    sum.ns += sample.ns[c];
    if (sample.ns[c] < kNoticed * sample.window || sample.ns[c] <= 0) continue;
    sum.units.insert(sample.unit);
    sum.noticed_ns += sample.ns[c], sum.noticed_window += sample.window;
    if (!sample.step) continue;
    sum.first_step = std::min(sum.first_step.value_or(*sample.step), *sample.step);
    sum.last_step = std::max(sum.last_step.value_or(*sample.step), *sample.step);
  }
}

void IdleTally::cover(TimeRange range) { when = when ? TimeRange{std::min(when->t0, range.t0), std::max(when->t1, range.t1)} : range; }

double IdleTally::move(IdleCause to, double share_of_window, std::initializer_list<IdleCause> from) {
  double left = std::max(0.0, share_of_window) * window, moved = 0;
  for (const IdleCause cause : from) {
    CauseSum& sum = (*this)[cause];
    const double part = std::min(left, sum.ns);
    sum.ns -= part, left -= part, moved += part;
  }
  (*this)[to].ns += moved;
  return window > 0 ? moved / window : 0;
}

}  // namespace runglass
