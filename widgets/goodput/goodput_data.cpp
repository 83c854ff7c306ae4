// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/goodput/goodput_data.h"

#include <QStringList>
#include <cmath>

namespace runglass {
namespace {

constexpr double kLongestSeconds = 9e9;  // of what nanoseconds can say
constexpr DurNs kDay = 86'400LL * kNsPerSecond;

DurNs spentOn(const SpendTimes& spent, Spend spend) { return spent[static_cast<std::size_t>(spend)].value_or(0); }

QString restarts(std::size_t attempts) {
  if (attempts <= 1) return QStringLiteral("no restart");
  return attempts == 2 ? QStringLiteral("1 restart") : formatCount(static_cast<std::int64_t>(attempts) - 1) + QStringLiteral(" restarts");
}

// What took most of the time that made no progress.
QString biggestLoss(const SpendTimes& spent, DurNs wall) {
  std::size_t worst = kSpendCount;
  for (std::size_t i = 0; i < kSpendCount; ++i)
    if (static_cast<Spend>(i) != Spend::kProductive && spent[i] && (worst == kSpendCount || *spent[i] > *spent[worst])) worst = i;
  if (worst == kSpendCount || wall <= 0) return {};
  return QStringLiteral("%1 %2").arg(QString::fromUtf8(spendWords(static_cast<Spend>(worst))),
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
  data.goodput.kept = {};  // only the plan needed them
  return data;
}

LedgerWords goodputWords(const GoodputData& data, TimeNs now) {
  const Ledger& l = data.goodput.ledger;
  LedgerWords words{.title = QStringLiteral("Goodput"), .value = kAbsentText, .note = {}, .why = {}};
  if (!l.effective_ratio) {
    words.note = screenText(data.goodput.reason, 80);
    words.why = QStringLiteral("Kept steps × iteration time ÷ wall time: %1.").arg(screenText(data.goodput.reason, 200));
    return words;
  }
  const QString lost = l.lost_steps > 0 ? QStringLiteral(" · %1 steps lost").arg(formatCount(l.lost_steps)) : QString();
  words.why = QStringLiteral("Whole run: %1 kept steps × their median steady time ÷ %2 of wall time = %3 (MegaScale, NSDI '24).")
                  .arg(formatCount(l.completed_steps), formatLength(*l.wall), formatPercent(*l.effective_ratio));
  const bool live = data.run.state == RunState::kRunning && data.run.time_domain == TimeDomain::kUtc;
  if (live && *l.wall > kDay) {
    const SpendTimes day = spentIn(l, {now - kDay, now});
    DurNs wall = 0;
    for (const auto& one : day) wall += one.value_or(0);
    if (wall > 0) {
      words.title = QStringLiteral("Goodput of 24 h");
      words.value = formatPercent(static_cast<double>(spentOn(day, Spend::kProductive)) / static_cast<double>(wall));
      words.note = QStringLiteral("run %1 · %2").arg(formatPercent(*l.effective_ratio), restarts(l.rows.size())) + lost;
      words.why += QStringLiteral(" 24 h: time in steps done for the first time.");
      return words;
    }
  }
  words.value = formatPercent(*l.effective_ratio);
  words.note = restarts(l.rows.size()) + lost;
  // Steps that are counted but have no times cannot be placed: all of the wall time is unexplained then, whatever they took.
  const bool placed = spentOn(l.spent, Spend::kProductive) > 0;
  const QString worst = placed ? biggestLoss(l.spent, *l.wall) : QStringLiteral("steps without times");
  if (l.rows.size() == 1 && !worst.isEmpty()) words.note = worst;
  return words;
}

LedgerWords planWords(const GoodputData& data, TimeStyle style) {
  const RunPlan& p = data.plan;
  LedgerWords words{.title = QStringLiteral("Plan"), .value = kAbsentText, .note = {}, .why = {}};
  if (!p.planned_steps) {
    words.note = QStringLiteral("total steps not recorded");
    words.why = QStringLiteral("Planned versus actual: %1.").arg(screenText(p.reason, 300));
    return words;
  }
  const QString steps = formatCount(std::llround(*p.planned_steps));
  words.why = QStringLiteral("Planned: %1 steps (%2).").arg(steps, screenText(p.plan_source, 120));
  if (p.done_share) words.value = formatPercent(*p.done_share);
  words.note = QStringLiteral("of %1 steps").arg(steps);
  if (p.finished) {
    words.note += QStringLiteral(" · done");
    return words;
  }
  if (!p.finish) {
    if (!p.reason.empty()) words.why += QStringLiteral(" No forecast: %1.").arg(screenText(p.reason, 200));
    return words;
  }
  const auto date = [style](std::optional<TimeNs> at) { return at ? formatTime(*at, style).left(16) : QStringLiteral("unknown"); };
  const bool runs = data.run.state == RunState::kRunning;
  words.note = (runs ? QStringLiteral("ends ") : QStringLiteral("would end ")) + date(p.finish);
  words.why += QStringLiteral(" At the pace so far, pauses included; 80 % prediction interval: %1 to %2.")
                   .arg(date(p.finish_low), date(p.finish_high));
  if (p.days_at_peak_share)
    words.why += QStringLiteral(" Arithmetic at the measured MFU, without pauses: %1.").arg(screenText(p.days_at_peak_share->formula, 300));
  return words;
}

QString ledgerSentence(const GoodputData& data) {
  const Ledger& l = data.goodput.ledger;
  if (!l.effective_ratio) return QStringLiteral("No goodput: %1.").arg(screenText(data.goodput.reason, 200));
  QString text =
      QStringLiteral("%1 of %2 made progress; %3").arg(formatPercent(*l.effective_ratio), formatLength(*l.wall), restarts(l.rows.size()));
  if (l.lost_steps > 0) text += QStringLiteral(", %1 steps were done twice").arg(formatCount(l.lost_steps));
  for (const EndCause& cause : l.causes)
    if (!cause.planned && cause.cost > 0) {
      text += QStringLiteral("; %1 cost most, %2").arg(QString::fromUtf8(endKindWords(cause.kind)), formatLength(cause.cost));
      break;
    }
  return text + QLatin1Char('.');
}

QString failureWords(const Ledger& ledger) {
  const Mtbf& m = ledger.mtbf;
  const QString unsaid = ledger.unsaid_ends > 0
                             ? QStringLiteral(" %1 without a word on their cause are not counted.").arg(formatCount(ledger.unsaid_ends))
                             : QString();
  if (!m.mean_s) return QStringLiteral("No failure in %1.").arg(secondsText(m.up_s)) + unsaid;
  return QStringLiteral("Mean time between failures %1 (%2 %3; 95 %: %4 to %5).")
             .arg(secondsText(*m.mean_s), formatCount(m.failures), m.failures == 1 ? QStringLiteral("failure") : QStringLiteral("failures"),
                  secondsText(m.low_s), secondsText(*m.high_s)) +
         unsaid;
}

QString saveWords(const Goodput& g) {
  const SaveAdvice& a = g.advice;
  const QString now = g.saves.every ? QStringLiteral(", now every %1").arg(formatLength(*g.saves.every)) : QString();
  if (a.enough && a.daly_s)
    return QStringLiteral("Save every %1 (Daly 2006)%2; a save costs %3.").arg(secondsText(a.daly_s->value), now, secondsText(*a.save_s));
  QString text = QStringLiteral("How often to save: insufficient evidence, %1%2.").arg(screenText(a.reason, 160), now);
  if (a.field_daly_s)
    text += QStringLiteral(" At another cluster's failure rate (%1): every %2.")
                .arg(QString::fromUtf8(kFieldFailuresSource), secondsText(a.field_daly_s->value));
  return text;
}

QString rowWords(const LedgerRow& row) {
  QStringList parts;
  if (row.first_step && row.last_step)
    parts += QStringLiteral("steps %1–%2").arg(formatCount(*row.first_step), formatCount(*row.last_step));
  if (row.lost_steps > 0) parts += QStringLiteral("%1 steps of the attempt before were lost").arg(formatCount(row.lost_steps));
  if (row.layout_changed) parts += QStringLiteral("another layout: ") + layoutText(row.layout);
  for (std::size_t i = 0; i < kSpendCount; ++i)
    if (row.spent[i] && *row.spent[i] > 0)
      parts += QStringLiteral("%1 %2").arg(QString::fromUtf8(spendWords(static_cast<Spend>(i))), formatLength(*row.spent[i]));
  QString end = QString::fromUtf8(endKindWords(row.ending.kind));
  if (!row.ending.cause.empty() && end != QString::fromStdString(row.ending.cause))
    end += QStringLiteral(" (%1)").arg(screenText(row.ending.cause, 200));
  parts += row.ending.kind == EndKind::kRunning ? end : QStringLiteral("end: ") + end;
  return QStringLiteral("attempt %1: ").arg(row.number) + parts.join(QStringLiteral("; "));
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
