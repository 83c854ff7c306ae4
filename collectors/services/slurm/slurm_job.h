// SPDX-License-Identifier: Apache-2.0
// SlurmJob: a job as Slurm's commands print it, of Slurm 22.05 to 25.
//
// Threading:  pure.
// Units:      TimeNs.
// Errors:     INVALID_ARGUMENT: not that command's output; NOT_FOUND: the job is not in it. Unknown fields are skipped.
// Cost:       O(text).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

// From the queue to its end; a job that is requeued has several.
struct SlurmAttempt {
  std::optional<TimeNs> submitted, eligible, start, end;  // end absent: not over
  std::string state, reason;                              // "COMPLETED", "Resources"; reason "": none
  std::optional<std::int32_t> exit_code, signal;
  std::vector<std::string> nodes;
  std::map<std::string, std::set<std::int32_t>> gpus;  // by node, their indices; a node without an entry: not known which
  std::optional<std::int64_t> gpu_count;               // of all nodes
};

struct SlurmJob {
  std::int64_t id = 0;
  std::string name, cluster;
  std::optional<std::int32_t> queue_position;  // 1: the next of its partition; absent: it does not compete for resources, or is unknown
  std::int32_t restarts = 0;
  std::vector<SlurmAttempt> attempts;  // in order of time; never empty
};

// Of `scontrol show job -d`; times without a zone are UTC, so run it with TZ=UTC.
Result<SlurmJob> parseScontrolJob(std::string_view text, std::int64_t id);
// Of `sacct --json --duplicates` and `squeue --json`.
Result<SlurmJob> parseSlurmJson(std::string_view text, std::int64_t id);
// Of `squeue --noheader --states=PENDING --sort=-p,i --format=%A|%P|%r`.
std::optional<std::int32_t> parseQueuePosition(std::string_view squeue, std::int64_t id);
// The attempts of the accounting, with GPU indices and reasons, which only the controller has.
SlurmJob mergedSlurmJob(SlurmJob accounting, const SlurmJob& controller);

}  // namespace runglass
