// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: a sentence states only facts from the values and the ranks' progress.
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "widgets/core/language.h"
#include "widgets/core/units.h"
#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

constexpr DurNs kHungAfter = 60 * kNsPerSecond;  // in a live job: shorter waits occur in every step

// The ranks whose newest progress is in a collective of one communicator (0: they name none).
struct Meeting {
  std::int64_t seq = 0;  // the newest
  std::vector<std::uint32_t> inside, behind;
};

std::map<std::int64_t, Meeting> meetingsOf(const TopologyData& data) {
  std::map<std::int64_t, Meeting> meetings;
  for (std::uint32_t i = 0; i < data.ranks.size(); ++i) {
    const auto& p = data.ranks[i].progress;
    if (!p || !p->seq) continue;
    const auto [at, added] = meetings.try_emplace(p->group.value_or(0));
    Meeting& meeting = at->second;
    if (added || *p->seq > meeting.seq) {
      meeting.behind.insert(meeting.behind.end(), meeting.inside.begin(), meeting.inside.end());
      meeting.inside.clear();
      meeting.seq = *p->seq;
    }
    (*p->seq == meeting.seq ? meeting.inside : meeting.behind).push_back(i);
  }
  return meetings;
}

QString much(const TopologyMetric& metric, double deviation) {
  const double size = std::abs(deviation);
  if (metric.relative) return formatPercent(size, size < 0.0995 ? 1 : 0);
  return valueText(metric, size);
}

struct StageDeviation {
  std::optional<std::int32_t> pp;
  double deviation = 0;  // positive: worse
};

// The stage that deviates most to the worse side from the middle of the others.
std::optional<StageDeviation> worstStage(const TopologyData& data) {
  std::optional<StageDeviation> worst;
  if (data.verdict) {
    for (const StageWork& stage : data.verdict->stages)
      if (stage.longer && (!worst || *stage.longer > worst->deviation)) worst = StageDeviation{stage.role, *stage.longer};
    return worst;
  }
  std::vector<double> medians;
  for (const StageMedian& stage : data.stages) medians.push_back(stage.pp ? stage.median : std::numeric_limits<double>::quiet_NaN());
  const auto others = peerMedians<double>(medians, 1);
  for (std::size_t i = 0; i < data.stages.size(); ++i) {
    const StageMedian& stage = data.stages[i];
    const double middle = others[i];
    if (std::isnan(middle) || (data.metric.relative && middle == 0)) continue;
    double deviation = data.metric.relative ? stage.median / middle - 1 : stage.median - middle;
    if (!data.metric.more_is_worse) deviation = -deviation;
    if (!worst || deviation > worst->deviation) worst = StageDeviation{stage.pp, deviation};
  }
  return worst;
}

QString hangSentence(const TopologyData& data) {
  const Hang& hang = *data.hang;
  const bool one = hang.not_seen.size() == 1;
  QString where = hang.op.isEmpty() ? TopologyText::tr("a collective") : hang.op;
  if (hang.seq) where += QStringLiteral(" #%1").arg(*hang.seq);
  if (!hang.group.isEmpty()) where = TopologyText::tr("%1 of %2").arg(where, hang.group);
  return (one ? TopologyText::tr("%1 of %2 ranks wait; rank %3 is not seen in %4, where %5 of %6 wait")
              : TopologyText::tr("%1 of %2 ranks wait; ranks %3 are not seen in %4, where %5 of %6 wait"))
      .arg(formatCount(static_cast<std::int64_t>(hang.waiting)), formatCount(static_cast<std::int64_t>(data.ranks.size())),
           rankRanges(hang.not_seen, 6), where, formatCount(static_cast<std::int64_t>(hang.inside)),
           formatCount(static_cast<std::int64_t>(hang.members)));
}

bool isOfSteps(const TopologyMetric& metric) {
  return metric.value == TopologyValue::kStepTime || metric.value == TopologyValue::kWork || metric.value == TopologyValue::kWait;
}

// Findings concern other steps: a headline about the newest steps names the steps.
QString withSteps(const TopologyData& data, const QString& sentence) {
  if (!data.first_step || !data.last_step || !isOfSteps(data.metric)) return sentence;
  return TopologyText::tr("%1 in steps %2 to %3").arg(sentence, formatCount(*data.first_step), formatCount(*data.last_step));
}

bool deviates(const TopologyData& data, const TopologyRank& rank) {
  if (data.verdict) return data.verdict->ranks.at(rank.place.rank).slow;
  return (data.metric.more_is_worse ? *rank.deviation : -*rank.deviation) >= data.metric.stands_out;
}

