// SPDX-License-Identifier: Apache-2.0
// LinePace: how long the steps of a log took that prints none of their times, from the times of its lines.
//
// Threading:  plain value.
// Units:      ns.
// Errors:     none: lines too near to each other, or that go back, give nothing.
// Cost:       O(1).
#pragma once

#include <cstdint>
#include <optional>

#include "model/time.h"

namespace runglass::train_log {

class LinePace {
 public:
  // The mean of the steps since the last one that gave one. `resolution`: of the lines' times; a mean is given once it is exact to 5 %.
  std::optional<double> at(std::int64_t step, TimeNs time, DurNs resolution) {
    if (!m_begin || step < m_begin->step || time < m_begin->time) {
      m_begin = Begin{step, time};
      return std::nullopt;
    }
    const DurNs passed = time - m_begin->time;
    if (step == m_begin->step || passed < kPrecise * resolution) return std::nullopt;
    const double mean = static_cast<double>(passed) / static_cast<double>(step - m_begin->step);
    m_begin = Begin{step, time};
    return mean;
  }
  // The log shows that other things than steps take time here: a save, an evaluation, a restart.
  void pause() { m_begin.reset(); }

 private:
  static constexpr std::int64_t kPrecise = 20;
  struct Begin {
    std::int64_t step;
    TimeNs time;
  };
  std::optional<Begin> m_begin;
};

}  // namespace runglass::train_log
