// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/ranking_words.h"

#include <algorithm>
#include <cmath>

#include "analysis/run_summary/run_summary.h"
#include "widgets/core/language.h"
#include "widgets/ranking/ranking_data.h"

namespace runglass {
namespace {

constexpr double kPartWorthNaming = 0.005;  // of the rank's work
constexpr double kHighConfidence = 0.8, kMediumConfidence = 0.5;

const PartScore* slowestPart(const RankScore& score) {
  if (score.parts.empty() || !score.own_ns) return nullptr;
  const PartScore& first = score.parts.front();
  return first.excess() > kPartWorthNaming * *score.own_ns ? &first : nullptr;
}

QString confidenceOf(const RankScore& score) {
  return score.confidence == Confidence::kHigh     ? RankingText::tr("high")
         : score.confidence == Confidence::kMedium ? RankingText::tr("medium")
                                                   : RankingText::tr("low");
}

QString withRack(const RankingData& data, NodeId node) {
  const auto found = data.ranking.nodes.find(node);
  if (found == data.ranking.nodes.end()) return {};
  const QString name = data.nodeName(node);
  const QString rack = screenText(found->second.rack, 40);
  if (rack.isEmpty()) return name;
  return (rack.startsWith(QLatin1String("rack"), Qt::CaseInsensitive) ? QStringLiteral("%1 (%2)") : RankingText::tr("%1 (rack %2)"))
      .arg(name, rack);
}

// The name of a suspect, at the start of a sentence.
QString whoText(const RankingData& data, const Suspect& suspect) {
  const QString subject = screenText(suspect.subject, 100);
  const QString place = suspect.node ? withRack(data, suspect.node) : QString(), name = subject.mid(subject.indexOf(u':') + 1);
  if (subject.startsWith(QLatin1String("node:"))) return place.isEmpty() ? name : place;
  if (subject.startsWith(QLatin1String("rank:")))
    return place.isEmpty() ? RankingText::tr("Rank %1").arg(name) : RankingText::tr("Rank %1 on %2").arg(name, place);
  if (subject.startsWith(QLatin1String("stage:"))) return RankingText::tr("Pipeline stage %1").arg(name);
  if (subject.startsWith(QLatin1String("dp:"))) return RankingText::tr("Data-parallel replica %1").arg(name);
  if (subject.startsWith(QLatin1String("nic:"))) return RankingText::tr("Network port %1").arg(name);
  if (suspect.kind == "sequence_imbalance") return RankingText::tr("Another rank each step (sequence lengths or experts' loads)");
  if (suspect.kind == "gc_jitter") return RankingText::tr("Garbage collections of single ranks");
  if (suspect.kind == "data_bound") return RankingText::tr("Waiting for data");
  if (suspect.kind == "host_bound") return RankingText::tr("Work of the host");
  if (suspect.kind == "slow_link") return RankingText::tr("The network");
  return subject;
}

QString withSince(const QString& sentence, std::optional<std::int64_t> step, bool before, std::optional<TimeNs> time, TimeStyle style) {
  if (!step) return sentence;
  if (before) return RankingText::tr("%1 since step %2 or before").arg(sentence, formatCount(*step));
  if (time) return RankingText::tr("%1 since step %2 (%3)").arg(sentence, formatCount(*step), formatTimeOfDay(*time, style));
  return RankingText::tr("%1 since step %2").arg(sentence, formatCount(*step));
}

QString suspectSentence(const RankingData& data, const Suspect& suspect, TimeStyle style) {
  constexpr double kShownCost = 0.0005;  // prints as 0.1 %; below it the sentence omits the cost
  const QString who = whoText(data, suspect);
  QString text = suspect.cost && *suspect.cost >= kShownCost
                     ? (suspect.holds ? RankingText::tr("%1 costs %2 of every step") : RankingText::tr("%1 cost %2 of every step"))
                           .arg(who, formatPercent(*suspect.cost))
                 : suspect.slower ? RankingText::tr("%1 is %2 slower than its peers").arg(who, formatPercent(*suspect.slower))
                                  : RankingText::tr("%1 deviates").arg(who);
  if (suspect.holds) {
    text = withSince(text, suspect.first_step, suspect.since_before, suspect.start, style);
  } else if (suspect.first_step && suspect.last_step) {
    const QString first = formatCount(*suspect.first_step), last = formatCount(*suspect.last_step);
    text = suspect.start && suspect.end
               ? RankingText::tr("%1 in steps %2 to %3 (%4 to %5)")
                     .arg(text, first, last, formatTimeOfDay(*suspect.start, style), formatTimeOfDay(*suspect.end, style))
               : RankingText::tr("%1 in steps %2 to %3").arg(text, first, last);
  }
  if (suspect.confidence) text = RankingText::tr("%1; confidence %2").arg(text, confidenceText(*suspect.confidence));
  if (const auto share = suspect.persistence())
    text = RankingText::tr("%1; %2 of %3 steps").arg(text, formatPercent(*share, 0), formatCount(*suspect.steps));
  return RankingText::tr("%1.").arg(text);
}

// "Rank 3 on sim-0001".
QString rankOnNode(const RankRow& row) {
  return row.node.isEmpty() ? RankingText::tr("Rank %1").arg(row.score.rank)
                            : RankingText::tr("Rank %1 on %2").arg(QString::number(row.score.rank), row.node);
}

QString relativeSentence(const RankingData& data) {
  const RankRow& first = *std::ranges::find_if(data.rows, [](const RankRow& row) { return row.ranked.stands_out; });
  const RankScore& score = first.score;
  const SlowRanks& relative = data.ranking.relative;
  QString text = (relative.basis == SlownessBasis::kWork ? RankingText::tr("%1 works %2 longer than its peers")
                                                         : RankingText::tr("%1 takes %2 longer than its peers"))
                     .arg(rankOnNode(first), formatPercent(*score.score));
  text = withSince(text, score.since_step, score.since_before, std::nullopt, TimeStyle::kUtc);
  const PartScore* part = slowestPart(score);
  if (part != nullptr && score.excess_ns && part->excess() > *score.excess_ns / 3)
    text = RankingText::tr("%1, most of it in %2").arg(text, partNameText(relative, part->part));
  text = RankingText::tr("%1; confidence %2; %3 of %4 steps.")
             .arg(text, confidenceOf(score), formatPercent(*score.persistence, 0), formatCount(static_cast<std::int64_t>(score.compared)));
  std::vector<const RankRow*> others;
  for (const RankRow& row : data.rows)
    if (row.ranked.stands_out && row.score.rank != score.rank) others.push_back(&row);
  if (others.size() == 1) return RankingText::tr("%1 Rank %2 deviates as well.").arg(text, QString::number(others.front()->score.rank));
  if (others.size() > 1) {
    const bool one_node = first.ranked.place.node && std::ranges::all_of(others, [&](const RankRow* row) {
                            return row->ranked.place.node == first.ranked.place.node;
                          });
    return (one_node ? RankingText::tr("%1 %2 more ranks of this node deviate.") : RankingText::tr("%1 %2 more ranks deviate."))
        .arg(text, formatCount(static_cast<std::int64_t>(others.size())));
  }
  return text;
}

QString nobodySentence(const RankingData& data) {
  if (data.ranking.relative.moved && std::abs(*data.ranking.relative.moved) >= kMinThroughputChange)
    return RankingText::tr("No rank deviates; all moved together by %1 over these %2 steps.")
        .arg(formatSignedPercent(*data.ranking.relative.moved), formatCount(static_cast<std::int64_t>(data.ranking.relative.steps.size())));
  const RankScore& first = std::ranges::max_element(data.rows, {}, [](const RankRow& row) { return row.score.score.value_or(-1); })->score;
  if (!first.score || !first.persistence) return RankingText::tr("No rank deviates.");
  QString text = (*first.score < 0 ? RankingText::tr("No rank deviates; the slowest, rank %1, is %2 below its peers")
                                   : RankingText::tr("No rank deviates; the slowest, rank %1, is %2 above its peers"))
                     .arg(QString::number(first.rank), formatPercent(std::abs(*first.score)));
  // A difference that looks large but is not significant needs an explanation.
  if (isSlower(*first.score) && *first.persistence <= kPersistent)
    text = RankingText::tr("%1, but in %2 of the steps only").arg(text, formatPercent(*first.persistence, 0));
  else if (isSlower(*first.score) && !isSlower(*first.score, first.excess_ns.value_or(0)))
    text = RankingText::tr("%1, but by less than %2 a step").arg(text, formatDuration(static_cast<DurNs>(kSlowerByNs)));
  else if (isSlower(*first.score))
    text = RankingText::tr("%1, but its peers differ by ± %2, too").arg(text, formatPercent(first.spread.value_or(0)));
  return RankingText::tr("%1.").arg(text);
}

QString tooFewSentence(const RankingData& data) {
  if (data.ranking.relative.status == SlowRanksStatus::kTooFewSteps)
    return RankingText::tr("Too few steps to rank anybody: %1, and a ranking needs %2.")
        .arg(data.ranking.relative.steps.size())
        .arg(kMinSteps);
  int peers = 0;
  for (const RankRow& row : data.rows) peers = std::max(peers, row.score.peers);
  const bool staged = std::ranges::any_of(data.rows, [](const RankRow& row) { return row.score.role != kNoRole; });
  return (staged ? RankingText::tr(
                       "Too few peers to rank anybody: a rank is compared with at least %1 others of its pipeline stage, here it has %2.")
                 : RankingText::tr("Too few peers to rank anybody: a rank is compared with at least %1 others, here it has %2."))
      .arg(kMinPeers)
      .arg(peers);
}

QString whatIfSentence(const RankingData& data) {
  const RankRow& first = data.rows.front();
  return RankingText::tr(
             "No single worker is to blame; were all others as fast as usual, the slowest, %1, would still make the run %2 longer.")
      .arg(first.coordinates.isEmpty() ? RankingText::tr("rank %1").arg(first.score.rank)
                                       : RankingText::tr("rank %1 (%2)").arg(first.score.rank).arg(first.coordinates),
           formatPercent(std::max(0.0, first.ranked.slower.value_or(0))));
}

QString voteSentence(const RankingData& data) {
  const RankRow& first = data.rows.front();
  if (!first.ranked.vote) return RankingText::tr("No rank deviates.");
  const QString share = formatPercent(first.ranked.vote->ratio(), 0);
  const QString count = formatCount(static_cast<std::int64_t>(first.ranked.vote->compared));
  if (!first.ranked.vote->abnormal())
    return RankingText::tr("No rank deviates; rank %1 waited least, in %2 of %3 collectives.").arg(first.score.rank).arg(share, count);
  const auto abnormal = std::ranges::count_if(data.rows, [](const RankRow& row) { return row.ranked.vote && row.ranked.vote->abnormal(); });
  // Stages after a slow rank in its pipeline are late as well.
  if (abnormal > 1)
    return RankingText::tr(
               "%1 ranks wait least, rank %2 first: in %3 of %4 collectives. Several do where a pipeline passes one's slowness on.")
        .arg(formatCount(abnormal))
        .arg(first.score.rank)
        .arg(share, count);
  return RankingText::tr("%1 waits least: in %2 of %3 collectives the others waited for it, as for a slow rank.")
      .arg(rankOnNode(first), share, count);
}

}  // namespace

QString confidenceText(double confidence) {
  return confidence >= kHighConfidence     ? RankingText::tr("high")
         : confidence >= kMediumConfidence ? RankingText::tr("medium")
                                           : RankingText::tr("low");
}

QString partNameText(const SlowRanks& ranking, std::size_t part) {
  const std::string& name = ranking.parts[part];
  return name.empty() ? RankingText::tr("unnamed") : phraseText(name, 40);
}

QString slowestPartText(const SlowRanks& ranking, const RankScore& score) {
  const PartScore* part = slowestPart(score);
  if (part == nullptr) return {};
  const QString name = partNameText(ranking, part->part);
  return part->peers_ns > 0 ? name + u' ' + formatSignedPercent(part->own_ns / part->peers_ns - 1)
                            : name + QStringLiteral(" +") + formatDuration(static_cast<DurNs>(part->excess()));
}

QString rankingSentence(const RankingData& data, TimeStyle style) {
  if (data.rows.empty()) return {};
  const Ranking& ranking = data.ranking;
  const Suspect* worst = ranking.suspects.worst();
  const auto blaming = std::ranges::find_if(ranking.suspects.all, &Suspect::blamesRanks);
  if (blaming != ranking.suspects.all.end() && blaming->holds && !blaming->isUnlikely()) return suspectSentence(data, *blaming, style);
  if (!ranking.past && !ranking.verdict.slow.empty()) return relativeSentence(data);
  if (worst != nullptr) return RankingText::tr("%1 No single rank is slower than its peers.").arg(suspectSentence(data, *worst, style));
  if (ranking.suspects.shift && std::abs(ranking.suspects.shift->change) >= kMinThroughputChange)
    return RankingText::tr("No rank deviates; all moved together by %1 since step %2.")
        .arg(formatSignedPercent(ranking.suspects.shift->change), formatCount(ranking.suspects.shift->first_step));
  if (blaming != ranking.suspects.all.end())
    return RankingText::tr("%1 No rank is slower now.").arg(suspectSentence(data, *blaming, style));
  if (!ranking.kind) return ranking.relative.status == SlowRanksStatus::kNoSteps ? QString() : tooFewSentence(data);
  if (ranking.kind == ScoreKind::kWhatIf) return whatIfSentence(data);
  if (ranking.kind == ScoreKind::kWaitVote) return voteSentence(data);
  return nobodySentence(data);
}

QString patternSentence(const RankingData& data) {
  const Suspect* worst = data.ranking.suspects.worst();
  if (worst == nullptr && !data.ranking.suspects.all.empty() && data.ranking.over) worst = &data.ranking.suspects.all.front();
  if (worst == nullptr) return RankingText::tr("Pattern: none that a finding names");
  const QString text = termText(patternText(worst->pattern));
  return text.isEmpty() ? QString() : RankingText::tr("Pattern: %1").arg(text);
}

QString rankingGrounds(const RankingData& data) {
  const SlowRanks& ranking = data.ranking.relative;
  QStringList parts;
  if (data.ranking.kind == ScoreKind::kWhatIf)
    parts << RankingText::tr(
        "Score: S, slowdown of the run with the rank's worker as recorded and everything else as usual; "
        "ranks of one tensor- or context-parallel group cannot be separated.");
  if (data.ranking.kind == ScoreKind::kWaitVote)
    parts << RankingText::tr(
        "Score: the share of a rank's collectives that took it less than 0.9 × the mean of the others (abnormal above 40 %); "
        "durations only, so clocks do not matter. It assumes one slow rank and does not say by how much.");
  if (ranking.steps.empty()) return parts.join(u' ');
  parts << RankingText::tr("Steps %1 to %2 of attempt %3.")
               .arg(formatCount(ranking.steps.front()), formatCount(ranking.steps.back()))
               .arg(data.ranking.attempt.number);
  parts << (ranking.basis == SlownessBasis::kWork ? RankingText::tr("Compared: a rank's own work in a step (its parts without their "
                                                                    "waiting) with the median of the other ranks of its stage.")
                                                  : RankingText::tr("Compared: whole step times. In a synchronous job all ranks take as "
                                                                    "long as the slowest, so that this finds none there; "
                                                                    "step parts separate work from waiting: runglass.span(…, "
                                                                    "part=\"forward\") or runglass.part(…) in the training script."));
  if (ranking.basis == SlownessBasis::kWork && data.ranking.span_waits_known) {
    parts << RankingText::tr("Step parts are not recorded; these are from the ranks' spans.");
    if (*data.ranking.span_waits_known < kWaitsKnown)
      parts << RankingText::tr("Communication is left out: its waiting is known for %1 of it only.")
                   .arg(formatPercent(*data.ranking.span_waits_known));
  }
  if (ranking.basis == SlownessBasis::kStepTime && data.ranking.has_parts)
    parts << RankingText::tr("Fewer than half of the ranks recorded step parts.");
  // If the slow ranks are on a node that hosts a whole stage, or much of it, the suspect above is more precise than the stage.
  const auto& stages = data.ranking.verdict.stages;
  const auto slowest = std::ranges::max_element(stages, {}, &StageWork::longer);
  if (slowest != stages.end() && isSlower(slowest->longer.value_or(0)) && ranking.basis == SlownessBasis::kWork &&
      data.ranking.verdict.slow.empty())
    parts << RankingText::tr("The ranks of pipeline stage %1 all work %2 longer than the other stages: that is the stage, no rank.")
                 .arg(QString::number(slowest->role), formatPercent(*slowest->longer));
  const auto silent = std::ranges::count_if(data.rows, [](const RankRow& row) { return row.score.coverage == 0; });
  if (silent > 0)
    parts << RankingText::tr("%1 of %2 ranks recorded none of these steps.")
                 .arg(formatCount(silent), formatCount(static_cast<std::int64_t>(data.rows.size())));
  return parts.join(u' ');
}

QString rankEvidence(const RankingData& data, const RankRow& row) {
  const RankScore& score = row.score;
  QString who = RankingText::tr("Rank %1").arg(score.rank);
  if (!row.coordinates.isEmpty()) who = QStringLiteral("%1 (%2)").arg(who, row.coordinates);
  if (!row.node.isEmpty()) who = RankingText::tr("%1 on %2").arg(who, row.node);
  if (!score.own_ns) return RankingText::tr("%1: recorded none of these steps.").arg(who);
  const bool work = data.ranking.relative.basis == SlownessBasis::kWork;
  const QString own_text = formatDuration(static_cast<DurNs>(*score.own_ns));
  QString text = (work ? RankingText::tr("%1: own work %2 a step") : RankingText::tr("%1: step time %2")).arg(who, own_text);
  // The row shows the finding's excess, which is of one kind of work; the parts below are all of it.
  if (const Suspect* suspect = data.ranking.suspectOf(row.ranked);
      suspect != nullptr && suspect->own_ns && suspect->peers_ns && suspect->slower && row.ranked.slower == suspect->slower) {
    const QString named = RankingText::tr("%1: %2 a step in the work its finding names, peers %3 (%4)")
                              .arg(who, formatDuration(static_cast<DurNs>(*suspect->own_ns)),
                                   formatDuration(static_cast<DurNs>(*suspect->peers_ns)), formatSignedPercent(*suspect->slower));
    text = (work ? RankingText::tr("%1; all own work %2 a step") : RankingText::tr("%1; whole steps %2 each")).arg(named, own_text);
  }
  if (!score.score)
    return (score.peers == 1 ? RankingText::tr("%1; not compared: %2 peer.") : RankingText::tr("%1; not compared: %2 peers."))
        .arg(text, QString::number(score.peers));
  text = RankingText::tr("%1, %2 compared with the median of up to %3 peers; their spread is ± %4.")
             .arg(text, formatSignedPercent(*score.score), QString::number(score.peers), formatPercent(score.spread.value_or(0)));
  QStringList parts;
  for (const PartScore& part : score.parts) {
    if (!(part.own_ns > 0) && !(part.peers_ns > 0)) continue;
    const QString name = partNameText(data.ranking.relative, part.part), own = formatDuration(static_cast<DurNs>(part.own_ns)),
                  peers = formatDuration(static_cast<DurNs>(part.peers_ns));
    parts << (part.peers_ns > 0
                  ? RankingText::tr("%1 %2 (peers %3, %4)").arg(name, own, peers, formatSignedPercent(part.own_ns / part.peers_ns - 1))
                  : RankingText::tr("%1 %2 (peers %3)").arg(name, own, peers));
  }
  if (!parts.isEmpty()) text += u'\n' + RankingText::tr("Without waiting: %1").arg(parts.join(QStringLiteral(" · ")));
  return text;
}

EvictionAdvice adviceFor(const RankingData& data, const RankRow& row, TimeNs now) {
  const Ranking& ranking = data.ranking;
  const Suspect* suspect = ranking.suspectOf(row.ranked);
  EvictionCase facts{.cost_ratio = {}, .since = {}, .now = {}, .holds = true, .gpus = ranking.gpus(), .restart = ranking.restart};
  if (suspect == nullptr || !suspect->blamesRanks()) {
    return {.verdict = EvictionVerdict::kUnknown,
            .reason = QT_TRANSLATE_NOOP("terms", "no finding reports that it slows the run down"),
            .lost_gpu_hours = {},
            .replace_gpu_hours = {},
            .break_even = {}};
  }
  facts.cost_ratio = suspect->cost;
  facts.since = suspect->start;
  facts.holds = suspect->holds && !ranking.over;
  facts.now = !suspect->holds ? suspect->end : ranking.over ? ranking.lastTime() : std::optional(now);
  return adviseEviction(facts);
}

QString adviceText(const RankingData& data, const EvictionAdvice& advice, TimeStyle style) {
  const auto hours = [](double value) { return formatNumber(value, 3); };
  QStringList costs;
  if (advice.lost_gpu_hours) costs << RankingText::tr("Lost so far: %1 GPU-hours.").arg(hours(*advice.lost_gpu_hours));
  const QString lost = costs.join(u' ');
  if (advice.replace_gpu_hours)
    costs << RankingText::tr("Replacing costs %1 (a restart takes %2, median of %3, × %4 GPUs).")
                 .arg(hours(*advice.replace_gpu_hours), formatAge(*data.ranking.restart.median),
                      QString::number(data.ranking.restart.restarts), QString::number(data.ranking.gpus()));
  const QString cost = costs.join(u' ');
  switch (advice.verdict) {
    case EvictionVerdict::kReplace:
      return advice.break_even
                 ? RankingText::tr("Replace it: past the break-even since %1. %2").arg(formatTime(*advice.break_even, style), cost)
                 : RankingText::tr("Replace it: past the break-even. %1").arg(cost);
    case EvictionVerdict::kBear:
      return advice.break_even ? RankingText::tr("Bear it until %1: %2").arg(formatTime(*advice.break_even, style), cost)
                               : RankingText::tr("Bear it for now: %1").arg(cost);
    case EvictionVerdict::kOver: {
      const QString over = data.ranking.over ? RankingText::tr("The attempt ended.") : RankingText::tr("It is no longer slow.");
      return cost.isEmpty() ? over : RankingText::tr("%1 %2").arg(over, cost);
    }
    case EvictionVerdict::kUnknown:
      break;
  }
  const QString unknown = RankingText::tr("Break-even unknown: %1.").arg(phraseText(advice.reason, 160));
  return lost.isEmpty() ? unknown : RankingText::tr("%1 %2").arg(lost, unknown);
}

}  // namespace runglass
