// SPDX-License-Identifier: Apache-2.0
// Scenario: input of the simulator: a cluster, a job and labelled faults, read from TOML (docs/guide/simulator.md).
//
// Threading:  plain values; parseScenario is pure.
// Units:      seconds and ratios as the file has them.
// Errors:     INVALID_ARGUMENT with key, line and cause; unknown keys are errors, so that a typing error does not select a default
//             silently.
// Cost:       O(file).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace runglass::sim {

enum class SpanDetail : std::uint8_t { kNone, kCoarse, kKernels };

struct Target {
  enum class Kind : std::uint8_t { kRun, kRank, kNode, kGpu, kStage, kNic } kind = Kind::kRun;
  std::int32_t index = 0;  // rank, node or stage
  std::int32_t gpu = 0;    // gpu:NODE/INDEX
  std::string nic;         // nic:NODE/NAME
};

// Cause of a fault, where the same slowdown can leave different traces.
enum class FaultCause : std::uint8_t {
  kUsual,     // slow_link, nic_flap: as kErrors
  kCpuSteal,  // another process takes the trainer's CPU: the lost time shows as run delay
  kErrors,    // a link loses packets and retransmits: its error counters rise
  kRate,      // a link trained at a lower rate: the rate falls, no errors
  kSilent,    // a link is slow without any counter showing it
};

struct Fault {
  std::string kind;
  Target target;
  std::int64_t first_step = 0, last_step = 0;  // inclusive
  double strength = 1.0;
  std::optional<std::int32_t> xid;
  FaultCause cause = FaultCause::kUsual;
  bool recovers = true;  // loss_spike: the loss returns to normal
};
inline bool acts(const Fault& fault, std::int64_t step) { return step >= fault.first_step && step <= fault.last_step; }

struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  std::int64_t steps = 100;
  // [cluster]
  std::int32_t nodes = 1, gpus_per_node = 8, nodes_per_rack = 4;
  std::string gpu = "H100-SXM";
  double metrics_hertz = 10;       // power, clocks, activity, NIC; temperature and memory at a tenth of it; 0: no metrics
  std::int32_t nics_per_node = 0;  // RDMA ports with counters; 0: only the node's network interface
  double power_cap_watts = 0;      // of every GPU; 0: the data sheet's limit
  // [job]
  std::int32_t tp = 1, pp = 1, dp = 1, cp = 1, ep = 1, vpp = 1;
  std::string order = "tp-cp-ep-dp-pp";
  std::int32_t micro_batches = 8;
  double step_seconds = 1.0, noise_ratio = 0.01;
  std::int64_t tokens_per_step = 1 << 20;
  bool variable_lengths = false;
  std::int64_t checkpoint_every_steps = 0, eval_every_steps = 0;
  SpanDetail spans = SpanDetail::kCoarse;
  // Variations in a healthy job besides steps of constant length.
  double eval_seconds = 10;
  bool eval_inside_step = false;  // the evaluation counts towards the time of the step that it follows
  bool async_checkpoints = false;
  double checkpoint_seconds = 0;  // synchronous; 0: half a step
  double async_save_ratio = 0.05;
  std::int64_t async_save_steps = 5;  // steps that are slower until the checkpoint is durable
  std::int64_t warmup_steps = 0;      // of every attempt
  double compile_factor = 20;         // the first of them takes this many times as long
  bool wsd = false;                   // learning rate: warm-up, stable, decay; else cosine
  std::int64_t sequence_length = 4096;
  std::int64_t batch_ramp_steps = 0;
  double batch_ramp_from = 0.25;
  std::int64_t sequence_double_step = 0;  // from this step on sequences have twice the length
  std::int64_t restart_step = 0;          // after it the job is restarted on purpose, with a different accumulation
  std::int32_t restart_micro_batches = 0;
  std::int64_t epoch_every_steps = 0;
  double epoch_pause_seconds = 5;
  std::int64_t gc_every_steps = 0;
  double gc_seconds = 0.3;
  std::int64_t log_every_steps = 1;
  std::int64_t hub_restart_step = 0, hub_restart_steps = 10;  // records of these steps arrive late
  double daily_swing_ratio = 0, daily_swing_hours = 24;
  double moe_imbalance_ratio = 0;
  double host_ratio = 0, rank0_host_ratio = 0;  // exposed host time, shares of a step
  double first_stage_extra_ratio = 0, last_stage_extra_ratio = 0;
  double part_noise_ratio = 0;  // of data, communication, optimizer and host
  bool heavy_tails = false;     // for all noise
  double blips_per_step = 0;    // in the whole job: one part of one rank, one step
  double gpu_spread_ratio = 0;  // permanent differences between GPUs
  bool host_cpu = false;        // step_cpu_ns, step_run_delay_ns
  std::vector<Fault> faults;

  std::int32_t world() const { return tp * pp * dp * cp; }
};

Result<Scenario> parseScenario(std::string_view toml_text, std::string_view file_name);

// "sim-0007".
std::string nodeName(std::int32_t index);
// "ib3".
std::string nicName(std::int32_t index);

}  // namespace runglass::sim
