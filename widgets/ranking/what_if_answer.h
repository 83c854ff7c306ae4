// SPDX-License-Identifier: GPL-3.0-or-later
// Data of the tab "What if": the analysis of an attempt, the items ticked as fixed, and the resulting savings, as text.
//
// Threading:  readWhatIfShown() and outcomeOf() on a query worker, the result is immutable; the texts on any thread.
// Ownership:  shares the graph.
// Units:      as WhatIf; prices per GPU-hour in any currency.
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
  std::optional<std::int64_t> planned_steps;  // from the trainer's command line
};

// Attempt 0: the newest one with spans.
Result<WhatIfShown> readWhatIfShown(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop);

// Indices into the graph's stages, replicas and workers. An item ticked in any list is fixed.
struct WhatIfTicks {
  std::set<std::uint32_t> stages, replicas, workers;
  std::set<StepOp> ops;
  bool empty() const { return stages.empty() && replicas.empty() && workers.empty() && ops.empty(); }
  friend bool operator==(const WhatIfTicks&, const WhatIfTicks&) = default;
};
FixOutcome outcomeOf(const WhatIfShown& shown, const WhatIfTicks& ticks);

// A row: its name, the recorded value, the value with the ticked items fixed, the saving. An unknown value is a text with the reason.
struct WhatIfRow {
  QString name, recorded, fixed, saved;
};
enum class WhatIfFact : std::uint8_t { kStep = 0, kSlowdown, kWaste, kGpuHours, kPerDay, kMoney, kFinish };
inline constexpr std::size_t kWhatIfFacts = 7;
std::array<WhatIfRow, kWhatIfFacts> whatIfRows(const WhatIfShown& shown, const FixOutcome& outcome, std::optional<double> price, TimeNs now,
                                               TimeStyle style);
// The headline.
QString whatIfSentence(const WhatIfShown& shown, const FixOutcome& outcome, const WhatIfTicks& ticks);
// The basis of the answer and its limits.
QString whatIfGrounds(const WhatIfShown& shown);

// The planned number of steps in a command line; exposed for tests.
std::optional<std::int64_t> plannedSteps(const std::vector<Fact>& facts);

}  // namespace runglass
