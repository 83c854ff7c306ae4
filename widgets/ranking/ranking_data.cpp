// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/ranking/ranking_data.h"

#include <algorithm>
#include <unordered_map>

#include "widgets/core/run_summary.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr double kStageDiffers = 0.05, kMoved = 0.02;  // from which a sentence says so
constexpr double kPartWorthNaming = 0.005;             // of the rank's work

// A dimension in which all ranks are at the same place says nothing.
struct Dimension {
  QChar letter;
  std::optional<std::int32_t> Rank::*at;
};
std::vector<Dimension> dimensionsOf(const std::vector<Rank>& ranks) {
  std::vector<Dimension> varying;
  for (const Dimension& d : {Dimension{u'd', &Rank::dp}, {u'p', &Rank::pp}, {u't', &Rank::tp}, {u'c', &Rank::cp}, {u'e', &Rank::ep}})
    if (std::ranges::any_of(ranks, [&](const Rank& rank) { return rank.*d.at != ranks.front().*d.at; })) varying.push_back(d);
  return varying;
}

QString coordinatesOf(const Rank& place, const std::vector<Dimension>& dimensions) {
  QStringList parts;
  for (const Dimension& d : dimensions)
    if (place.*d.at) parts << d.letter + QString::number(*(place.*d.at));
  return parts.join(u' ');
}

QString partName(const RankingData& data, const PartScore& part) {
  const std::string& name = data.ranking.parts[part.part];
  return name.empty() ? QStringLiteral("unnamed") : screenText(name, 40);
}

QString confidenceText(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh:
      return QStringLiteral("high");
    case Confidence::kMedium:
      return QStringLiteral("medium");
    case Confidence::kLow:
      break;
  }
  return QStringLiteral("low");
}

const PartScore* slowestPart(const RankScore& score) {
  if (score.parts.empty() || !score.own_ns) return nullptr;
  const PartScore& first = score.parts.front();
  return first.excess() > kPartWorthNaming * *score.own_ns ? &first : nullptr;
}

QString partText(const RankingData& data, const RankScore& score) {
  const PartScore* part = slowestPart(score);
  if (part == nullptr) return {};
  const QString name = partName(data, *part);
  return part->peers_ns > 0 ? name + u' ' + formatSignedPercent(part->own_ns / part->peers_ns - 1)
                            : name + QStringLiteral(" +") + formatDuration(static_cast<DurNs>(part->excess()));
}

QString stageName(std::int32_t role) { return QStringLiteral("pipeline stage %1").arg(role); }

QString standingOutSentence(const RankingData& data) {
  const RankRow& first = data.rows.front();
  const RankScore& score = first.score;
  QString text = QStringLiteral("Rank %1").arg(score.rank);
  if (!first.node.isEmpty()) text += QStringLiteral(" on %1").arg(first.node);
  text += data.ranking.basis == SlownessBasis::kWork ? QStringLiteral(" works %1 longer than its peers")
                                                     : QStringLiteral(" takes %1 longer than its peers");
  text = text.arg(formatPercent(*score.score));
  if (score.since_step)
    text += (score.since_before ? QStringLiteral(" since step %1 or before") : QStringLiteral(" since step %1"))
                .arg(formatCount(*score.since_step));
  const PartScore* part = slowestPart(score);
  if (part != nullptr && score.excess_ns && part->excess() > *score.excess_ns / 3)
    text += QStringLiteral(", most of it in ") + partName(data, *part);
  text += QStringLiteral("; confidence %1; %2 of %3 steps.")
              .arg(confidenceText(score.confidence), formatPercent(*score.persistence, 0),
                   formatCount(static_cast<std::int64_t>(data.ranking.steps.size())));
  const auto others = static_cast<std::int64_t>(data.ranking.standingOut()) - 1;
  if (others == 1) {
    text += QStringLiteral(" Rank %1 stands out as well.").arg(data.rows[1].score.rank);
  } else if (others > 1) {
    const auto end = data.rows.begin() + static_cast<std::ptrdiff_t>(others) + 1;
    const bool one_node =
        first.place.node && std::all_of(data.rows.begin(), end, [&](const RankRow& row) { return row.place.node == first.place.node; });
    text += (one_node ? QStringLiteral(" %1 more ranks of this node stand out.") : QStringLiteral(" %1 more ranks stand out."))
                .arg(formatCount(others));
  }
  return text;
}

