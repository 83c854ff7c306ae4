// SPDX-License-Identifier: Apache-2.0
// Training steps of a run as moments: the last step that ended before a time, and the next and previous ones.
//
// Threading:  that of the Reader.
// Units:      TimeNs of the end of a step, from the first rank's step times (else the loss, else the longest series); steps.
// Errors:     the Reader's. A missing step is not an error.
// Cost:       one catalogue read and a handful of points. Time increases across a rewind: a repeated step occurs twice.
#pragma once

#include <optional>
#include <stop_token>

#include "model/result.h"
#include "storage/reader.h"

namespace runglass {

struct StepMoment {
  std::int64_t step = 0;
  TimeNs time = 0;
  AttemptId attempt;
  friend bool operator==(const StepMoment&, const StepMoment&) = default;
};

// The newest step that had ended at the moment, in the newest attempt that had begun by then.
Result<std::optional<StepMoment>> stepAt(Reader& reader, RunId run, TimeNs moment, std::stop_token stop);
// The first step that ended after the moment (by 1), or the last one before it (by -1), in any attempt.
Result<std::optional<StepMoment>> neighbourStep(Reader& reader, RunId run, TimeNs moment, int by, std::stop_token stop);
// The end of a step, in the newest attempt that reached it.
Result<std::optional<StepMoment>> momentOfStep(Reader& reader, RunId run, std::int64_t step, std::stop_token stop);

}  // namespace runglass