QString rankSentence(const TopologyData& data, const TopologyRank& worst, double deviation) {
  if (data.metric.value == TopologyValue::kWhatIf)
    return TopologyText::tr("The ranks of %1, replica %2 slow the step down by %3")
        .arg(stageText(worst.place.pp), worst.place.dp ? QString::number(*worst.place.dp) : kAbsentText, much(data.metric, deviation));
  const bool staged = data.stages.size() != 1 || data.stages.front().pp;
  const QString text = TopologyText::tr(staged ? data.metric.rank_of_stage : data.metric.rank_of_all)
                           .arg(QString::number(worst.place.rank), much(data.metric, deviation));
  std::size_t more = 0;
  bool same_node = worst.place.node.value != 0;
  for (const TopologyRank& rank : data.ranks) {
    if (&rank == &worst || !rank.deviation || !deviates(data, rank)) continue;
    ++more;
    same_node &= rank.place.node == worst.place.node;
  }
  if (more == 0) return text;
  const QString count = formatCount(static_cast<std::int64_t>(more)),
                bound = data.metric.relative ? formatPercent(data.metric.stands_out, 0) : much(data.metric, data.metric.stands_out);
  return same_node ? TopologyText::tr("%1; %2 more by at least %3, all on %4").arg(text, count, bound, worst.node)
                   : TopologyText::tr("%1; %2 more by at least %3").arg(text, count, bound);
}

const TopologyRank* worstSlow(const TopologyData& data) {
  if (!data.verdict) return nullptr;
  for (const std::int32_t slow : data.verdict->slow) {
    const auto rank = std::ranges::find(data.ranks, slow, [](const TopologyRank& one) { return one.place.rank; });
    if (rank != data.ranks.end() && rank->deviation) return &*rank;
  }
  return nullptr;
}

void makeFindingsHeadline(TopologyData& data) {
  std::size_t named = 0;
  const TopologyRank* worst = nullptr;
  for (const TopologyRank& rank : data.ranks) {
    if (rank.findings.isEmpty()) continue;
    ++named;
    if (worst == nullptr || rank.value > worst->value) worst = &rank;
  }
  data.warn = worst != nullptr && *worst->value >= data.metric.stands_out;
  data.headline =
      worst == nullptr
          ? TopologyText::tr("No finding names one of the %1 ranks").arg(formatCount(static_cast<std::int64_t>(data.ranks.size())))
          : TopologyText::tr("Findings name %1 of %2 ranks; rank %3: %4")
                .arg(formatCount(static_cast<std::int64_t>(named)), formatCount(static_cast<std::int64_t>(data.ranks.size())),
                     QString::number(worst->place.rank), worst->findings.front());
}

void makeHeadline(TopologyData& data) {
  data.warn = true;
  if (data.hang) {
    data.headline = hangSentence(data);
    return;
  }
  if (data.metric.value == TopologyValue::kFindings) return makeFindingsHeadline(data);
  const TopologyRank* worst = nullptr;
  double deviation = 0, largest = 0;
  std::size_t valued = 0;
  for (const TopologyRank& rank : data.ranks) {
    valued += rank.value ? 1 : 0;
    if (!rank.deviation) continue;
    const double worse = data.metric.more_is_worse ? *rank.deviation : -*rank.deviation;
    largest = std::max(largest, std::abs(worse));
    if (worst == nullptr || worse > deviation) worst = &rank, deviation = worse;
  }
  // Others may take longer now and then.
  if (const TopologyRank* slow = worstSlow(data); slow != nullptr) worst = slow, deviation = *slow->deviation;
  const bool stands_out = worst != nullptr && deviates(data, *worst);
  const auto stage = worstStage(data);
  // The verdict compares ranks within their stage: a slow one is not slow for its stage.
  if (stage && stage->deviation >= data.metric.stands_out &&
      (data.verdict ? !stands_out : worst == nullptr || stage->deviation >= deviation)) {
    data.headline =
        withSteps(data, TopologyText::tr(data.metric.stage_of_all).arg(QString::number(*stage->pp), much(data.metric, stage->deviation)));
    return;
  }
  if (stands_out) {
    data.headline = withSteps(data, rankSentence(data, *worst, deviation));
    return;
  }
  data.warn = false;
  if (valued == 0) {
    data.headline = TopologyText::tr("%1 ranks; none has a value for: %2")
                        .arg(formatCount(static_cast<std::int64_t>(data.ranks.size())), TopologyText::tr(data.metric.title)) +
                    (data.trouble.isEmpty() ? QString() : QStringLiteral(" (%1)").arg(data.trouble));
    return;
  }
  if (worst == nullptr) {
    data.headline = TopologyText::tr("%1 of %2 ranks have a value; too few peers in each stage, or steps, to compare them")
                        .arg(formatCount(static_cast<std::int64_t>(valued)), formatCount(static_cast<std::int64_t>(data.ranks.size())));
    return;
  }
  // Rounded up: "within" must hold.
  const double digits = data.metric.relative ? 1000 : 1;
  const double bound = std::ceil(largest * digits - 1e-9) / digits;
  const bool staged = data.stages.size() != 1 || data.stages.front().pp;
  const QString who = valued == data.ranks.size() ? TopologyText::tr("All %1 ranks").arg(formatCount(static_cast<std::int64_t>(valued)))
                                                  : TopologyText::tr("The %1 of %2 ranks that have a value")
                                                        .arg(formatCount(static_cast<std::int64_t>(valued)),
                                                             formatCount(static_cast<std::int64_t>(data.ranks.size())));
  const QString text =
      bound == 0
          ? (staged ? TopologyText::tr("%1 are at their stage's median") : TopologyText::tr("%1 are at their median")).arg(who)
          : (staged ? TopologyText::tr("%1 are within %2 of their stage's median") : TopologyText::tr("%1 are within %2 of their median"))
                .arg(who, much(data.metric, bound));
  data.headline = withSteps(data, text);
}

