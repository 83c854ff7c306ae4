// SPDX-License-Identifier: Apache-2.0
// RewindPlan: the checkpoint to restart from before a loss spike, the batches to skip, and the cost.
//
// Threading:  pure.
// Units:      steps, tokens, seconds, GPU-hours. Ranges of samples are half-open.
// Errors:     unknown values are absent; without a plan there is a reason.
// Cost:       O(checkpoints + ranges log ranges).
//
// Two published practices. PaLM (arXiv 2204.02311, section 5.1): restart from a checkpoint about 100 steps before the spike, and skip about
// 200 to 500 batches, those seen before and during the spike. Falcon (arXiv 2311.16867, section on training instabilities): restart from
// the latest checkpoint, and skip 1 B tokens from there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace runglass {

enum class RewindRule : std::uint8_t { kPalm, kFalcon };
inline constexpr std::int64_t kPalmMargin = 100, kPalmSkipFewest = 200, kPalmSkipMost = 500;  // steps
inline constexpr double kFalconSkipTokens = 1e9;

struct SampleRange {
  std::int64_t first = 0, last = 0;
  friend bool operator==(const SampleRange&, const SampleRange&) = default;
};

// The run's data. Absent: not recorded.
struct RewindFacts {
  std::int64_t spike_first = 0, spike_last = 0;
  std::optional<std::int64_t> newest_step;  // newest step that was run: everything since the checkpoint is lost
  struct Saved {
    std::int64_t step = 0;
    std::string path;
  };
  std::vector<Saved> checkpoints;  // durable ones, of the branch with the spike
  std::optional<double> tokens_per_step;
  std::string tokens_source;
  std::optional<double> step_seconds;
  std::optional<std::int32_t> world;
  std::optional<double> restart_seconds;  // of earlier restarts of this run, from the last step to the first
  std::size_t restarts = 0;               // number of restarts measured
};

struct RewindPlan {
  RewindRule rule = RewindRule::kPalm;
  std::optional<RewindFacts::Saved> checkpoint;
  std::string reason;                          // why there is no plan; empty: there is one
  std::int64_t skip_first = 0, skip_last = 0;  // steps whose batches are skipped
  bool covers_spike = true;                    // all steps of the spike are among them
  std::int64_t replay_steps = 0;               // from the checkpoint to the spike
  std::optional<std::int64_t> lost_steps;      // from the checkpoint to the newest step
  std::optional<double> lost_tokens, lost_gpu_hours, restart_gpu_hours;
  std::int64_t skipped() const { return skip_last - skip_first + 1; }
};
RewindPlan planRewind(const RewindFacts& facts, RewindRule rule);

// The smallest number of ranges with the same samples, sorted.
std::vector<SampleRange> mergeRanges(std::vector<SampleRange> ranges);

// Megatron-LM's argument: a list of iterations. Its loop counts completed ones, so that iteration N in the log is N - 1 here
// (megatron/training/training.py: `if iteration in args.iterations_to_skip` precedes `iteration += 1`).
std::string megatronSkipArgument(const RewindPlan& plan);

}  // namespace runglass
