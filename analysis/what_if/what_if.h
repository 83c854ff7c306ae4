// SPDX-License-Identifier: Apache-2.0
// What-if: how much faster would a run be without its stragglers, and which of them cost how much. The kernel: values in, values out.
//
// Lin et al., "Understanding Stragglers in Large Model Training Using What-if Analysis", OSDI '25. T = mean step time simulated from the
// recorded durations, T_ideal = with everything fixed (replay.h).
//   S = T / T_ideal (eq. 1), waste = 1 - 1/S, S_t = T_ideal with only operation t as recorded / T_ideal (eq. 2),
//   S_w = the same for a worker, as min(S_dp, S_pp) (eq. 4), exactly simulated for the worst few,
//   M_W, M_S = (T - T with W fixed) / (T - T_ideal) (eq. 5) for the worst 3 % of the workers and the last stage, as the artifact computes
//   them (compute_mw.py, compute_ms.py: `rem`). May exceed 1: the others wait less, too.
//   Simulation error = |T - T_real| / T_real; above 5 % the answer is refused (section 3.3).
// Sequence imbalance (section 5.3): times of forward and backward passes correlate over (step, replica, stage) around the stage's mean.
//
// Threading:  pure.
// Units:      mean step times in ns; slowdowns are ratios, 1 = none.
// Errors:     kInsufficient, kRefused with a reason. Stopped: kInsufficient.
// Cost:       replicas + 2 stages + operations + 10 replays. Where that would be more than kMaxVisits, S_t and S_w are of evenly spaced
// steps; where one step alone would be more than kTooManyVisits (some 17,000 replicas), there is no answer.
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
inline constexpr std::size_t kTooManyVisits = 10 * kMaxVisits;  // some twenty seconds

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
  // Of what follows nothing is set when the status is kInsufficient; when it is kRefused only the times and the error.
  double t_real_ns = 0, t_ns = 0, t_ideal_ns = 0;
  double sim_error_ratio = 0;
  double s = 1, waste_ratio = 0;
  double launch_slowdown = 1;                             // T_real / T: what launch delays cost
  std::optional<double> m_w, m_s;                         // absent: nothing is slow, or one stage only
  std::vector<WhatIfShare> by_op;                         // worst first
  std::vector<double> by_replica, by_stage;               // S_dp, S_pp
  std::vector<std::optional<double>> explained_by_stage;  // M of each stage
  std::vector<double> by_worker;                          // S_w, by worker of the graph
  std::vector<std::optional<double>> exact_by_worker;     // of the worst few
  std::vector<std::uint32_t> worst;                       // W, worst first
  double worst_in_steps = 0;                              // share of the steps in which W explains at least half of the slowdown
  std::vector<WhatIfStep> steps;
  std::optional<double> pass_correlation;
  double slowest_changes = 0;        // share of the steps in which another replica is the slowest than in the one before
  double replica_spread = 0;         // by how much the slowest replica's passes are longer than the mean replica's, mean over the steps
  std::size_t decomposed_steps = 0;  // that S_t and S_w are of
};

// What a choice of fixed operations would give.
struct FixOutcome {
  double t_ns = 0;
  double s = 1;            // what is left of the slowdown: t / T_ideal
  double waste_ratio = 0;  // likewise
  double saved_ratio = 0;  // of T
};

WhatIf askWhatIf(const Replay& replay, const std::stop_token& stop = {});
// (T - T with `fixed` fixed) / (T - T_ideal); absent where T is T_ideal.
std::optional<double> explainedBy(const Replay& replay, const WhatIf& all, const FixSet& fixed);
FixOutcome outcomeOf(const Replay& replay, const WhatIf& all, const FixSet& fixed);

}  // namespace runglass
