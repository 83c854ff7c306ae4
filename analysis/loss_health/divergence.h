// SPDX-License-Identifier: Apache-2.0
// Slow divergence: a loss that rises above its best level without a jump, that is worse after a restart than before it, or that is worse
// than another run's at the same steps.
//
// Threading:  a DivergenceWatch is used by one thread at a time; the functions are pure.
// Units:      steps, as the series counts them; persistence and windows count points. Ratios: 1.05 is 5 % more.
// Errors:     a curve with values <= 0 has no ratio and is not judged.
// Cost:       push: as RollingMedian; the functions O(points).
//
// Level = median of 100 points. It diverges while the level is 5 % and one robust sigma above the lowest level so far, for 200 consecutive
// points: a CUSUM on the residual against the best level (Page 1954, "Continuous inspection schemes") with a run length in place of the
// sum, so that neither one huge value nor heavy tails can trigger it. The lowest of many medians of 100 is about 0.5 sigma below the true
// level, so that noise does not reach one sigma. Noise that is correlated from point to point moves a level further, by sqrt((1 + r) / (1 -
// r)) (Bartlett 1946, "On the theoretical specification and sampling properties of autocorrelated time-series"): the limit grows with it.
// Requested by users as a "slow divergence alert" (Marin issue 2830).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/loss_spikes/rolling_median.h"

namespace runglass {

inline constexpr double kDivergenceRatio = 1.05, kDivergenceSevere = 1.25;
inline constexpr int kDivergencePersistence = 200;
inline constexpr std::size_t kLevelBefore = 200, kLevelAfter = 50;  // points around a restart

struct Divergence {
  std::int64_t first_step = 0, last_step = 0;  // last_step: the newest with the level above the limit
  std::int64_t best_step = 0;
  double best = 0, level = 0, worst = 0;       // lowest level; newest and highest level since
  std::optional<std::int64_t> recovered_step;  // the level is back within half of the limit
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

// The variation of a level from noise alone: one sigma, and more where points correlate with the previous ones. Their correlation is the
// median over the windows so far, since the start of a drift resembles correlation.
class LevelNoise {
 public:
  void push(const RollingMedian& window);  // a full one, at every point
  double of(const RollingMedian& window, double level) const;

 private:
  RollingMedian m_correlations;
  std::size_t m_since = 0;  // points since the newest correlation
};

class DivergenceWatch {
 public:
  void push(std::int64_t step, double value);
  // After a change of regime, or a jump that another finding covers: the best level so far is no longer a reference. No effect while it
  // diverges.
  void rebase();
  const std::vector<Divergence>& found() const { return m_found; }

 private:
  RollingMedian m_window;
  LevelNoise m_noise;
  std::optional<double> m_best;
  std::int64_t m_best_step = 0;
  int m_above = 0;
  Divergence m_now;     // since m_above > 0
  bool m_open = false;  // m_found.back() has no end
  bool m_judges = true;
  std::vector<Divergence> m_found;
};

// The first points of an attempt compared with the last ones of the previous attempt before the step from which it resumed.
struct LevelChange {
  double before = 0, after = 0;  // medians
  double sigma = 0;              // robust, of the points before
};
// Absent: fewer than kLevelAfter finite points on either side.
std::optional<LevelChange> compareLevels(std::span<const double> before, std::span<const double> after);
bool isWorse(const LevelChange& change);  // by 5 % and by one sigma

struct BaselineDivergence {
  std::int64_t first_step = 0, last_step = 0;  // where the level of the ratio was too high
  double ratio = 1;                            // its highest level
  std::size_t common = 0;                      // steps in both
};
// Compared with another run's curve at the same steps; both in step order. Absent: it is not worse, or fewer than 200 steps are common.
std::optional<BaselineDivergence> divergesFrom(std::span<const std::int64_t> steps, std::span<const double> values,
                                               std::span<const std::int64_t> base_steps, std::span<const double> base_values);

}  // namespace runglass
