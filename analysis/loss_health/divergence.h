// SPDX-License-Identifier: Apache-2.0
// Slow divergence: a loss that leaves the best level it had, without a jump; a loss that is worse after a restart than before it; and one
// that is worse than another run's at the same steps.
//
// Threading:  a DivergenceWatch is a value of one thread; the functions are pure.
// Units:      steps as the series counts them; persistence and windows count points. Ratios: 1.05 is 5 % more.
// Errors:     none. A curve with values <= 0 has no ratio: nothing is said of it.
// Cost:       push: as RollingMedian; the functions O(points).
//
// Level = median of 100 points. It diverges while the level is 5 % and one robust sigma above the lowest level so far, for 200 points on
// end: the form of a CUSUM on the residual against the best level (Page 1954, "Continuous inspection schemes") with a run length in place
// of a sum, so that neither one huge value nor heavy tails can make it. The lowest of many medians of 100 lies some 0.5 sigma below the
// true level, so one sigma is out of reach of noise. Noise that is correlated from point to point moves a level further, by
// sqrt((1 + r) / (1 - r)) (Bartlett 1946, "On the theoretical specification and sampling properties of autocorrelated
// time-series"): the limit grows with it. What people ask for: "slow divergence alert" (Marin issue 2830).
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
  std::int64_t first_step = 0, last_step = 0;  // the newest at which the level was too high
  std::int64_t best_step = 0;
  double best = 0, level = 0, worst = 0;       // lowest level; newest and highest level since
  std::optional<std::int64_t> recovered_step;  // the level is back within half of the limit
  friend bool operator==(const Divergence&, const Divergence&) = default;
};

// What noise alone makes of a level: one sigma, and more where points resemble those before them. Their correlation is that of
// the median window so far, as a drift that has begun looks like one.
class LevelNoise {
 public:
  void push(const RollingMedian& window);  // a full one, at every point
  double of(const RollingMedian& window, double level) const;

 private:
  RollingMedian m_correlations;
  std::size_t m_since = 0;  // points since the newest of them
};

class DivergenceWatch {
 public:
  void push(std::int64_t step, double value);
  // Another regime, or a jump that somebody else has told: the best level so far is no measure any more. Nothing while it diverges.
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

// The first points of an attempt against the last ones of the attempt before it, before the step at which it went on.
struct LevelChange {
  double before = 0, after = 0;  // medians
  double sigma = 0;              // robust, of the points before
};
// Absent: fewer than kLevelAfter finite points on either side.
std::optional<LevelChange> compareLevels(std::span<const double> before, std::span<const double> after);
bool isWorse(const LevelChange& change);  // 5 % and one sigma more

struct BaselineDivergence {
  std::int64_t first_step = 0, last_step = 0;  // where the ratio's level was too high
  double ratio = 1;                            // its highest level
  std::size_t common = 0;                      // steps that both have
};
// Against another run's curve at the same steps; both in step order. Absent: it is not worse, or fewer than 200 steps are common.
std::optional<BaselineDivergence> divergesFrom(std::span<const std::int64_t> steps, std::span<const double> values,
                                               std::span<const std::int64_t> base_steps, std::span<const double> base_values);

}  // namespace runglass
