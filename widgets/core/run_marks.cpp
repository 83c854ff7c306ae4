// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/run_marks.h"

#include <QCoreApplication>
#include <algorithm>
#include <limits>

#include "widgets/core/finding_span.h"
#include "widgets/core/language.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {
constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
constexpr int kWords = 160;

struct MarkText {
  Q_DECLARE_TR_FUNCTIONS(MarkText)
};
}  // namespace

Result<RunMarks> readRunMarks(Reader& reader, RunId run, const std::stop_token& stop) {
  RunMarks data{.run = run, .attempts = {}, .marks = {}};
  const auto add = [&](const std::optional<TimeNs>& time, MarkKind kind, Severity severity, const QString& text,
                       const std::optional<TimeNs>& end = std::nullopt) {
    if (time) data.marks.push_back({*time, std::max(end.value_or(*time), *time), kind, severity, text});
  };
  RG_ASSIGN(const auto attempts, reader.attempts(run));
  for (const Attempt& attempt : attempts) {
    if (!attempt.start) continue;
    data.attempts.push_back({attempt.number, {*attempt.start, std::max(attempt.end.value_or(kHighest), *attempt.start)}});
    if (data.attempts.size() > 1)
      add(attempt.start, MarkKind::kAttempt, Severity::kInfo, MarkText::tr("attempt %1 begins").arg(attempt.number));
  }
  RG_ASSIGN(const auto checkpoints, reader.checkpoints(run));
  for (const Checkpoint& one : checkpoints)
    add(one.durable ? one.durable : one.begin, MarkKind::kCheckpoint, Severity::kInfo,
        (one.durable ? MarkText::tr("checkpoint of step %1") : MarkText::tr("checkpoint of step %1, not durable"))
            .arg(formatCount(one.step)));
  RG_ASSIGN(const auto notes, reader.notes(run));
  for (const Note& one : notes) add(one.time, MarkKind::kNote, Severity::kInfo, MarkText::tr("note: %1").arg(screenText(one.text, kWords)));
  RG_ASSIGN(const auto events, reader.events({.run = run, .at_least = Severity::kWarning, .limit = kMarkEvents}));
  for (const Event& one : events) {
    QString text = screenText(one.kind, 40).replace(u'_', u' ');
    if (!one.code.empty()) text += u' ' + screenText(one.code, 20);
    if (!one.message.empty()) text += QStringLiteral(": ") + screenText(one.message, kWords);
    add(one.time, MarkKind::kEvent, one.severity, text);
  }
  if (stop.stop_requested()) return Status(Code::kCancelled, "time bar: superseded");
  RG_ASSIGN(const auto findings, reader.findings(run));
  for (const Finding& one : findings)
    if (const auto range = spanOf(one, attempts))
      add(range->t0, MarkKind::kFinding, one.severity, MarkText::tr("finding: %1").arg(findingText(one, kWords)), range->t1);
  RG_ASSIGN(const auto incidents, reader.incidents(run));
  for (const Incident& one : incidents)
    add(one.range ? std::optional(one.range->t0) : std::nullopt, MarkKind::kIncident, one.severity,
        MarkText::tr("incident: %1").arg(screenText(one.title, kWords)));
  std::ranges::stable_sort(data.marks, {}, &RunMark::time);
  return data;
}

bool isNews(const RunMark& mark) { return mark.kind != MarkKind::kCheckpoint; }

const RunMark* neighbourMark(const RunMarks& data, TimeNs time, int by) {
  if (by > 0) {
    const auto after = std::find_if(std::ranges::upper_bound(data.marks, time, {}, &RunMark::time), data.marks.end(), isNews);
    return after == data.marks.end() ? nullptr : &*after;
  }
  const auto end = std::make_reverse_iterator(std::ranges::lower_bound(data.marks, time, {}, &RunMark::time));
  const auto before = std::find_if(end, data.marks.rend(), isNews);
  return before == data.marks.rend() ? nullptr : &*before;
}

}  // namespace runglass
