// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/finding_jump.h"

#include <algorithm>
#include <string_view>

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

void goToFinding(SharedState& state, const Finding& finding) { state.goTo(selectionOf(finding), windowOf(finding)); }

QString mainViewOf(const Finding& finding) {
  const std::string_view kind = finding.kind;
  if (kind == "hang") return QStringLiteral("topology");
  if (kind.starts_with("loss_") || kind == "non_finite" || kind == "clip_pressure") return QStringLiteral("curves");
  if (kind == "slow_rank" || kind == "slow_node" || kind.ends_with("_imbalance")) return QStringLiteral("ranking");
  if (kind == "settings") return QStringLiteral("compare");
  if (kind == "throughput_shift" || kind == "stall" || kind.ends_with("_bound") || kind == "gc_jitter") return QStringLiteral("overview");
  return QStringLiteral("events");
}

}  // namespace runglass
