// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/step_records.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

namespace runglass::sim {
namespace {

constexpr std::array<std::string_view, 7> kPartNames = {"data", "forward", "backward", "communication", "optimizer", "host", "gc"};
constexpr std::int64_t kWarmupSteps = 10;
enum Noise : std::uint64_t { kLossNoise = 200, kGradNoise };

bool acts(const Fault& fault, std::int64_t step) { return step >= fault.first_step && step <= fault.last_step; }

}  // namespace

StepRecords::StepRecords(const Scenario& scenario, const StepModel& model, Recorder& out, AttemptId attempt)
    : m_scenario(scenario), m_model(model), m_out(out), m_attempt(attempt) {
  const auto scalar = [&](std::optional<std::int32_t> rank, std::string metric, std::string labels, std::string unit) {
    return out.series({.attempt = attempt,
                       .rank = rank,
                       .metric = std::move(metric),
                       .labels = std::move(labels),
                       .unit = std::move(unit),
                       .kind = SeriesKind::kScalar});
  };
  const auto canonical = [](std::string_view name) { return "{\"canonical\":\"" + std::string(name) + "\"}"; };
  m_loss = scalar(std::nullopt, "loss", canonical("loss"), "");
  m_grad_norm = scalar(std::nullopt, "grad_norm", canonical("grad_norm"), "");
  m_learning_rate = scalar(std::nullopt, "learning_rate", canonical("learning_rate"), "");
  m_tokens = scalar(std::nullopt, "tokens_per_s", canonical("tokens_per_s"), "per_s");
  if (scenario.eval_every_steps > 0) m_validation = scalar(std::nullopt, "validation_loss", canonical("validation_loss"), "");
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    RankSeries series;
    series.dur = scalar(rank, "step_time_ns", "", "ns");
    series.phase = scalar(rank, "step_phase", "", "");
    for (std::size_t part = 0; part < kParts; ++part)
      series.part[part] = scalar(rank, "step_part_ns", "{\"part\":\"" + std::string(kPartNames[part]) + "\"}", "ns");
    series.communication_wait = scalar(rank, "step_part_wait_ns", R"({"part":"communication"})", "ns");
    if (scenario.spans != SpanDetail::kNone)
      series.track = out.track({.attempt = attempt, .rank = rank, .kind = "thread", .name = "trainer"});
    m_ranks.push_back(series);
  }
  std::map<std::int64_t, CommGroup> groups;  // the replicas of a stage's shard reduce its gradients
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) groups[groupOf(rank)].ranks.push_back(rank);
  for (auto& [id, group] : groups) {
    group.attempt = attempt, group.id = id, group.kind = "dp", group.name = "dp " + std::to_string(id);
    out.group(group);
  }
}

bool StepRecords::silent(std::int32_t rank, std::int64_t step) const {
  return std::any_of(m_scenario.faults.begin(), m_scenario.faults.end(), [&](const Fault& fault) {
    return (fault.kind == "missing_rank" || fault.kind == "agent_restart") && acts(fault, step) && m_model.hits(fault, rank);
  });
}

DurNs StepRecords::skew(std::int32_t rank, std::int64_t step) const {
  DurNs ahead = 0;
  for (const Fault& fault : m_scenario.faults)
    if (fault.kind == "clock_skew" && acts(fault, step) && m_model.hits(fault, rank))
      ahead += static_cast<DurNs>(fault.strength * kNsPerSecond);
  return ahead;
}

std::int64_t StepRecords::groupOf(std::int32_t rank) const {
  const Coordinates& at = m_model.coordinates(rank);
  return 1 + at.tp + std::int64_t{at.pp} * m_scenario.tp;
}

void StepRecords::begin(std::int64_t step, TimeNs now) {
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank)
    if (!silent(rank, step))
      m_out.progress({.attempt = m_attempt,
                      .rank = rank,
                      .time = now + skew(rank, step),
                      .step = step,
                      .phase = step <= kWarmupSteps ? "warmup" : "steady",
                      .op = "forward",
                      .since = now + skew(rank, step)});
}

void StepRecords::end(std::int64_t step, TimeNs began_at, const Step& timing) {
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank) {
    if (silent(rank, step)) continue;
    const TimeNs began = began_at + skew(rank, step);
    const RankSeries& series = m_ranks[static_cast<std::size_t>(rank)];
    const RankStep& r = timing.ranks[static_cast<std::size_t>(rank)];
    m_out.scalar(series.dur, step, began, static_cast<double>(timing.dur));
    m_out.scalar(series.phase, step, began, step <= kWarmupSteps ? 1 : 2);
    const std::array<DurNs, kParts> parts = {r.data, r.forward, r.backward, r.communication + r.wait, r.optimizer, r.host, r.gc};
    for (std::size_t part = 0; part < kParts; ++part)
      if (parts[part] > 0) m_out.scalar(series.part[part], step, began, static_cast<double>(parts[part]));
    m_out.scalar(series.communication_wait, step, began, static_cast<double>(r.wait));
    if (m_scenario.spans != SpanDetail::kNone) spans(rank, step, began, timing);
  }
  globals(step, began_at + timing.dur, timing);
}

