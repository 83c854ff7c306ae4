// SPDX-License-Identifier: GPL-3.0-or-later
// Step times of all ranks: their range and median, and above them each rank's own work compared with its peers, step by step.
#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/slow_ranks/step_table.h"
#include "analysis/steps/attempt_steps.h"
#include "analysis/text/record_sql.h"
#include "model/series_extent.h"
#include "model/step_metrics.h"
#include "widgets/charts/plot_picture.h"
#include "widgets/evidence/curve_reading.h"
#include "widgets/evidence/evidence_kinds.h"
#include "widgets/ranking/heat_color.h"
#include "widgets/ranking/heat_paint.h"

namespace runglass {
namespace {

constexpr std::size_t kAllRanks = 64, kWorstRanks = 16;  // rows of the heat map: all of this few, else the worst
constexpr std::int64_t kMinAround = 20, kBefore = 40;
constexpr int kMaxRow = 18, kManyRows = 24, kLowRow = 4, kMinHeat = 48, kMaxHeat = 320, kBetween = 8;

class StepsPicture : public EvidencePicture {
 public:
  StepsPicture(std::optional<CurvePicture> band, HeatCells heat, QString title, std::set<std::int32_t> named)
      : m_band(std::move(band)), m_heat(std::move(heat)), m_title(std::move(title)), m_named(std::move(named)) {}

  double heightAt(double width) const override { return (m_band ? m_band->heightAt(width) + kBetween : 0) + heatHeight(); }

  void paint(QPainter& painter, const QRectF& area, const Theme& theme) const override {
    painter.fillRect(area, theme.surface);
    const double heat = heatHeight(), band = std::max(0.0, area.height() - heat - (m_heat.empty() ? 0 : kBetween));
    if (m_band) m_band->paint(painter, QRectF(0, 0, area.width(), band), theme);
    if (m_heat.empty()) return;
    const QRect room(0, static_cast<int>(area.height() - heat), static_cast<int>(area.width()), static_cast<int>(heat));
    HeatWords words{.title = m_title, .low = formatSignedPercent(-m_heat.scale, 0), .high = heatEndText(m_heat), .from = -m_heat.scale};
    words.notes = {QObject::tr("plain: ± 2 %"), QObject::tr("half: faster"), QObject::tr("hatched: not recorded")};
    words.row = [this](std::size_t row) {
      const std::int32_t rank = m_heat.rows[row].rank;
      return (m_named.contains(rank) ? QStringLiteral("▸ ") : QString()) + QString::number(rank);
    };
    for (std::size_t row = 0; row < m_heat.rows.size(); ++row)
      if (m_named.contains(m_heat.rows[row].rank)) words.named.push_back(row);
    words.column = [this](std::size_t column) {
      return (column == 0 ? QObject::tr("step ") : QString()) + formatCount(m_heat.steps[column]);
    };
    // Cells start where the plot above does.
    const HeatFrame frame(m_heat, words, room, {static_cast<int>(area.width()), kMaxRow}, PlotPicture::kGutter);
    paintHeatVector(painter, frame.cellArea(), m_heat, theme);
    frame.paint(painter, theme);
  }

 private:
  int heatHeight() const {
    if (m_heat.empty()) return 0;
    const auto rows = static_cast<int>(m_heat.rows.size());
    return std::clamp(rows * (rows > kManyRows ? kLowRow : kMaxRow), kMinHeat, kMaxHeat) + HeatFrame::kTop + HeatFrame::kBottom;
  }

  std::optional<CurvePicture> m_band;
  HeatCells m_heat;
  QString m_title;
  std::set<std::int32_t> m_named;  // outliers, and the card's subject
};

struct StepRange {
  std::int64_t first = 0, last = 0;  // half-open
  std::int64_t count() const { return last - first; }
};

class StepsReading {
 public:
  StepsReading(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question, const std::stop_token& stop)
      : m_reader(reader), m_subject(subject), m_question(question), m_stop(stop) {}

