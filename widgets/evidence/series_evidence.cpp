// SPDX-License-Identifier: GPL-3.0-or-later
// Any metric or scalar around an incident: a few curves as lines, many as a band with the card's subject on top.
#include <algorithm>

#include "analysis/text/record_sql.h"
#include "widgets/evidence/curve_reading.h"
#include "widgets/evidence/evidence_kinds.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxLines = 8;
constexpr double kShare = 1.6;

// Series of that name: the run's, or those of the machines of the run's ranks.
Result<std::vector<Series>> wanted(Reader& reader, const EvidenceSubject& subject) {
  SeriesFilter filter;
  filter.metric = subject.select.metric;
  RG_ASSIGN(std::vector<Series> all, reader.series(filter));
  const auto ours = [&](const Series& series) {
    if (series.sample_count == 0) return false;
    if (series.run) return series.run == subject.run.id;
    if (subject.ranks.empty()) return true;
    return std::ranges::any_of(subject.ranks, [&](const Rank& rank) {
      return (series.key.device && rank.device == series.key.device) ||
             (!series.key.device && series.key.node && rank.node == series.key.node);
    });
  };
  std::erase_if(all, [&](const Series& series) { return !ours(series); });
  // A store usually has one kind of series per name; of two kinds the one with more points is used.
  const auto longest = std::ranges::max_element(all, {}, &Series::sample_count);
  if (longest == all.end()) return all;
  const bool scalar = longest->key.kind == SeriesKind::kScalar;
  std::erase_if(all, [scalar](const Series& series) { return (series.key.kind == SeriesKind::kScalar) != scalar; });
  return all;
}

// The subject's series; several if labels distinguish them.
std::vector<const Series*> about(const std::vector<Series>& all, const EvidenceSubject& subject) {
  const Rank* rank = subject.chosen();
  const Device* device = subject.device();
  const Node* node = subject.node();
  std::vector<const Series*> out;
  const auto is = [&](const Series& series) {
    if (series.key.rank) return rank != nullptr && *series.key.rank == rank->rank && series.key.attempt == subject.attempt.id;
    if (series.key.device)
      return (device != nullptr && series.key.device == device->id) || (rank != nullptr && series.key.device == rank->device);
    return series.key.node && node != nullptr && series.key.node == node->id;
  };
  for (const Series& series : all)
    if (is(series)) out.push_back(&series);
  return out;
}

}  // namespace

Result<Evidence> readSeriesEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                    const std::stop_token& stop) {
  const QString title = metricTitle(subject.select.metric);
  Evidence out{.title = title};
  if (subject.select.metric.empty()) {
    out.reason = QObject::tr("The card names no metric: its select needs metric=NAME.");
    return out;
  }
  RG_ASSIGN(const std::vector<Series> all, wanted(reader, subject));
  if (all.empty()) {
    out.reason = QObject::tr("Nothing called “%1” was recorded.").arg(title);
    return out;
  }
  const bool scalar = all.front().key.kind == SeriesKind::kScalar;
  const bool clocked = std::ranges::any_of(all, [](const Series& series) { return series.first_time.has_value(); });
  CurveRange range{.columns = question.columns};
  CurveStory story;
  if (const auto around = subject.around(); around && clocked) {
    range.x0 = around->t0, range.x1 = around->t1;
    if (subject.mark) range.mark = story.mark = {subject.mark->t0, subject.mark->t1};
  } else if (scalar) {
    range.axis = CurveAxis::kStep;
    range.x0 = std::ranges::min_element(all, {}, &Series::first_x)->first_x;
    const std::int64_t last = std::ranges::max_element(all, {}, &Series::last_x)->last_x;
    range.x1 = last == INT64_MAX ? last : last + 1;
  } else {
    out.reason = QObject::tr("The run has no clock, and this metric no steps.");
    return out;
  }
  story.x0 = range.x0, story.x1 = range.x1;
  story.plot.axis = range.axis == CurveAxis::kTime ? XAxis::kTime : XAxis::kStep;
  story.plot.style = subject.style;
  PlotPanel panel{.title = title, .unit = all.front().key.unit, .share = kShare};
  std::vector<const Series*> members;
  for (const Series& series : all) members.push_back(&series);
  const auto own = about(all, subject);
  const Series* chosen = own.size() == 1 ? own.front() : nullptr;
  if (own.size() > 1) members = own;
  RG_ASSIGN(BandRead band, readBand(reader, members, chosen, range, stop));
  std::vector<CurveInk> inks;
  if (members.size() <= kMaxLines) {
    RG_ASSIGN(CurvesRead lines, readLines(reader, subject, members, range, 0, stop));
    panel.curves = std::move(lines.curves), inks = std::move(lines.inks);
    out.coverage = countWords(lines.points, QT_TRANSLATE_NOOP("Counts", "%1 point"), QT_TRANSLATE_NOOP("Counts", "%1 points"));
  } else {
    if (chosen != nullptr && band.chosen && !band.curves.empty())
      band.curves.front().name = chosen->key.rank ? QObject::tr("rank %1").arg(*chosen->key.rank) : subject.nodeName(chosen->key.node);
    panel.curves = std::move(band.curves), inks = std::move(band.inks);
    out.coverage = QObject::tr("%1 of %2")
                       .arg(formatCount(static_cast<std::int64_t>(band.heard)),
                            countWords(static_cast<std::int64_t>(members.size()), QT_TRANSLATE_NOOP("Counts", "%1 series"),
                                       QT_TRANSLATE_NOOP("Counts", "%1 series")));
  }
  if (band.heard == 0) {
    out.reason = QObject::tr("No point of “%1” in this window.").arg(title);
    return out;
  }
  if (band.least && band.most)
    out.shows = QObject::tr("%1 between %2 and %3").arg(title, formatValue(*band.least, panel.unit), formatValue(*band.most, panel.unit));
  if (band.chosen && band.median)
    out.shows +=
        QObject::tr("; %1 against %2 of the others").arg(formatValue(*band.chosen, panel.unit), formatValue(*band.median, panel.unit));
  if (!out.shows.isEmpty()) out.shows += QStringLiteral(".");
  story.add(std::move(panel), std::move(inks));
  out.sql = scalar ? "SELECT attempt, rank, source, step, time_ns, value FROM scalar WHERE " + runIs(subject.run.uuid) +
                         " AND tag = " + sqlText(subject.select.metric) + " AND " +
                         sqlRange(range.axis == CurveAxis::kTime ? "time_ns" : "step", {range.x0, range.x1}) + " ORDER BY 1, 2, 3, 4"
                   : "SELECT s.node, s.device_uuid, x.time_ns, x.value FROM series s JOIN sample(s.series_id, " + std::to_string(range.x0) +
                         ", " + std::to_string(range.x1) + ") x WHERE s.metric = " + sqlText(subject.select.metric) + " ORDER BY 1, 2, 3";
  out.place = {.view = "curves", .t0 = {}, .t1 = {}, .select = subject.linkSelect()};
  if (range.axis == CurveAxis::kTime) out.place.t0 = range.x0, out.place.t1 = range.x1;
  out.picture = std::make_shared<const CurvePicture>(std::move(story));
  return out;
}

}  // namespace runglass
