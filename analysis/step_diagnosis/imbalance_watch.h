// SPDX-License-Identifier: Apache-2.0
// ImbalanceWatch: steps in which a different rank is slow each time: sequence lengths, experts' loads, garbage collections.
//
// A replica with a long batch is slow in both forward and backward passes, and in the next step another replica is: a forward-backward
// correlation of at least 0.9 distinguishes sequence imbalance from forward-only jitter (Lin et al., "Understanding Stragglers in Large
// Model Training Using What-if Analysis", OSDI '25, sections 5.3 and 5.4). Garbage collections of all ranks in the same step are planned
// and are not jitter. Collections are recorded as a part of the step, or show as forward passes longer than the stage's without longer
// backward passes.
//
// Threading:  one thread.
// Units:      steps; ns; ratios of the step's duration.
// Cost:       O(ranks) per step; kWindow summaries are kept.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <vector>

#include "analysis/step_diagnosis/peers.h"

namespace runglass {

// A step in which a rank was slower.
struct Touch {
  std::size_t rank = 0;
  std::optional<TimeRange> when;
};

struct Imbalance {
  bool holds = true;
  std::int64_t first_step = 0, last_step = 0;
  std::optional<TimeNs> start, end;
  bool since_before = false;           // since the start of the attempt, or as often before
  double cost = 0;                     // mean share of the step, from first to last, by which the slowest exceeded the median
  std::size_t steps = 0, touched = 0;  // steps of the window up to the last step; those in which a rank or replica was slower
  std::size_t culprits = 0;            // number of those that were the slowest at least once
  std::optional<double> correlation;   // of forward and backward deviations
  std::size_t reported = 0;            // for collections: steps that recorded them as a part
  std::vector<Touch> newest;           // for collections
};

class ImbalanceWatch {
 public:
  static constexpr std::size_t kWindow = 100, kMinSteps = 50, kMaxPoints = 4'000, kMaxKept = 1'000;
  // By replica if there are at least two with peers, else by rank.
  void push(const StepFrame& frame, const Roles& roles, const std::vector<float>& compute, const std::vector<Deviation>& deviations,
            const std::vector<bool>& known_slow);
  // By start; only the last one may still hold.
  const std::vector<Imbalance>& wandering() const { return m_wandering; }
  const std::vector<Imbalance>& collections() const { return m_collections; }

 private:
  struct Step {
    std::int64_t step = 0;
    std::optional<TimeRange> when;
    double excess = 0;  // share of the step
    std::size_t culprit = 0;
    std::vector<std::pair<float, float>> passes;  // forward and backward deviation of each replica
    double collected = 0;                         // share of the step for unplanned collections, summed over stages
    std::size_t collector = 0;
    bool reported = false;
  };
  // Over the window; `touched`: its steps with a share.
  struct Sum {
    double cost = 0;
    std::size_t touched = 0, culprits = 0, most_of_one = 0;
  };
  // The extent of an imbalance that holds: up to the step with the maximum sum of shares, less half of the usual share per step. An
  // occasional slower step after that is noise.
  struct Reach {
    double usual = 0, taken = 0, above = 0, highest = 0, cost = 0;
    std::size_t steps = 0;
    std::int64_t last_step = 0;
    std::optional<TimeNs> end;
    // Whether it reached this step; `cost` is the mean share up to the last step reached.
    bool extend(const Step& step, double share);
  };
  // In the newest steps it is not settled yet which ranks are slow by themselves: these steps are summed again with each new step.
  struct Following {
    Reach settled, newest;
    std::int64_t through = 0;  // number of settled steps
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
  std::size_t m_units = 0;  // number of candidates for the slowest: replicas, or ranks
  std::int64_t m_seen = 0;
  std::vector<Imbalance> m_wandering, m_collections;
  Following m_follow_wandering, m_follow_collections;  // of the last one
};

}  // namespace runglass