  Result<Evidence> read() {
    Evidence out{.title = QObject::tr("Step times of all ranks")};
    m_times = AttemptSteps::among(m_subject.series, m_subject.attempt.id, {StepSeries::kTime});
    for (const Series& series : m_times.of(StepSeries::kTime).empty() ? m_times.unranked() : m_times.of(StepSeries::kTime))
      m_steps.push_back(&series);
    if (m_times.logged() != nullptr) m_steps.push_back(m_times.logged());
    if (m_steps.empty()) {
      out.reason = QObject::tr("No step durations: the run was not traced with the client and its log has none.");
      return out;
    }
    RG_TRY(findRange());
    if (m_shown.count() <= 0) {
      out.reason = QObject::tr("No step began from %1.").arg(rangeWords(*m_subject.mark, m_subject.style));
      return out;
    }
    RG_TRY(readHeat());
    CurveStory story{.x0 = m_shown.first, .x1 = m_shown.last};
    story.plot.axis = XAxis::kStep;
    if (m_marked) story.mark = {m_marked->first, m_marked->last};
    const Series* chosen = nullptr;
    for (const Series* one : m_steps)
      if (one->key.rank && one->key.rank == subjectRank()) chosen = one;
    RG_ASSIGN(BandRead band,
              readBand(m_reader, m_steps, chosen, {CurveAxis::kStep, m_shown.first, m_shown.last, m_question.columns}, m_stop));
    if (band.heard == 0) {
      out.reason = QObject::tr("No step of this window has a duration.");
      return out;
    }
    if (chosen != nullptr && band.chosen) band.curves.front().name = QObject::tr("rank %1").arg(*chosen->key.rank);
    say(band, out);
    PlotPanel panel{.title = QObject::tr("step time"), .unit = "ns", .curves = std::move(band.curves)};
    story.add(std::move(panel), band.inks);
    out.sql = sql();
    out.place = {.view = "ranking", .t0 = {}, .t1 = {}, .select = m_subject.linkSelect(subjectRank())};
    if (const auto around = m_subject.around()) out.place.t0 = around->t0, out.place.t1 = around->t1;
    QString title = heatTitle();
    out.picture = std::make_shared<const StepsPicture>(CurvePicture(std::move(story)), m_even ? HeatCells() : std::move(m_heat),
                                                       std::move(title), m_named);
    return out;
  }

 private:
  // The relation `step` has step_time_ns; a step time from a log is a scalar.
  std::string sql() const {
    const std::string where = m_subject.sqlOfAttempt() + " AND " + sqlRange("step", {m_shown.first, m_shown.last}) + " ORDER BY step, rank";
    const std::string& metric = m_steps.front()->key.metric;
    if (metric == kStepTimeMetric) return "SELECT rank, step, start_ns, dur_ns FROM step WHERE " + where;
    return "SELECT rank, step, time_ns, value FROM scalar WHERE tag = " + sqlText(metric) + " AND " + where;
  }

  std::optional<std::int32_t> subjectRank() const {
    if (const Rank* chosen = m_subject.chosen()) return chosen->rank;
    return m_slowest;
  }