QString nobodySentence(const RankingData& data) {
  QString text = QStringLiteral("No rank stands out");
  if (data.ranking.moved && std::abs(*data.ranking.moved) > kMoved)
    return text + QStringLiteral("; all moved together by %1 over these %2 steps.")
                      .arg(formatSignedPercent(*data.ranking.moved), formatCount(static_cast<std::int64_t>(data.ranking.steps.size())));
  const RankScore& first = data.rows.front().score;
  text += QStringLiteral("; the slowest, rank %1, is %2 %3 its peers")
              .arg(first.rank)
              .arg(formatPercent(std::abs(*first.score)), *first.score < 0 ? QStringLiteral("below") : QStringLiteral("above"));
  // A difference that looks large needs the reason why it is none.
  if (*first.score > kSlowerThanPeers && *first.persistence <= kPersistent)
    text += QStringLiteral(", but in %1 of the steps only").arg(formatPercent(*first.persistence, 0));
  else if (*first.score > kSlowerThanPeers)
    text += QStringLiteral(", but its peers differ by ± %1, too").arg(formatPercent(first.spread.value_or(0)));
  return text + u'.';
}

QString tooFewSentence(const RankingData& data) {
  if (data.ranking.status == SlowRanksStatus::kTooFewSteps)
    return QStringLiteral("Too few steps to rank anybody: %1, and a ranking needs %2.").arg(data.ranking.steps.size()).arg(kLeastSteps);
  int peers = 0;
  for (const RankRow& row : data.rows) peers = std::max(peers, row.score.peers);
  const bool staged = std::ranges::any_of(data.rows, [](const RankRow& row) { return row.score.role != kNoRole; });
  return QStringLiteral("Too few peers to rank anybody: a rank is compared with at least %1 others%2, here it has %3.")
      .arg(kLeastPeers)
      .arg(staged ? QStringLiteral(" of its pipeline stage") : QString())
      .arg(peers);
}

void placeRows(RankingData& data, const std::vector<Rank>& ranks, const std::vector<Node>& nodes) {
  std::unordered_map<std::int32_t, const Rank*> places;
  std::unordered_map<std::uint64_t, QString> names;
  for (const Rank& rank : ranks) places[rank.rank] = &rank;
  for (const Node& node : nodes) names[node.id.value] = screenText(node.name, 80);
  const std::vector<Dimension> dimensions = dimensionsOf(ranks);
  data.heat.steps = data.ranking.steps;
  for (RankScore& score : data.ranking.ranks) {
    data.heat.rows.push_back({score.rank, std::move(score.ratio)});
    RankRow row{.score = {}, .place = {.rank = score.rank}, .node = {}, .coordinates = {}, .slowest_part = partText(data, score)};
    row.score = score;
    if (const auto place = places.find(score.rank); place != places.end()) {
      row.place = *place->second;
      row.coordinates = coordinatesOf(row.place, dimensions);
      if (const auto name = names.find(row.place.node.value); name != names.end()) row.node = name->second;
    }
    data.rows.push_back(std::move(row));
  }
  std::ranges::sort(data.heat.rows, {}, &HeatCells::Row::rank);
  data.heat.scale = heatScale(data.heat);
}

}  // namespace

const RankRow* RankingData::find(std::int32_t rank) const {
  const auto found = std::ranges::find_if(rows, [rank](const RankRow& row) { return row.score.rank == rank; });
  return found == rows.end() ? nullptr : &*found;
}

std::optional<TimeRange> RankingData::timeOf(std::int64_t step) const {
  const auto at = std::ranges::lower_bound(ranking.steps, step);
  if (at == ranking.steps.end() || *at != step) return std::nullopt;
  return when[static_cast<std::size_t>(at - ranking.steps.begin())];
}

Result<RankingData> readRanking(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop) {
  RankingData data;
  RG_ASSIGN(data.run, chooseRun(reader, run));
  RG_ASSIGN(const auto attempts, reader.attempts(data.run.id));
  if (attempts.empty()) return data;
  const auto chosen = std::ranges::find(attempts, attempt, &Attempt::id);
  data.attempt = chosen == attempts.end() ? attempts.back() : *chosen;
  RG_ASSIGN(const auto ranks, reader.ranks(data.attempt.id));
  RG_ASSIGN(const auto nodes, reader.nodes());
  RG_ASSIGN(auto table, readStepTable(reader, data.attempt.id, ranks, stop));
  if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
  data.ranking = rankBySlowness(table.table);
  data.when = std::move(table.when);
  data.has_parts = table.has_parts;
  data.span_waits_known = table.span_waits_known;
  placeRows(data, ranks, nodes);
  return data;
}

