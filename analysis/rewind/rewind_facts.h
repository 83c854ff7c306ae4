// SPDX-License-Identifier: Apache-2.0
// Reads the facts for a RewindPlan: checkpoints, batch size, step time, earlier restarts, and the samples that a range of steps consumed.
//
// Threading:  that of the Reader.
// Units:      as RewindFacts.
// Errors:     the Reader's; NOT_FOUND: no attempt of the run has the step.
// Cost:       catalogue reads, and 200 steps of a few series; sample ranges: two series per rank over the skipped steps.
#pragma once

#include <stop_token>

#include "analysis/rewind/rewind_plan.h"
#include "storage/reader.h"

namespace runglass {

struct RewindQuestion {
  RunId run;
  AttemptId attempt;  // 0: the newest with this step
  std::int64_t first_step = 0, last_step = 0;
  RewindRule rule = RewindRule::kPalm;
};

struct SkippedSamples {
  std::vector<SampleRange> ranges;
  std::string source;          // "data_range" of all ranks, "consumed samples"; empty: the run logged neither
  std::int64_t last_step = 0;  // the last step with known samples
};

struct RewindAnswer {
  RewindFacts facts;
  RewindPlan plan;
  SkippedSamples samples;
};
Result<RewindAnswer> readRewind(Reader& reader, const RewindQuestion& question, std::stop_token stop = {});

}  // namespace runglass
