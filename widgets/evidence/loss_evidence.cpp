// SPDX-License-Identifier: GPL-3.0-or-later
// Loss and gradient norm around an incident: raw and smoothed, spikes marked, the superseded branch in grey.
#include <algorithm>
#include <tuple>

#include "analysis/loss_spikes/series_spikes.h"
#include "analysis/run_summary/roles.h"
#include "analysis/text/record_sql.h"
#include "model/series_extent.h"
#include "model/superseded.h"
#include "widgets/charts/spike_marks.h"
#include "widgets/evidence/curve_reading.h"
#include "widgets/evidence/evidence_kinds.h"

namespace runglass {
namespace {

constexpr std::int64_t kMinSmoothed = 100;
constexpr double kSmoothing = 0.9, kGradShare = 0.6;
constexpr std::int64_t kStepsAround = 100;  // around a step, if there is no clock

class LossReading {
 public:
  LossReading(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question, const std::stop_token& stop)
      : m_reader(reader), m_subject(subject), m_question(question), m_stop(stop) {}

  Result<Evidence> read() {
    Evidence out{.title = QObject::tr("Loss and gradient norm")};
    std::vector<Series> of_attempt;
    for (const Series& series : m_subject.series)
      if (!m_subject.attempt.id || series.key.attempt == m_subject.attempt.id || !series.key.attempt) of_attempt.push_back(series);
    const Series* loss = pickSeries(of_attempt, Role::kLoss);
    if (loss == nullptr) loss = pickSeries(m_subject.series, Role::kLoss);
    if (loss == nullptr) {
      out.reason = QObject::tr("The run recorded no training loss.");
      return out;
    }
    place(*loss);
    RG_ASSIGN(const bool any, addPanel(*loss, QObject::tr("loss"), 1));
    if (!any) {
      out.reason = QObject::tr("No point of the loss in this window.");
      return out;
    }
    RG_TRY(addSpikes(*loss, out));
    const Series* grad = pickSeries(of_attempt, Role::kGradNorm);
    if (grad != nullptr && placed(*grad)) {
      RG_ASSIGN(const bool shown, addPanel(*grad, QObject::tr("gradient norm"), kGradShare));
      if (shown && m_newest.most) out.shows += QObject::tr(" Gradient norm up to %1.").arg(formatNumber(*m_newest.most));
    }
    finish(*loss, grad, out);
    return out;
  }

 private:
  bool placed(const Series& series) const { return m_range.axis == CurveAxis::kStep || series.first_time.has_value(); }

  // By time if the card has a range and the loss has a clock, else by step.
  void place(const Series& loss) {
    m_range.columns = m_question.columns;
    if (m_subject.mark && loss.first_time) {
      m_range.axis = CurveAxis::kTime;
      const TimeRange around = *m_subject.around();
      m_range.x0 = around.t0, m_range.x1 = around.t1;
      m_story.mark = {m_subject.mark->t0, m_subject.mark->t1};
    } else {
      m_range.axis = CurveAxis::kStep;
      m_range.x0 = loss.first_x, m_range.x1 = endOf(loss);
      for (const Series* one : sameOf(loss))
        m_range.x0 = std::min(m_range.x0, one->first_x), m_range.x1 = std::max(m_range.x1, endOf(*one));
      if (const auto step = m_subject.select.step; step && *step >= m_range.x0 && *step < m_range.x1) {
        m_range.x0 = stepsBetween(m_range.x0, *step) > kStepsAround ? *step - kStepsAround : m_range.x0;
        m_range.x1 = stepsBetween(*step, m_range.x1) > kStepsAround ? *step + kStepsAround : m_range.x1;
        m_story.mark = {*step, *step == INT64_MAX ? *step : *step + 1};
      }
    }
    m_story.plot.axis = m_range.axis == CurveAxis::kTime ? XAxis::kTime : XAxis::kStep;
    m_story.plot.style = m_subject.style;
    m_story.x0 = m_range.x0, m_story.x1 = m_range.x1;
  }

  // The same curve in all attempts: the data before a rewind is part of the story.
  std::vector<const Series*> sameOf(const Series& series) const {
    std::vector<const Series*> out;
    for (const Series& one : m_subject.series)
      if (one.sample_count > 0 && one.key.metric == series.key.metric && one.key.labels == series.key.labels &&
          one.key.source == series.key.source && one.key.rank == series.key.rank && one.key.kind == series.key.kind)
        out.push_back(&one);
    return out;
  }

  Result<bool> addPanel(const Series& series, const QString& title, double share) {
    RG_ASSIGN(m_newest, readLines(m_reader, m_subject, sameOf(series), m_range, kSmoothing, m_stop));
    CurvesRead& read = m_newest;
    if (read.points + read.superseded == 0) return false;
    // A mean over more points than there are would show where the curve was before.
    const bool smooth = read.points >= kMinSmoothed;
    if (!smooth)
      for (PlotCurve& curve : read.curves) curve.smooth.reset();
    PlotPanel panel{.title = title, .unit = series.key.unit, .curves = read.curves, .share = share};
    if (!smooth && read.curves.size() == 1) panel.curves.front().name.clear();
    // A single curve is named by how it is drawn, several by their sources.
    if (smooth && read.curves.size() == 1) panel.curves.front().name = QObject::tr("EMA %1 (faint: points)").arg(kSmoothing);
    m_points += read.points, m_not_finite += read.not_finite, m_superseded += read.superseded;
    m_story.add(std::move(panel), read.inks);
    return true;
  }

