// SPDX-License-Identifier: Apache-2.0
// Loss spikes: where a training loss leaves its recent level, and whether it recovered.
//
// Threading:  a detector is used by one thread at a time; it is a value and may be copied to continue later.
// Units:      steps, as the series counts them. Windows and persistence count points, regardless of the steps between them; the length of a
//             spike is judged in steps (weightOf).
// Errors:     values that are not finite are handled by a separate rule.
// Cost:       O(window) per point, 0.4 microseconds; 3 KiB per detector and 88 bytes per spike.
//
// The rule: log x is more than 8 robust sigma and 5 % above its local level. Level and sigma come from the 100 accepted points before x, as
// in robust filters for signal monitoring (Davies, Fried & Gather 2004, "Robust signal extraction for on-line monitoring data"): a robust
// line through the window, and 1.4826 MAD of the distances to that line (Leys et al. 2013, "Detecting outliers: do not use standard
// deviation around the mean, use absolute deviation around the median"), or to a robust parabola where that is less:
// of a loss that is logged every tenth step, 100 points are a curve and no line. Level: the line one point ahead, or the median of the
// newest 20 points where that is higher, since a line through a convex curve runs below it and a loss that stops falling is not a spike.
// Additions for real logs:
//   upward only, and on the raw value from the first loss <= 0 on;
//   MAD is at least 0.1 % of the level (1 % for a spike of at most 3 points) and at least the resolution of the printed values;
//   outliers stay out of the baseline. A spike ends (benign) at the first point within 2 sigma, or half of the 5 %, of its level.
//   After 50 points without one it is malignant, and those points are the new baseline, since excluding outliers forever would latch;
//   an outlier within 50 points after a recovery belongs to the same spike;
//   the first 20 points must also be 20 % above the median of the first 10;
//   where few points are a bent curve, the distances to a line are its bend: from the 10th point on, x is also an outlier if it is 50 % and
//   8 sigma above the highest of the newest 5 points, sigma being 1.4826 times the median distance of neighbours; NaN and Inf are malignant
//   at once and never enter a baseline.
// It is causal: a later point changes only a spike's end, peak and verdict. A spike that is one only by its length is reported at its
// fourth point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/loss_spikes/rolling_median.h"

