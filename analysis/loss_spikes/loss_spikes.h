// SPDX-License-Identifier: Apache-2.0
// Loss spikes: where a training loss leaves its own recent level, and whether it came back.
//
// Threading:  a detector belongs to one thread at a time; it is a value and may be copied to go on later.
// Ownership:  values.
// Units:      steps as the series counts them. Windows and persistence count points, which are steps of a loss logged at every step.
// Errors:     none: what is not finite is a mark of its own.
// Cost:       O(log window + a move of at most 800 bytes) per point; 3 KiB per detector and 88 bytes per spike.
//
// The rule: robust z of log loss, (log x - level) / (1.4826 MAD) > 8 over the 100 accepted points before x, where level is their median,
// or a robust line through them where that is higher, and MAD the median distance to that line (Leys et al. 2013, "Detecting
// outliers: do not use standard deviation around the mean, use absolute deviation around the median", for median and MAD). Around it stands
// what running it on real logs asked for:
//   upward only, and on the raw value from the first loss <= 0 on;
//   MAD is at least 1 % of the median and at least the resolution to which the values were printed;
//   outliers stay out of the baseline. A spike is over (benign) at the first point within 2 sigma of its baseline. After 50 points that are
//   not, it is malignant, and those points are the new baseline, as leaving outliers out for ever would latch;
//   an outlier within 50 points after a recovery belongs to the same spike;
//   the first 20 points have to be 20 % above the median of the first 10 as well;
//   NaN and Inf are malignant at once and never enter a baseline.
// It is causal: a later point moves a spike's end, peak and verdict, and nothing else.
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
inline constexpr double kSpikeFloor = 0.01;  // of the median
inline constexpr int kSpikePersistence = 50, kSpikeCooldown = 50;

// What is a spike: at least `z` robust sigma and `ratio` times the median.
struct SpikeLimits {
  double z, ratio;
};
inline constexpr SpikeLimits kLossLimits{kSpikeZ, 1.05}, kGradNormLimits{6, 2};

// From one step to another, as far as the type reaches: a source may call anything a step.
inline std::int64_t stepsBetween(std::int64_t from, std::int64_t to) {
  std::int64_t steps = 0;
  if (!__builtin_sub_overflow(to, from, &steps)) return steps;
  return to > from ? INT64_MAX : INT64_MIN;
}

enum class SpikeRule : std::uint8_t { kRobustZ, kWarmUp, kNonFinite };
enum class SpikeVerdict : std::uint8_t { kUnknown, kBenign, kMalignant };  // unknown: the points end before it is decided

struct LossSpike {
  std::int64_t first_step = 0, last_step = 0;  // last: the newest point that was not back, of a malignant one that is not
                                               // back yet the one that made it malignant
  std::int64_t peak_step = 0;
  double peak = 0;
  double baseline = 0;             // median at its begin; NaN where nothing was before it
  double z = 0;                    // of the highest point: robust sigma above the baseline; 0 of what is not finite
  int points = 0;                  // that were not back, or not finite
  int longest = 0;                 // of them in a row
  std::int64_t longest_steps = 0;  // that those span
  SpikeRule rule = SpikeRule::kRobustZ;
  SpikeVerdict verdict = SpikeVerdict::kUnknown;
  std::optional<std::int64_t> recovered_step;  // of a malignant spike: it came back after the verdict
  std::optional<double> level;                 // of a malignant spike: median of the 50 points that made it one
  friend bool operator==(const LossSpike&, const LossSpike&) = default;
};

// How bad a spike is, by what is known of it so far.
enum class SpikeWeight : std::uint8_t {
  kBlip,       // back within kBlipPoints: one of many
  kShort,      // longer, and alone
  kLasting,    // at least kLastingSteps, or together with the gradient norm
  kMalignant,  // a new level
};
inline constexpr int kBlipPoints = 3;
inline constexpr std::int64_t kLastingSteps = 10;
// `with_grad`: a gradient spike came with it. `counts_steps`: the axis is steps, not samples. Undecided spikes weigh what they have shown
// so far.
SpikeWeight weightOf(const LossSpike& spike, bool with_grad, bool counts_steps);

class LossSpikeDetector {
 public:
  explicit LossSpikeDetector(SpikeLimits limits = kLossLimits) : m_limits(limits) {}
  // Points come in step order.
  void push(std::int64_t step, double value);
  const std::vector<LossSpike>& spikes() const { return m_spikes; }  // by first_step
  int levelShifts() const { return m_level_shifts; }                 // malignant spikes but for those of NaN and Inf

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  double toScale(double value) const;
  double fromScale(double scaled) const;
  double floorOf(double middle) const;
  struct Baseline {
    double level = 0, sigma = 0;
  };
  Baseline baseline() const;
  double firstMedian() const;
  double effect(double ratio, double level) const;
  bool isOutlier(double value) const;
  void turnRaw();
  void learnResolution(double value);
  void notFinite(std::int64_t step, double value);
  void stayNotFinite(std::int64_t step);
  void begin(std::int64_t step, double value);
  void follow(std::int64_t step, double value);
  void settle();

  SpikeLimits m_limits;
  RollingMedian m_window;  // the accepted points, on the scale (log, or raw)
  bool m_log = true;
  int m_decimals = 0;  // that the values need so far; kExact: more than a print has

  std::size_t m_current = kNone;  // the spike that is open, or that ended within the cooldown
  bool m_open = false;
  double m_return = 0;  // back is at or below this; value
  Baseline m_left;      // that it left; on the scale
  int m_stay = 0;       // points away since it left
  std::int64_t m_stay_from = 0;
  int m_since = 0;                // points since it ended
  std::vector<double> m_away;     // the points since it left; values
  std::size_t m_shifted = kNone;  // a malignant spike that may come back below m_shifted_return
  double m_shifted_return = 0;
  std::int64_t m_shifted_last = 0;  // the newest step that was above it
  std::size_t m_non_finite = kNone;
  int m_finite_since = 0, m_stay_non_finite = 0;
  std::int64_t m_non_finite_from = 0;
  int m_level_shifts = 0;
  std::vector<LossSpike> m_spikes;
};

std::vector<LossSpike> findLossSpikes(std::span<const std::int64_t> steps, std::span<const double> values);

}  // namespace runglass