  // Steps of the marked time by the clock of the rank with the most of them, plus enough steps around it to establish the usual level.
  Status findRange() {
    const Series* longest = *std::ranges::max_element(m_steps, {}, &Series::sample_count);
    StepRange all{longest->first_x, endOf(*longest)};
    if (m_subject.mark && longest->first_time) {
      RG_ASSIGN(const ScalarColumns points, m_reader.scalars(longest->id, all.first, all.last, m_stop));
      const TimeRange around = *m_subject.around();
      std::optional<StepRange> near;
      const auto take = [](std::optional<StepRange>& range, std::int64_t step) {
        const std::int64_t end = step < INT64_MAX ? step + 1 : step;
        range = range ? StepRange{std::min(range->first, step), std::max(range->last, end)} : StepRange{step, end};
      };
      for (std::size_t i = 0; i < std::min(points.size(), points.time.size()); ++i) {
        const TimeNs time = points.time[i];
        if (time >= around.t0 && time < around.t1) take(near, points.step[i]);
        if (time >= m_subject.mark->t0 && time < m_subject.mark->t1) take(m_marked, points.step[i]);
      }
      // In a hang no step begins: the steps before it are shown.
      if (!m_marked) {
        m_shown = near.value_or(StepRange{all.first, all.first});
        return {};
      }
    } else if (m_subject.select.step && *m_subject.select.step >= all.first && *m_subject.select.step < all.last) {
      m_marked = StepRange{*m_subject.select.step, *m_subject.select.step + 1};
    }
    m_shown = all;
    if (!m_marked) return {};
    const std::int64_t room = std::max(kMinAround, m_marked->count() / 4);
    m_shown.first = m_marked->first - all.first > room ? m_marked->first - room : all.first;
    m_shown.last = all.last - m_marked->last > room ? m_marked->last + room : all.last;
    return {};
  }

  // The work of the ranks in at most kStepsLookedAt steps, starting a little before the range.
  Status readHeat() {
    const std::int64_t begin = m_marked ? m_marked->first : m_shown.last;
    const std::int64_t room = kStepsLookedAt - kBefore;
    std::int64_t newest = m_shown.last - 1;
    if (m_shown.last - begin > room) newest = begin + room - 1;
    StepTableFeed feed(m_subject.attempt.id, {.newest = newest});
    RG_ASSIGN(const StepTableAnswer answer, feed.read(m_reader, m_subject.ranks, m_stop));
    m_ranked = rankBySlowness(answer.table);
    if (m_marked) rankMarked(answer.table);
    if (m_ranked.status != SlowRanksStatus::kRanked) return {};
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < m_ranked.steps.size(); ++i)
      if (m_ranked.steps[i] >= m_shown.first && m_ranked.steps[i] < m_shown.last)
        columns.push_back(i), m_heat.steps.push_back(m_ranked.steps[i]);
    const bool few = m_ranked.ranks.size() <= kAllRanks;
    const Rank* about = m_subject.chosen();
    for (const RankScore& rank : m_ranked.ranks) {  // worst first
      if (rank.stands_out) m_named.insert(rank.rank);
      const bool wanted = few || m_heat.rows.size() < kWorstRanks || (about != nullptr && rank.rank == about->rank);
      if (!wanted || rank.ratio.empty()) continue;
      HeatCells::Row row{rank.rank, {}};
      for (const std::size_t column : columns) row.ratio.push_back(rank.ratio[column]);
      m_heat.rows.push_back(std::move(row));
    }
    if (about != nullptr) m_named.insert(about->rank);
    std::ranges::sort(m_heat.rows, {}, &HeatCells::Row::rank);
    m_heat.scale = heatScale(m_heat);
    m_heat.beyond = exceedsScale(m_heat);
    if (m_ranked.standingOut() > 0) m_slowest = m_ranked.ranks.front().rank;
    // A map without a coloured cell becomes a sentence.
    m_even = std::ranges::none_of(m_heat.rows, [](const HeatCells::Row& row) {
      return std::ranges::any_of(row.ratio, [](float ratio) { return std::fabs(ratio) > kQuietRatio; });
    });
    return {};
  }

