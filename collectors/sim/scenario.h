// SPDX-License-Identifier: Apache-2.0
// Scenario: what the simulator plays: a cluster, a job and labelled faults, read from TOML (docs/simulator.md).
//
// Threading:  plain values; parseScenario is pure.
// Ownership:  values own their strings.
// Units:      seconds and ratios as the file has them.
// Errors:     INVALID_ARGUMENT names the key, the line and why; unknown keys are errors, so that a typing error is not a silent default.
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

struct Fault {
  std::string kind;
  Target target;
  std::int64_t first_step = 0, last_step = 0;  // inclusive
  double strength = 1.0;
  std::optional<std::int32_t> xid;
};

struct Scenario {
  std::string name;
  std::uint64_t seed = 1;
  std::int64_t steps = 100;
  // [cluster]
  std::int32_t nodes = 1, gpus_per_node = 8, nodes_per_rack = 4;
  std::string gpu = "H100-SXM";
  double metrics_hertz = 10;  // power, clocks, activity, NIC; temperature and memory come at a tenth of it
  // [job]
  std::int32_t tp = 1, pp = 1, dp = 1, cp = 1, ep = 1, vpp = 1;
  std::string order = "tp-cp-ep-dp-pp";
  std::int32_t micro_batches = 8;
  double step_seconds = 1.0, noise_ratio = 0.01;
  std::int64_t tokens_per_step = 1 << 20;
  bool variable_lengths = false;
  std::int64_t checkpoint_every_steps = 0, eval_every_steps = 0;
  SpanDetail spans = SpanDetail::kCoarse;
  std::vector<Fault> faults;

  std::int32_t world() const { return tp * pp * dp * cp; }
};

Result<Scenario> parseScenario(std::string_view toml_text, std::string_view file_name);

// "sim-0007".
std::string nodeName(std::int32_t index);

}  // namespace runglass::sim
