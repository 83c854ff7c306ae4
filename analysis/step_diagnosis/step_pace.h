// SPDX-License-Identifier: Apache-2.0
// StepPace: the lengths of an attempt's steady steps, and the difference between a stretch of them and the steps around it.
//
// A synchronous job loses the time by which its steps become longer, not a rank's excess over its peers: part of that the others would have
// waited anyway, for the next slowest rank or the pipeline. So the step times before and after a stretch decide (as in the verification of
// change points of Greyhound, Wu et al., ATC '25), as means without the outermost 5 %: pauses of some steps count, one odd step does not.
//
// Threading:  one thread.
// Units:      steps; ns.
// Cost:       push() O(1), 16 bytes per step, at most kMaxKept; lossAt() O(steps of its window x others near it).
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace runglass {

struct StepStretch {
  std::int64_t first = 0, last = std::numeric_limits<std::int64_t>::max();  // max: open
};

class StepPace {
 public:
  static constexpr std::size_t kBeside = 100, kMinBeside = 20;  // steps on each side of an edge
  static constexpr std::size_t kMaxKept = 100'000;
  // After this many more steps, everything within kBeside of a step has been noticed, and the result at its edge is final.
  static constexpr std::size_t kSettled = kBeside + 50;

  // Steady steps in order.
  void push(std::int64_t step, double dur_ns) {
    m_steps.push_back({step, dur_ns, m_regime});
    if (m_steps.size() > kMaxKept) m_steps.pop_front();
  }
  // Another regime has another step length: there is no comparison across it.
  void regimeChanged() { ++m_regime; }

  struct Loss {
    double during_ns = 0, usual_ns = 0;
    bool shared = false;  // with another stretch of the same extent
    double excess() const { return during_ns - usual_ns; }
  };
  enum class Edge : std::uint8_t { kBegin, kEnd };
  // Compares the steps `of` at one edge with those beyond it. Steps of `others` that also begin or end there are left out. Absent: fewer
  // than kMinBeside steps on either side, as at the start of a spell that starts with the first step, and at the end of an open one.
  std::optional<Loss> lossAt(Edge edge, StepStretch of, std::span<const StepStretch> others) const;
  // The mean of both edges, or the available one.
  static std::optional<Loss> meanOf(const std::optional<Loss>& begin, const std::optional<Loss>& end);
  // Number of steady steps after it.
  std::size_t stepsAfter(std::int64_t step) const { return m_steps.size() - indexOf(step + 1); }
  // Mean of the newest steps of `of`; absent: none is kept.
  std::optional<double> lengthOf(StepStretch of) const;

 private:
  struct Step {
    std::int64_t step = 0;
    double dur = 0;
    std::size_t regime = 0;
  };
  struct Border;
  std::size_t indexOf(std::int64_t step) const;
  std::vector<double> side(Border border, bool inside, std::size_t begin, std::size_t end, std::span<const StepStretch> without) const;

  std::deque<Step> m_steps;
  std::size_t m_regime = 0;
};

}  // namespace runglass