QString rankingSentence(const RankingData& data) {
  if (data.ranking.status == SlowRanksStatus::kNoSteps || data.rows.empty()) return {};
  if (data.ranking.status != SlowRanksStatus::kRanked) return tooFewSentence(data);
  return data.ranking.standingOut() > 0 ? standingOutSentence(data) : nobodySentence(data);
}

QString rankingGrounds(const RankingData& data) {
  const SlowRanks& ranking = data.ranking;
  if (ranking.steps.empty()) return {};
  QStringList parts;
  QString head = QStringLiteral("Steps %1 to %2 of attempt %3. ")
                     .arg(formatCount(ranking.steps.front()), formatCount(ranking.steps.back()))
                     .arg(data.attempt.number);
  head +=
      ranking.basis == SlownessBasis::kWork
          ? QStringLiteral(
                "Compared: a rank's own work in a step (its parts without their waiting) with the median of the other ranks of its stage.")
          : QStringLiteral(
                "Compared: whole step times. In a synchronous job all ranks take as long as the slowest, so that this finds nobody there; "
                "step parts tell work from waiting: runglass.span(…, part=\"forward\") or runglass.part(…) in the training script.");
  parts << head;
  if (ranking.basis == SlownessBasis::kWork && data.span_waits_known) {
    parts << QStringLiteral("Nobody told step parts: they are what the ranks' spans show.");
    if (*data.span_waits_known < kWaitsKnown)
      parts << QStringLiteral("Communication is left out: its waiting is known for %1 of it only.")
                   .arg(formatPercent(*data.span_waits_known));
  }
  if (ranking.basis == SlownessBasis::kStepTime && data.has_parts)
    parts << QStringLiteral("Fewer than half of the ranks tell their step parts.");
  std::vector<double> medians;
  const StageWork* slowest = nullptr;
  for (const StageWork& stage : ranking.stages) {
    if (stage.role == kNoRole) continue;
    medians.push_back(stage.median_ns);
    if (slowest == nullptr || stage.median_ns > slowest->median_ns) slowest = &stage;
  }
  if (slowest != nullptr && medians.size() > 1 && ranking.basis == SlownessBasis::kWork) {
    const auto usual = median(medians);
    std::ranges::sort(medians);
    const double middle = medians.size() % 2 == 0 ? (medians[medians.size() / 2 - 1] + medians[medians.size() / 2]) / 2 : *usual;
    if (middle > 0 && slowest->median_ns / middle - 1 > kStageDiffers)
      parts << QStringLiteral("The ranks of %1 all work %2 longer than the median stage: that is the stage, no rank.")
                   .arg(stageName(slowest->role), formatPercent(slowest->median_ns / middle - 1));
  }
  const auto silent = std::ranges::count_if(data.rows, [](const RankRow& row) { return row.score.coverage == 0; });
  if (silent > 0)
    parts << QStringLiteral("%1 of %2 ranks told nothing of these steps.")
                 .arg(formatCount(silent), formatCount(static_cast<std::int64_t>(data.rows.size())));
  return parts.join(u' ');
}

QString rankEvidence(const RankingData& data, const RankRow& row) {
  const RankScore& score = row.score;
  QString text = QStringLiteral("Rank %1").arg(score.rank);
  if (!row.coordinates.isEmpty()) text += QStringLiteral(" (%1)").arg(row.coordinates);
  if (!row.node.isEmpty()) text += QStringLiteral(" on %1").arg(row.node);
  if (!score.own_ns) return text + QStringLiteral(": told nothing of these steps.");
  text += data.ranking.basis == SlownessBasis::kWork ? QStringLiteral(": works %1 a step") : QStringLiteral(": takes %1 a step");
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
                 .arg(partName(data, part), formatDuration(static_cast<DurNs>(part.own_ns)),
                      formatDuration(static_cast<DurNs>(part.peers_ns)),
                      part.peers_ns > 0 ? QStringLiteral(", ") + formatSignedPercent(part.own_ns / part.peers_ns - 1) : QString());
  }
  if (!parts.isEmpty()) text += QStringLiteral("\nWithout waiting: ") + parts.join(QStringLiteral(" · "));
  return text;
}