  // Outliers in the marked steps: before and after the mark they may have been like their peers.
  void rankMarked(const StepTable& table) {
    StepTable marked = table;
    marked.steps.clear();
    std::vector<std::size_t> keep;
    for (std::size_t i = 0; i < table.steps.size(); ++i)
      if (table.steps[i] >= m_marked->first && table.steps[i] < m_marked->last) keep.push_back(i), marked.steps.push_back(table.steps[i]);
    if (keep.size() < kMinSteps) return;
    for (std::size_t r = 0; r < table.ranks.size(); ++r) {
      marked.ranks[r].value_ns.clear();
      for (const std::size_t i : keep) marked.ranks[r].value_ns.push_back(table.ranks[r].value_ns[i]);
    }
    SlowRanks within = rankBySlowness(marked);
    if (within.status != SlowRanksStatus::kRanked) return;
    // Cells are compared in all steps of the table.
    for (RankScore& rank : within.ranks) {
      const auto all = std::ranges::find(m_ranked.ranks, rank.rank, &RankScore::rank);
      rank.ratio = all != m_ranked.ranks.end() ? std::move(all->ratio) : std::vector<float>();
    }
    within.steps = std::move(m_ranked.steps);
    m_ranked = std::move(within);
    m_scored_marked = true;
  }

  QString heatTitle() const {
    const QString what = m_ranked.basis == SlownessBasis::kWork ? QObject::tr("own work") : QObject::tr("step time");
    const auto all = static_cast<std::int64_t>(m_ranked.ranks.size());
    if (m_heat.rows.size() == m_ranked.ranks.size())
      return QObject::tr("rank × step: %1 against the peers' median%2").arg(what, comparedPart());
    const std::size_t worst = std::min(m_heat.rows.size(), kWorstRanks);
    const Rank* about = m_heat.rows.size() > worst ? m_subject.chosen() : nullptr;
    return QObject::tr("the worst %1 of %2%3 × step: %4 against the peers' median%5")
        .arg(worst)
        .arg(countWords(all, QT_TRANSLATE_NOOP("Counts", "%1 rank"), QT_TRANSLATE_NOOP("Counts", "%1 ranks")),
             about != nullptr ? QObject::tr(", and rank %1").arg(about->rank) : QString(), what, comparedPart());
  }

  void say(const BandRead& band, Evidence& out) const {
    const auto per_step = [](double ns) { return formatDuration(static_cast<DurNs>(ns)); };
    const RankScore* worst = m_ranked.ranks.empty() ? nullptr : &m_ranked.ranks.front();
    if (worst != nullptr && worst->stands_out && worst->score && worst->own_ns) {
      out.shows = QObject::tr("The slowest is %1: %2 of own work a step, %3 against its peers")
                      .arg(m_subject.rankName(worst->rank), per_step(*worst->own_ns), formatSignedPercent(*worst->score));
      if (m_ranked.basis == SlownessBasis::kStepTime) out.shows.replace(QObject::tr(" of own work"), QString());
      if (!m_scored_marked && worst->since_step && !worst->since_before)
        out.shows += QObject::tr(", since step %1").arg(formatCount(*worst->since_step));
      if (const auto more = m_ranked.standingOut(); more > 1)
        out.shows += QObject::tr("; %1 more outliers").arg(formatCount(static_cast<std::int64_t>(more) - 1));
      out.shows += QStringLiteral(".");
    } else if (m_ranked.status == SlowRanksStatus::kRanked) {
      out.shows = QObject::tr("No rank deviates%1").arg(comparedPart()) +
                  (m_even ? QObject::tr(": all are within 2 % of their peers in every step.") : QStringLiteral("."));
    }
    sayLengths(band, out);
    const auto ranks = static_cast<std::int64_t>(std::max(m_subject.ranks.size(), m_steps.size()));
    out.coverage = QObject::tr("%1 of %2")
                       .arg(formatCount(static_cast<std::int64_t>(band.heard)),
                            countWords(ranks, QT_TRANSLATE_NOOP("Counts", "%1 rank"), QT_TRANSLATE_NOOP("Counts", "%1 ranks")));
    out.coverage += QObject::tr(", steps %1 to %2").arg(formatCount(m_shown.first), formatCount(m_shown.last - 1));
    if (m_heat.empty()) {
      out.coverage += QObject::tr("; ranks not compared: %1").arg(whyNot());
      return;
    }
    std::size_t reported = 0;
    for (const auto& row : m_heat.rows)
      reported += static_cast<std::size_t>(std::ranges::count_if(row.ratio, [](float v) { return !std::isnan(v); }));
    const double share = static_cast<double>(reported) / static_cast<double>(m_heat.rows.size() * m_heat.steps.size());
    out.coverage +=
        QObject::tr("; compared in %1 of %2")
            .arg(formatPercent(share, 0), countWords(static_cast<std::int64_t>(m_heat.steps.size()), QT_TRANSLATE_NOOP("Counts", "%1 step"),
                                                     QT_TRANSLATE_NOOP("Counts", "%1 steps")));
    const std::int64_t gaps = m_heat.steps.back() - m_heat.steps.front() + 1 - static_cast<std::int64_t>(m_heat.steps.size());
    if (gaps > 0)
      out.coverage += QObject::tr(", %1 without data")
                          .arg(countWords(gaps, QT_TRANSLATE_NOOP("Counts", "%1 step"), QT_TRANSLATE_NOOP("Counts", "%1 steps")));
  }

