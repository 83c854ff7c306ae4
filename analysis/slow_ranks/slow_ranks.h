// SPDX-License-Identifier: Apache-2.0
// Who is slow: every rank's own work per step against the ranks with the same role. The kernel: values in, ranking out.
//
// A rank is compared with its peers (analysis/peers) step by step, so that a step with longer sequences blames nobody. Work is what a rank
// did itself, without waiting: in a synchronous job all ranks take as long as the slowest, and the slow one is the one that waits least.
// Who stands out is also judged by the median absolute deviation of its role's scores (Leys et al. 2013), the more strictly the more ranks
// there are (outlierSigmas()).
//
// Threading:  pure; any thread.
// Units:      ns; ratios (0.05 = 5 % more than the peers); steps. A value that is not there is NaN in columns by step, else absent.
// Errors:     none: too little data is a SlowRanksStatus or an absent score, never a score of 0.
// Cost:       O(steps x ranks x log ranks): 0.15 s for 4,096 ranks x 200 steps x 5 parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/peers/slower_than_peers.h"

namespace runglass {

inline constexpr std::size_t kMinSteps = 3;  // fewer say nothing about persistence
inline constexpr double kPersistent = 0.7;   // share of steps in which it is slower than its peers from which a rank may stand out
// Who does not over all steps may since it became slow: so many steps, so large a share of them.
inline constexpr std::size_t kLateSteps = 30;
inline constexpr double kPersistentLate = 0.9;

enum class SlownessBasis : std::uint8_t {
  kWork,      // step parts without their waiting
  kStepTime,  // whole steps: tells ranks apart only where they do not wait for each other
};

struct RankSteps {
  std::int32_t rank = 0;
  std::int32_t role = kNoRole;                 // pipeline stage
  std::vector<double> value_ns;                // by step: work or step time
  std::vector<std::optional<double>> part_ns;  // by part: median over steps, without waiting
  std::vector<std::optional<double>> wait_ns;  // by part: median over steps of the waiting in it; may be shorter than the parts
};

struct StepTable {
  SlownessBasis basis = SlownessBasis::kStepTime;
  std::vector<std::int64_t> steps;  // those in which any rank has data, growing
  std::vector<std::string> parts;
  std::vector<RankSteps> ranks;
};

struct PartScore {
  std::size_t part = 0;             // index into parts
  double own_ns = 0, peers_ns = 0;  // medians
  std::optional<double> own_wait_ns, peers_wait_ns;
  double excess() const { return own_ns - peers_ns; }
};

enum class Confidence : std::uint8_t { kLow, kMedium, kHigh };

// Who stands out only since it became slow has score, times and persistence of the steps since then.
struct RankScore {
  std::int32_t rank = 0;
  std::int32_t role = kNoRole;
  std::optional<double> score;              // median over steps of own / peers' median, minus 1
  std::optional<double> own_ns, excess_ns;  // medians over steps: its work, and what it took more than its peers
  std::optional<double> persistence;        // share of the compared steps in which it was slower than its peers
  std::size_t compared = 0;                 // steps
  double coverage = 0;                      // steps with data / steps looked at
  int peers = 0;                            // others of its role with data, the most in any step
  std::optional<double> spread;             // median absolute deviation of its role's scores
  Confidence confidence = Confidence::kLow;
  bool stands_out = false;
  std::optional<std::int64_t> since_step;  // where it stands out: from when on it was mostly above its peers
  bool since_before = false;               // it already was at the first step looked at
  std::optional<std::size_t> worst;        // index of the step with the highest ratio
  std::vector<PartScore> parts;            // most excess first; empty without parts or peers
  std::vector<float> ratio;                // by step: own / peers' median - 1; NaN: not compared
};

struct StageWork {
  std::int32_t role = kNoRole;
  int ranks = 0;
  double median_ns = 0;
};

enum class SlowRanksStatus : std::uint8_t { kRanked, kNoSteps, kTooFewPeers, kTooFewSteps };

struct SlowRanks {
  SlowRanksStatus status = SlowRanksStatus::kNoSteps;
  SlownessBasis basis = SlownessBasis::kStepTime;
  std::vector<std::int64_t> steps;
  std::vector<std::string> parts;
  std::vector<RankScore> ranks;   // who stands out, then by score; without a score last
  std::vector<StageWork> stages;  // by role
  std::optional<double> moved;    // all ranks together: newer half of the steps over the older half, minus 1
  std::size_t standingOut() const;
};

SlowRanks rankBySlowness(const StepTable& table);

}  // namespace runglass