  struct Found {
    std::vector<PanelMark> marks;
    std::optional<LossSpike> worst;  // in the window
    std::int64_t within = 0;
  };
  Result<Found> find(const Series& loss, SpikeLimits limits) {
    SpikeCache cache(limits);
    const auto superseded = supersededFrom(m_subject.series);
    Found found;
    for (const Series* one : sameOf(loss)) {
      const auto from = superseded.find(one->id);
      RG_ASSIGN(const SharedSpikes spikes,
                cache.spikes(m_reader, *one, from == superseded.end() ? std::nullopt : std::optional(from->second), m_stop));
      const auto own = spikeMarks(*spikes, {.axis = m_story.plot.axis, .offset = 0, .name = {}});
      found.marks.insert(found.marks.end(), own.begin(), own.end());
      for (const SeriesSpike& spike : *spikes) {
        const auto x = m_range.axis == CurveAxis::kStep ? std::optional(spike.spike.peak_step) : spike.peak_time;
        if (!x || *x < m_range.x0 || *x >= m_range.x1) continue;
        ++found.within;
        const auto weight = [](const LossSpike& s) { return std::tuple(s.rule == SpikeRule::kNonFinite, weightOf(s, false, true), s.z); };
        if (!found.worst || weight(spike.spike) > weight(*found.worst)) found.worst = spike.spike;
      }
    }
    std::ranges::stable_sort(found.marks, {}, &PanelMark::x);
    return found;
  }

  Status addSpikes(const Series& loss, Evidence& out) {
    RG_ASSIGN(Found spikes, find(loss, kLossLimits));
    m_story.plot.panels.front().marks = std::move(spikes.marks);
    if (spikes.worst) {
      QString words = spikeWords(*spikes.worst);
      words[0] = words[0].toUpper();
      out.shows =
          words + (spikes.within > 1 ? QObject::tr("; %1 more in the window.").arg(formatCount(spikes.within - 1)) : QStringLiteral("."));
    } else if (m_newest.first && m_newest.last) {
      const QString window =
          QObject::tr("Loss from %1 to %2 in the window").arg(formatNumber(*m_newest.first), formatNumber(*m_newest.last));
      RG_ASSIGN(const Found rises, find(loss, kRiseLimits));
      out.shows = rises.worst ? QObject::tr("%1; it rose to %2 against %3 at step %4, below the limit of a spike.")
                                    .arg(window, formatNumber(rises.worst->peak), formatNumber(rises.worst->baseline),
                                         formatCount(rises.worst->peak_step))
                              : QObject::tr("%1, no spike.").arg(window);
    }
    return {};
  }

  void finish(const Series& loss, const Series* grad, Evidence& out) {
    out.coverage = countWords(m_points, QT_TRANSLATE_NOOP("Counts", "%1 point"), QT_TRANSLATE_NOOP("Counts", "%1 points"));
    if (m_not_finite > 0) out.coverage += QObject::tr(", %1 of them not finite").arg(formatCount(m_not_finite));
    if (m_superseded > 0) out.coverage += QObject::tr("; %1 of a branch that was run again (grey)").arg(formatCount(m_superseded));
    const bool time = m_range.axis == CurveAxis::kTime;
    out.sql = "SELECT attempt, tag, step, time_ns, value, superseded FROM scalar_all WHERE " + runIs(m_subject.run.uuid) + " AND tag IN (" +
              sqlText(loss.key.metric) + (grad != nullptr ? ", " + sqlText(grad->key.metric) : std::string()) + ") AND " +
              sqlRange(time ? "time_ns" : "step", {m_range.x0, m_range.x1}) + " ORDER BY tag, attempt, step";
    out.place = {.view = "curves"};
    if (time) out.place.t0 = m_range.x0, out.place.t1 = m_range.x1;
    out.place.select = m_subject.linkSelect();
    out.picture = std::make_shared<const CurvePicture>(std::move(m_story));
  }

  Reader& m_reader;
  const EvidenceSubject& m_subject;
  const EvidenceQuestion& m_question;
  const std::stop_token& m_stop;
  CurveRange m_range;
  CurveStory m_story;
  CurvesRead m_newest;
  std::int64_t m_points = 0, m_not_finite = 0, m_superseded = 0;
};

}  // namespace

Result<Evidence> readLossEvidence(Reader& reader, const EvidenceSubject& subject, const EvidenceQuestion& question,
                                  const std::stop_token& stop) {
  return LossReading(reader, subject, question, stop).read();
}

}  // namespace runglass
