// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/rank_columns.h"

#include <algorithm>
#include <cmath>

#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/ranking/ranking_data.h"
#include "widgets/ranking/ranking_words.h"

namespace runglass {
namespace {

using R = RankRow;
constexpr auto kRight = Qt::AlignRight, kLeft = Qt::AlignLeft;

QVariant number(const std::optional<double>& v) { return v ? QVariant(*v) : QVariant(); }
QString full(const std::optional<double>& v) { return v ? fullNumber(*v) : QString(); }
QString orAbsent(const QString& text) { return text.isEmpty() ? kAbsentText : text; }

// A column of numbers that may be absent.
Column<R> numbers(const QString& title, const QString& help, std::function<std::optional<double>(const R&)> value,
                  std::function<QString(double)> text) {
  return {.title = title,
          .help = help,
          .align = kRight,
          .text =
              [value, text](const R& r) {
                const auto v = value(r);
                return v ? text(*v) : kAbsentText;
              },
          .sort = [value](const R& r) { return number(value(r)); },
          .copy = [value](const R& r) { return full(value(r)); }};
}

Column<R> words(const QString& title, const QString& help, std::function<QString(const R&)> text) {
  return {.title = title, .help = help, .align = kLeft, .text = [text](const R& r) { return orAbsent(text(r)); }};
}

QString percent(double v) { return formatPercent(v, 0); }
QString percentPoints(double v) { return formatSignedPercent(v); }

QString scoreText(const R& r) {
  if (!r.ranked.score) return kAbsentText;
  const double score = *r.ranked.score;
  switch (r.ranked.kind) {
    case ScoreKind::kWhatIf:
      return RankingText::tr("%1 what-if").arg(formatRatio(score));
    case ScoreKind::kWaitVote:
      return RankingText::tr("%1 vote").arg(percent(score));
    case ScoreKind::kRelative:
      break;
  }
  return RankingText::tr("%1 relative").arg(formatRatio(score));
}

QString nameText(const R& r) {
  if (r.members == 1) return r.name;
  return r.standing_out > 0 ? RankingText::tr("%1 (%2 of %3)").arg(r.name, QString::number(r.standing_out), QString::number(r.members))
                            : QStringLiteral("%1 (%2)").arg(r.name, QString::number(r.members));
}

QString sinceText(const R& r) {
  if (!r.ranked.since_step) return kAbsentText;
  QString text = (r.ranked.since_before ? QStringLiteral("≤ ") : QString()) + formatCount(*r.ranked.since_step);
  if (r.ranked.since && !r.ranked.since_before) text += QStringLiteral(" · ") + formatTimeOfDay(*r.ranked.since, TimeStyle::kUtc);
  return text;
}

QString newNodeText(const R& r) {
  return !r.ranked.new_node ? QString() : *r.ranked.new_node ? RankingText::tr("new") : RankingText::tr("same");
}

void addIdentity(std::vector<Column<R>>& columns) {
  columns.push_back(
      {.title = RankingText::tr("rank"),
       .help = RankingText::tr("A mark: a finding names it, or it deviates from its role by at least 5 % and three median absolute "
                               "deviations in more than 70 % of the steps. Of larger things: how many of their ranks do."),
       .align = kRight,
       .text = nameText,
       .sort = [](const R& r) { return QVariant::fromValue(static_cast<qlonglong>(r.score.rank)); },
       .mark = [](const R& r) { return r.standing_out > 0 ? Severity::kWarning : Severity::kInfo; }});
  columns.push_back(words(RankingText::tr("node"), RankingText::tr("Where it runs."), [](const R& r) { return r.node; }));
  columns.push_back(
      {.title = RankingText::tr("score"),
       .help = RankingText::tr("relative: its own work over its peers' median. what-if: S, how many times longer the run takes with its "
                               "worker as recorded. vote: share of its collectives in which it waited least."),
       .align = kRight,
       .text = scoreText,
       .sort = [](const R& r) { return number(r.ranked.score); },
       .copy = [](const R& r) { return full(r.ranked.score); }});
}

void addSlowness(std::vector<Column<R>>& columns) {
  columns.push_back(numbers(
      RankingText::tr("slower by"), RankingText::tr("Against its peers: the score less 1."), [](const R& r) { return r.ranked.slower; },
      percentPoints));
  columns.push_back(
      {.title = RankingText::tr("since step"),
       .help = RankingText::tr("First slow step, with its time (UTC) from the finding. ≤: already at the first step shown."),
       .align = kRight,
       .text = sinceText,
       .sort =
           [](const R& r) { return r.ranked.since_step ? QVariant::fromValue(static_cast<qlonglong>(*r.ranked.since_step)) : QVariant(); },
       .copy = [](const R& r) { return r.ranked.since_step ? QString::number(*r.ranked.since_step) : QString(); }});
  columns.push_back(numbers(
      RankingText::tr("persistence"),
      RankingText::tr("Share of the steps in which it was slow: of those since it became slow, else of all that were compared."),
      [](const R& r) { return r.ranked.persistence; }, percent));
  columns.push_back(numbers(
      RankingText::tr("GPU-h/day"),
      RankingText::tr("Cost of its finding, because all ranks wait for it; of a node's finding the whole cost."),
      [](const R& r) { return r.ranked.gpu_hours_per_day; }, formatGpuHours));
  columns.push_back(words(RankingText::tr("cause"),
                          RankingText::tr("A guess, from its finding's evidence: clock, thermal, power, fault, host, data, network."),
                          [](const R& r) { return phraseText(r.ranked.cause, 40); }));
  columns.push_back({.title = RankingText::tr("last 60 steps"),
                     .help = RankingText::tr("Its work against its peers' median in each of the newest 60 steps."),
                     .align = kLeft,
                     .text =
                         [](const R& r) {
                           const auto known = std::ranges::count_if(r.spark, [](float v) { return !std::isnan(v); });
                           return known > 0 ? RankingText::tr("%1 steps").arg(known) : kAbsentText;
                         },
                     .sort = [](const R& r) { return number(r.score.score); }});
  columns.push_back(words(RankingText::tr("slowest part"), RankingText::tr("The step part that took most more than the peers' median."),
                          [](const R& r) { return r.slowest_part; }));
  columns.push_back(numbers(
      RankingText::tr("since restart"), RankingText::tr("Slower or faster than in the attempt before, in points."),
      [](const R& r) { return r.ranked.change; }, percentPoints));
  columns.push_back(words(RankingText::tr("node is"), RankingText::tr("new: the attempt before did not run there."), newNodeText));
}

void addGrounds(std::vector<Column<R>>& columns) {
  columns.push_back(numbers(
      RankingText::tr("waits least"),
      RankingText::tr("Share of its collectives that took it less than 0.9 × the mean of its peers (MegaScan): above 40 % of at "
                      "least 10 is abnormal. Durations only: clocks do not matter. Of a slow rank, as the others wait for it."),
      [](const R& r) -> std::optional<double> { return r.ranked.vote ? std::optional(r.ranked.vote->ratio()) : std::nullopt; }, percent));
  columns.back().tip = [](const R& r) {
    return r.ranked.vote ? RankingText::tr("%1 of %2 collectives").arg(r.ranked.vote->shorter).arg(r.ranked.vote->compared) : QString();
  };
  columns.push_back(numbers(
      RankingText::tr("NVRx"),
      RankingText::tr("NVIDIA's resiliency extension: the fastest peer's median over its own, 1 at best; a straggler below 0.75."),
      [](const R& r) { return r.ranked.nvrx_relative; }, [](double v) { return formatRatio(v); }));
  columns.push_back(numbers(
      RankingText::tr("NVRx own"), RankingText::tr("The same against its own best earlier level: below 1 it became slower."),
      [](const R& r) { return r.ranked.nvrx_individual; }, [](double v) { return formatRatio(v); }));
  columns.push_back(words(RankingText::tr("place"), RankingText::tr("Coordinates: data, pipeline, tensor, context, expert parallel."),
                          [](const R& r) { return r.coordinates; }));
  columns.push_back(numbers(
      RankingText::tr("per step"),
      RankingText::tr("Median of its own work in a step, without waiting; the step time where no parts are known."),
      [](const R& r) { return r.score.own_ns; }, [](double v) { return formatDuration(static_cast<DurNs>(v)); }));
  columns.push_back(numbers(
      RankingText::tr("coverage"), RankingText::tr("Share of the steps looked at for which it has data."),
      [](const R& r) { return r.ranked.coverage; }, percent));
  columns.push_back(
      {.title = RankingText::tr("confidence"),
       .help = RankingText::tr("Of its finding; else high: 80 % coverage and 50 steps; medium: 50 % and 10 steps; low: less, or only whole "
                               "step times are known."),
       .align = kLeft,
       .text = [](const R& r) { return r.ranked.confidence ? confidenceText(*r.ranked.confidence) : kAbsentText; },
       .sort = [](const R& r) { return number(r.ranked.confidence); },
       .copy = [](const R& r) { return full(r.ranked.confidence); }});
}

}  // namespace

std::vector<Column<RankRow>> rankColumns() {
  std::vector<Column<R>> columns;
  addIdentity(columns);
  addSlowness(columns);
  addGrounds(columns);
  return columns;
}

}  // namespace runglass
