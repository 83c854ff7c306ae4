// SPDX-License-Identifier: Apache-2.0
// Regimes: changes of a run's settings that explain a change of its loss: learning rate, batch size, epoch, world size.
//
// Threading:  one thread at a time.
// Units:      steps; values as the series has them.
// Errors:     values that are not finite are skipped.
// Cost:       O(1) per point; regimeNear() O(log changes).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace runglass {

inline constexpr std::int64_t kRegimeSettles = 100;  // steps after a change in which findings are only info

struct Regime {
  std::int64_t step = 0;  // the first step with the new setting
  std::string_view what;  // "learning_rate", "batch_size", "epoch", "world_size"
  double from = 0, to = 0;
};

class RegimeWatch {
 public:
  // A change by half or more from one point to the next, of at least a tenth of the highest rate, after two nearly equal points: ramps and
  // decays do not count.
  void learningRate(std::int64_t step, double value);
  void batchSize(std::int64_t step, double value);
  // Epochs shorter than 3 x kRegimeSettles are ignored: they would be everywhere.
  void epoch(std::int64_t step, double value);
  void add(const Regime& regime);
  const std::vector<Regime>& changes() const { return m_changes; }  // by step

 private:
  std::vector<Regime> m_changes;
  std::optional<double> m_rate, m_batch, m_epoch;
  double m_rate_highest = 0;
  double m_rate_moved = 0;  // newest ratio of consecutive points; 0: none
  std::int64_t m_epoch_began = 0;
};

// The newest change within kRegimeSettles steps before `step`; nullptr: none.
const Regime* regimeNear(std::span<const Regime> changes, std::int64_t step);

}  // namespace runglass
