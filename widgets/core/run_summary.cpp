// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/run_summary.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "widgets/core/roles.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

// A live run sends at least a heartbeat every 2 s; contract: silent after 15 s.
constexpr DurNs kSilentAfter = 15 * kNsPerSecond;

std::optional<double> median(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

void widen(RunSummary& summary, const Series& series) {
  if (series.first_time) summary.first_data = std::min(summary.first_data.value_or(*series.first_time), *series.first_time);
  if (series.last_time) summary.last_data = std::max(summary.last_data.value_or(*series.last_time), *series.last_time);
}

Status readThroughput(Reader& reader, const Series& tokens, RunSummary& summary, const std::stop_token& stop) {
  RG_ASSIGN(const ScalarColumns points, reader.scalars(tokens.id, tokens.last_x - kThroughputSteps, tokens.last_x + 1, stop));
  summary.tokens_tag = tokens.key.metric;
  if (points.value.empty()) return {};
  const auto recent = static_cast<std::ptrdiff_t>(std::min<std::size_t>(points.value.size(), static_cast<std::size_t>(kRecentSteps)));
  const std::optional<double> now = median({points.value.end() - recent, points.value.end()});
  const std::optional<double> before = median({points.value.begin(), points.value.end() - recent});
  summary.tokens_per_s = now;
  if (now && before && *before > 0) summary.throughput_change = *now / *before - 1;
  return {};
}

Status readScalars(Reader& reader, RunSummary& summary, const std::stop_token& stop) {
  SeriesFilter filter;
  filter.run = summary.run.id;
  RG_ASSIGN(const std::vector<Series> all, reader.series(filter));
  for (const Series& series : all) widen(summary, series);
  // The newest attempt that has the series wins.
  std::optional<Series> loss, tokens;
  for (auto attempt = summary.attempts.rbegin(); attempt != summary.attempts.rend(); ++attempt) {
    std::vector<Series> own;
    for (const Series& series : all) {
      if (series.key.attempt != attempt->id) continue;
      own.push_back(series);
      if (series.key.kind == SeriesKind::kScalar && series.sample_count > 0 && attempt == summary.attempts.rbegin())
        summary.last_step = std::max(summary.last_step.value_or(series.last_x), series.last_x);
    }
    if (const Series* found = pickSeries(own, Role::kLoss); found != nullptr && !loss) loss = *found;
    if (const Series* found = pickSeries(own, Role::kTokensPerSecond); found != nullptr && !tokens) tokens = *found;
  }
  if (!summary.last_step)
    for (const Attempt& attempt : summary.attempts)
      if (attempt.last_step) summary.last_step = *attempt.last_step;
  if (loss) {
    RG_ASSIGN(const std::vector<LatestSample> newest, reader.latest({&loss->id, 1}));
    if (!newest.empty()) summary.loss = newest.front().value;
    summary.loss_tag = loss->key.metric;
  }
  if (tokens) RG_TRY(readThroughput(reader, *tokens, summary, stop));
  return {};
}

Status readNodes(Reader& reader, RunSummary& summary) {
  std::set<NodeId> ours;
  if (!summary.attempts.empty()) {
    RG_ASSIGN(const std::vector<Rank> ranks, reader.ranks(summary.attempts.back().id));
    for (const Rank& rank : ranks)
      if (rank.node) ours.insert(rank.node);
  }
  RG_ASSIGN(const std::vector<Node> nodes, reader.nodes());
  for (const Node& node : nodes) {
    if (!ours.empty() && !ours.contains(node.id)) continue;
    // A node that no heartbeat ever spoke for (an import's) is neither heard nor missing.
    if (node.state == NodeState::kUnknown && !node.last_heard) continue;
    ++summary.nodes_total;
    if (node.state == NodeState::kAlive) ++summary.nodes_heard;
  }
  return {};
}

}  // namespace

Result<RunSummary> readRunSummary(Reader& reader, const Run& run, std::stop_token stop) {
  RunSummary summary;
  summary.run = run;
  RG_ASSIGN(summary.attempts, reader.attempts(run.id));
  RG_TRY(readScalars(reader, summary, stop));
  RG_TRY(readNodes(reader, summary));
  RG_ASSIGN(const std::vector<Finding> findings, reader.findings(run.id));
  for (const Finding& finding : findings) ++summary.findings[static_cast<std::size_t>(finding.severity)];
  RG_ASSIGN(const std::vector<Checkpoint> checkpoints, reader.checkpoints(run.id));
  for (const Checkpoint& checkpoint : checkpoints)
    if (checkpoint.durable && (!summary.checkpoint || *checkpoint.durable > *summary.checkpoint->durable)) summary.checkpoint = checkpoint;
  return summary;
}

Result<Run> chooseRun(Reader& reader, RunId wanted) {
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  const Run* best = nullptr;
  const auto key = [](const Run& run) {
    return std::tuple(run.state == RunState::kRunning, run.start.value_or(std::numeric_limits<TimeNs>::min()), run.id);
  };
  for (const Run& run : runs) {
    if (run.id == wanted) return run;
    if (!wanted && (best == nullptr || key(run) > key(*best))) best = &run;
  }
  if (best != nullptr) return *best;
  return Status(Code::kNotFound, wanted ? "run " + std::to_string(wanted.value) + ": not in this store" : "run: the store has none yet");
}

StateWord stateWord(const RunSummary& summary, TimeNs now) {
  switch (summary.run.state) {
    case RunState::kRunning:
      if (summary.run.time_domain == TimeDomain::kUtc && summary.last_data && now - *summary.last_data > kSilentAfter)
        return {QStringLiteral("silent"), Severity::kWarning};
      return {QStringLiteral("running"), Severity::kInfo};
    case RunState::kFinished:
      return {QStringLiteral("finished"), Severity::kInfo};
    case RunState::kFailed:
      return {QStringLiteral("failed"), Severity::kError};
    case RunState::kStalled:
      return {QStringLiteral("stalled"), Severity::kError};
    case RunState::kUnknown:
      break;
  }
  return {QStringLiteral("unknown"), Severity::kInfo};
}

QString layoutText(const Layout& layout) {
  QStringList parts;
  const auto add = [&parts](const char* name, std::int32_t size) {
    if (size > 0) parts += QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(size);
  };
  add("DP", layout.dp);
  add("PP", layout.pp);
  add("TP", layout.tp);
  if (layout.cp > 1) add("CP", layout.cp);
  if (layout.ep > 1) add("EP", layout.ep);
  if (layout.vpp > 1) add("VPP", layout.vpp);
  QString text = parts.join(QStringLiteral(" · "));
  if (layout.world > 0) {
    const QString world =
        QStringLiteral("%1 %2").arg(formatCount(layout.world), layout.world == 1 ? QStringLiteral("rank") : QStringLiteral("ranks"));
    text = text.isEmpty() ? world : QStringLiteral("%1 (%2)").arg(text, world);
  }
  return text.isEmpty() ? kAbsentText : text;
}

}  // namespace runglass
