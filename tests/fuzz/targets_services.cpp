// SPDX-License-Identifier: Apache-2.0
// Parsers of the answers of services and of their commands.
#include <algorithm>
#include <string>
#include <string_view>

#include "collectors/services/prometheus/query_answer.h"
#include "collectors/services/slurm/slurm_job.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace runglass;

// A job has an attempt, and one that waits has no start.
void check(const Result<SlurmJob>& job) {
  if (!job.ok()) return;
  if (job->attempts.empty()) std::abort();
  for (const SlurmAttempt& attempt : job->attempts)
    if (attempt.state == "PENDING" && attempt.start) std::abort();
}

RG_FUZZ(slurm_scontrol) {
  const auto job = parseScontrolJob({reinterpret_cast<const char*>(data), size}, 42);
  check(job);
}

RG_FUZZ(slurm_json) {
  const auto job = parseSlurmJson({reinterpret_cast<const char*>(data), size}, 42);
  check(job);
  if (job.ok()) check(mergedSlurmJob(*job, *job));
}

// The first byte is the kind of question.
RG_FUZZ(prometheus_answer) {
  if (size == 0) return;
  std::string body(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto answer = parseQueryAnswer(static_cast<QueryKind>(data[0] % 4), body);
  if (!answer.ok()) return;
  for (const QueriedColumn& column : answer->matrix)
    if (column.time.size() != column.value.size()) std::abort();
}

}  // namespace
