// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/finding_jump.h"

#include <algorithm>

#include "widgets/core/language.h"

namespace runglass {

Selection selectionOf(const Finding& finding) {
  Selection selection;
  selection.run = finding.run;
  selection.attempt = finding.attempt;
  selection.rank = finding.rank;
  selection.node = finding.node;
  selection.step = finding.first_step;
  return selection;
}

std::optional<TimeRange> windowOf(const Finding& finding) {
  if (!finding.start) return std::nullopt;
  const TimeNs end = std::max(finding.end.value_or(*finding.start), *finding.start);
  return TimeRange{*finding.start - kFindingMargin, end + kFindingMargin};
}

Object objectOf(const Finding& finding) {
  return {.kind = ObjectKind::kFinding,
          .name = findingText(finding),
          .detail = QString::fromStdString(finding.kind),
          .selection = selectionOf(finding),
          .window = windowOf(finding),
          .key = finding.kind,
          .id = finding.id};
}

void goToFinding(SharedState& state, const Finding& finding) { state.goTo(selectionOf(finding), windowOf(finding)); }

}  // namespace runglass
