// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/finding_span.h"

#include <QCoreApplication>
#include <QPainter>
#include <algorithm>
#include <limits>

#include "widgets/core/language.h"

namespace runglass {
namespace {
constexpr double kTint = 0.16;
constexpr int kWords = 160;

struct SpanText {
  Q_DECLARE_TR_FUNCTIONS(FindingSpans)
};
}  // namespace

std::optional<TimeRange> spanOf(const Finding& finding, std::span<const Attempt> attempts) {
  if (!finding.start) return std::nullopt;
  std::optional<TimeNs> end = finding.end;
  const auto attempt = std::ranges::find(attempts, finding.attempt, &Attempt::id);
  if (!end && attempt != attempts.end()) end = attempt->end;
  return TimeRange{*finding.start, std::max(end.value_or(std::numeric_limits<TimeNs>::max()), *finding.start)};
}

std::vector<FindingSpan> findingSpans(std::span<const Finding> findings, std::span<const Attempt> attempts) {
  std::vector<FindingSpan> spans;
  for (const Finding& finding : findings) {
    if (finding.severity < Severity::kWarning) continue;
    if (const auto range = spanOf(finding, attempts)) spans.push_back({*range, finding.severity, findingText(finding, kWords)});
  }
  std::ranges::stable_sort(spans, {}, &FindingSpan::severity);
  return spans;
}

Result<std::vector<FindingSpan>> readFindingSpans(Reader& reader, RunId run) {
  RG_ASSIGN(const std::vector<Finding> findings, reader.findings(run));
  RG_ASSIGN(const std::vector<Attempt> attempts, reader.attempts(run));
  return findingSpans(findings, attempts);
}

Ink findingTint(Severity severity) {
  return {[](const Theme& theme, std::size_t at) { return mix(theme.ground, severityColor(theme, static_cast<Severity>(at)), kTint); },
          static_cast<std::size_t>(severity)};
}

void paintFindingLine(QPainter& painter, const TopColumns& columns, int top) {
  for (const ColumnRun& run : columns.runs())
    painter.fillRect(QRect(run.left, top, run.right - run.left, kFindingSpanPx),
                     severityColor(currentTheme(), static_cast<Severity>(run.tag)));
}

QString tooltipText(const QStringList& lines) {
  QStringList shown = lines.mid(0, kTooltipLines);
  if (const auto more = lines.size() - shown.size(); more > 0) shown << SpanText::tr("%n more", nullptr, static_cast<int>(more));
  return shown.join(u'\n');
}

}  // namespace runglass
