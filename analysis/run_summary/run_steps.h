// SPDX-License-Identifier: Apache-2.0
// Training steps of a run as moments: which one had ended at a time, when the next or the previous one did.
//
// Threading:  that of the Reader.
// Units:      TimeNs of the end of a step, as its first rank (else its loss, else its longest series) said it; steps.
// Errors:     the Reader's. No such step is no error.
// Cost:       one catalogue read and a handful of points. Over a rewind time goes on: a step that was run again comes twice.
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

// The newest step that had ended at the moment, of the newest attempt that had begun by then.
Result<std::optional<StepMoment>> stepAt(Reader& reader, RunId run, TimeNs moment, std::stop_token stop);
// The one that ended next after the moment (by 1), or the newest that ended before it (by -1), of whichever attempt.
Result<std::optional<StepMoment>> neighbourStep(Reader& reader, RunId run, TimeNs moment, int by, std::stop_token stop);
// When a step ended, in the newest attempt that got there.
Result<std::optional<StepMoment>> momentOfStep(Reader& reader, RunId run, std::int64_t step, std::stop_token stop);

}  // namespace runglass
