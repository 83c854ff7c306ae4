// SPDX-License-Identifier: GPL-3.0-or-later
// What the tab "What if" shows: the analysis of an attempt, what is ticked as fixed, and what that would give, in words.
//
// Threading:  readWhatIfShown() and outcomeOf() on a query worker, the answer is immutable; the words on any thread.
// Ownership:  values; shares the graph.
// Units:      as WhatIf; prices a GPU-hour in whatever currency the user thinks in.
// Errors:     the Reader's; NOT_FOUND in an empty store. Too little data is a status, not an error.
// Cost:       as readWhatIf(); outcomeOf() one replay.
#pragma once

#include <QString>
#include <array>
#include <optional>
#include <set>
#include <stop_token>
#include <vector>

#include "analysis/what_if/what_if_data.h"
#include "storage/reader.h"
#include "widgets/core/units.h"

namespace runglass {

struct WhatIfShown {
  Run run;
  WhatIfData data;
  std::optional<std::int64_t> planned_steps;  // from what the trainer was started with
};

// Attempt 0: the newest one with spans.
Result<WhatIfShown> readWhatIfShown(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop);

// Indices into the graph's stages, replicas and workers. Everything that is ticked anywhere is fixed.
struct WhatIfTicks {
  std::set<std::uint32_t> stages, replicas, workers;
  std::set<StepOp> ops;
  bool empty() const { return stages.empty() && replicas.empty() && workers.empty() && ops.empty(); }
  friend bool operator==(const WhatIfTicks&, const WhatIfTicks&) = default;
};
FixOutcome outcomeOf(const WhatIfShown& shown, const WhatIfTicks& ticks);

// A row: its name, as recorded, with the ticked fixed, what that saves. Texts that are not known say why.
struct WhatIfRow {
  QString name, recorded, fixed, saved;
};
enum class WhatIfFact : std::uint8_t { kStep = 0, kSlowdown, kWaste, kGpuHours, kPerDay, kMoney, kFinish };
inline constexpr std::size_t kWhatIfFacts = 7;
std::array<WhatIfRow, kWhatIfFacts> whatIfRows(const WhatIfShown& shown, const FixOutcome& outcome, std::optional<double> price, TimeNs now,
                                               TimeStyle style);
// What the eye meets first.
QString whatIfSentence(const WhatIfShown& shown, const FixOutcome& outcome, const WhatIfTicks& ticks);
// What it rests on and what it cannot tell.
QString whatIfGrounds(const WhatIfShown& shown);

// The planned number of steps in a command line; exposed for tests.
std::optional<std::int64_t> plannedSteps(const std::vector<Fact>& facts);

}  // namespace runglass
