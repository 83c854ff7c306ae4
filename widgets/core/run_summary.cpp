// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/run_summary.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "model/device_catalog.h"
#include "widgets/core/roles.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

// A live run sends at least a heartbeat every 2 s; contract: silent after 15 s.
constexpr DurNs kSilentAfter = 15 * kNsPerSecond;

void widen(RunSummary& summary, const Series& series) {
  if (series.first_time) summary.first_data = std::min(summary.first_data.value_or(*series.first_time), *series.first_time);
  if (series.last_time) summary.last_data = std::max(summary.last_data.value_or(*series.last_time), *series.last_time);
}

// Medians of kRecentSteps in a row, the newest first.
std::vector<double> sustained(const std::vector<double>& values) {
  std::vector<double> medians;
  for (auto end = static_cast<std::ptrdiff_t>(values.size()); end >= kRecentSteps || (medians.empty() && end > 0); end -= kRecentSteps) {
    const auto begin = std::max<std::ptrdiff_t>(0, end - kRecentSteps);
    if (const auto middle = median({values.begin() + begin, values.begin() + end})) medians.push_back(*middle);
  }
  return medians;
}

Result<std::vector<double>> newestMedians(Reader& reader, const Series& series, const std::stop_token& stop) {
  RG_ASSIGN(const ScalarColumns points, reader.scalars(series.id, series.last_x - kThroughputSteps, series.last_x + 1, stop));
  return sustained(points.value);
}

// What the attempt said of its model and machine.
struct ModelFacts {
  std::optional<double> parameters, peak;
  QString peak_source;
};

Result<ModelFacts> readModelFacts(Reader& reader, const Attempt& attempt) {
  ModelFacts known;
  RG_ASSIGN(const std::vector<Fact> facts, reader.facts(attempt.id));
  for (const Fact& fact : facts) {
    const bool parameters = fact.key == "model_parameters", peak = fact.key == "Peak FLOPS used for computing MFU";
    if (!parameters && !peak) continue;
    bool number = false;
    const double value = QString::fromStdString(fact.value).remove(u',').toDouble(&number);
    if (!number || !(value > 0)) continue;
    (parameters ? known.parameters : known.peak) = value;
    if (peak) known.peak_source = QStringLiteral("as the trainer logged it");
  }
  if (known.peak) return known;
  // All devices of the attempt must be of one kind: a mixed job has no one peak.
  RG_ASSIGN(const std::vector<Rank> ranks, reader.ranks(attempt.id));
  std::set<DeviceId> used;
  for (const Rank& rank : ranks)
    if (rank.device) used.insert(rank.device);
  if (used.empty()) return known;
  RG_ASSIGN(const std::vector<Device> devices, reader.devices());
  std::set<const DevicePeak*> peaks;
  for (const Device& device : devices)
    if (used.contains(device.id)) peaks.insert(findDevicePeak(device.model));
  if (peaks.size() != 1 || *peaks.begin() == nullptr) return known;
  known.peak = (*peaks.begin())->dense_flops_per_s;
  const std::string_view source = (*peaks.begin())->source;
  known.peak_source = QString::fromUtf8(source.data(), static_cast<qsizetype>(source.size())) + QStringLiteral(", dense BF16");
  return known;
}

Status readThroughput(Reader& reader, const Attempt& attempt, std::span<const Series> own, Throughput& out, const std::stop_token& stop) {
  const Series* whole = pickSeries(own, Role::kTokensPerSecond);
  const Series* per_gpu = pickSeries(own, Role::kTokensPerGpu);
  const double world = attempt.layout.world;
  if (const Series* tokens = whole != nullptr ? whole : per_gpu) {
    RG_ASSIGN(const std::vector<double> medians, newestMedians(reader, *tokens, stop));
    out.tokens_tag = tokens->key.metric;
    if (!medians.empty()) {
      if (tokens == whole || world > 0) out.tokens_per_s = tokens == whole ? medians.front() : medians.front() * world;
      if (tokens == per_gpu || world > 0) out.tokens_per_gpu = tokens == per_gpu ? medians.front() : medians.front() / world;
      const double best = medians.size() > 1 ? *std::max_element(medians.begin() + 1, medians.end()) : 0;
      if (best > 0) out.change = medians.front() / best - 1;
    }
  }
  const Series* flops = pickSeries(own, Role::kFlopsPerGpu);
  const Series* logged = pickSeries(own, Role::kMfu);
  if (flops == nullptr && logged == nullptr && !out.tokens_per_gpu) return {};
  RG_ASSIGN(const ModelFacts known, readModelFacts(reader, attempt));
  const auto share = [&](double rate, const QString& what) {
    out.mfu = rate / *known.peak;
    out.mfu_source = QStringLiteral("%1 (%2) ÷ %3 (%4)")
                         .arg(formatValue(rate, "flops_per_s"), what, formatValue(*known.peak, "flops_per_s"), known.peak_source);
  };
  if (flops != nullptr && known.peak) {
    RG_ASSIGN(const std::vector<double> medians, newestMedians(reader, *flops, stop));
    if (!medians.empty()) share(medians.front(), QStringLiteral("per GPU, logged as \"%1\"").arg(screenText(flops->key.metric, 60)));
  } else if (known.peak && known.parameters && out.tokens_per_gpu) {
    // Kaplan et al. 2020 (arXiv:2001.08361): 6 FLOPs a parameter and token for forward and backward.
    share(6 * *known.parameters * *out.tokens_per_gpu,
          QStringLiteral("per GPU: 6 × %1 parameters × tokens/s").arg(formatShortCount(*known.parameters)));
  } else if (logged != nullptr) {
    RG_ASSIGN(const std::vector<double> medians, newestMedians(reader, *logged, stop));
    if (!medians.empty())
      out.mfu = medians.front(),
      out.mfu_source = QStringLiteral("as the trainer logged it (\"%1\")").arg(screenText(logged->key.metric, 60));
  }
  return {};
}

