// SPDX-License-Identifier: Apache-2.0
// A Slurm job by its id: asked from the commands of this machine, and recorded as a run.
//
// Threading:  the calling thread, which blocks.
// Ownership:  borrows Reader and Recorder.
// Errors:     NOT_FOUND: neither the controller nor the accounting has the job; the commands' own words where they fail.
// Cost:       two commands of up to kCommandTimeout each.
#pragma once

#include <functional>

#include "collectors/services/slurm/slurm_job.h"
#include "model/recorder.h"
#include "storage/reader.h"

namespace runglass {

inline constexpr DurNs kCommandTimeout = 30 * kNsPerSecond;

using CommandRunner = std::function<Result<std::string>(std::vector<std::string> arguments)>;
CommandRunner slurmCommands();

// `scontrol` has the GPUs of a job that runs; `sacct` its earlier attempts, and jobs that ended more than minutes ago.
Result<SlurmJob> readSlurmJob(std::int64_t id, const CommandRunner& run);

// "NAME-42", as the client libraries name the run of a job.
std::string runNameOf(const SlurmJob& job);

// Run, attempts, queue time, end, and a rank for each GPU, numbered by node and index as srun and torchrun do by default. GPUs are those
// that the store has of the job's nodes; where indices are not known, all of a node if the job had as many. Again: only news are added.
Result<RunId> recordSlurmJob(const SlurmJob& job, Reader& reader, Recorder& out);

}  // namespace runglass