// A description of the picture: layout, content of a tile, missing ranks.
QString pictureText(const TopologyData& data, const Lattice& l) {
  QStringList parts;
  const auto count = [](std::size_t n) { return formatCount(static_cast<std::int64_t>(n)); };
  if (l.cells.empty())
    parts << TopologyText::tr("No place in the parallel layout is known: a plain grid by node. An order of ranks places them");
  else {
    parts << TopologyText::tr("DP %1 across, PP %2 down").arg(count(l.dp.size()), count(l.pp.size()));
    if (l.tp.size() > 1) parts << TopologyText::tr("in a tile, top down: tp %1–%2").arg(l.tp.front()).arg(l.tp.back());
    if (l.blocks.size() > 1)
      parts << (l.by_ep ? l.blocks.front().first >= 0 && l.blocks.front().first != l.blocks.back().first
                              ? TopologyText::tr("from left to right: cp %1–%2, each with its ep %3–%4")
                                    .arg(l.blocks.front().first)
                                    .arg(l.blocks.back().first)
                                    .arg(l.blocks.front().second)
                                    .arg(l.blocks.back().second)
                              : TopologyText::tr("from left to right: ep %1–%2").arg(l.blocks.front().second).arg(l.blocks.back().second)
                        : TopologyText::tr("from left to right: cp %1–%2").arg(l.blocks.front().first).arg(l.blocks.back().first));
  }
  const std::size_t known = data.ranks.size();
  const auto world = static_cast<std::size_t>(std::max(0, data.attempt.layout.world));
  parts << (world > known ? TopologyText::tr("%1 of %2 ranks known; dotted places have none").arg(count(known), count(world))
                          : TopologyText::tr("%1 ranks").arg(count(known)));
  if (data.attempt.layout.ep > 1 && !l.by_ep) parts << TopologyText::tr("EP %1 lies within these").arg(data.attempt.layout.ep);
  if (data.last_step && isOfSteps(data.metric)) parts << TopologyText::tr("steps up to %1").arg(formatCount(*data.last_step));
  if (const QString places = placesText(data.places); !places.isEmpty()) parts << places;
  return parts.join(QStringLiteral("  ·  "));
}

}  // namespace

std::optional<Hang> findHang(TopologyData& data) {
  const auto meetings = meetingsOf(data);
  std::set<std::uint32_t> waiting;
  for (const auto& [group, meeting] : meetings) waiting.insert(meeting.inside.begin(), meeting.inside.end());
  std::unordered_map<std::int32_t, std::uint32_t> index;
  for (std::uint32_t i = 0; i < data.ranks.size(); ++i) index[data.ranks[i].place.rank] = i;
  std::optional<Hang> worst;
  std::vector<std::uint32_t> not_seen;
  for (const auto& [id, meeting] : meetings) {
    const auto group = std::ranges::find(data.groups, id, &CommGroup::id);
    // The blocking ranks: members that are behind in it, or that wait nowhere at all.
    std::vector<std::uint32_t> absent = meeting.behind;
    std::size_t members = meeting.inside.size() + meeting.behind.size();
    if (group != data.groups.end() && !group->ranks.empty()) {
      members = group->ranks.size();
      for (const std::int32_t rank : group->ranks)
        if (const auto at = index.find(rank);
            at != index.end() && !waiting.contains(at->second) && std::ranges::find(absent, at->second) == absent.end())
          absent.push_back(at->second);
    }
    if (absent.empty() || meeting.inside.empty()) continue;
    const Progress& word = *data.ranks[meeting.inside.front()].progress;
    const bool live = data.run.state == RunState::kRunning;
    if (live && data.now - word.since.value_or(word.time) < kHungAfter) continue;
    if (worst && worst->inside >= meeting.inside.size()) continue;
    worst = Hang{.waiting = waiting.size(), .not_seen = {}, .inside = meeting.inside.size(), .members = members};
    worst->op = screenText(word.op, 60);
    if (group != data.groups.end()) worst->group = screenText(group->name.empty() ? group->kind : group->name, 60);
    worst->seq = meeting.seq;
    std::ranges::sort(absent);
    for (const std::uint32_t i : absent) worst->not_seen.push_back(data.ranks[i].place.rank);
    not_seen = absent;
  }
  if (!worst || worst->waiting < 2) return std::nullopt;
  for (const std::uint32_t i : waiting) data.ranks[i].wait = WaitState::kWaiting;
  for (const std::uint32_t i : not_seen) data.ranks[i].wait = WaitState::kNotSeen;
  return worst;
}

