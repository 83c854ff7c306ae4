// SPDX-License-Identifier: Apache-2.0
// Regimes: where a run's settings changed, so that a change of its loss is no surprise: learning rate, batch size, epoch, world size.
//
// Threading:  a value; one thread at a time.
// Units:      steps; values as the series has them.
// Errors:     none; what is not finite is passed over.
// Cost:       O(1) per point; regimeNear() O(log changes).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace runglass {

inline constexpr std::int64_t kRegimeSettles = 100;  // steps after a change for which nobody is to be alarmed

struct Regime {
  std::int64_t step = 0;  // the first under the new setting
  std::string_view what;  // "learning_rate", "batch_size", "epoch", "world_size"
  double from = 0, to = 0;
};

class RegimeWatch {
 public:
  // By half or more from one point to the next, and by a tenth of the highest rate, where the two before it were nearly equal: ramps and
  // decays are none.
  void learningRate(std::int64_t step, double value);
  void batchSize(std::int64_t step, double value);
  // Of epochs that are shorter than 3 x kRegimeSettles nothing is said: they would be everywhere.
  void epoch(std::int64_t step, double value);
  void add(const Regime& regime);
  const std::vector<Regime>& changes() const { return m_changes; }  // by step

 private:
  std::vector<Regime> m_changes;
  std::optional<double> m_rate, m_batch, m_epoch;
  double m_rate_highest = 0;
  double m_rate_moved = 0;  // the newest ratio of neighbours; 0: there was none
  std::int64_t m_epoch_began = 0;
};

// The newest change within kRegimeSettles steps before `step`; nullptr: none.
const Regime* regimeNear(std::span<const Regime> changes, std::int64_t step);

}  // namespace runglass
