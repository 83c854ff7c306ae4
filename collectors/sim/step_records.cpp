// SPDX-License-Identifier: Apache-2.0
#include "collectors/sim/step_records.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>

#include "model/step_metrics.h"

namespace runglass::sim {
namespace {

constexpr std::array<std::string_view, 7> kPartNames = {"data", "forward", "backward", "communication", "optimizer", "host", "gc"};
constexpr std::int64_t kWarmupSteps = 10;
constexpr std::int64_t kTensorGroups = 10'000'000, kPipelineGroups = 20'000'000,
                       kContextGroups = 30'000'000;  // numbers of these communicators begin here
enum StepNoise : std::uint64_t { kLossNoise = 200, kGradNoise, kLossBlip, kLossBlipSize, kCpuNoise };
constexpr double kBlocked = 0.95;  // share of the wait for data in which the trainer's thread is off the CPU

}  // namespace

StepRecords::StepRecords(const Scenario& scenario, const StepModel& model, Recorder& out, AttemptId attempt, std::int64_t attempt_begin)
    : m_scenario(scenario), m_model(model), m_out(out), m_attempt(attempt), m_attempt_begin(attempt_begin) {
  const auto scalar = [&](std::optional<std::int32_t> rank, std::string_view metric, std::string labels, std::string unit) {
    return out.series({.attempt = attempt,
                       .rank = rank,
                       .metric = std::string(metric),
                       .labels = std::move(labels),
                       .unit = std::move(unit),
                       .kind = SeriesKind::kScalar});
  };
  const auto canonical = [](std::string_view name) { return "{\"canonical\":\"" + std::string(name) + "\"}"; };
  m_loss = scalar(std::nullopt, "loss", canonical("loss"), "");
  m_grad_norm = scalar(std::nullopt, "grad_norm", canonical("grad_norm"), "");
  m_learning_rate = scalar(std::nullopt, "learning_rate", canonical("learning_rate"), "");
  m_tokens = scalar(std::nullopt, "tokens_per_s", canonical("tokens_per_s"), "per_s");
  if (changesRegime(scenario)) {  // as in Megatron-LM's log
    m_batch = scalar(std::nullopt, "global batch size", "", "");
    m_consumed = scalar(std::nullopt, "consumed samples", "", "");
    m_length = scalar(std::nullopt, "seq length", "", "");
  }
  if (scenario.eval_every_steps > 0) m_validation = scalar(std::nullopt, "validation_loss", canonical("validation_loss"), "");
  for (std::int32_t rank = 0; rank < scenario.world(); ++rank) {
    RankSeries series;
    series.dur = scalar(rank, kStepTimeMetric, "", "ns");
    series.phase = scalar(rank, kStepPhaseMetric, "", "");
    for (std::size_t part = 0; part < kParts; ++part)
      series.part[part] = scalar(rank, kStepPartMetric, "{\"part\":\"" + std::string(kPartNames[part]) + "\"}", "ns");
    series.communication_wait = scalar(rank, kStepPartWaitMetric, R"({"part":"communication"})", "ns");
    if (scenario.host_cpu) {
      series.data_wait = scalar(rank, kStepPartWaitMetric, R"({"part":"data"})", "ns");
      series.cpu = scalar(rank, kStepCpuMetric, "", "ns");
      series.run_delay = scalar(rank, kStepRunDelayMetric, "", "ns");
    }
    if (scenario.spans != SpanDetail::kNone) {
      series.track = out.track({.attempt = attempt, .rank = rank, .kind = "thread", .name = "trainer"});
      const auto pipe = [&](const char* kind, const char* name) {
        return out.track({.attempt = attempt, .rank = rank, .kind = kind, .name = name});
      };
      const std::int32_t stage = model.coordinates(rank).pp;
      if (scenario.pp > 1) series.receive = pipe("pp_recv", "pp recv");
      if (stage + 1 < scenario.pp) series.send_forward = pipe("pp_send", "pp send forward");
      if (stage > 0) series.send_backward = pipe("pp_send", "pp send backward");
    }
    m_ranks.push_back(series);
  }
  for (std::int64_t step = 1; step < attempt_begin; ++step) m_samples += static_cast<double>(regimeAt(scenario, step).global_batch);
  declareGroups();
}

// The replicas of a stage's shard reduce its gradients; the shards of a layer and the stages of a replica exchange activations.
void StepRecords::declareGroups() {
  std::map<std::int64_t, CommGroup> groups;
  const auto add = [&](std::int64_t id, const char* kind, std::int64_t number, std::int32_t rank) {
    CommGroup& group = groups[id];
    group.attempt = m_attempt, group.id = id, group.kind = kind, group.name = std::string(kind) + " " + std::to_string(number);
    group.ranks.push_back(rank);
  };
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank) {
    add(groupOf(rank), "dp", groupOf(rank), rank);
    if (m_scenario.tp > 1) add(tensorGroupOf(rank), "tp", tensorGroupOf(rank) - kTensorGroups, rank);
    if (m_scenario.cp > 1) add(contextGroupOf(rank), "cp", contextGroupOf(rank) - kContextGroups, rank);
    if (m_scenario.pp > 1) add(pipelineGroupOf(rank), "pp", pipelineGroupOf(rank) - kPipelineGroups, rank);
  }
  for (auto& [id, group] : groups) {
    if (group.kind == "pp")  // in the order of the stages
      std::ranges::sort(group.ranks, {}, [this](std::int32_t rank) { return m_model.coordinates(rank).pp; });
    m_out.group(group);
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

std::int64_t StepRecords::tensorGroupOf(std::int32_t rank) const {
  const Coordinates& at = m_model.coordinates(rank);
  return kTensorGroups + at.pp + std::int64_t{m_scenario.pp} * (at.cp + std::int64_t{m_scenario.cp} * at.dp);
}

std::int64_t StepRecords::pipelineGroupOf(std::int32_t rank) const {
  const Coordinates& at = m_model.coordinates(rank);
  return kPipelineGroups + at.tp + std::int64_t{m_scenario.tp} * (at.cp + std::int64_t{m_scenario.cp} * at.dp);
}

std::int64_t StepRecords::contextGroupOf(std::int32_t rank) const {
  const Coordinates& at = m_model.coordinates(rank);
  return kContextGroups + at.tp + std::int64_t{m_scenario.tp} * (at.pp + std::int64_t{m_scenario.pp} * at.dp);
}

// A job that compiles warms up in every attempt.
bool StepRecords::isWarmup(std::int64_t step) const {
  return m_scenario.warmup_steps > 0 ? step - m_attempt_begin < m_scenario.warmup_steps : step <= kWarmupSteps;
}

void StepRecords::phase(std::int64_t step, TimeNs now, const char* phase, const char* op) {
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank)
    if (!silent(rank, step)) {
      const TimeNs time = now + skew(rank, step);
      m_out.progress({.attempt = m_attempt, .rank = rank, .time = time, .step = step, .phase = phase, .op = op, .since = time});
    }
}

void StepRecords::begin(std::int64_t step, TimeNs now) {
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank)
    if (!silent(rank, step))
      m_out.progress({.attempt = m_attempt,
                      .rank = rank,
                      .time = now + skew(rank, step),
                      .step = step,
                      .phase = isWarmup(step) ? "warmup" : "steady",
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
    m_out.scalar(series.phase, step, began, isWarmup(step) ? 1 : 2);
    const std::array<DurNs, kParts> parts = {r.data, r.forward, r.backward, r.communication + r.wait, r.optimizer, r.host, r.gc};
    for (std::size_t part = 0; part < kParts; ++part)
      if (parts[part] > 0) m_out.scalar(series.part[part], step, began, static_cast<double>(parts[part]));
    m_out.scalar(series.communication_wait, step, began, static_cast<double>(r.wait));
    if (m_scenario.host_cpu) {
      // The trainer's thread launches and spins; its helper threads add a little.
      const double busy = static_cast<double>(timing.dur - r.run_delay) - kBlocked * static_cast<double>(r.data);
      m_out.scalar(series.data_wait, step, began, std::round(kBlocked * static_cast<double>(r.data)));
      m_out.scalar(series.cpu, step, began, std::round(busy * (1.15 + 0.01 * m_model.noise(step, rank, kCpuNoise))));
      m_out.scalar(series.run_delay, step, began, static_cast<double>(r.run_delay));
    }
    if (m_scenario.spans != SpanDetail::kNone) spans(rank, step, began, timing);
  }
  globals(step, began_at + timing.dur, timing);
}

double StepRecords::lossOf(std::int64_t step, double& grad_norm) {
  const auto n = static_cast<double>(step);
  double loss = 2.0 + 8.5 * std::pow(n + 5, -0.35);
  loss *= 1 + 0.004 * m_model.noise(step, 0, kLossNoise);
  loss *= 1 - 0.03 * scheduleAt(m_scenario, step).decayed;
  if (m_scenario.epoch_every_steps > 0) {  // samples seen before are easier
    const std::int64_t epochs = (step - 1) / m_scenario.epoch_every_steps;
    loss *= std::pow(0.99, static_cast<double>(epochs));
  }
  // An occasional batch of unusual text, where the scenario has blips at all.
  if (m_scenario.blips_per_step > 0 && m_model.uniform(step, 0, kLossBlip) < 0.002)
    loss *= 1.03 + 0.05 * m_model.uniform(step, 0, kLossBlipSize);
  grad_norm = (0.4 + 3 / std::sqrt(n)) * (1 + 0.05 * std::abs(m_model.noise(step, 0, kGradNoise)));
  for (const Fault& fault : m_scenario.faults) {
    if (fault.kind == "loss_spike" && !fault.recovers && step > fault.last_step) loss *= 1 + 0.004 * 0.6 * fault.strength;
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
  return loss;
}

// As Megatron-LM logs them: losses and rates cover the steps since the last logged one, gradient norm and learning rate are those of the
// step itself.
void StepRecords::globals(std::int64_t step, TimeNs end, const Step& timing) {
  double grad_norm = 0;
  m_sum.loss += lossOf(step, grad_norm);
  m_sum.tokens += timing.regime.tokens;
  m_sum.time += timing.dur;
  ++m_sum.steps;
  m_samples += static_cast<double>(timing.regime.global_batch);
  if (step % m_scenario.log_every_steps != 0) return;
  m_out.scalar(m_loss, step, end, m_sum.loss / static_cast<double>(m_sum.steps));
  m_out.scalar(m_grad_norm, step, end, grad_norm);
  m_out.scalar(m_learning_rate, step, end, scheduleAt(m_scenario, step).learning_rate);
  m_out.scalar(m_tokens, step, end, m_sum.tokens / (static_cast<double>(m_sum.time) / kNsPerSecond));
  if (changesRegime(m_scenario)) {
    m_out.scalar(m_batch, step, end, static_cast<double>(timing.regime.global_batch));
    m_out.scalar(m_consumed, step, end, m_samples);
    m_out.scalar(m_length, step, end, static_cast<double>(timing.regime.sequence_length));
  }
  m_sum = {};
}

void StepRecords::validation(std::int64_t step, TimeNs now) {
  m_out.scalar(m_validation, step, now, 2.05 + 8.5 * std::pow(static_cast<double>(step) + 5, -0.35));
}

// Sorted by rank; empty where the whole run is the target.
std::vector<std::int32_t> StepRecords::culpritsOf(const Fault& fault) const {
  std::vector<std::int32_t> culprits;
  for (std::int32_t rank = 0; rank < m_scenario.world() && fault.target.kind != Target::Kind::kRun; ++rank)
    if (m_model.hits(fault, rank)) culprits.push_back(rank);
  return culprits;
}

// State of a rank during a hang: the shards of the culprits' layers block first, then the other stages of their replicas, which exchange
// activations with them, then all ranks in the gradients' reduction.
Progress StepRecords::standing(const std::vector<std::int32_t>& culprits, std::int32_t rank, std::int64_t step, TimeNs since) const {
  constexpr std::int64_t kLayerCalls = 1'000;  // of a step
  Progress p{.attempt = m_attempt, .rank = rank, .time = since, .step = step, .phase = "steady"};
  const auto part = [&](double share) { return since + static_cast<DurNs>(share * m_scenario.step_seconds * kNsPerSecond); };
  if (std::ranges::binary_search(culprits, rank)) {
    p.op = "backward", p.microbatch = 0, p.since = part(0.20);
    return p;
  }
  const Coordinates& own = m_model.coordinates(rank);
  std::optional<std::int32_t> stage;  // of a culprit in the same replica
  bool same_shards = false;
  for (const std::int32_t other : culprits) {
    const Coordinates& at = m_model.coordinates(other);
    if (at.dp != own.dp || at.cp != own.cp) continue;
    stage = at.pp;
    same_shards |= at.pp == own.pp;
  }
  if (same_shards && m_scenario.tp > 1) {
    p.op = "all_reduce tp", p.group = tensorGroupOf(rank), p.seq = step * kLayerCalls + 17, p.microbatch = 0, p.since = part(0.21);
  } else if (stage && *stage != own.pp) {
    // Gradients come from the next stage, activations from the previous one.
    const std::int32_t from = own.pp < *stage ? own.pp + 1 : own.pp - 1;
    p.op = "recv " + std::to_string(own.pp) + "<-" + std::to_string(from), p.group = pipelineGroupOf(rank);
    p.seq = step * kLayerCalls + own.pp, p.microbatch = 0;
    p.since = part(0.25 + 0.01 * std::abs(own.pp - *stage));
  } else {
    p.op = "all_reduce dp", p.group = groupOf(rank), p.seq = step, p.since = part(0.85);
  }
  return p;
}

void StepRecords::hang(const Fault& fault, std::int64_t step, TimeNs since, TimeNs now, bool culprits_dead) {
  const std::vector<std::int32_t> culprits = culpritsOf(fault);
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank) {
    if (culprits_dead && (std::ranges::binary_search(culprits, rank) ||
                          (fault.target.kind == Target::Kind::kGpu && m_model.nodeOf(rank) == fault.target.index)))
      continue;
    Progress p = standing(culprits, rank, step, since);
    if (p.since && *p.since > now) continue;
    p.time = now;
    m_out.progress(p);
  }
}

void StepRecords::timeOut(const Fault& fault, std::int64_t step, TimeNs now) {
  constexpr DurNs kTimeout = 600 * kNsPerSecond;
  const std::vector<std::int32_t> culprits = culpritsOf(fault);
  for (std::int32_t rank = 0; rank < m_scenario.world(); ++rank) {
    const Progress p = standing(culprits, rank, step, now - kTimeout);
    if (!p.seq) continue;
    const std::string seq = std::to_string(*p.seq), op = p.op.starts_with("recv") ? "RECV" : "ALLREDUCE";
    m_out.event({.time = now + rank * kNsPerMs,
                 .attempt = m_attempt,
                 .rank = rank,
                 .step = step,
                 .kind = "collective_timeout",
                 .severity = Severity::kError,
                 .code = seq,
                 .message = "[Rank " + std::to_string(rank) + "] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=" + seq +
                            ", OpType=" + op + ", Timeout(ms)=600000) ran for 600010 milliseconds before timing out."});
  }
}

}  // namespace runglass::sim
