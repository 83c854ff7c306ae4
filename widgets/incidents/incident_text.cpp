// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_text.h"

#include <algorithm>
#include <limits>

#include "widgets/core/language.h"

namespace runglass {
namespace {

constexpr int kChangeTitleChars = 120;
constexpr std::int64_t kLlama3All = 419;  // unexpected interruptions of table 5 (model/incident_causes.h)

QString mark(bool at_least) { return at_least ? QStringLiteral("≥ ") : QString(); }

template <class T, class Format>
ImpactNumber numberOf(const QString& name, const Reported<T>& reported, const QString& rule, Format format) {
  ImpactNumber out{name, reported.value ? mark(reported.at_least) + format(*reported.value) : kAbsentText, rule};
  if (!reported.reason.empty()) out.why += QStringLiteral("\n") + phraseText(reported.reason, 400);
  if (!reported.sql.empty()) out.why += QStringLiteral("\n\n") + screenText(reported.sql, 1'000);
  return out;
}

QString hours(double value) { return formatGpuHours(value) + QStringLiteral(" GPU-h"); }

}  // namespace

QString stateWord(IncidentState state) { return termText(incidentStateName(state)); }

QString stateGlyph(IncidentState state) {
  switch (state) {
    case IncidentState::kOpen:
      return QStringLiteral("●");
    case IncidentState::kMitigated:
      return QStringLiteral("◐");
    case IncidentState::kResolved:
      return QStringLiteral("✓");
    case IncidentState::kDismissed:
      return QStringLiteral("–");
  }
  return {};
}

QString rangeText(const std::optional<TimeRange>& range, TimeStyle style) {
  if (!range) return IncidentText::tr("without a time");
  if (range->t1 == std::numeric_limits<TimeNs>::max()) return IncidentText::tr("since %1").arg(formatTime(range->t0, style));
  const QString begin = formatTime(range->t0, style), end = formatTime(range->t1, style);
  const bool same_day = begin.section(u' ', 0, 0) == end.section(u' ', 0, 0);
  return IncidentText::tr("%1 to %2").arg(begin, same_day ? formatTimeOfDay(range->t1, style) : end);
}

QString gpuHoursText(const Reported<double>& reported) { return mark(reported.at_least) + hours(reported.value.value_or(0)); }

QString costText(const IncidentImpact* impact) {
  if (impact == nullptr) return QStringLiteral("…");
  if (impact->gpu_hours.value) return gpuHoursText(impact->gpu_hours);
  if (impact->lost_time.value) return mark(impact->lost_time.at_least) + formatLength(*impact->lost_time.value);
  return kAbsentText;
}

std::vector<ImpactNumber> impactNumbers(const IncidentImpact& impact, std::optional<double> price) {
  std::vector<ImpactNumber> out;
  const auto age = [](DurNs value) { return formatLength(value); };
  out.push_back(numberOf(impact.goes_on ? IncidentText::tr("lasts, so far") : IncidentText::tr("lasted"), impact.duration,
                         IncidentText::tr("From its first sign to its end."), age));
  out.push_back(numberOf(IncidentText::tr("steps lost"), impact.lost_steps,
                         IncidentText::tr("Steps that were done and had to be done again after a restart."),
                         [](std::int64_t value) { return formatCount(value); }));
  ImpactNumber time = numberOf(IncidentText::tr("training time lost"), impact.lost_time,
                               IncidentText::tr("Wall time without progress, and the share of the time that slower steps took longer; "
                                                "where several overlap, the largest alone."),
                               age);
  for (const CostItem& item : impact.items)
    time.why +=
        u'\n' +
        IncidentText::tr("%1  %2, attempt %3").arg(formatLength(item.time), phraseText(item.what, 80), QString::number(item.attempt));
  for (const std::string& title : impact.also_in)
    time.why += u'\n' + IncidentText::tr("Some of it is counted in “%1” too.").arg(screenText(title, 80));
  out.push_back(std::move(time));
  out.push_back(numberOf(IncidentText::tr("GPU-hours"), impact.gpu_hours,
                         IncidentText::tr("Training time lost times the ranks of the attempt."), hours));
  if (price)
    out.push_back(numberOf(IncidentText::tr("money"), impact.money,
                           IncidentText::tr("GPU-hours times %1, your price of one.").arg(formatMoney(*price)), formatMoney));
  return out;
}

QString causeText(const IncidentCause& cause) {
  const QString text = termText(cause.words);
  return cause.llama3_count ? IncidentText::tr("%1  ·  %2 of %3 in Llama 3").arg(text).arg(*cause.llama3_count).arg(kLlama3All) : text;
}

QString causeWords(const std::string& code) {
  if (code.empty()) return IncidentText::tr("not known");
  const IncidentCause* const cause = findIncidentCause(code);
  return cause != nullptr ? termText(cause->words) : screenText(code, 60);
}

QStringList differences(const Incident& older, const Incident& newer) {
  QStringList out;
  if (older.title != newer.title) out << IncidentText::tr("its title is now “%1”").arg(screenText(newer.title, kChangeTitleChars));
  if (older.state != newer.state) out << IncidentText::tr("its state is now %1").arg(stateWord(newer.state));
  if (older.cause != newer.cause) out << IncidentText::tr("its root cause is now %1").arg(causeWords(newer.cause));
  if (older.summary != newer.summary) out << IncidentText::tr("its sentence is now “%1”").arg(screenText(newer.summary, kChangeTitleChars));
  if (older.notes != newer.notes) out << IncidentText::tr("its notes were changed");
  if (older.findings != newer.findings)
    out << IncidentText::tr("it has %1 findings in place of %2").arg(newer.findings.size()).arg(older.findings.size());
  if (older.evidence != newer.evidence) out << IncidentText::tr("its cards were changed");
  if (older.range != newer.range) out << IncidentText::tr("its time was changed");
  if (out.isEmpty()) out << IncidentText::tr("it was saved again");
  return out;
}

QString plainTip(const QString& text) {
  return text.isEmpty() ? QString() : QStringLiteral("<p style='white-space:pre-wrap'>%1</p>").arg(text.toHtmlEscaped());
}

}  // namespace runglass
