// SPDX-License-Identifier: Apache-2.0
// What-if: how much faster a run would be without its stragglers, and the cost of each. The kernel: values in, values out.
//
// Lin et al., "Understanding Stragglers in Large Model Training Using What-if Analysis", OSDI '25. T = mean step time simulated from the
// recorded durations, T_ideal = with everything fixed (replay.h).
//   S = T / T_ideal (eq. 1), waste = 1 - 1/S, S_t = T_ideal with only operation t as recorded / T_ideal (eq. 2),
//   S_w = the same for a worker, as min(S_dp, S_pp) (eq. 4), exactly simulated for the worst few,
//   M_W, M_S = (T - T with W fixed) / (T - T_ideal) (eq. 5) for the worst 3 % of the workers and the last stage, as in the artifact
//   (compute_mw.py, compute_ms.py: `rem`). May exceed 1: the others wait less, too.
//   Simulation error = |T - T_real| / T_real; above 5 % the answer is refused (section 3.3).
// Sequence imbalance (section 5.3): times of forward and backward passes correlate over (step, replica, stage) around the stage's mean.
//
// Threading:  pure.
// Units:      mean step times in ns; slowdowns are ratios, 1 = none.
// Errors:     kInsufficient, kRefused with a reason. Stopped: kInsufficient.
// Cost:       replicas + 2 stages + operations + 10 replays. If that exceeds kMaxVisits, S_t and S_w use evenly spaced steps; if a single
//             step exceeds kTooManyVisits (about 17,000 replicas), there is no answer.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/what_if/replay.h"

namespace runglass {

inline constexpr double kMaxSimulationError = 0.05;
inline constexpr double kStragglingFrom = 1.1;  // S
inline constexpr double kExplainedFrom = 0.5;   // M_W, M_S
inline constexpr double kWorstShare = 0.03;     // of the workers
inline constexpr std::size_t kExactWorkers = 8;
inline constexpr std::size_t kMaxVisits = 400'000'000;
inline constexpr std::size_t kTooManyVisits = 10 * kMaxVisits;  // about twenty seconds

enum class WhatIfStatus : std::uint8_t { kInsufficient, kRefused, kOk };
const char* whatIfStatusName(WhatIfStatus status);  // "insufficient", ...

struct WhatIfStep {
  std::int64_t step = 0;
  DurNs real = 0, t = 0, ideal = 0;
  double s() const { return ideal > 0 ? static_cast<double>(t) / static_cast<double>(ideal) : 1; }
};

struct WhatIfShare {
  std::string op;  // stepOpShareName()
  double s = 1;
};

struct WhatIf {
  WhatIfStatus status = WhatIfStatus::kInsufficient;
  std::string reason;
  // With kInsufficient none of the following is set; with kRefused only the times and the error.
  double t_real_ns = 0, t_ns = 0, t_ideal_ns = 0;
  double sim_error_ratio = 0;
  double s = 1, waste_ratio = 0;
  double launch_slowdown = 1;                             // T_real / T: the cost of launch delays
  std::optional<double> m_w, m_s;                         // absent: nothing is slow, or there is only one stage
  std::vector<WhatIfShare> by_op;                         // worst first
  std::vector<double> by_replica, by_stage;               // S_dp, S_pp
  std::vector<std::optional<double>> explained_by_stage;  // M of each stage
  std::vector<double> by_worker;                          // S_w, by worker of the graph
  std::vector<std::optional<double>> exact_by_worker;     // for the worst few
  std::vector<std::uint32_t> worst;                       // W, worst first
  double worst_in_steps = 0;                              // share of the steps in which W explains at least half of the slowdown
  std::vector<WhatIfStep> steps;
  std::optional<double> pass_correlation;
  double slowest_changes = 0;        // share of the steps in which the slowest replica differs from that of the previous step
  double replica_spread = 0;         // excess of the slowest replica's passes over the mean replica's, mean over the steps
  std::size_t decomposed_steps = 0;  // number of steps for S_t and S_w
};

// The effect of a choice of fixed operations.
struct FixOutcome {
  double t_ns = 0;
  double s = 1;            // the remaining slowdown: t / T_ideal
  double waste_ratio = 0;  // the remaining waste
  double saved_ratio = 0;  // of T
};

WhatIf askWhatIf(const Replay& replay, const std::stop_token& stop = {});
// (T - T with `fixed` fixed) / (T - T_ideal); absent if T equals T_ideal.
std::optional<double> explainedBy(const Replay& replay, const WhatIf& all, const FixSet& fixed);
FixOutcome outcomeOf(const Replay& replay, const WhatIf& all, const FixSet& fixed);

}  // namespace runglass
