// SPDX-License-Identifier: Apache-2.0
// ShiftWatch: when all of a job became slower, and stayed so: BLOOM fell from 149 to 140 TFLOPS for days because of one machine.
//
// A two-sided cumulative sum (Page, "Continuous inspection schemes", Biometrika 41, 1954) of the steps' deviation from their level finds
// where a shift may have begun; it is one after at least 50 steps and 10 minutes whose median is at least 3 % off and six standard errors
// away from the level's. What creeps, as a day's swing of 2 % up and down does, moves the level: below 5 % most of the change must lie
// within an hour around its begin. Steps are clamped to 10 % off, so that an evaluation inside a step or a save starts nothing. Verifying
// a change point by the mean's shift is Greyhound's way (Wu et al., ATC '25). One
// that is over before it is sure ends where the sum of the deviations from half the change is highest.
//
// Threading:  one thread.
// Units:      steps; TimeNs; ns a step, or ns a token where the tokens of the steps are known: whatever push() is given.
// Errors:     none. Steps without a clock count as at least 10 minutes after so many steps as kStepsWithoutClock.
// Cost:       O(kLevelKept) a step; ten minutes of steps that are off are kept, at most 100,000.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "analysis/steps/step_frame.h"
#include "model/ids.h"

namespace runglass {

// Means over ranks of what a step was made of; NaN where nobody said it.
using ColumnMeans = std::array<float, kStepColumnCount>;

struct ThroughputShift {
  AttemptId attempt;
  std::int64_t first_step = 0, last_step = 0;  // last: the newest one at the new level
  std::optional<TimeNs> start, end;
  bool open = true;
  double before = 0, after = 0;  // medians
  double change() const { return before > 0 ? after / before - 1 : 0; }
  double error = 0;  // of the change: six standard errors are below it
  std::size_t steps_before = 0, steps_after = 0;
  ColumnMeans parts_before{}, parts_after{};
  bool across_restart = false;  // it began with an attempt's first steps
};

class ShiftWatch {
 public:
  static constexpr std::size_t kLevelKept = 200, kLevelLeast = 30, kShiftLeast = 50, kStepsWithoutClock = 200;
  static constexpr double kMinChange = 0.03;
  static constexpr DurNs kMinTime = 600 * kNsPerSecond;

  struct Point {
    AttemptId attempt;
    std::int64_t step = 0;
    std::optional<TimeRange> when;
    double value = 0;
    ColumnMeans parts{};
    bool first_of_attempt = false;
  };
  // Steady steps of one regime in order; of another attempt with the same regime, too.
  void push(const Point& point);
  // Another regime: a new level, and what was open ends.
  void regimeChanged();
  const std::vector<ThroughputShift>& shifts() const { return m_shifts; }
  std::size_t regimesEnded() const { return m_regimes_ended; }
  void finish() { regimeChanged(); }

 private:
  struct Level {
    double median = 0, sigma = 0;
  };
  Level level() const;
  void settle();
  bool judge();
  bool isLong() const;  // m_away, which is not empty
  bool isSharp(double change, double of) const;
  // How many of m_away lie at the new level; fewer than all where they went back to `was` since.
  std::size_t stayed(double was, double now) const;
  void follow(const Point& point);

  std::deque<Point> m_level, m_away;  // accepted steps, oldest first; those since the sum left 0
  double m_sum = 0;                   // of the side that is off: above 0 slower, below 0 faster
  std::vector<ThroughputShift> m_shifts;
  std::size_t m_regimes_ended = 0;
};

}  // namespace runglass
