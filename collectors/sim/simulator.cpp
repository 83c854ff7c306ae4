// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Every fault of the scenario gets exactly one label, with the time and the steps in which it acted.
// 2. Metrics, spans and scalars of a step derive from one Step of the StepModel, so that they are consistent.
// 3. Nothing is recorded before the virtual clock, which pace() controls, has reached its time (except for the stamps of clock_skew).
// 4. A silent node or rank (heartbeat_loss, missing_rank, agent_restart) leaves a gap; nothing is recorded for it.
#include "collectors/sim/simulator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <thread>
#include <utility>

#include "collectors/sim/cluster_metrics.h"
#include "collectors/sim/step_model.h"
#include "collectors/sim/step_records.h"
#include "model/mutex.h"
#include "model/null_recorder.h"

namespace runglass::sim {
namespace {

constexpr DurNs kWatchdog = 600 * kNsPerSecond, kSaidAgain = 2 * kNsPerSecond;  // default of torch.distributed; interval of progress
constexpr std::int64_t kTicksPerBatch = 1 << 15;                                // of one GPU, about nine samples each

class Player {
 public:
  Player(const Scenario& scenario, Recorder& out, const PlayOptions& options)
      : m_scenario(scenario),
        m_out(out),
        m_options(options),
        m_model(scenario),
        m_now(options.start),
        m_wall_begin(monotonicNow()),
        m_label_begin(scenario.faults.size()) {}

  Status run() {
    declareCluster();
    startAttempt("0", std::nullopt);
    for (std::int64_t step = 1; step <= m_scenario.steps && m_status.ok(); ++step) {
      beginFaults(step);
      beginRegime(step);
      if (m_options.state != nullptr) m_options.state->step = step;
      if (const Fault* hang = active("hang", step)) return playHang(*hang, step);
      playStep(step);
      endFaults(step);
      step = afterStep(step);
    }
    if (m_status.ok()) finish("finished");
    return m_status;
  }
  TimeNs now() const { return m_now; }

 private:
  const Fault* active(std::string_view kind, std::int64_t step) const {
    for (const Fault& fault : m_scenario.faults)
      if (fault.kind == kind && acts(fault, step)) return &fault;
    return nullptr;
  }

  void declareCluster() {
    m_cluster.emplace(m_scenario, m_model, m_out, m_now);
    m_run = m_out.run({.name = m_scenario.name, .state = RunState::kRunning, .start = m_now, .framework = "simulator", .simulated = true});
  }

  void startAttempt(const std::string& key, std::optional<std::int64_t> resumed_from) {
    const Scenario& s = m_scenario;
    m_attempt = m_out.attempt({.run = m_run,
                               .key = key,
                               .start = m_now,
                               .resumed_from_step = resumed_from,
                               .layout = {.world = s.world(), .tp = s.tp, .pp = s.pp, .dp = s.dp, .cp = s.cp, .ep = s.ep, .vpp = s.vpp}});
    m_attempt_key = key;
    m_attempt_begin = resumed_from.value_or(0) + 1;
    m_regime = regimeAt(s, m_attempt_begin);
    if (m_options.state != nullptr) m_options.state->attempt = std::stoll(key);
    for (std::int32_t rank = 0; rank < s.world(); ++rank) {
      const Coordinates& at = m_model.coordinates(rank);
      m_out.rank({.attempt = m_attempt,
                  .rank = rank,
                  .node = m_cluster->node(m_model.nodeOf(rank)),
                  .device = m_cluster->device(rank),
                  .local_rank = rank % s.gpus_per_node,
                  .tp = at.tp,
                  .pp = at.pp,
                  .dp = at.dp,
                  .cp = at.cp});
    }
    m_out.fact({.attempt = m_attempt, .key = "scenario", .value = s.name + ", seed " + std::to_string(s.seed)});
    tellRegime();
    m_out.event({.time = m_now, .attempt = m_attempt, .kind = resumed_from ? "restart" : "start", .message = "simulated run " + s.name});
    m_records.emplace(m_scenario, m_model, m_out, m_attempt, m_attempt_begin);
  }

