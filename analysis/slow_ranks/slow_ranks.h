// SPDX-License-Identifier: Apache-2.0
// Slow ranks: each rank's own work per step compared with the ranks of the same role. The kernel: values in, ranking out.
//
// A rank is compared with its peers (analysis/peers) step by step, so that a step with longer sequences blames no rank. Work is a rank's
// own time, without waiting: in a synchronous job all ranks take as long as the slowest, and the slow one is the one that waits least.
// Outliers are also judged by the median absolute deviation of their role's scores (Leys et al. 2013), the more strictly the more ranks
// there are (outlierSigmas()).
//
// Threading:  pure; any thread.
// Units:      ns; ratios (0.05 = 5 % more than the peers); steps. A missing value is NaN in columns by step, else absent.
// Errors:     too little data is a SlowRanksStatus or an absent score, never a score of 0.
// Cost:       O(steps x ranks x log ranks): 0.15 s for 4,096 ranks x 200 steps x 5 parts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/peers/slower_than_peers.h"

namespace runglass {

inline constexpr std::size_t kMinSteps = 3;  // fewer do not show persistence
inline constexpr double kPersistent = 0.7;   // minimum share of steps in which an outlier is slower than its peers
// A rank that is no outlier over all steps may be one since it became slow: over at least this many steps, in this share of them.
inline constexpr std::size_t kLateSteps = 30;
inline constexpr double kPersistentLate = 0.9;

enum class SlownessBasis : std::uint8_t {
  kWork,      // step parts without their waiting
  kStepTime,  // whole steps: they distinguish ranks only where these do not wait for each other
};

struct RankSteps {
  std::int32_t rank = 0;
  std::int32_t role = kNoRole;                 // pipeline stage
  std::vector<double> value_ns;                // by step: work or step time
  std::vector<std::optional<double>> part_ns;  // by part: median over steps, without waiting
  std::vector<std::optional<double>> wait_ns;  // by part: median over steps of its waiting; may be shorter than the parts
};

struct StepTable {
  SlownessBasis basis = SlownessBasis::kStepTime;
  std::vector<std::int64_t> steps;  // those with data of any rank, ascending
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

// An outlier only since it became slow has the score, times and persistence of the steps since then.
struct RankScore {
  std::int32_t rank = 0;
  std::int32_t role = kNoRole;
  std::optional<double> score;              // median over steps of own / peers' median, minus 1
  std::optional<double> own_ns, excess_ns;  // medians over steps: its work, and its excess over its peers
  std::optional<double> persistence;        // share of the compared steps in which it was slower than its peers
  std::size_t compared = 0;                 // steps
  double coverage = 0;                      // steps with data / all steps of the table
  int peers = 0;                            // others of its role with data, the maximum over the steps
  std::optional<double> spread;             // median absolute deviation of its role's scores
  Confidence confidence = Confidence::kLow;
  bool stands_out = false;
  std::optional<std::int64_t> since_step;  // of an outlier: the step from which it was mostly above its peers
  bool since_before = false;               // it already was at the first compared step
  std::optional<std::size_t> worst;        // index of the step with the highest ratio
  std::vector<PartScore> parts;            // largest excess first; empty without parts or peers
  std::vector<float> ratio;                // by step: own / peers' median - 1; NaN: not compared
};

struct StageWork {
  std::int32_t role = kNoRole;
  int ranks = 0;
  double median_ns = 0;
  std::optional<double> longer;  // than the median of the other stages'
};

enum class SlowRanksStatus : std::uint8_t { kRanked, kNoSteps, kTooFewPeers, kTooFewSteps };

struct SlowRanks {
  SlowRanksStatus status = SlowRanksStatus::kNoSteps;
  SlownessBasis basis = SlownessBasis::kStepTime;
  std::vector<std::int64_t> steps;
  std::vector<std::string> parts;
  std::vector<RankScore> ranks;   // outliers first, then by score; without a score last
  std::vector<StageWork> stages;  // by role
  std::optional<double> moved;    // all ranks together: newer half of the steps over the older half, minus 1
  std::size_t standingOut() const;
};

SlowRanks rankBySlowness(const StepTable& table);

}  // namespace runglass