void makeWords(TopologyData& data) {
  if (data.hang_found) {
    data.headline = hangHeadline(data);
    data.warn = true;
  } else {
    makeHeadline(data);
  }
}

QString captionOf(const TopologyData& data, const Lattice& lattice) {
  QString text = pictureText(data, lattice);
  if (!lattice.shown.empty()) text += TopologyText::tr("  ·  folded: a cell shows its worst rank");
  return data.hang_mode ? hangCaption(data) + QStringLiteral("  ·  ") + text : text;
}

QString rankRanges(std::vector<std::int32_t> ranks, int most) {
  std::ranges::sort(ranks);
  QStringList parts;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
    if (parts.size() == most) {
      parts << TopologyText::tr("… (%1 in all)").arg(formatCount(static_cast<std::int64_t>(ranks.size())));
      break;
    }
    if (end - i > 2)
      parts << QStringLiteral("%1–%2").arg(ranks[i]).arg(ranks[end - 1]);
    else
      for (std::size_t j = i; j < end; ++j) parts << QString::number(ranks[j]);
    i = end;
  }
  return parts.join(QStringLiteral(", "));
}

QString coordinateText(const Rank& rank) {
  QStringList parts;
  for (const auto& [name, value] : {std::pair<const char*, std::optional<std::int32_t>>{"dp", rank.dp},
                                    {"pp", rank.pp},
                                    {"tp", rank.tp},
                                    {"cp", rank.cp},
                                    {"ep", rank.ep}})
    if (value) parts << QStringLiteral("%1 %2").arg(QLatin1String(name)).arg(*value);
  return parts.isEmpty() ? kAbsentText : parts.join(QStringLiteral(" · "));
}

QString placesText(const LayoutPlaces& places) {
  QStringList parts;
  std::map<PlaceSource, QStringList> derived;
  for (const LayoutDimension dimension : kLayoutDimensions)
    if (const DimensionPlaces& of = places.of(dimension); of.placed > 0 && of.source > PlaceSource::kSaid)
      derived[of.source] << QLatin1String(dimensionName(dimension));
  for (const auto& [source, names] : derived)
    parts << TopologyText::tr("%1 by %2").arg(names.join(QStringLiteral(", ")), termText(placeSourceName(source)));
  if (!places.mismatches.empty()) {
    const LayoutMismatch& first = places.mismatches.front();
    const std::size_t all = places.mismatches.size() + places.more_mismatches;
    const QString text = TopologyText::tr("⚠ %1: expected %2, found %3")
                             .arg(screenText(first.what, 80), screenText(first.expected, 120), screenText(first.found, 120));
    parts << (all > 1 ? TopologyText::tr("%1; %2 more contradictions").arg(text, formatCount(static_cast<std::int64_t>(all - 1))) : text);
  }
  return parts.join(QStringLiteral("  ·  "));
}

QString valueText(const TopologyMetric& metric, double value) {
  if (metric.value == TopologyValue::kFindings) {
    const int severity = std::clamp(static_cast<int>(value), 0, 4);
    return severity == 0 ? TopologyText::tr("none") : termText(severityName(static_cast<Severity>(severity)));
  }
  if (metric.value == TopologyValue::kHeard) return formatDuration(static_cast<DurNs>(value));
  if (metric.value != TopologyValue::kProgress) return formatValue(value, metric.unit);
  const auto steps = static_cast<std::int64_t>(std::llround(value));
  return (steps == 1 ? TopologyText::tr("%1 step") : TopologyText::tr("%1 steps")).arg(formatCount(steps));
}

QString deviationText(const TopologyMetric& metric, double deviation) {
  if (metric.relative) return formatSignedPercent(deviation);
  return (deviation < 0 ? QStringLiteral("−") : QStringLiteral("+")) + valueText(metric, std::abs(deviation));
}

QString stageText(std::optional<std::int32_t> pp) { return pp ? TopologyText::tr("stage %1").arg(*pp) : TopologyText::tr("all ranks"); }

}  // namespace runglass