  // The trainer's arguments, under Megatron-LM's names.
  void tellRegime() {
    const auto fact = [&](const char* key, std::int64_t value) {
      m_out.fact({.attempt = m_attempt, .key = key, .value = std::to_string(value)});
    };
    fact("global_batch_size", m_regime.global_batch);
    fact("num_microbatches", m_regime.micro_batches);
    fact("seq_length", m_regime.sequence_length);
  }
  // A trainer that changes its regime during the run reports it in its log.
  void beginRegime(std::int64_t step) {
    const Regime now = regimeAt(m_scenario, step);
    if (now == m_regime) return;
    const auto say = [&](const std::string& text) {
      m_out.log({.time = m_now, .attempt = m_attempt, .rank = 0, .stream = "stdout", .text = text});
    };
    if (now.global_batch != m_regime.global_batch)
      say("setting global batch size from " + std::to_string(m_regime.global_batch) + " to " + std::to_string(now.global_batch) + " and " +
          std::to_string(now.micro_batches) + " micro-batches");
    if (now.sequence_length != m_regime.sequence_length)
      say("setting sequence length from " + std::to_string(m_regime.sequence_length) + " to " + std::to_string(now.sequence_length));
    m_regime = now;
  }

  // A label begins with its first step and is recorded once, when the fault or the play ends.
  void beginFaults(std::int64_t step) {
    for (std::size_t i = 0; i < m_scenario.faults.size(); ++i) {
      const Fault& fault = m_scenario.faults[i];
      if (!acts(fault, step) || m_label_begin[i]) continue;
      m_label_begin[i] = m_now;
      m_cluster->tellFault(fault, m_now);
      m_cluster->recordDue(m_now);
    }
  }
  void endFaults(std::int64_t step) {
    for (std::size_t i = 0; i < m_scenario.faults.size(); ++i)
      if (m_scenario.faults[i].last_step == step) {
        m_cluster->tellFaultEnd(m_scenario.faults[i], m_now);
        tellLabel(i, step);
      }
  }
  void tellLabel(std::size_t i, std::int64_t last_step) {
    const Fault& fault = m_scenario.faults[i];
    if (!m_label_begin[i] || m_reported.contains(i)) return;
    m_reported.insert(i);
    Label label{.attempt = m_attempt,
                .kind = fault.kind,
                .start = *m_label_begin[i],
                .end = m_now,
                .first_step = fault.first_step,
                .last_step = std::min(last_step, fault.last_step),
                .strength = fault.strength};
    if (fault.target.kind == Target::Kind::kRank) {
      label.rank = fault.target.index;
      label.node = m_cluster->node(m_model.nodeOf(fault.target.index));
    } else if (fault.target.kind == Target::Kind::kGpu) {
      label.rank = fault.target.index * m_scenario.gpus_per_node + fault.target.gpu;
      label.node = m_cluster->node(fault.target.index);
      label.device = m_cluster->device(*label.rank);
    } else if (fault.target.kind == Target::Kind::kNode || fault.target.kind == Target::Kind::kNic) {
      label.node = m_cluster->node(fault.target.index);
      label.device = m_cluster->port(fault.target);
    } else if (fault.target.kind == Target::Kind::kStage) {
      // Labels have no field for a stage.
      m_out.fact({.attempt = m_attempt,
                  .key = "label/" + fault.kind + "/" + std::to_string(fault.first_step),
                  .value = "stage:" + std::to_string(fault.target.index)});
    }
    if (const auto cost = m_model.costOf(i, std::max(label.first_step.value(), m_attempt_begin), label.last_step.value(), m_attempt_begin))
      m_out.fact({.attempt = m_attempt,
                  .node = label.node,
                  .rank = label.rank,
                  .key = "label/" + fault.kind + "/" + std::to_string(fault.first_step) + "/cost_ratio",
                  .value = std::to_string(*cost)});
    m_out.label(label);
  }

  void playStep(std::int64_t step) {
    Step timing = m_model.step(step, m_attempt_begin);
    m_records->begin(step, m_now);
    advance(step, timing.dur, &timing);
    if (!m_status.ok()) return;
    const TimeNs began = m_now - timing.dur;
    const std::int64_t hole = m_scenario.hub_restart_step;
    if (hole > 0 && step >= hole && step < hole + m_scenario.hub_restart_steps) {
      m_late.push_back({step, began, std::move(timing)});
      return;
    }
    m_records->end(step, began, timing);
    deliverLate();
    m_status = m_out.flush();
    if (m_options.after_flush) m_options.after_flush();
  }

  // Records that agents spooled during the hub's outage arrive complete, and late.
  void deliverLate() {
    for (const Late& late : std::exchange(m_late, {})) m_records->end(late.step, late.began, late.timing);
  }

