// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/analyze_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/what_if/what_if_data.h"
#include "app/cli/json_value.h"
#include "app/cli/plain_text.h"
#include "model/number_text.h"

namespace runglass::ctl {
namespace {

constexpr std::size_t kWorkersReported = 3, kOpsReported = 4;

Json coverageJson(const WhatIfData& data) {
  const WhatIfCoverage& c = data.coverage;
  return {{"ratio", c.ratio()},
          {"steps", c.steps},
          {"first_step", orNull(c.first_step)},
          {"last_step", orNull(c.last_step)},
          {"partial_steps", c.gaps.partial_steps},
          {"unmatched_steps", c.gaps.unmatched_steps},
          {"circular_steps", c.gaps.circular_steps},
          {"workers", c.workers},
          {"workers_expected", orNull(c.workers_expected)},
          {"ranks", c.ranks},
          {"ranks_left_out", c.gaps.ranks_left_out},
          {"replicas_left_out", c.gaps.replicas_left_out},
          {"spans_read", c.spans_read},
          {"spans_used", c.spans_used},
          {"spans_left_out", c.spans_left_out},
          {"open_spans", c.open_spans},
          {"odd_spans", c.gaps.odd_ops},
          {"decomposed_steps", data.what_if.decomposed_steps}};
}

Json toJson(const WhatIfData& data) {
  const WhatIf& w = data.what_if;
  Json json = {{"status", whatIfStatusName(w.status)}};
  if (w.status != WhatIfStatus::kOk) json["reason"] = w.reason;
  json["attempt"] = data.attempt.number;
  json["coverage"] = coverageJson(data);
  if (w.status == WhatIfStatus::kInsufficient) return json;
  json["t_ns"] = std::llround(w.t_ns);
  json["t_real_ns"] = std::llround(w.t_real_ns);
  json["t_ideal_ns"] = std::llround(w.t_ideal_ns);
  json["sim_error_ratio"] = w.sim_error_ratio;
  json["launch_slowdown"] = w.launch_slowdown;
  if (w.status == WhatIfStatus::kRefused) return json;
  json["s"] = w.s;
  json["blocking_slowdown"] = w.s;
  json["waste_ratio"] = w.waste_ratio;
  json["wasted_gpu_hours"] = orNull(data.wastedGpuHours());
  json["m_w"] = orNull(w.m_w);
  json["m_s"] = orNull(w.m_s);
  json["pass_correlation"] = orNull(w.pass_correlation);
  json["slowest_changes_ratio"] = w.slowest_changes;
  json["replica_spread_ratio"] = w.replica_spread;
  json["transfers_known"] = data.transfers_known;
  json["separable"] = "dp, pp";
  json["s_by_op"] = Json::object();
  for (const WhatIfShare& share : w.by_op) json["s_by_op"][share.op] = share.s;
  json["s_by_dp"] = Json::array();
  for (std::size_t r = 0; r < w.by_replica.size(); ++r)
    json["s_by_dp"].push_back({{"dp", data.graph->replicas[r]}, {"s", w.by_replica[r]}});
  json["s_by_pp"] = Json::array();
  for (std::size_t s = 0; s < w.by_stage.size(); ++s)
    json["s_by_pp"].push_back({{"pp", data.graph->stages[s]}, {"s", w.by_stage[s]}, {"explained_ratio", orNull(w.explained_by_stage[s])}});
  json["s_by_worker"] = Json::array();
  for (std::size_t i = 0; i < w.by_worker.size(); ++i) {
    const StepWorker& worker = data.graph->workers[i];
    Json row = {{"dp", worker.dp}, {"pp", worker.pp}, {"rank", worker.rank}, {"folded_ranks", worker.rank_count}, {"s", w.by_worker[i]}};
    if (w.exact_by_worker[i]) row["s_exact"] = *w.exact_by_worker[i];
    json["s_by_worker"].push_back(std::move(row));
  }
  json["worst_ranks"] = Json::array();
  for (const std::uint32_t worker : w.worst) json["worst_ranks"].push_back(data.graph->workers[worker].rank);
  json["steps"] = Json::array();
  for (const WhatIfStep& step : w.steps)
    json["steps"].push_back({{"step", step.step}, {"t_real_ns", step.real}, {"t_ns", step.t}, {"t_ideal_ns", step.ideal}, {"s", step.s()}});
  return json;
}

std::string toText(const WhatIfData& data) {
  const WhatIf& w = data.what_if;
  if (data.coverage.spans_used == 0) return {};
  std::string text = "  what-if without stragglers: ";
  if (w.status != WhatIfStatus::kOk) return text + whatIfStatusName(w.status) + ": " + w.reason + "\n";
  text += "S " + ratioText(w.s) + ": a step takes " + valueText(w.t_ns, "ns") + ", without stragglers " + valueText(w.t_ideal_ns, "ns") +
          "; " + percentText(w.waste_ratio, 1) + " of the time is wasted";
  if (const auto hours = data.wastedGpuHours()) text += " (" + gpuHoursText(*hours) + " GPU-hours of these steps)";
  text += "\n    explained by";
  text += " the slowest 3 % of the workers: " + (w.m_w ? percentText(*w.m_w, 1) : std::string("-"));
  text += ", by the last stage: " + (w.m_s ? percentText(*w.m_s, 1) : std::string("-")) + "\n    only as recorded:";
  for (std::size_t i = 0; i < std::min(kOpsReported, w.by_op.size()); ++i)
    text += (i > 0 ? ", " : " ") + w.by_op[i].op + " " + ratioText(w.by_op[i].s);
  text += "\n    workers:";
  std::vector<std::size_t> order(w.by_worker.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return w.by_worker[i]; });
  for (std::size_t i = 0; i < std::min(kWorkersReported, order.size()); ++i) {
    const StepWorker& worker = data.graph->workers[order[i]];
    text += (i > 0 ? ", dp " : " dp ") + std::to_string(worker.dp) + " pp " + std::to_string(worker.pp) + " (rank " +
            std::to_string(worker.rank) + ") " + ratioText(w.by_worker[order[i]]);
  }
  if (w.pass_correlation) text += "; forward and backward correlate at " + ratioText(*w.pass_correlation, 2);
  return text + "\n    of " + std::to_string(data.coverage.steps) + " steps (" + std::to_string(data.coverage.gaps.left_out_steps()) +
         " left out), " + std::to_string(data.coverage.workers) + " workers; simulated within " + percentText(w.sim_error_ratio, 1) +
         " of the recording; launch delays cost " + percentText(w.launch_slowdown - 1, 1) + "\n";
}

}  // namespace

Result<AnalyzePart> whatIfPart(Reader& reader, const Run& run, std::span<const Finding> /*findings*/) {
  auto data = readNewestWhatIf(reader, run.id, {});
  if (data.status().code() == Code::kNotFound)
    return AnalyzePart{{{"what_if", {{"status", "insufficient"}, {"reason", "the run has no attempt"}}}}, {}};
  RG_TRY(data.status());
  return AnalyzePart{{{"what_if", toJson(*data)}}, toText(*data)};
}

}  // namespace runglass::ctl
