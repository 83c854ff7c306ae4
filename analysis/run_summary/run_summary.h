// SPDX-License-Identifier: Apache-2.0
// RunSummary: one run in one line, read once: for the run strip, the run list and `runglassctl status`.
//
// Threading:  that of the Reader; the value is immutable afterwards.
// Units:      TimeNs, steps; tokens per second; FLOP/s over dense peak FLOP/s.
// Errors:     the Reader's. Values that are not recorded stay absent.
// Cost:       a few catalogue reads and two scalar reads of at most kThroughputSteps points.
#pragma once

#include <array>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/statistics/median.h"
#include "model/result.h"
#include "model/topology.h"
#include "storage/reader.h"

namespace runglass {

// The source of the share of the peak. Without `peak` the trainer logged the share itself, as `tag`.
struct MfuSource {
  double flops_per_s = 0;            // per GPU
  std::optional<double> parameters;  // of the model, where the rate is 6 x parameters x tokens/s
  std::string tag;                   // of the series with the rate or the share
  std::optional<double> peak;
  std::string peak_source;
};

// The speed of the newest attempt: medians of its newest kRecentSteps. Values without a series stay absent.
struct Throughput {
  std::optional<double> tokens_per_s, tokens_per_gpu;  // of the whole job; per GPU
  std::string tokens_tag;                              // the series of these
  // Where no tokens are logged, the first available of these.
  std::optional<double> flops_per_gpu, samples_per_s, step_ns;
  std::string rate_tag;
  // The change of the available rate (tokens, FLOP/s, samples or steps per second) from the attempt's best earlier kRecentSteps in a row,
  // as a ratio: a run that is slow for a long time does not become its own reference.
  std::optional<double> change;
  std::optional<double> mfu;  // model FLOP/s over the device's dense peak
  MfuSource mfu_source;
  bool mfu_not_available = false;  // the trainer logs that it has none, so that none is estimated
};

struct RunSummary {
  Run run;
  std::vector<Attempt> attempts;  // by number
  std::optional<std::int64_t> last_step;
  std::optional<double> loss;
  std::string loss_tag;  // the series of `loss`
  std::string no_loss;   // why there is none, with the available scalars; empty: there is one
  Throughput throughput;
  std::array<int, 5> findings{};       // by Severity
  std::array<int, 5> open_findings{};  // of those, open at last_data
  int nodes_heard = 0, nodes_total = 0;
  std::optional<Checkpoint> checkpoint;  // the newest durable one
  std::optional<TimeNs> first_data, last_data;
};

inline constexpr std::int64_t kRecentSteps = 20;
inline constexpr std::int64_t kThroughputSteps = 2'000;

Result<RunSummary> readRunSummary(Reader& reader, const Run& run, std::stop_token stop);
// The run with this id, else (id 0) the one that is running or started last; NOT_FOUND in an empty store.
Result<Run> chooseRun(Reader& reader, RunId wanted);
// The nodes of the newest attempt's ranks that have an agent; empty where no rank names its node.
Result<std::vector<Node>> nodesOf(Reader& reader, const std::vector<Attempt>& attempts);

// `now` decides whether a run with the state running is silent.
struct StateWord {
  const char* word;   // "running", "silent", "finished", "failed", "stalled", "unknown"
  Severity severity;  // info when all is well
};
StateWord stateWord(const RunSummary& summary, TimeNs now);

}  // namespace runglass