  void save(std::int64_t step) {
    const Scenario& s = m_scenario;
    Checkpoint saved{.attempt = m_attempt, .step = step, .begin = m_now, .path = "/ckpt/" + s.name + "/step-" + std::to_string(step)};
    m_out.checkpoint(saved);
    m_records->phase(step, m_now, "checkpoint", "save");
    advance(step, saveLength(s), nullptr);
    saved.bytes = std::int64_t{s.world()} << 30;
    m_saving = saved;
    if (!s.async_checkpoints) endSave();
  }
  void endSave() {
    if (!m_saving) return;
    m_saving->durable = m_now;
    m_out.checkpoint(*m_saving);
    m_last_checkpoint = m_saving->step;
    m_saving.reset();
  }

  // Events after a step: checkpoint, evaluation, epoch, stall, a crash. Returns the step that counts as done (an earlier one after a
  // rewind).
  std::int64_t afterStep(std::int64_t step) {
    const Scenario& s = m_scenario;
    if (m_saving && !isSaving(s, step + 1)) endSave();
    if (isDue(s.checkpoint_every_steps, step)) save(step);
    if (isDue(s.eval_every_steps, step)) {
      if (!s.eval_inside_step) m_records->phase(step, m_now, "eval", "evaluate");
      advance(step, evaluationLength(s), nullptr);
      m_records->validation(step, m_now);
    }
    if (isDue(s.epoch_every_steps, step)) {
      advance(step, epochPause(s), nullptr);
      m_out.log({.time = m_now,
                 .attempt = m_attempt,
                 .rank = 0,
                 .stream = "stdout",
                 .text = "epoch " + std::to_string(step / s.epoch_every_steps + 1) + " begins"});
    }
    if (s.restart_step == step && !m_restarted) restart(step);
    for (const Fault& fault : s.faults) {
      if (fault.kind == "stall" && fault.first_step == step) advance(step, static_cast<DurNs>(fault.strength * kNsPerSecond), nullptr);
      if (fault.kind == "hardware_fault" && fault.first_step == step && !m_crashed.contains(&fault)) {
        m_crashed.insert(&fault);
        return crash(fault, step);
      }
    }
    return step;
  }

  // A planned stop with a checkpoint, to continue with other settings.
  void restart(std::int64_t step) {
    m_restarted = true;
    deliverLate();
    endSave();
    if (m_last_checkpoint != step) save(step), endSave();
    m_out.attempt({.run = m_run, .key = m_attempt_key, .end = m_now, .end_cause = "stopped for new settings", .planned = true});
    advance(step, kRestartPause, nullptr);
    startAttempt(std::to_string(++m_restarts), step);
  }

  // A short `strength`: the job ends with the fault. Otherwise its peers wait that many seconds in collectives, at most until their
  // watchdogs fire.
  std::int64_t crash(const Fault& fault, std::int64_t step) {
    const auto waits = static_cast<DurNs>(fault.strength * kNsPerSecond);
    if (waits >= 60 * kNsPerSecond) {
      m_cluster->takeAway(fault, m_now);
      standStill(fault, step + 1, std::min(waits, kWatchdog), true);
    }
    deliverLate();
    m_saving.reset();  // a checkpoint that was not durable is lost
    m_out.attempt({.run = m_run,
                   .key = m_attempt_key,
                   .end = m_now,
                   .end_cause = "hardware fault: Xid " + std::to_string(fault.xid.value_or(79)),
                   .planned = false});
    for (std::size_t i = 0; i < m_scenario.faults.size(); ++i)
      if (&m_scenario.faults[i] == &fault) tellLabel(i, step);
    advance(step, kRestartPause, nullptr);
    m_cluster->bringBack(m_now);
    startAttempt(std::to_string(++m_restarts), m_last_checkpoint);
    return m_last_checkpoint;
  }

  // All ranks wait for the fault's ranks; the living ones report progress repeatedly.
  void standStill(const Fault& fault, std::int64_t step, DurNs length, bool culprits_dead) {
    const TimeNs begin = m_now;
    for (DurNs waited = 0; waited < length && m_status.ok(); waited += kSaidAgain) {
      advance(step, std::min(kSaidAgain, length - waited), nullptr);
      m_records->hang(fault, step, begin, m_now, culprits_dead);
      if (m_status.ok()) m_status = m_out.flush();
      if (m_options.after_flush) m_options.after_flush();
    }
    if (length < kWatchdog) return;
    const TimeNs first = m_now;
    advance(step, m_scenario.world() * kNsPerMs, nullptr);  // the watchdogs fire one after the other
    m_records->timeOut(fault, step, first);
  }