void StepRecords::globals(std::int64_t step, TimeNs end, const Step& timing) {
  const auto n = static_cast<double>(step);
  double loss = 2.0 + 8.5 * std::pow(n + 5, -0.35);
  loss *= 1 + 0.004 * m_model.noise(step, 0, kLossNoise);
  double grad_norm = (0.4 + 3 / std::sqrt(n)) * (1 + 0.05 * std::abs(m_model.noise(step, 0, kGradNoise)));
  for (const Fault& fault : m_scenario.faults) {
    if (!acts(fault, step)) continue;
    if (fault.kind == "loss_spike") {  // strength in sigmas of the loss noise
      loss *= 1 + 0.004 * fault.strength;
      grad_norm *= 1 + fault.strength / 4;
    } else if (fault.kind == "loss_divergence") {
      m_divergence += 0.01 * fault.strength;
      loss += m_divergence;
    } else if (fault.kind == "nan" || fault.kind == "non_finite") {
      loss = grad_norm = std::numeric_limits<double>::quiet_NaN();
    }
  }
  const double total = static_cast<double>(m_scenario.steps), warmup = std::max(1.0, total / 50);
  const double rate =
      n < warmup ? 3e-4 * n / warmup : 3e-5 + 1.35e-4 * (1 + std::cos(std::numbers::pi * (n - warmup) / std::max(1.0, total - warmup)));
  m_out.scalar(m_loss, step, end, loss);
  m_out.scalar(m_grad_norm, step, end, grad_norm);
  m_out.scalar(m_learning_rate, step, end, rate);
  m_out.scalar(m_tokens, step, end, static_cast<double>(m_scenario.tokens_per_step) / (static_cast<double>(timing.dur) / kNsPerSecond));
}

void StepRecords::spans(std::int32_t rank, std::int64_t step, TimeNs began, const Step& timing) {
  const Coordinates& at = m_model.coordinates(rank);
  const RankStep& r = timing.ranks[static_cast<std::size_t>(rank)];
  SpanColumns out;
  enum Name : std::uint32_t { kStep, kData, kForward, kBackward, kReduce, kOptimizer, kKernel };
  out.names = {"step", "data", "forward", "backward", "all_reduce dp", "optimizer", "layer"};
  const auto add = [&](TimeNs start, DurNs dur, Name name, SpanCategory category, std::int32_t depth, std::int64_t batch = kAbsent,
                       std::int64_t group = kAbsent) {
    out.start.push_back(start);
    out.dur.push_back(dur);
    out.name.push_back(name);
    out.category.push_back(category);
    out.depth.push_back(depth);
    out.step.push_back(step);
    out.microbatch.push_back(batch);
    out.group.push_back(group);
    out.seq.push_back(group == kAbsent ? kAbsent : step);
  };
  add(began, timing.dur, kStep, SpanCategory::kAnnotation, 0);
  add(began, r.data, kData, SpanCategory::kDataload, 1);
  const auto replica = static_cast<std::size_t>(std::int64_t{at.dp} * m_scenario.cp + at.cp) * static_cast<std::size_t>(m_scenario.pp) +
                       static_cast<std::size_t>(at.pp);
  // Own work inside the stage's slot; the rest of the slot is waiting for the tensor-parallel peers.
  const DurNs forward = (r.forward + r.host / 3 + r.gc / 3) / m_scenario.micro_batches,
              backward = (r.backward + r.host * 2 / 3 + r.gc * 2 / 3) / m_scenario.micro_batches;
  constexpr int kLayers = 8;
  for (const PipelineOp& op : timing.ops[replica]) {
    const TimeNs start = began + timing.pipeline_begin + op.start;
    const DurNs dur = op.backward ? backward : forward;
    add(start, dur, op.backward ? kBackward : kForward, SpanCategory::kCompute, 1, op.microbatch);
    if (m_scenario.spans == SpanDetail::kKernels)
      for (int layer = 0; layer < kLayers; ++layer)
        add(start + dur * layer / kLayers, dur / kLayers, kKernel, SpanCategory::kCompute, 2, op.microbatch);
  }
  add(began + timing.reduce_begin, timing.optimizer_begin - timing.reduce_begin, kReduce, SpanCategory::kComm, 1, kAbsent, groupOf(rank));
  add(began + timing.optimizer_begin, r.optimizer, kOptimizer, SpanCategory::kCompute, 1);
  m_out.spans(m_ranks[static_cast<std::size_t>(rank)].track, out);
}

void StepRecords::validation(std::int64_t step, TimeNs now) {
  m_out.scalar(m_validation, step, now, 2.05 + 8.5 * std::pow(static_cast<double>(step) + 5, -0.35));
}

void StepRecords::hang(const Fault& fault, std::int64_t step, TimeNs now) {
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank) {
    const bool culprit = m_model.hits(fault, rank) && fault.target.kind != Target::Kind::kRun;
    m_out.progress({.attempt = m_attempt,
                    .rank = rank,
                    .time = now,
                    .step = step,
                    .seq = culprit ? step - 1 : step,
                    .phase = "steady",
                    .op = culprit ? "backward" : "all_reduce dp",
                    .since = now});
  }
}

}  // namespace runglass::sim