std::vector<Column<RankRow>> rankColumns() {
  using R = RankRow;
  const auto right = Qt::AlignRight, left = Qt::AlignLeft;
  const auto number = [](const std::optional<double>& v) { return v ? QVariant(*v) : QVariant(); };
  const auto full = [](const std::optional<double>& v) { return v ? fullNumber(*v) : QString(); };
  std::vector<Column<R>> columns;
  columns.push_back(
      {.title = QStringLiteral("rank"),
       .help = QStringLiteral(
           "A mark: it stands out of its role, by more than 2 % and three median absolute deviations, in more than 70 % of the steps."),
       .align = right,
       .text = [](const R& r) { return QString::number(r.score.rank); },
       .sort = [](const R& r) { return QVariant::fromValue(static_cast<qlonglong>(r.score.rank)); },
       .mark = [](const R& r) { return r.score.stands_out ? Severity::kWarning : Severity::kInfo; }});
  columns.push_back({.title = QStringLiteral("place"),
                     .help = QStringLiteral("Coordinates: data, pipeline, tensor, context, expert parallel."),
                     .align = left,
                     .text = [](const R& r) { return r.coordinates.isEmpty() ? kAbsentText : r.coordinates; }});
  columns.push_back(
      {.title = QStringLiteral("node"), .align = left, .text = [](const R& r) { return r.node.isEmpty() ? kAbsentText : r.node; }});
  columns.push_back({.title = QStringLiteral("slower by"),
                     .help = QStringLiteral("Median over steps of its work over the peers' median, minus 1."),
                     .align = right,
                     .text = [](const R& r) { return r.score.score ? formatSignedPercent(*r.score.score) : kAbsentText; },
                     .sort = [number](const R& r) { return number(r.score.score); },
                     .copy = [full](const R& r) { return full(r.score.score); }});
  columns.push_back({.title = QStringLiteral("per step"),
                     .help = QStringLiteral("Median of its own work in a step, without waiting; the step time where no parts are known."),
                     .align = right,
                     .text = [](const R& r) { return r.score.own_ns ? formatDuration(static_cast<DurNs>(*r.score.own_ns)) : kAbsentText; },
                     .sort = [number](const R& r) { return number(r.score.own_ns); },
                     .copy = [full](const R& r) { return full(r.score.own_ns); }});
  columns.push_back({.title = QStringLiteral("persistence"),
                     .help = QStringLiteral("Share of the compared steps in which it was more than 2 % above its peers' median."),
                     .align = right,
                     .text = [](const R& r) { return r.score.persistence ? formatPercent(*r.score.persistence, 0) : kAbsentText; },
                     .sort = [number](const R& r) { return number(r.score.persistence); },
                     .copy = [full](const R& r) { return full(r.score.persistence); }});
  columns.push_back({.title = QStringLiteral("slowest part"),
                     .help = QStringLiteral("The step part that took most more than the peers' median."),
                     .align = left,
                     .text = [](const R& r) { return r.slowest_part.isEmpty() ? kAbsentText : r.slowest_part; }});
  columns.push_back(
      {.title = QStringLiteral("since step"),
       .help = QStringLiteral("Where it stands out: from when on it mostly was above its peers. ≤: already at the first step looked at."),
       .align = right,
       .text =
           [](const R& r) {
             return r.score.since_step ? (r.score.since_before ? QStringLiteral("≤ ") : QString()) + formatCount(*r.score.since_step)
                                       : kAbsentText;
           },
       .sort =
           [](const R& r) { return r.score.since_step ? QVariant::fromValue(static_cast<qlonglong>(*r.score.since_step)) : QVariant(); },
       .copy = [](const R& r) { return r.score.since_step ? QString::number(*r.score.since_step) : QString(); }});
  columns.push_back({.title = QStringLiteral("peers"),
                     .help = QStringLiteral("Others of its role that it was compared with."),
                     .align = right,
                     .text = [](const R& r) { return formatCount(r.score.peers); },
                     .sort = [](const R& r) { return QVariant::fromValue(static_cast<qlonglong>(r.score.peers)); }});
  columns.push_back({.title = QStringLiteral("coverage"),
                     .help = QStringLiteral("Share of the steps looked at for which it has data."),
                     .align = right,
                     .text = [](const R& r) { return formatPercent(r.score.coverage, 0); },
                     .sort = [](const R& r) { return QVariant(r.score.coverage); },
                     .copy = [](const R& r) { return fullNumber(r.score.coverage); }});
  columns.push_back({.title = QStringLiteral("confidence"),
                     .help = QStringLiteral(
                         "high: 80 % coverage and 50 steps; medium: 50 % and 10 steps; low: less, or only whole step times are known."),
                     .align = left,
                     .text = [](const R& r) { return r.score.score ? confidenceText(r.score.confidence) : kAbsentText; },
                     .sort = [](const R& r) { return r.score.score ? QVariant(static_cast<double>(r.score.confidence)) : QVariant(); }});
  return columns;
}

}  // namespace runglass