  // A hang: the fault's rank never enters its collective, all others wait in it until the watchdog ends the job.
  Status playHang(const Fault& fault, std::int64_t step) {
    deliverLate();
    m_records->begin(step, m_now);
    if (m_options.state != nullptr) m_options.state->hang = &fault;
    const DurNs length = static_cast<DurNs>(std::max(60.0, fault.strength) * kNsPerSecond);
    standStill(fault, step, std::min(length, kWatchdog), false);
    endFaults(fault.last_step);
    if (m_status.ok()) finish("stalled");
    return m_status;
  }

  void finish(const std::string& cause) {
    deliverLate();
    for (std::size_t i = 0; i < m_scenario.faults.size(); ++i) tellLabel(i, m_scenario.steps);
    m_out.attempt({.run = m_run, .key = m_attempt_key, .end = m_now, .end_cause = cause, .planned = cause == "finished"});
    m_out.run({.name = m_scenario.name,
               .state = cause == "finished" ? RunState::kFinished : RunState::kStalled,
               .end = m_now,
               .simulated = true});
    m_status = m_out.flush();
  }

  // Advances virtual time, records the cluster's metrics tick by tick and keeps pace with the wall clock.
  void advance(std::int64_t step, DurNs dur, const Step* timing) {
    const TimeNs begin = m_now, end = m_now + dur;
    while (m_now < end && m_status.ok()) {
      const TimeNs tick = std::min(end, m_cluster->nextTick());
      pace(tick);
      if (m_options.stop.stop_requested()) m_status = Status(Code::kCancelled, "simulation of " + m_scenario.name + ": stopped");
      m_now = tick;
      m_cluster->recordDue(m_now);
      if (tick == m_cluster->nextTick()) m_cluster->tick(step, tick - begin, timing);
      if (m_status.ok()) handOn();
    }
  }

  // In real time at every tick; at full speed in larger batches, which cost their receiver less.
  void handOn() {
    m_unsealed += m_scenario.world();
    if (!m_late.empty()) return;
    if (m_options.speed <= 0 && m_unsealed < kTicksPerBatch) return;
    m_unsealed = 0;
    m_status = m_out.flush();
    if (m_options.speed <= 0 && m_options.after_flush) m_options.after_flush();
  }

  void pace(TimeNs virtual_time) {
    if (m_options.speed <= 0) return;
    const auto wait =
        static_cast<DurNs>(static_cast<double>(virtual_time - m_options.start) / m_options.speed) - (monotonicNow() - m_wall_begin);
    if (wait <= 0) return;
    sleepUnlessStopped(m_options.stop, wait);
  }

  const Scenario& m_scenario;
  Recorder& m_out;
  const PlayOptions& m_options;
  StepModel m_model;
  TimeNs m_now;
  TimeNs m_wall_begin;
  std::optional<ClusterMetrics> m_cluster;
  std::optional<StepRecords> m_records;
  RunId m_run;
  AttemptId m_attempt;
  std::string m_attempt_key;
  struct Late {
    std::int64_t step;
    TimeNs began;
    Step timing;
  };
  std::vector<Late> m_late;  // while the hub is down
  Regime m_regime;
  std::int64_t m_attempt_begin = 1;
  int m_restarts = 0;
  bool m_restarted = false;
  std::optional<Checkpoint> m_saving;
  std::int64_t m_last_checkpoint = 0;
  std::int64_t m_unsealed = 0;  // GPUs times ticks since the last flush
  std::set<const Fault*> m_crashed;
  std::vector<std::optional<TimeNs>> m_label_begin;
  std::set<std::size_t> m_reported;
  Status m_status;
};

}  // namespace

// Plays without a receiver, metrics and spans, but with the time of repeated steps after a restart, hangs and stalls.
DurNs scenarioLength(const Scenario& scenario) {
  Scenario bare = scenario;
  bare.metrics_hertz = 0, bare.spans = SpanDetail::kNone;
  NullRecorder nobody;
  const PlayOptions options{.start = 0, .speed = 0};
  Player player(bare, nobody, options);
  (void)player.run();
  return player.now();
}

Status play(const Scenario& scenario, Recorder& out, const PlayOptions& options) { return Player(scenario, out, options).run(); }

}  // namespace runglass::sim
