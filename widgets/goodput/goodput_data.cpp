// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/goodput/goodput_data.h"

#include <QStringList>
#include <cmath>

#include "widgets/core/language.h"

namespace runglass {
namespace {

constexpr double kLongestSeconds = 9e9;  // the range of int64 nanoseconds
constexpr DurNs kDay = 86'400LL * kNsPerSecond;

DurNs spentOn(const SpendTimes& spent, Spend spend) { return spent[static_cast<std::size_t>(spend)].value_or(0); }

QString restarts(std::size_t attempts) {
  if (attempts <= 1) return GoodputText::tr("no restart");
  const QString count = formatCount(static_cast<std::int64_t>(attempts) - 1);
  return (attempts == 2 ? GoodputText::tr("%1 restart") : GoodputText::tr("%1 restarts")).arg(count);
}

// The category with the largest share of the time without progress.
QString biggestLoss(const SpendTimes& spent, DurNs wall) {
  std::size_t worst = kSpendCount;
  for (std::size_t i = 0; i < kSpendCount; ++i)
    if (static_cast<Spend>(i) != Spend::kProductive && spent[i] && (worst == kSpendCount || *spent[i] > *spent[worst])) worst = i;
  if (worst == kSpendCount || wall <= 0) return {};
  return QStringLiteral("%1 %2").arg(termText(spendWords(static_cast<Spend>(worst))),
                                     formatPercent(static_cast<double>(*spent[worst]) / static_cast<double>(wall)));
}

}  // namespace

QString secondsText(double seconds) {
  return formatLength(static_cast<DurNs>(std::llround(std::min(seconds, kLongestSeconds) * kNsPerSecond)));
}

Result<GoodputData> readGoodputData(Reader& reader, const RunSummary& summary, TimeNs now, std::stop_token stop) {
  GoodputData data{.run = summary.run, .goodput = {}, .plan = {}, .read_at = now};
  RG_ASSIGN(const auto findings, reader.findings(summary.run.id));
  const bool live = summary.run.state == RunState::kRunning && summary.run.time_domain == TimeDomain::kUtc;
  const std::optional<TimeNs> end = live ? std::optional(now) : std::nullopt;
  RG_ASSIGN(data.goodput, readGoodput(reader, summary.run, findings, end, stop));
  RG_ASSIGN(data.plan, readRunPlan(reader, summary, data.goodput.kept, end));
  data.goodput.kept = {};  // only the plan uses them
  return data;
}

LedgerWords goodputWords(const GoodputData& data, TimeNs now) {
  const Ledger& l = data.goodput.ledger;
  LedgerWords words{.title = GoodputText::tr("Goodput"), .value = kAbsentText, .note = {}, .why = {}};
  if (!l.effective_ratio) {
    words.note = phraseText(data.goodput.reason, 80);
    words.why = GoodputText::tr("Kept steps × iteration time ÷ wall time: %1.").arg(phraseText(data.goodput.reason, 200));
    return words;
  }
  const auto with_lost = [&](const QString& text) {
    return l.lost_steps > 0 ? GoodputText::tr("%1 · %2 steps lost").arg(text, formatCount(l.lost_steps)) : text;
  };
  words.why = GoodputText::tr("Whole run: %1 kept steps × their median steady time ÷ %2 of wall time = %3 (MegaScale, NSDI '24).")
                  .arg(formatCount(l.completed_steps), formatLength(*l.wall), formatPercent(*l.effective_ratio));
  const bool live = data.run.state == RunState::kRunning && data.run.time_domain == TimeDomain::kUtc;
  if (live && *l.wall > kDay) {
    const SpendTimes day = spentIn(l, {now - kDay, now});
    DurNs wall = 0;
    for (const auto& one : day) wall += one.value_or(0);
    if (wall > 0) {
      words.title = GoodputText::tr("Goodput of 24 h");
      words.value = formatPercent(static_cast<double>(spentOn(day, Spend::kProductive)) / static_cast<double>(wall));
      words.note = with_lost(GoodputText::tr("run %1 · %2").arg(formatPercent(*l.effective_ratio), restarts(l.rows.size())));
      words.why = GoodputText::tr("%1 24 h: time in steps done for the first time.").arg(words.why);
      return words;
    }
  }
  words.value = formatPercent(*l.effective_ratio);
  words.note = with_lost(restarts(l.rows.size()));
  // Counted steps without times cannot be placed: all wall time is then unexplained, whatever they took.
  const bool placed = spentOn(l.spent, Spend::kProductive) > 0;
  const QString worst = placed ? biggestLoss(l.spent, *l.wall) : GoodputText::tr("steps without times");
  if (l.rows.size() == 1 && !worst.isEmpty()) words.note = worst;
  return words;
}

LedgerWords planWords(const GoodputData& data, TimeStyle style) {
  const RunPlan& p = data.plan;
  LedgerWords words{.title = GoodputText::tr("Plan"), .value = kAbsentText, .note = {}, .why = {}};
  if (!p.planned_steps) {
    words.note = GoodputText::tr("total steps not recorded");
    words.why = GoodputText::tr("Planned versus actual: %1.").arg(phraseText(p.reason, 300));
    return words;
  }
  const QString steps = formatCount(std::llround(*p.planned_steps));
  words.why = GoodputText::tr("Planned: %1 steps (%2).").arg(steps, screenText(p.plan_source, 120));
  if (p.done_share) words.value = formatPercent(*p.done_share);
  words.note = GoodputText::tr("of %1 steps").arg(steps);
  if (p.finished) {
    words.note = GoodputText::tr("of %1 steps · done").arg(steps);
    return words;
  }
  if (!p.finish) {
    if (!p.reason.empty()) words.why = GoodputText::tr("%1 No forecast: %2.").arg(words.why, phraseText(p.reason, 200));
    return words;
  }
  const auto date = [style](std::optional<TimeNs> at) { return at ? formatTime(*at, style).left(16) : GoodputText::tr("unknown"); };
  const bool runs = data.run.state == RunState::kRunning;
  words.note = (runs ? GoodputText::tr("ends %1") : GoodputText::tr("would end %1")).arg(date(p.finish));
  words.why = GoodputText::tr("%1 At the pace so far, pauses included; 80 % prediction interval: %2 to %3.")
                  .arg(words.why, date(p.finish_low), date(p.finish_high));
  if (p.days_at_peak_share)
    words.why = GoodputText::tr("%1 Arithmetic at the measured MFU, without pauses: %2.")
                    .arg(words.why, screenText(p.days_at_peak_share->formula, 300));
  return words;
}

QString ledgerSentence(const GoodputData& data) {
  const Ledger& l = data.goodput.ledger;
  if (!l.effective_ratio) return GoodputText::tr("No goodput: %1.").arg(phraseText(data.goodput.reason, 200));
  QString text =
      GoodputText::tr("%1 of %2 made progress; %3").arg(formatPercent(*l.effective_ratio), formatLength(*l.wall), restarts(l.rows.size()));
  if (l.lost_steps > 0) text = GoodputText::tr("%1, %2 steps were done twice").arg(text, formatCount(l.lost_steps));
  for (const EndCause& cause : l.causes)
    if (!cause.planned && cause.cost > 0) {
      text = GoodputText::tr("%1; %2 cost most, %3").arg(text, termText(endKindWords(cause.kind)), formatLength(cause.cost));
      break;
    }
  return GoodputText::tr("%1.").arg(text);
}

QString failureWords(const Ledger& ledger) {
  const Mtbf& m = ledger.mtbf;
  const QString text = !m.mean_s ? GoodputText::tr("No failure in %1.").arg(secondsText(m.up_s))
                                 : (m.failures == 1 ? GoodputText::tr("Mean time between failures %1 (%2 failure; 95 %: %3 to %4).")
                                                    : GoodputText::tr("Mean time between failures %1 (%2 failures; 95 %: %3 to %4)."))
                                       .arg(secondsText(*m.mean_s), formatCount(m.failures), secondsText(m.low_s), secondsText(*m.high_s));
  return ledger.unsaid_ends > 0
             ? GoodputText::tr("%1 %2 without a word on their cause are not counted.").arg(text, formatCount(ledger.unsaid_ends))
             : text;
}

QString saveWords(const Goodput& g) {
  const SaveAdvice& a = g.advice;
  const QString now = g.saves.every ? formatLength(*g.saves.every) : QString();
  if (a.enough && a.daly_s) {
    const QString every = secondsText(a.daly_s->value), costs = secondsText(*a.save_s);
    return now.isEmpty() ? GoodputText::tr("Save every %1 (Daly 2006); a save costs %2.").arg(every, costs)
                         : GoodputText::tr("Save every %1 (Daly 2006), now every %2; a save costs %3.").arg(every, now, costs);
  }
  const QString why = phraseText(a.reason, 160);
  QString text = now.isEmpty() ? GoodputText::tr("How often to save: insufficient evidence, %1.").arg(why)
                               : GoodputText::tr("How often to save: insufficient evidence, %1, now every %2.").arg(why, now);
  if (a.field_daly_s)
    text = GoodputText::tr("%1 At another cluster's failure rate (%2): every %3.")
               .arg(text, QString::fromUtf8(kFieldFailuresSource), secondsText(a.field_daly_s->value));
  return text;
}

QString rowWords(const LedgerRow& row) {
  QStringList parts;
  if (row.first_step && row.last_step)
    parts += GoodputText::tr("steps %1–%2").arg(formatCount(*row.first_step), formatCount(*row.last_step));
  if (row.lost_steps > 0) parts += GoodputText::tr("%1 steps of the attempt before were lost").arg(formatCount(row.lost_steps));
  if (row.layout_changed) parts += GoodputText::tr("another layout: %1").arg(layoutText(row.layout));
  for (std::size_t i = 0; i < kSpendCount; ++i)
    if (row.spent[i] && *row.spent[i] > 0)
      parts += QStringLiteral("%1 %2").arg(termText(spendWords(static_cast<Spend>(i))), formatLength(*row.spent[i]));
  QString end = termText(endKindWords(row.ending.kind));
  if (!row.ending.cause.empty() && end != QString::fromStdString(row.ending.cause))
    end += QStringLiteral(" (%1)").arg(screenText(row.ending.cause, 200));
  parts += row.ending.kind == EndKind::kRunning ? end : GoodputText::tr("end: %1").arg(end);
  return GoodputText::tr("attempt %1: %2").arg(QString::number(row.number), parts.join(QStringLiteral("; ")));
}

QColor spendColor(const Theme& t, Spend spend) {
  switch (spend) {
    case Spend::kProductive:
      return t.compute;
    case Spend::kCatchUp:
      return t.communication;
    case Spend::kSave:
      return t.checkpoint;
    case Spend::kEval:
      return t.gc;
    case Spend::kStalled:
      return t.error;
    case Spend::kGap:
      return mix(t.host, t.ground, 0.6);
    case Spend::kStartUp:
      return t.host;
    case Spend::kInit:
      return mix(t.data_load, t.ground, 0.4);
    case Spend::kLoad:
      return t.data_load;
    case Spend::kAfterLast:
      return t.memcpy;
    case Spend::kUnexplained:
      break;
  }
  return t.line;
}

}  // namespace runglass