  // The median rank's step times in the mark and before it; without a mark of all steps.
  void sayLengths(const BandRead& band, Evidence& out) const {
    const auto role = band.median ? CurveRole::kCompared : CurveRole::kSubject;
    const auto at = std::ranges::find(band.inks, role, &CurveInk::role);
    if (at == band.inks.end()) return;
    const SharedBins& bins = band.curves[static_cast<std::size_t>(at - band.inks.begin())].bins;
    const StepRange reported = m_marked.value_or(m_shown);
    const auto now = meanWithin(*bins, reported.first, reported.last), before = meanWithin(*bins, m_shown.first, reported.first);
    if (!now) return;
    const auto words = [](double ns) { return formatDuration(static_cast<DurNs>(ns)); };
    out.shows += (out.shows.isEmpty() ? QString() : QStringLiteral(" ")) +
                 (reported.count() == 1 ? QObject::tr("Step %1").arg(formatCount(reported.first))
                                        : QObject::tr("Steps %1 to %2").arg(formatCount(reported.first), formatCount(reported.last - 1))) +
                 QObject::tr(" took %1").arg(words(*now));
    if (before) out.shows += QObject::tr(", those before %1").arg(words(*before));
    out.shows += QStringLiteral(".");
  }

  // The compared part of the shown steps, if not all were: nothing is stated about the others.
  QString comparedPart() const {
    if (m_heat.steps.empty() || (m_heat.steps.front() <= m_shown.first && m_heat.steps.back() + 1 >= m_shown.last)) return {};
    return QObject::tr(" in steps %1 to %2").arg(formatCount(m_heat.steps.front()), formatCount(m_heat.steps.back()));
  }

  QString whyNot() const {
    switch (m_ranked.status) {
      case SlowRanksStatus::kTooFewPeers:
        return QObject::tr("too few peers");
      case SlowRanksStatus::kTooFewSteps:
        return QObject::tr("too few steps");
      default:
        return QObject::tr("no steps of theirs");
    }
  }

  Reader& m_reader;
  const EvidenceSubject& m_subject;
  const EvidenceQuestion& m_question;
  const std::stop_token& m_stop;
  AttemptSteps m_times;
  std::vector<const Series*> m_steps;  // of m_times
  StepRange m_shown;
  std::optional<StepRange> m_marked;
  SlowRanks m_ranked;
  HeatCells m_heat;
  std::set<std::int32_t> m_named;
  std::optional<std::int32_t> m_slowest;
  bool m_scored_marked = false;  // m_ranked is of the marked steps, except its cells
  bool m_even = false;           // no rank is more than 2 % off in any step
};

}  // namespace

Result<Evidence> readStepsEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                   const std::stop_token& stop) {
  return StepsReading(reader, subject, question, stop).read();
}

}  // namespace runglass