Status readScalars(Reader& reader, RunSummary& summary, const std::stop_token& stop) {
  SeriesFilter filter;
  filter.run = summary.run.id;
  RG_ASSIGN(const std::vector<Series> all, reader.series(filter));
  for (const Series& series : all) widen(summary, series);
  // The newest attempt that has the series wins.
  std::optional<Series> loss;
  bool throughput_known = false;
  for (auto attempt = summary.attempts.rbegin(); attempt != summary.attempts.rend(); ++attempt) {
    std::vector<Series> own;
    for (const Series& series : all) {
      if (series.key.attempt != attempt->id) continue;
      own.push_back(series);
      if (series.key.kind == SeriesKind::kScalar && series.sample_count > 0 && attempt == summary.attempts.rbegin())
        summary.last_step = std::max(summary.last_step.value_or(series.last_x), series.last_x);
    }
    if (const Series* found = pickSeries(own, Role::kLoss); found != nullptr && !loss) loss = *found;
    if (throughput_known) continue;
    RG_TRY(readThroughput(reader, *attempt, own, summary.throughput, stop));
    throughput_known = summary.throughput.tokens_per_s || summary.throughput.tokens_per_gpu || summary.throughput.mfu;
  }
  if (!summary.last_step)
    for (const Attempt& attempt : summary.attempts)
      if (attempt.last_step) summary.last_step = *attempt.last_step;
  if (loss) {
    RG_ASSIGN(const std::vector<LatestSample> newest, reader.latest({&loss->id, 1}));
    if (!newest.empty()) summary.loss = newest.front().value;
    summary.loss_tag = loss->key.metric;
  }
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

std::optional<double> median(std::vector<double> values) {
  std::erase_if(values, [](double v) { return !std::isfinite(v); });
  if (values.empty()) return std::nullopt;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Result<RunSummary> readRunSummary(Reader& reader, const Run& run, std::stop_token stop) {
  RunSummary summary;
  summary.run = run;
  RG_ASSIGN(summary.attempts, reader.attempts(run.id));
  RG_TRY(readScalars(reader, summary, stop));
  RG_TRY(readNodes(reader, summary));
  RG_ASSIGN(const auto spans, reader.spanExtent(run.id));
  if (spans) {
    summary.first_data = std::min(summary.first_data.value_or(spans->t0), spans->t0);
    summary.last_data = std::max(summary.last_data.value_or(spans->t1), spans->t1);
  }
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

QString throughputText(const Throughput& throughput) {
  if (throughput.mfu) return QStringLiteral("MFU ") + formatPercent(*throughput.mfu);
  if (throughput.tokens_per_s) return formatShortCount(*throughput.tokens_per_s) + QStringLiteral(" tokens/s");
  if (throughput.tokens_per_gpu) return formatShortCount(*throughput.tokens_per_gpu) + QStringLiteral(" tokens/s per GPU");
  return kAbsentText;
}

QString throughputWhy(const Throughput& throughput) {
  QStringList parts;
  if (throughput.mfu) parts += QStringLiteral("MFU: ") + throughput.mfu_source + u'.';
  if (!throughput.tokens_tag.empty())
    parts += QStringLiteral(
                 "Tokens: median of the newest %1 steps of \"%2\"; the change is against the attempt's best earlier %1 steps in a row.")
                 .arg(kRecentSteps)
                 .arg(screenText(throughput.tokens_tag, 80));
  if (parts.isEmpty()) return QStringLiteral("No series says tokens per second, FLOP/s or MFU.");
  if (!throughput.mfu)
    parts += QStringLiteral("No MFU: neither logged FLOP/s nor the model's parameters (fact model_parameters) meet a known device peak.");
  return parts.join(u' ');
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
