// SPDX-License-Identifier: Apache-2.0
#include "analysis/run_summary/run_summary.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/run_summary/open_finding.h"
#include "analysis/run_summary/roles.h"
#include "model/device_catalog.h"
#include "model/series_extent.h"

namespace runglass {
namespace {

// A live run sends a heartbeat at least every 2 s; contract: silent after 15 s.
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
    if (const auto middle = median<double>({values.begin() + begin, values.begin() + end})) medians.push_back(*middle);
  }
  return medians;
}

Result<std::vector<double>> newestMedians(Reader& reader, const Series& series, const std::stop_token& stop) {
  RG_ASSIGN(const ScalarColumns points, reader.scalars(series.id, newestOf(series, kThroughputSteps), endOf(series), stop));
  return sustained(points.value);
}

// The recorded facts about the attempt's model and machine.
struct ModelFacts {
  std::optional<double> parameters, peak;
  bool no_mfu = false;
  std::string peak_source;
};

// Also "8,000,000,000"; absent: not a positive number.
std::optional<double> numberIn(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) return std::nullopt;
  return value;
}

Result<ModelFacts> readModelFacts(Reader& reader, const Attempt& attempt) {
  ModelFacts known;
  RG_ASSIGN(const std::vector<Fact> facts, reader.facts(attempt.id));
  for (const Fact& fact : facts) {
    if (fact.key == "mfu" && fact.value == "N/A") known.no_mfu = true;
    const bool parameters = fact.key == "model_parameters", peak = fact.key == "Peak FLOPS used for computing MFU";
    if (!parameters && !peak) continue;
    const std::optional<double> value = numberIn(fact.value);
    if (!value) continue;
    (parameters ? known.parameters : known.peak) = value;
    if (peak) known.peak_source = "as the trainer logged it";
  }
  if (known.peak) return known;
  // All devices of the attempt must be of one kind: a mixed job has no single peak.
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
  known.peak_source = std::string((*peaks.begin())->source) + ", dense BF16";
  return known;
}

// The newest of the rate medians, compared with the best of the earlier ones.
std::optional<double> changeOf(const std::vector<double>& medians) {
  const double best = medians.size() > 1 ? *std::max_element(medians.begin() + 1, medians.end()) : 0;
  return best > 0 ? std::optional(medians.front() / best - 1) : std::nullopt;
}

// The speed of a trainer that does not log tokens.
Status readOtherRates(Reader& reader, std::span<const Series> own, Throughput& out, const std::stop_token& stop) {
  for (const auto& [role, field] :
       {std::pair{Role::kFlopsPerGpu, &Throughput::flops_per_gpu}, std::pair{Role::kSamplesPerSecond, &Throughput::samples_per_s},
        std::pair{Role::kStepTime, &Throughput::step_ns}}) {
    const Series* logged = pickSeries(own, role);
    if (logged == nullptr) continue;
    RG_ASSIGN(std::vector<double> medians, newestMedians(reader, *logged, stop));
    std::erase_if(medians, [](double value) { return !(value > 0) || !std::isfinite(value); });
    if (medians.empty()) continue;
    out.rate_tag = logged->key.metric;
    out.*field = medians.front();
    if (role == Role::kStepTime)
      for (double& value : medians) value = 1 / value;
    out.change = changeOf(medians);
    break;
  }
  return {};
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
      out.change = changeOf(medians);
    }
  }
  if (!out.tokens_per_s && !out.tokens_per_gpu) RG_TRY(readOtherRates(reader, own, out, stop));
  const Series* flops = pickSeries(own, Role::kFlopsPerGpu);
  const Series* logged = pickSeries(own, Role::kMfu);
  if (flops == nullptr && logged == nullptr && !out.tokens_per_gpu) return {};
  RG_ASSIGN(const ModelFacts known, readModelFacts(reader, attempt));
  if (known.no_mfu && logged == nullptr) {
    out.mfu_not_available = true;
    return {};
  }
  if (flops != nullptr && known.peak) {
    RG_ASSIGN(const std::vector<double> medians, newestMedians(reader, *flops, stop));
    if (!medians.empty())
      out.mfu_source = {.flops_per_s = medians.front(), .tag = flops->key.metric, .peak = known.peak, .peak_source = known.peak_source};
  } else if (known.peak && known.parameters && out.tokens_per_gpu) {
    // Kaplan et al. 2020 (arXiv:2001.08361): 6 FLOPs per parameter and token for forward and backward.
    out.mfu_source = {.flops_per_s = 6 * *known.parameters * *out.tokens_per_gpu,
                      .parameters = known.parameters,
                      .tag = out.tokens_tag,
                      .peak = known.peak,
                      .peak_source = known.peak_source};
  } else if (logged != nullptr) {
    RG_ASSIGN(const std::vector<double> medians, newestMedians(reader, *logged, stop));
    if (!medians.empty()) out.mfu = medians.front(), out.mfu_source.tag = logged->key.metric;
  }
  if (out.mfu_source.peak) out.mfu = out.mfu_source.flops_per_s / *out.mfu_source.peak;
  return {};
}

