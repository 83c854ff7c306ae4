// SPDX-License-Identifier: Apache-2.0
// ShiftWatch: when a whole job became slower and stayed slower: BLOOM fell from 149 to 140 TFLOPS for days because of one machine.
//
// A two-sided cumulative sum (Page, "Continuous inspection schemes", Biometrika 41, 1954) of the steps' deviation from their level finds
// the possible start of a shift; it is a shift after at least 50 steps and 10 minutes whose median is at least 3 % and six standard errors
// away from the level's. Slow drifts, such as a daily swing of 2 % up and down, move the level: below 5 %, most of the change must occur
// within an hour around its start. Deviations are clamped to 10 %, so that an evaluation within a step or a save starts nothing. Verifying
// a change point by the shift of the mean follows Greyhound (Wu et al., ATC '25). A shift that ends before it is verified ends where the
// sum of the deviations from half the change is highest.
//
// Threading:  one thread.
// Units:      steps; TimeNs; ns per step.
// Errors:     steps without a clock take the sum of their lengths, and at least 10 minutes from kStepsWithoutClock steps on.
// Cost:       O(kLevelKept) per step; ten minutes of deviating steps are kept, at most 100,000.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "analysis/steps/step_frame.h"
#include "model/ids.h"

namespace runglass {

// Means over ranks of the step's columns; NaN without data.
using ColumnMeans = std::array<float, kStepColumnCount>;

struct ThroughputShift {
  AttemptId attempt;
  std::int64_t first_step = 0, last_step = 0;  // last: the newest one at the new level
  std::optional<TimeNs> start, end;
  bool open = true;
  double before = 0, after = 0;  // medians
  double change() const { return before > 0 ? after / before - 1 : 0; }
  double error = 0;  // of the change: six standard errors are less than the change
  std::size_t steps_before = 0, steps_after = 0;
  ColumnMeans parts_before{}, parts_after{};
  bool across_restart = false;  // it began with an attempt's first steps
};

class ShiftWatch {
 public:
  static constexpr std::size_t kLevelKept = 200, kLevelLeast = 30, kShiftLeast = 50, kStepsWithoutClock = 200;
  static constexpr DurNs kMinTime = 600 * kNsPerSecond;

  struct Point {
    AttemptId attempt;
    std::int64_t step = 0;
    std::optional<TimeRange> when;
    double value = 0;
    ColumnMeans parts{};
    bool first_of_attempt = false;
  };
  // Steady steps of one regime in order, across attempts with the same regime.
  void push(const Point& point);
  // Another regime: a new level, and open shifts end.
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
  bool isLong() const;  // m_away, which must not be empty
  bool isSharp(double change, double of) const;
  // The number of steps in m_away at the new level; fewer than all if they went back to `was` since.
  std::size_t stayed(double was, double now) const;
  void follow(const Point& point);

  std::deque<Point> m_level, m_away;  // accepted steps, oldest first; those since the sum left 0
  double m_sum = 0;                   // of the deviating side: above 0 slower, below 0 faster
  std::vector<ThroughputShift> m_shifts;
  std::size_t m_regimes_ended = 0;
};

}  // namespace runglass
