// SPDX-License-Identifier: Apache-2.0
// ImbalanceWatch: steps that wait for somebody else each time: sequence lengths, experts' loads, garbage collections.
//
// A replica whose batch is long is slow forward and backward alike, and in the next step it is another one: a forward-backward correlation
// of at least 0.9 tells sequence imbalance from forward-only jitter (Lin et al., "Understanding Stragglers in Large Model Training Using
// What-if Analysis", OSDI '25, sections 5.3 and 5.4). Garbage collections that all ranks make in the same step are planned and no jitter.
// They are told as a part of the step, or they show as forward passes that alone are longer than the stage's.
//
// Threading:  one thread.
// Units:      steps; ns; ratios of the step's duration.
// Cost:       O(ranks) a step; kWindow summaries are kept.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "analysis/step_diagnosis/peers.h"

namespace runglass {

// When somebody was slower.
struct Touch {
  std::size_t rank = 0;
  std::optional<TimeRange> when;
};

struct Imbalance {
  bool holds = true;
  std::int64_t first_step = 0, last_step = 0;
  std::optional<TimeNs> start, end;
  bool since_before = false;           // as long as the attempt was looked at
  double cost = 0;                     // mean share of the step, from the first to the last, that the slowest took more than the median
  std::size_t steps = 0, touched = 0;  // looked at up to the last step; in which somebody was slower
  std::size_t culprits = 0;            // how many were the slowest at least once
  std::optional<double> correlation;   // of forward and backward deviations
  std::size_t reported = 0;            // of collections: steps that named them as a part
  std::vector<Touch> newest;           // of collections
};

class ImbalanceWatch {
 public:
  static constexpr std::size_t kWindow = 100, kMinSteps = 50, kMaxPoints = 4'000, kMaxKept = 1'000;
  // Of replicas where there are at least two with peers, else of ranks.
  void push(const StepFrame& frame, const Roles& roles, const std::vector<float>& compute, const std::vector<Deviation>& deviations,
            const std::vector<bool>& known_slow);
  // By begin; only the last one may still hold.
  const std::vector<Imbalance>& wandering() const { return m_wandering; }
  const std::vector<Imbalance>& collections() const { return m_collections; }

 private:
  struct Step {
    std::int64_t step = 0;
    std::optional<TimeRange> when;
    double excess = 0;  // share of the step
    std::size_t culprit = 0;
    std::vector<std::pair<float, float>> passes;  // forward and backward deviation of each replica
    double collected = 0;                         // share of the step that unplanned collections took, one after the other
    std::size_t collector = 0;
    bool reported = false;
  };
  // Of the window, in which `steps` of them were touched by somebody.
  struct Sum {
    double cost = 0;
    std::size_t touched = 0, culprits = 0, most_of_one = 0;
  };
  // How far what holds has reached: up to the step where the sum of what was taken, less half of the usual share a step, was highest. A
  // step beyond it that somebody was slower in, now and then, is noise of the time after.
  struct Reach {
    double usual = 0, taken = 0, above = 0, highest = 0, cost = 0;
    std::size_t steps = 0;
    std::int64_t last_step = 0;
    std::optional<TimeNs> end;
    // Whether it reached this step; `cost` is the mean share up to where it reached.
    bool extend(const Step& step, double share);
  };
  // Of the newest steps it is not settled yet who was slower for a reason of its own: they are summed up anew with each step.
  struct Following {
    Reach settled, newest;
    std::int64_t through = 0;  // steps seen that are settled
  };
  template <class Share, class Culprit>
  Sum sumOf(Share share, Culprit culprit) const;
  template <class Share>
  void begin(std::vector<Imbalance>& list, Following& following, const Sum& sum, Share share) const;
  static void end(Imbalance& one, const Following& following);
  // Whether it reached the newest step.
  template <class Share>
  bool follow(Imbalance& one, Following& following, const Sum& sum, Share share) const;
  static void findCollection(const StepFrame& frame, const Roles& roles, const std::vector<bool>& known_slow, double dur, Step& step);
  void judgeWandering();
  void judgeCollections();
  std::set<std::size_t> steadilyPausing() const;
  std::optional<double> correlation() const;

  std::deque<Step> m_steps;
  std::size_t m_units = 0;  // that could be the slowest: replicas, or ranks
  std::int64_t m_seen = 0;
  std::vector<Imbalance> m_wandering, m_collections;
  Following m_follow_wandering, m_follow_collections;  // the last one
};

}  // namespace runglass
