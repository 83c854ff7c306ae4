// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_anomaly.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/time.h"
#include "widgets/core/run_marks.h"
#include "widgets/core/run_words.h"
#include "widgets/core/units.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {
namespace {

constexpr double kSlowStep = 1.1, kManyMads = 5;
constexpr std::size_t kFewSteps = 3, kFewSpans = 8;
constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max(), kLowest = std::numeric_limits<TimeNs>::min();

// Keeps the nearest in the requested direction.
class Nearest {
 public:
  explicit Nearest(const AnomalyQuestion& question) : m_question(question) {}
  bool nearer(TimeNs t0) const {
    if (m_question.by > 0 ? t0 <= m_question.from : t0 >= m_question.from) return false;
    return !found || (m_question.by > 0 ? t0 < found->t0 : t0 > found->t0);
  }
  std::optional<Anomaly> found;

 private:
  const AnomalyQuestion& m_question;
};

Status findSteps(Reader& reader, const TimelineCatalog& catalog, const AnomalyQuestion& question, Nearest& nearest, QStringList& looked,
                 const std::stop_token& stop) {
  if (!question.step_rank) return {};
  const std::string sql = "SELECT step, start_ns, dur_ns FROM step WHERE run_id = " + std::to_string(catalog.run.id.value) +
                          " AND attempt = " + std::to_string(catalog.attempt.number) + " AND rank = " + std::to_string(*question.step_rank);
  struct Step {
    std::int64_t step;
    TimeNs t0;
    DurNs dur;
  };
  std::vector<Step> steps;
  Reader::SqlSink sink;
  sink.columns = [](const std::vector<std::string>&) {};
  sink.row = [&](const std::vector<SqlValue>& row) {
    const auto *step = std::get_if<std::int64_t>(&row[0]), *start = std::get_if<std::int64_t>(&row[1]),
               *dur = std::get_if<std::int64_t>(&row[2]);
    if (step != nullptr && start != nullptr && dur != nullptr && *dur >= 0) steps.push_back({*step, *start, *dur});
    return true;
  };
  RG_TRY(reader.query(sql, sink, stop));
  looked << TimelineText::tr("%1 steps of rank %2").arg(formatCount(static_cast<std::int64_t>(steps.size()))).arg(*question.step_rank);
  if (steps.size() < kFewSteps) return {};
  std::vector<double> lengths;
  lengths.reserve(steps.size());
  for (const Step& step : steps) lengths.push_back(static_cast<double>(step.dur));
  const double usual = median(lengths).value_or(0);
  for (const Step& step : steps) {
    if (static_cast<double>(step.dur) <= kSlowStep * usual || !nearest.nearer(step.t0)) continue;
    nearest.found = Anomaly{.t0 = step.t0, .t1 = plusTime(step.t0, step.dur), .rank = *question.step_rank};
    nearest.found->words = TimelineText::tr("slow step %1: %2, %3 compared with the median of %4 steps")
                               .arg(formatCount(step.step), formatDuration(step.dur),
                                    formatSignedPercent(static_cast<double>(step.dur) / std::max(usual, 1.0) - 1, 0),
                                    formatCount(static_cast<std::int64_t>(steps.size())));
  }
  return {};
}

Status findMarks(Reader& reader, const TimelineCatalog& catalog, Nearest& nearest, QStringList& looked, const std::stop_token& stop) {
  RG_ASSIGN(const RunMarks marks, readRunMarks(reader, catalog.run.id, stop));
  std::int64_t news = 0;
  for (const RunMark& mark : marks.marks) {
    if (!isNews(mark)) continue;
    ++news;
    if (!nearest.nearer(mark.time)) continue;
    nearest.found = Anomaly{.t0 = mark.time, .t1 = mark.end};
    nearest.found->words = mark.text;
  }
  looked << (news == 1 ? TimelineText::tr("1 event or finding") : TimelineText::tr("%1 events and findings").arg(formatCount(news)));
  return {};
}

// The largest range of the track around `from` within the reading limit, by its summary.
Result<TimeRange> readable(Reader& reader, const TimelineCatalog& catalog, const AnomalyQuestion& question, const std::stop_token& stop) {
  TimeRange range = catalog.extent.value_or(TimeRange{kLowest, kHighest});
  while (true) {
    const std::uint64_t length = static_cast<std::uint64_t>(range.t1) - static_cast<std::uint64_t>(range.t0);
    if (length < 2) return range;
    const auto pixel = static_cast<DurNs>(std::min<std::uint64_t>(length, static_cast<std::uint64_t>(kHighest)));
    RG_ASSIGN(const SpanPicture coarse, reader.spanPicture({&question.track, 1}, range, pixel, stop));
    std::int64_t spans = 0;
    for (const auto& lane : coarse.lanes)
      for (const SpanBar& bar : lane.bars) spans += bar.count;
    if (spans <= kMaxAnomalySpans) return range;
    const auto quarter = static_cast<DurNs>(length / 4);
    range = {std::max(range.t0, plusTime(question.from, -quarter)), std::min(range.t1, plusTime(question.from, quarter))};
    if (range.t1 <= range.t0) return range;
  }
}

Status findSpans(Reader& reader, const TimelineCatalog& catalog, const AnomalyQuestion& question, Nearest& nearest, QStringList& looked,
                 const std::stop_token& stop) {
  if (!question.track || question.name.empty()) return {};
  RG_ASSIGN(const TimeRange range, readable(reader, catalog, question, stop));
  if (range.t1 <= range.t0) return {};
  RG_ASSIGN(const SpanColumns spans, reader.spans(question.track, range, stop));
  std::vector<double> lengths;
  const auto counts = [&](std::size_t i) { return spans.dur[i] != kAbsent && spans.names[spans.name[i]] == question.name; };
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (counts(i)) lengths.push_back(static_cast<double>(spans.dur[i]));
  const QString name = shortSpanName(question.name);
  looked << TimelineText::tr("%1 spans named %2").arg(formatCount(static_cast<std::int64_t>(lengths.size())), name.left(60));
  if (lengths.size() < kFewSpans) return {};
  const double usual = median(lengths).value_or(0);
  std::vector<double> away;
  away.reserve(lengths.size());
  for (const double length : lengths) away.push_back(std::abs(length - usual));
  const double limit = usual + kManyMads * median(away).value_or(0);
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (!counts(i) || static_cast<double>(spans.dur[i]) <= limit || !nearest.nearer(spans.start[i])) continue;
    nearest.found = Anomaly{.t0 = spans.start[i],
                            .t1 = plusTime(spans.start[i], spans.dur[i]),
                            .track = question.track,
                            .rank = question.rank,
                            .id = spans.id[i]};
    nearest.found->words = TimelineText::tr("slow %1: %2, median of %3 of its name on this row %4")
                               .arg(name.left(60), formatDuration(spans.dur[i]), formatCount(static_cast<std::int64_t>(lengths.size())),
                                    formatDuration(static_cast<DurNs>(usual)));
  }
  return {};
}

}  // namespace

Result<AnomalyAnswer> nextAnomaly(Reader& reader, const TimelineCatalog& catalog, const AnomalyQuestion& question, std::stop_token stop) {
  Nearest nearest(question);
  QStringList looked;
  RG_TRY(findSteps(reader, catalog, question, nearest, looked, stop));
  RG_TRY(findMarks(reader, catalog, nearest, looked, stop));
  RG_TRY(findSpans(reader, catalog, question, nearest, looked, stop));
  return AnomalyAnswer{std::move(nearest.found), looked.join(QStringLiteral(", "))};
}

}  // namespace runglass