namespace runglass {

inline constexpr std::size_t kSpikeWindow = RollingMedian::kWindow, kSpikeWarmUp = 20, kSpikeFirst = 10;
inline constexpr double kSpikeZ = 8, kSpikeBackZ = 2, kSpikeWarmUpRatio = 1.2;
inline constexpr double kSpikeFloor = 0.001, kBlipFloor = 0.01;  // of the level
inline constexpr std::size_t kSpikeNear = 5;
inline constexpr double kSpikeNearRatio = 1.5;  // of the newest points
// A spike of one point lasts if it is so many times the newest points, and no other was in so many steps before it: losses of single
// batches have heavy tails.
inline constexpr double kSingleRatio = 2;
inline constexpr std::int64_t kAloneSteps = 1'000;
inline constexpr int kSpikePersistence = 50, kSpikeCooldown = 50;

// The limits of a spike: at least `z` robust sigma and `ratio` times the level.
struct SpikeLimits {
  double z, ratio;
};
inline constexpr SpikeLimits kLossLimits{kSpikeZ, 1.05}, kGradNormLimits{6, 2};
inline constexpr SpikeLimits kRiseLimits{5, 1.02};  // of a loss that rose but stayed below a spike
inline constexpr double kTogetherZ = 6;             // of a loss and of the gradient norm in the same steps: together they are a spike

// Steps between two, saturated at the type's limits: a source may use any number as a step.
inline std::int64_t stepsBetween(std::int64_t from, std::int64_t to) {
  std::int64_t steps = 0;
  if (!__builtin_sub_overflow(to, from, &steps)) return steps;
  return to > from ? INT64_MAX : INT64_MIN;
}

enum class SpikeRule : std::uint8_t { kRobustZ, kWarmUp, kNonFinite };
enum class SpikeVerdict : std::uint8_t { kUnknown, kBenign, kMalignant };  // unknown: the points end before a verdict

struct LossSpike {
  // last_step: the newest point before recovery; of a malignant spike that has not recovered, the one that made it malignant.
  std::int64_t first_step = 0, last_step = 0;
  std::int64_t peak_step = 0;
  double peak = 0;
  double baseline = 0;             // level at its start; NaN without earlier points
  double z = 0;                    // of the highest point: robust sigma above the baseline; 0 if not finite
  int points = 0;                  // before recovery, or not finite
  int longest = 0;                 // maximum of them in a row
  std::int64_t longest_steps = 0;  // their span
  std::int64_t interval = 1;       // steps between the points before it: those that a point stands for
  SpikeRule rule = SpikeRule::kRobustZ;
  SpikeVerdict verdict = SpikeVerdict::kUnknown;
  bool high = true;  // its first point is kSingleRatio times the newest points, and no spike was in the kAloneSteps before it
  std::optional<std::int64_t> recovered_step;  // of a malignant spike: recovery after the verdict
  std::optional<double> level;                 // of a malignant spike: median of the 50 points that made it malignant
  friend bool operator==(const LossSpike&, const LossSpike&) = default;
};

// The weight of a spike, from its points so far.
enum class SpikeWeight : std::uint8_t {
  kBlip,       // at most kBlipPoints and fewer than kLastingSteps, or a single point that is low, not alone and without a gradient spike
  kShort,      // more points, without a gradient spike
  kLasting,    // at least kLastingSteps, or more points together with a gradient spike
  kMalignant,  // a new level
};
inline constexpr int kBlipPoints = 3;
inline constexpr std::int64_t kLastingSteps = 10;
// `with_grad`: a gradient spike came with it. `counts_steps`: the axis is steps; on an axis of samples a point counts as a step. Undecided
// spikes are weighed by their points so far.
SpikeWeight weightOf(const LossSpike& spike, bool with_grad, bool counts_steps);

// Runs of values that are not finite, in step order. Runs separated by at most kSpikeCooldown finite points are one.
class NonFiniteWatch {
 public:
  // `baseline`: the level before, NaN where unknown.
  void notFinite(std::int64_t step, double value, double baseline, std::vector<LossSpike>& out);
  // `points` consecutive finite points, the first at `step`.
  void finite(std::int64_t step, std::int64_t points, std::vector<LossSpike>& out);
  bool isOpen() const { return m_at != kNone && m_finite_since == 0; }  // the newest point was not finite

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::size_t m_at = kNone;  // index of the newest run in the caller's vector
  std::int64_t m_finite_since = 0;
  int m_stay = 0;  // consecutive points
  std::int64_t m_stay_from = 0;
};

class LossSpikeDetector {
 public:
  explicit LossSpikeDetector(SpikeLimits limits = kLossLimits) : m_limits(limits) {}
  // Points must come in step order.
  void push(std::int64_t step, double value);
  const std::vector<LossSpike>& spikes() const { return m_spikes; }  // by first_step
  int levelShifts() const { return m_level_shifts; }                 // malignant spikes except those of NaN and Inf

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  double toScale(double value) const;
  double fromScale(double scaled) const;
  double floorOf(double scaled, double share) const;
  bool isMore(double value) const;
  struct Baseline {
    double level = 0, sigma = 0;
  };
  Baseline baseline() const;
  double back(const Baseline& base) const;
  double firstMedian() const;
  double effect(double ratio, double level) const;
  // The baseline above which the value is an outlier.
  std::optional<Baseline> outlierOver(double value) const;
  std::optional<Baseline> nearLevel(double value) const;
  void turnRaw();
  void learnResolution(double value);
  void begin(std::int64_t step, double value, const Baseline& base);
  void follow(std::int64_t step, double value);
  void settle();

  SpikeLimits m_limits;
  RollingMedian m_window;  // the accepted points, on the scale (log or raw)
  bool m_log = true;
  int m_decimals = 0;  // decimals of the values so far; kExact: not rounded for printing

  std::optional<LossSpike> m_held;  // open, and so far only a blip of a very quiet curve
  std::size_t m_current = kNone;    // the spike that is open, or that ended within the cooldown
  bool m_open = false;
  double m_return = 0;                     // recovery is at or below this; value
  Baseline m_left;                         // the baseline at its start; on the scale
  std::optional<std::int64_t> m_last;      // step of the newest point
  std::int64_t m_interval = 1, m_gap = 1;  // the smaller of the last two distances of points; the last one
  int m_stay = 0;                          // points since its start
  std::int64_t m_stay_from = 0;
  int m_since = 0;                // points since its end
  std::vector<double> m_away;     // the points since its start; values
  std::size_t m_shifted = kNone;  // a malignant spike that may recover below m_shifted_return
  double m_shifted_return = 0;
  std::int64_t m_shifted_last = 0;  // the newest step above it
  NonFiniteWatch m_non_finite;
  int m_level_shifts = 0;
  std::vector<LossSpike> m_spikes;
};

std::vector<LossSpike> findLossSpikes(std::span<const std::int64_t> steps, std::span<const double> values);

}  // namespace runglass
