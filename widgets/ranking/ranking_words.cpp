// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/ranking_words.h"

#include <algorithm>
#include <cmath>

#include "analysis/run_summary/run_summary.h"

namespace runglass {
namespace {

constexpr double kMoved = 0.02;             // of all ranks together, from which a sentence says so
constexpr double kPartWorthNaming = 0.005;  // of the rank's work
constexpr double kHighConfidence = 0.8, kMediumConfidence = 0.5;

const PartScore* slowestPart(const RankScore& score) {
  if (score.parts.empty() || !score.own_ns) return nullptr;
  const PartScore& first = score.parts.front();
  return first.excess() > kPartWorthNaming * *score.own_ns ? &first : nullptr;
}

QString stageName(std::int32_t role) { return QStringLiteral("pipeline stage %1").arg(role); }

QString confidenceOf(const RankScore& score) {
  return score.confidence == Confidence::kHigh     ? QStringLiteral("high")
         : score.confidence == Confidence::kMedium ? QStringLiteral("medium")
                                                   : QStringLiteral("low");
}

QString withRack(const RankingData& data, NodeId node) {
  const auto found = data.ranking.nodes.find(node);
  if (found == data.ranking.nodes.end()) return {};
  const QString name = data.nodeName(node);
  const QString rack = screenText(found->second.rack, 40);
  if (rack.isEmpty()) return name;
  return (rack.startsWith(QLatin1String("rack"), Qt::CaseInsensitive) ? QStringLiteral("%1 (%2)") : QStringLiteral("%1 (rack %2)"))
      .arg(name, rack);
}

// Who or what a suspect is, to begin a sentence with.
QString whoText(const RankingData& data, const Suspect& suspect) {
  const QString subject = screenText(suspect.subject, 100);
  const QString place = suspect.node ? withRack(data, suspect.node) : QString();
  if (subject.startsWith(QLatin1String("node:"))) return place.isEmpty() ? subject.mid(5) : place;
  if (subject.startsWith(QLatin1String("rank:")))
    return QStringLiteral("Rank ") + subject.mid(5) + (place.isEmpty() ? QString() : QStringLiteral(" on ") + place);
  if (subject.startsWith(QLatin1String("stage:"))) return QStringLiteral("Pipeline stage ") + subject.mid(6);
  if (subject.startsWith(QLatin1String("dp:"))) return QStringLiteral("Data-parallel replica ") + subject.mid(3);
  if (subject.startsWith(QLatin1String("nic:"))) return QStringLiteral("Network port ") + subject.mid(4);
  if (suspect.kind == "sequence_imbalance") return QStringLiteral("Another rank each step (sequence lengths or experts' loads)");
  if (suspect.kind == "gc_jitter") return QStringLiteral("Garbage collections of single ranks");
  if (suspect.kind == "data_bound") return QStringLiteral("Waiting for data");
  if (suspect.kind == "host_bound") return QStringLiteral("Work of the host");
  if (suspect.kind == "slow_link") return QStringLiteral("The network");
  return subject;
}

QString sinceText(std::optional<std::int64_t> step, bool before, std::optional<TimeNs> time, TimeStyle style) {
  if (!step) return {};
  QString text = before ? QStringLiteral(" since step %1 or before") : QStringLiteral(" since step %1");
  text = text.arg(formatCount(*step));
  return time && !before ? text + QStringLiteral(" (%1)").arg(formatTimeOfDay(*time, style)) : text;
}

QString suspectSentence(const RankingData& data, const Suspect& suspect, TimeStyle style) {
  constexpr double kShownCost = 0.0005;  // prints as 0.1 %; what costs less is slower all the same
  QString text = whoText(data, suspect);
  text += suspect.cost && *suspect.cost >= kShownCost
              ? (suspect.holds ? QStringLiteral(" costs %1 of every step") : QStringLiteral(" cost %1 of every step"))
                    .arg(formatPercent(*suspect.cost))
          : suspect.slower ? QStringLiteral(" is %1 slower than its peers").arg(formatPercent(*suspect.slower))
                           : QStringLiteral(" deviates");
  if (suspect.holds) {
    text += sinceText(suspect.first_step, suspect.since_before, suspect.start, style);
  } else if (suspect.first_step && suspect.last_step) {
    text += QStringLiteral(" in steps %1 to %2").arg(formatCount(*suspect.first_step), formatCount(*suspect.last_step));
    if (suspect.start && suspect.end)
      text += QStringLiteral(" (%1 to %2)").arg(formatTimeOfDay(*suspect.start, style), formatTimeOfDay(*suspect.end, style));
  }
  if (suspect.confidence) text += QStringLiteral("; confidence ") + confidenceText(*suspect.confidence);
  if (const auto share = suspect.persistence())
    text += QStringLiteral("; %1 of %2 steps").arg(formatPercent(*share, 0), formatCount(*suspect.steps));
  return text + u'.';
}

QString relativeSentence(const RankingData& data) {
  const RankRow& first = *std::ranges::find_if(data.rows, [](const RankRow& row) { return row.score.stands_out; });
  const RankScore& score = first.score;
  const SlowRanks& relative = data.ranking.relative;
  QString text = QStringLiteral("Rank %1").arg(score.rank);
  if (!first.node.isEmpty()) text += QStringLiteral(" on %1").arg(first.node);
  text += relative.basis == SlownessBasis::kWork ? QStringLiteral(" works %1 longer than its peers")
                                                 : QStringLiteral(" takes %1 longer than its peers");
  text = text.arg(formatPercent(*score.score));
  text += sinceText(score.since_step, score.since_before, std::nullopt, TimeStyle::kUtc);
  const PartScore* part = slowestPart(score);
  if (part != nullptr && score.excess_ns && part->excess() > *score.excess_ns / 3)
    text += QStringLiteral(", most of it in ") + partNameText(relative, part->part);
  text += QStringLiteral("; confidence %1; %2 of %3 steps.")
              .arg(confidenceOf(score), formatPercent(*score.persistence, 0), formatCount(static_cast<std::int64_t>(score.compared)));
  std::vector<const RankRow*> others;
  for (const RankRow& row : data.rows)
    if (row.score.stands_out && row.score.rank != score.rank) others.push_back(&row);
  if (others.size() == 1) return text + QStringLiteral(" Rank %1 deviates as well.").arg(others.front()->score.rank);
  if (others.size() > 1) {
    const bool one_node = first.ranked.place.node && std::ranges::all_of(others, [&](const RankRow* row) {
                            return row->ranked.place.node == first.ranked.place.node;
                          });
    text += (one_node ? QStringLiteral(" %1 more ranks of this node deviate.") : QStringLiteral(" %1 more ranks deviate."))
                .arg(formatCount(static_cast<std::int64_t>(others.size())));
  }
  return text;
}

QString nobodySentence(const RankingData& data) {
  QString text = QStringLiteral("No rank deviates");
  if (data.ranking.relative.moved && std::abs(*data.ranking.relative.moved) > kMoved)
    return text + QStringLiteral("; all moved together by %1 over these %2 steps.")
                      .arg(formatSignedPercent(*data.ranking.relative.moved),
                           formatCount(static_cast<std::int64_t>(data.ranking.relative.steps.size())));
  const RankScore& first = std::ranges::max_element(data.rows, {}, [](const RankRow& row) { return row.score.score.value_or(-1); })->score;
  if (!first.score || !first.persistence) return text + u'.';
  text += QStringLiteral("; the slowest, rank %1, is %2 %3 its peers")
              .arg(first.rank)
              .arg(formatPercent(std::abs(*first.score)), *first.score < 0 ? QStringLiteral("below") : QStringLiteral("above"));
  // A difference that looks large needs the reason why it is none.
  if (isSlower(*first.score) && *first.persistence <= kPersistent)
    text += QStringLiteral(", but in %1 of the steps only").arg(formatPercent(*first.persistence, 0));
  else if (isSlower(*first.score))
    text += QStringLiteral(", but its peers differ by ± %1, too").arg(formatPercent(first.spread.value_or(0)));
  return text + u'.';
}

QString tooFewSentence(const RankingData& data) {
  if (data.ranking.relative.status == SlowRanksStatus::kTooFewSteps)
    return QStringLiteral("Too few steps to rank anybody: %1, and a ranking needs %2.")
        .arg(data.ranking.relative.steps.size())
        .arg(kMinSteps);
  int peers = 0;
  for (const RankRow& row : data.rows) peers = std::max(peers, row.score.peers);
  const bool staged = std::ranges::any_of(data.rows, [](const RankRow& row) { return row.score.role != kNoRole; });
  return QStringLiteral("Too few peers to rank anybody: a rank is compared with at least %1 others%2, here it has %3.")
      .arg(kMinPeers)
      .arg(staged ? QStringLiteral(" of its pipeline stage") : QString())
      .arg(peers);
}

QString whatIfSentence(const RankingData& data) {
  const RankRow& first = data.rows.front();
  return QStringLiteral(
             "No single worker is to blame; were all others as fast as usual, the slowest, %1, would still make the run %2 longer.")
      .arg(first.coordinates.isEmpty() ? QStringLiteral("rank %1").arg(first.score.rank)
                                       : QStringLiteral("rank %1 (%2)").arg(first.score.rank).arg(first.coordinates),
           formatPercent(std::max(0.0, first.ranked.slower.value_or(0))));
}

QString voteSentence(const RankingData& data) {
  const RankRow& first = data.rows.front();
  if (!first.ranked.vote) return QStringLiteral("No rank deviates.");
  const QString share = formatPercent(first.ranked.vote->ratio(), 0);
  const QString count = formatCount(static_cast<std::int64_t>(first.ranked.vote->compared));
  if (!first.ranked.vote->abnormal())
    return QStringLiteral("No rank deviates; rank %1 waited least, in %2 of %3 collectives.").arg(first.score.rank).arg(share, count);
  const auto abnormal = std::ranges::count_if(data.rows, [](const RankRow& row) { return row.ranked.vote && row.ranked.vote->abnormal(); });
  // What is behind a slow rank in its pipeline comes late as well.
  if (abnormal > 1)
    return QStringLiteral(
               "%1 ranks wait least, rank %2 first: in %3 of %4 collectives. Several do where a pipeline passes one's slowness on.")
        .arg(formatCount(abnormal))
        .arg(first.score.rank)
        .arg(share, count);
  return QStringLiteral("Rank %1%2 waits least: in %3 of %4 collectives the others waited for it, as for a slow rank.")
      .arg(first.score.rank)
      .arg(first.node.isEmpty() ? QString() : QStringLiteral(" on ") + first.node, share, count);
}

}  // namespace

QString confidenceText(double confidence) {
  return confidence >= kHighConfidence     ? QStringLiteral("high")
         : confidence >= kMediumConfidence ? QStringLiteral("medium")
                                           : QStringLiteral("low");
}

QString partNameText(const SlowRanks& ranking, std::size_t part) {
  const std::string& name = ranking.parts[part];
  return name.empty() ? QStringLiteral("unnamed") : screenText(name, 40);
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
  if (worst != nullptr && worst->blamesRanks()) return suspectSentence(data, *worst, style);
  if (ranking.kind == ScoreKind::kRelative && ranking.relative.standingOut() > 0) return relativeSentence(data);
  if (worst != nullptr) return suspectSentence(data, *worst, style) + QStringLiteral(" No single rank is slower than its peers.");
  if (ranking.suspects.shift && std::abs(ranking.suspects.shift->change) > kMoved)
    return QStringLiteral("No rank deviates; all moved together by %1 since step %2.")
        .arg(formatSignedPercent(ranking.suspects.shift->change), formatCount(ranking.suspects.shift->first_step));
  const auto past = std::ranges::find_if(ranking.suspects.all, [](const Suspect& one) { return one.blamesRanks(); });
  if (past != ranking.suspects.all.end()) return suspectSentence(data, *past, style) + QStringLiteral(" No rank is slower now.");
  if (!ranking.kind) return ranking.relative.status == SlowRanksStatus::kNoSteps ? QString() : tooFewSentence(data);
  if (ranking.kind == ScoreKind::kWhatIf) return whatIfSentence(data);
  if (ranking.kind == ScoreKind::kWaitVote) return voteSentence(data);
  return nobodySentence(data);
}

QString patternSentence(const RankingData& data) {
  const Suspect* worst = data.ranking.suspects.worst();
  if (worst == nullptr && !data.ranking.suspects.all.empty() && data.ranking.over) worst = &data.ranking.suspects.all.front();
  if (worst == nullptr) return QStringLiteral("Pattern: none that a finding names");
  const QString text = QString::fromUtf8(patternText(worst->pattern));
  return text.isEmpty() ? QString() : QStringLiteral("Pattern: ") + text;
}

QString rankingGrounds(const RankingData& data) {
  const SlowRanks& ranking = data.ranking.relative;
  QStringList parts;
  if (data.ranking.kind == ScoreKind::kWhatIf)
    parts << QStringLiteral(
        "Score: S, slowdown of the run with the rank's worker as recorded and everything else as usual; "
        "ranks of one tensor- or context-parallel group cannot be separated.");
  if (data.ranking.kind == ScoreKind::kWaitVote)
    parts << QStringLiteral(
        "Score: the share of a rank's collectives that took it less than 0.9 × the mean of the others (abnormal above 40 %); "
        "durations only, so clocks do not matter. It assumes one slow rank and does not say by how much.");
  if (ranking.steps.empty()) return parts.join(u' ');
  QString head = QStringLiteral("Steps %1 to %2 of attempt %3. ")
                     .arg(formatCount(ranking.steps.front()), formatCount(ranking.steps.back()))
                     .arg(data.ranking.attempt.number);
  head +=
      ranking.basis == SlownessBasis::kWork
          ? QStringLiteral(
                "Compared: a rank's own work in a step (its parts without their waiting) with the median of the other ranks of its stage.")
          : QStringLiteral(
                "Compared: whole step times. In a synchronous job all ranks take as long as the slowest, so that this finds none there; "
                "step parts separate work from waiting: runglass.span(…, part=\"forward\") or runglass.part(…) in the training script.");
  parts << head;
  if (ranking.basis == SlownessBasis::kWork && data.ranking.span_waits_known) {
    parts << QStringLiteral("Step parts are not recorded; these are from the ranks' spans.");
    if (*data.ranking.span_waits_known < kWaitsKnown)
      parts << QStringLiteral("Communication is left out: its waiting is known for %1 of it only.")
                   .arg(formatPercent(*data.ranking.span_waits_known));
  }
  if (ranking.basis == SlownessBasis::kStepTime && data.ranking.has_parts)
    parts << QStringLiteral("Fewer than half of the ranks recorded step parts.");
  std::vector<double> medians;
  const StageWork* slowest = nullptr;
  for (const StageWork& stage : ranking.stages) {
    if (stage.role == kNoRole) continue;
    medians.push_back(stage.median_ns);
    if (slowest == nullptr || stage.median_ns > slowest->median_ns) slowest = &stage;
  }
  // Of a node that computes a whole stage, or much of it, the finding says more.
  const Suspect* worst = data.ranking.suspects.worst();
  const bool blamed = worst != nullptr && worst->blamesRanks();
  if (slowest != nullptr && medians.size() > 1 && ranking.basis == SlownessBasis::kWork && !blamed) {
    const auto usual = median(medians);
    std::ranges::sort(medians);
    const double middle = medians.size() % 2 == 0 ? (medians[medians.size() / 2 - 1] + medians[medians.size() / 2]) / 2 : *usual;
    if (middle > 0 && isSlower(slowest->median_ns / middle - 1))
      parts << QStringLiteral("The ranks of %1 all work %2 longer than the median stage: that is the stage, no rank.")
                   .arg(stageName(slowest->role), formatPercent(slowest->median_ns / middle - 1));
  }
  const auto silent = std::ranges::count_if(data.rows, [](const RankRow& row) { return row.score.coverage == 0; });
  if (silent > 0)
    parts << QStringLiteral("%1 of %2 ranks recorded none of these steps.")
                 .arg(formatCount(silent), formatCount(static_cast<std::int64_t>(data.rows.size())));
  return parts.join(u' ');
}

QString rankEvidence(const RankingData& data, const RankRow& row) {
  const RankScore& score = row.score;
  QString text = QStringLiteral("Rank %1").arg(score.rank);
  if (!row.coordinates.isEmpty()) text += QStringLiteral(" (%1)").arg(row.coordinates);
  if (!row.node.isEmpty()) text += QStringLiteral(" on %1").arg(row.node);
  if (!score.own_ns) return text + QStringLiteral(": recorded none of these steps.");
  text += data.ranking.relative.basis == SlownessBasis::kWork ? QStringLiteral(": works %1 a step") : QStringLiteral(": takes %1 a step");
  text = text.arg(formatDuration(static_cast<DurNs>(*score.own_ns)));
  if (!score.score)
    return text +
           (score.peers == 1 ? QStringLiteral("; not compared: 1 peer.") : QStringLiteral("; not compared: %1 peers.").arg(score.peers));
  text += QStringLiteral(", %1 to the median of up to %2 peers; usual among them ± %3.")
              .arg(formatSignedPercent(*score.score))
              .arg(score.peers)
              .arg(formatPercent(score.spread.value_or(0)));
  QStringList parts;
  for (const PartScore& part : score.parts) {
    if (!(part.own_ns > 0) && !(part.peers_ns > 0)) continue;
    parts << QStringLiteral("%1 %2 (peers %3%4)")
                 .arg(partNameText(data.ranking.relative, part.part), formatDuration(static_cast<DurNs>(part.own_ns)),
                      formatDuration(static_cast<DurNs>(part.peers_ns)),
                      part.peers_ns > 0 ? QStringLiteral(", ") + formatSignedPercent(part.own_ns / part.peers_ns - 1) : QString());
  }
  if (!parts.isEmpty()) text += QStringLiteral("\nWithout waiting: ") + parts.join(QStringLiteral(" · "));
  return text;
}

EvictionAdvice adviceFor(const RankingData& data, const RankRow& row, TimeNs now) {
  const Ranking& ranking = data.ranking;
  const Suspect* suspect = ranking.suspectOf(row.ranked);
  EvictionCase facts{.cost_ratio = {}, .since = {}, .now = {}, .holds = true, .gpus = ranking.gpus(), .restart = ranking.restart};
  if (suspect == nullptr || !suspect->blamesRanks()) {
    return {.verdict = EvictionVerdict::kUnknown,
            .reason = "no finding reports that it slows the run down",
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
  const QString lost = advice.lost_gpu_hours ? QStringLiteral("Lost so far: %1 GPU-hours. ").arg(hours(*advice.lost_gpu_hours)) : QString();
  const QString cost = advice.replace_gpu_hours ? QStringLiteral("replacing costs %1 (a restart takes %2, median of %3, × %4 GPUs)")
                                                      .arg(hours(*advice.replace_gpu_hours), formatAge(*data.ranking.restart.median))
                                                      .arg(data.ranking.restart.restarts)
                                                      .arg(data.ranking.gpus())
                                                : QString();
  switch (advice.verdict) {
    case EvictionVerdict::kReplace:
      return QStringLiteral("Replace it: the break-even is over%1. %2%3%4.")
          .arg(advice.break_even ? QStringLiteral(" since ") + formatTime(*advice.break_even, style) : QString(), lost,
               cost.left(1).toUpper(), cost.mid(1));
    case EvictionVerdict::kBear:
      return QStringLiteral("Bear it %1: %2 %3%4.")
          .arg(advice.break_even ? QStringLiteral("until ") + formatTime(*advice.break_even, style) : QStringLiteral("for now"),
               lost.trimmed(), cost.left(1).toUpper(), cost.mid(1));
    case EvictionVerdict::kOver:
      return lost + (data.ranking.over ? QStringLiteral("The attempt ended") : QStringLiteral("It is no longer slow")) +
             (advice.replace_gpu_hours ? QStringLiteral("; ") + cost : QString()) + u'.';
    case EvictionVerdict::kUnknown:
      break;
  }
  return lost + QStringLiteral("Break-even unknown: ") + screenText(advice.reason, 160) + u'.';
}

}  // namespace runglass