Status readScalars(Reader& reader, RunSummary& summary, const std::stop_token& stop) {
  SeriesFilter filter;
  filter.run = summary.run.id;
  RG_ASSIGN(const std::vector<Series> all, reader.series(filter));
  for (const Series& series : all) widen(summary, series);
  // The newest attempt with the series wins.
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
    const Throughput& known = summary.throughput;
    throughput_known =
        known.tokens_per_s || known.tokens_per_gpu || known.mfu || known.flops_per_gpu || known.samples_per_s || known.step_ns;
  }
  if (!summary.last_step)
    for (const Attempt& attempt : summary.attempts)
      if (attempt.last_step) summary.last_step = *attempt.last_step;
  if (loss) {
    RG_ASSIGN(const std::vector<LatestSample> newest, reader.latest({&loss->id, 1}));
    if (!newest.empty()) summary.loss = newest.front().value;
    summary.loss_tag = loss->key.metric;
  } else {
    summary.no_loss = noLossText(all);
  }
  return {};
}

}  // namespace

Result<std::vector<Node>> nodesOf(Reader& reader, const std::vector<Attempt>& attempts) {
  std::set<NodeId> ours;
  if (!attempts.empty()) {
    RG_ASSIGN(const std::vector<Rank> ranks, reader.ranks(attempts.back().id));
    for (const Rank& rank : ranks)
      if (rank.node) ours.insert(rank.node);
  }
  RG_ASSIGN(std::vector<Node> nodes, reader.nodes());
  // A node without an agent (from an import or an exporter) neither reports nor is silent.
  std::erase_if(nodes, [&](const Node& node) { return !ours.contains(node.id) || node.state == NodeState::kUnknown; });
  return nodes;
}

Result<RunSummary> readRunSummary(Reader& reader, const Run& run, std::stop_token stop) {
  RunSummary summary;
  summary.run = run;
  RG_ASSIGN(summary.attempts, reader.attempts(run.id));
  RG_TRY(readScalars(reader, summary, stop));
  RG_ASSIGN(const std::vector<Node> nodes, nodesOf(reader, summary.attempts));
  summary.nodes_total = static_cast<int>(nodes.size());
  summary.nodes_heard = static_cast<int>(std::ranges::count(nodes, NodeState::kAlive, &Node::state));
  RG_ASSIGN(const auto spans, reader.spanExtent(run.id));
  if (spans) {
    summary.first_data = std::min(summary.first_data.value_or(spans->t0), spans->t0);
    summary.last_data = std::max(summary.last_data.value_or(spans->t1), spans->t1);
  }
  RG_ASSIGN(const std::vector<Finding> findings, reader.findings(run.id));
  const TimeNs newest = summary.last_data.value_or(std::numeric_limits<TimeNs>::max());
  for (const Finding& finding : findings) {
    ++summary.findings[static_cast<std::size_t>(finding.severity)];
    // Ranks that wait send no data: a hang may begin after the newest.
    const TimeNs now = std::max({newest, run.end.value_or(newest), finding.start.value_or(newest)});
    if (isOpen(finding, now, run.end)) ++summary.open_findings[static_cast<std::size_t>(finding.severity)];
  }
  RG_ASSIGN(const std::vector<Checkpoint> checkpoints, reader.checkpoints(run.id));
  for (const Checkpoint& checkpoint : checkpoints)
    if (checkpoint.durable && (!summary.checkpoint || *checkpoint.durable > *summary.checkpoint->durable)) summary.checkpoint = checkpoint;
  return summary;
}

Result<Run> chooseRun(Reader& reader, RunId wanted) {
  if (wanted) return reader.run(wanted);
  RG_ASSIGN(const std::vector<Run> runs, reader.runs());
  const Run* best = nullptr;
  const auto key = [](const Run& run) {
    return std::tuple(run.state == RunState::kRunning, run.start.value_or(std::numeric_limits<TimeNs>::min()), run.id);
  };
  for (const Run& run : runs) {
    if (best == nullptr || key(run) > key(*best)) best = &run;
  }
  if (best != nullptr) return *best;
  return Status(Code::kNotFound, "run: the store has none yet");
}

StateWord stateWord(const RunSummary& summary, TimeNs now) {
  switch (summary.run.state) {
    case RunState::kRunning:
      if (summary.run.time_domain == TimeDomain::kUtc && summary.last_data && now - *summary.last_data > kSilentAfter)
        return {"silent", Severity::kWarning};
      return {"running", Severity::kInfo};
    case RunState::kFinished:
      return {"finished", Severity::kInfo};
    case RunState::kFailed:
      return {"failed", Severity::kError};
    case RunState::kStalled:
      return {"stalled", Severity::kError};
    case RunState::kUnknown:
      break;
  }
  return {"unknown", Severity::kInfo};
}

}  // namespace runglass
