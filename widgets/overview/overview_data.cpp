// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/overview_data.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/layout/layout_reading.h"
#include "analysis/run_summary/roles.h"
#include "analysis/views/finding_order.h"
#include "model/series_extent.h"
#include "model/step_metrics.h"
#include "model/superseded.h"
#include "widgets/charts/bin_bands.h"
#include "widgets/core/finding_span.h"
#include "widgets/core/language.h"
#include "widgets/core/theme.h"

namespace runglass {
namespace {

// A plot without data takes one line: the missing data and the reason.
constexpr double kEmptyShare = 0.16;
constexpr std::size_t kSlowNodes = 5;
constexpr double kEmaWeight = 0.9;
constexpr std::int64_t kEmaSteps = 200;
constexpr int kFindingChars = 160;                 // in a tooltip
constexpr qsizetype kHeadlineChars = 160;          // of a finding
constexpr DurNs kPlotsEvery = 2 * kNsPerSecond;    // of a live run whose past is shown
constexpr std::size_t kFewSteppers = 64;           // maximum number of step-time series in a quick answer
constexpr DurNs kLedgerEvery = 10 * kNsPerSecond;  // while no step ends

PlotScope scopeOf(const OverviewQuestion& question) {
  return {question.run, question.window, question.axis, question.steps, question.pixels, question.style};
}

bool isSameStep(const RunSummary& a, const RunSummary& b) {
  return a.run.id == b.run.id && a.last_step == b.last_step && a.attempts.size() == b.attempts.size() && a.run.state == b.run.state;
}

// As many whole clauses of a finding as fit into a headline. The full text is in the list.
QString wholeClauses(const QString& summary) {
  const auto ended = [](const QString& text) {
    return text.endsWith(u'.') || text.endsWith(u'…') ? text : OverviewText::tr("%1.", "a sentence").arg(text);
  };
  const QString between = OverviewText::tr("; ", "between clauses");
  if (summary.size() <= kHeadlineChars) return ended(summary);
  const qsizetype end = summary.lastIndexOf(between, kHeadlineChars);
  const QString text = end > 0 ? summary.left(end) : summary.section(between, 0, 0);
  return ended(text.size() <= 2 * kHeadlineChars ? text : text.left(2 * kHeadlineChars) + u'…');
}

class Builder {
 public:
  Builder(Reader& reader, const OverviewQuestion& question, std::stop_token stop)
      : m_reader(reader),
        m_question(question),
        m_stop(std::move(stop)),
        m_plots(std::make_shared<PlotData>()),
        m_newest(m_reader, m_series, m_stop) {}

  // If the answer about the whole run is given, only the parts that depend on the moment are read.
  Result<OverviewData> build(std::shared_ptr<const OverviewData> whole) {
    m_data.read_at = monotonicNow();
    m_data.scope = scopeOf(m_question);
    RG_ASSIGN(const Run run, chooseRun(m_reader, m_question.run));
    RG_ASSIGN(m_data.summary, readRunSummary(m_reader, run, m_stop));
    RG_ASSIGN(m_series, m_reader.series({.run = run.id}));
    m_data.has_times = run.time_domain != TimeDomain::kNone && scalarsHaveTimes();
    m_axis = m_data.has_times ? m_question.axis : XAxis::kStep;
    m_plots->axis = m_axis;
    m_plots->style = run.time_domain == TimeDomain::kRelative ? TimeStyle::kRelative : m_question.style;
    m_plots->lane = true;
    chooseWindow();
    if (!whole) {
      RG_TRY(addScalarPanel(OverviewText::tr("loss"), OverviewText::tr("this run has logged no loss"), Role::kLoss, 1.3));
      RG_TRY(addScalarPanel(OverviewText::tr("gradient norm"), OverviewText::tr("this run has logged no gradient norm"), Role::kGradNorm,
                            0.7));
      RG_TRY(addThroughputPanel());
    }
    m_step_series = stepSeries();
    m_data.complete = !m_question.quick || m_step_series.size() <= kFewSteppers;
    RG_TRY(readSlowness());
    RG_TRY(addStepTimePanel());
    // Over time a gap in the data stays a gap; over steps a curve joins the logged points.
    for (PlotPanel& panel : m_plots->panels)
      for (PlotCurve& curve : panel.curves) curve.gaps = m_axis == XAxis::kTime;
    RG_TRY(readRestarts());
    RG_ASSIGN(m_data.findings, m_reader.findings(run.id));
    sortByUrgency(m_data.findings);
    if (!whole) {
      addAttemptBands();
      addFindingBands();
      RG_TRY(addMarks());
    }
    if (const OverviewData* before = m_question.previous.get();
        before != nullptr && before->complete && isSameStep(before->summary, m_data.summary)) {
      m_data.breakdown = before->breakdown;
    } else if (m_data.complete && !m_data.summary.attempts.empty()) {
      RG_ASSIGN(m_data.breakdown, m_newest.breakdown(m_data.summary.attempts.back().id));
    }
    makeTiles();
    makeSentence();
    m_data.plots = m_plots;
    if (whole) m_data.plots = whole->plots, m_data.x0 = whole->x0, m_data.x1 = whole->x1, m_data.whole = std::move(whole);
    return std::move(m_data);
  }

 private:
  TimeNs now() const { return m_question.moment.value_or(m_question.now); }

  // A log may have the run's times but none of its steps: such curves are empty against time.
  bool scalarsHaveTimes() const {
    const auto reported = [](const Series& one) { return one.key.kind == SeriesKind::kScalar && one.sample_count > 0; };
    return std::ranges::none_of(m_series, reported) ||
           std::ranges::any_of(m_series, [&](const Series& one) { return reported(one) && one.first_time.has_value(); });
  }

  void chooseWindow() {
    if (m_axis == XAxis::kStep) {
      std::int64_t first = INT64_MAX, last = INT64_MIN;
      for (const Series& series : m_series) {
        if (series.key.kind != SeriesKind::kScalar || series.sample_count == 0) continue;
        first = std::min(first, series.first_x);
        last = std::max(last, series.last_x);
      }
      m_data.x0 = first <= last ? first : 0;
      m_data.x1 = first <= last ? last + 1 : 1;
      if (m_question.steps) std::tie(m_data.x0, m_data.x1) = *m_question.steps;
      return;
    }
    m_data.x0 = m_question.window.range.t0;
    m_data.x1 = m_question.window.range.t1;
    if (m_data.x1 <= m_data.x0 && m_data.summary.first_data && m_data.summary.last_data) {
      m_data.x0 = *m_data.summary.first_data;
      m_data.x1 = *m_data.summary.last_data + 1;
    }
  }

  Result<SharedBins> bins(const Series& series, std::size_t count) {
    auto result = m_reader.bins(series.id, m_axis == XAxis::kTime ? Axis::kTime : Axis::kX, m_data.x0, m_data.x1, count, m_stop);
    if (!result.ok()) return result.status();
    return SharedBins(std::make_shared<const std::vector<Bin>>(std::move(*result)));
  }

  // The throughput that the framework logged; without one, its FLOP/s.
  Status addThroughputPanel() {
    const QString none = OverviewText::tr("this run has logged no throughput");
    for (const Role role : {Role::kTokensPerSecond, Role::kTokensPerGpu, Role::kFlopsPerGpu})
      if (pickSeries(m_series, role) != nullptr)
        return addScalarPanel(role == Role::kTokensPerSecond ? OverviewText::tr("throughput") : OverviewText::tr("throughput per GPU"),
                              none, role, 0.9);
    return addScalarPanel(OverviewText::tr("throughput"), none, Role::kTokensPerSecond, 0.9);
  }

  // One curve per attempt: the newest in colour, superseded parts faint below it.
  Status addScalarPanel(const QString& title, const QString& none, Role role, double share) {
    PlotPanel panel{.title = title, .robust = role == Role::kGradNorm, .share = share};
    const auto superseded_from = supersededFrom(m_series);
    for (const Attempt& attempt : m_data.summary.attempts) {
      std::vector<Series> own;
      std::copy_if(m_series.begin(), m_series.end(), std::back_inserter(own),
                   [&](const Series& s) { return s.key.attempt == attempt.id && !s.key.rank; });
      const Series* series = pickSeries(own, role);
      if (series == nullptr) continue;
      panel.unit = series->key.unit.empty() && (role == Role::kTokensPerSecond || role == Role::kTokensPerGpu) ? "per_s" : series->key.unit;
      RG_ASSIGN(SharedBins read, bins(*series, m_question.pixels));
      if (role == Role::kLoss) {
        RG_TRY(addSpikes(*series, superseded_from, panel));
      }
      if (const auto superseded = superseded_from.find(series->id); superseded != superseded_from.end()) {
        // The superseded part is drawn faint.
        panel.curves.push_back({.bins = read, .faint = true});
        std::optional<std::int64_t> from = superseded->second;
        if (m_axis != XAxis::kStep) {
          RG_ASSIGN(from, timeOfStep(*series, superseded->second));
        }
        if (!from) continue;
        auto kept = std::make_shared<std::vector<Bin>>(*read);
        for (Bin& bin : *kept)
          if (bin.x0 >= *from) bin.count = bin.nan_count = 0;
        read = kept;
      }
      panel.curves.push_back({.name = screenText(series->key.metric, 60), .ink = seriesInk(static_cast<std::size_t>(role)), .bins = read});
    }
    // Attempts share one entry in the legend.
    std::set<QString> named;
    for (PlotCurve& curve : panel.curves)
      if (!curve.name.isEmpty() && !named.insert(curve.name).second) curve.name.clear();
    if (panel.curves.empty()) {
      panel.empty = none;
      panel.share = kEmptyShare;
    }
    m_plots->panels.push_back(std::move(panel));
    return {};
  }

  // Time of the first point at or after a step; absent: the series has no clock.
  Result<std::optional<TimeNs>> timeOfStep(const Series& series, std::int64_t step) {
    RG_ASSIGN(const auto points, m_reader.scalars(series.id, step, endOf(series), m_stop));
    return points.time.empty() ? std::optional<TimeNs>() : std::optional(points.time.front());
  }

  Status addSpikes(const Series& series, const std::unordered_map<SeriesId, std::int64_t>& superseded_from, PlotPanel& panel) {
    if (!m_question.spikes) return {};
    const auto superseded = superseded_from.find(series.id);
    const auto from = superseded != superseded_from.end() ? std::optional(superseded->second) : std::nullopt;
    RG_ASSIGN(const auto own, readSpikeMarks(m_reader, *m_question.spikes, series, from, {.axis = m_axis}, m_stop));
    panel.marks.insert(panel.marks.end(), own.begin(), own.end());
    std::ranges::stable_sort(panel.marks, {}, &PanelMark::x);
    return {};
  }

  std::vector<const Series*> stepSeries() const {
    std::vector<const Series*> found;
    for (const Series& series : m_series)
      if (series.key.kind == SeriesKind::kScalar && series.key.unit == "ns" && series.sample_count > 0 &&
          roleFit(series.key.metric, Role::kStepTime, series.key.labels) &&
          (!isLoggedStepTime(series.key) || loggedStepTimes(m_series, series.key.attempt) == &series))
        found.push_back(&series);
    return found;
  }

  Status readSlowness() {
    const OverviewData* before = m_question.previous.get();
    if (before != nullptr && before->slow && isSameStep(before->summary, m_data.summary) &&
        before->summary.findings == m_data.summary.findings) {
      m_data.slow = before->slow;
      m_data.slow_nodes = before->slow_nodes;
    } else if (m_data.complete && !m_data.summary.attempts.empty()) {
      const AttemptId attempt = m_data.summary.attempts.back().id;
      RG_ASSIGN(const auto ranks, placedRanks(m_reader, attempt));
      RG_ASSIGN(SlowVerdict verdict, readSlowVerdict(m_question.memory.get(), m_reader, m_data.summary.run.id, attempt, ranks, m_stop));
      RG_TRY(rankNodes(nodesByWork(verdict, ranks)));
      m_data.slow = std::make_shared<const SlowVerdict>(std::move(verdict));
    }
    if (const RankPace* worst = m_data.slow ? m_data.slow->worst() : nullptr; worst != nullptr && worst->slower)
      m_slowest = OverviewText::tr("rank %1 %2").arg(m_data.slow->slow.front()).arg(formatSignedPercent(*worst->slower));
    return {};
  }

  // Step time over ranks as min..max with the median, and the slowest rank by name.
  Status addStepTimePanel() {
    PlotPanel panel{.title = OverviewText::tr("step time"), .unit = "ns", .robust = true, .share = 1};
    const auto& ranks = m_step_series;
    if (!m_data.complete) {
      panel.empty = OverviewText::tr("reading the steps of %1 ranks …").arg(countRanks(ranks));
      m_plots->panels.push_back(std::move(panel));
      return {};
    }
    const std::size_t count = ranks.size() > 1 ? std::min(kRankBins, m_question.pixels) : m_question.pixels;
    std::vector<SharedBins> all;
    for (const Series* series : ranks) {
      RG_ASSIGN(SharedBins read, bins(*series, count));
      all.push_back(std::move(read));
    }
    if (all.empty()) {
      panel.empty = OverviewText::tr("no step durations: the run was not traced with the client and its log has none");
      panel.share = kEmptyShare;
    }
    // Step times from a log are the job's, not the ranks': one curve per attempt.
    const bool of_ranks = countRanks(ranks) > 0;
    if (all.size() == 1 || !of_ranks)
      for (const SharedBins& one : all)
        panel.curves.push_back({.name = panel.curves.empty() ? OverviewText::tr("step") : QString(), .ink = seriesInk(2), .bins = one});
    if (all.size() > 1 && of_ranks) {
      auto band = std::make_shared<std::vector<Bin>>();
      for (const SharedBins& rank : all) widenBand(*band, *rank);
      const SharedBins middle = medianOf(all);
      panel.curves.push_back(
          {.name = OverviewText::tr("min–max of %1 ranks").arg(countRanks(ranks)), .ink = seriesInk(2), .bins = band, .band = true});
      panel.curves.push_back({.name = OverviewText::tr("median"), .ink = seriesInk(2), .bins = middle});
      if (!m_slowest.isEmpty()) panel.title = OverviewText::tr("%1 · slowest: %2").arg(panel.title, m_slowest);
    }
    m_plots->panels.push_back(std::move(panel));
    return {};
  }

  static int countRanks(const std::vector<const Series*>& series) {
    std::set<std::int32_t> ranks;
    for (const Series* one : series)
      if (one->key.rank) ranks.insert(*one->key.rank);
    return static_cast<int>(ranks.size());
  }

  Status readRestarts() {
    const OverviewData* before = m_question.previous.get();
    if (before != nullptr && before->ledger && isSameStep(before->summary, m_data.summary) &&
        before->summary.findings == m_data.summary.findings && std::abs(now() - before->ledger->read_at) < kLedgerEvery) {
      m_data.ledger = before->ledger;
      return {};
    }
    RG_ASSIGN(GoodputData read, readGoodputData(m_reader, m_data.summary, now(), m_stop));
    m_data.ledger = std::make_shared<const GoodputData>(std::move(read));
    return {};
  }

  // The start of each attempt and the cost of the restart, as text.
  void addRestartMarks() {
    const auto& rows = m_data.ledger->goodput.ledger.rows;
    for (std::size_t i = 1; i < rows.size(); ++i) {
      const auto at = m_axis == XAxis::kStep ? rows[i].first_step : rows[i].range ? std::optional(rows[i].range->t0) : std::nullopt;
      if (!at) continue;
      const Ending& ending = rows[i - 1].ending;
      const Severity severity = ending.planned.value_or(true) ? Severity::kInfo : Severity::kError;
      const QString words = OverviewText::tr("attempt %1 ended: %2 → %3")
                                .arg(QString::number(rows[i - 1].number), termText(endKindWords(ending.kind)), rowWords(rows[i]));
      m_plots->marks.push_back({*at, severityShape(severity), severityGlyph(severity), words, severity});
    }
  }

  void addAttemptBands() {
    if (m_axis == XAxis::kStep || m_data.summary.attempts.size() < 2) return;
    for (std::size_t i = 0; i < m_data.summary.attempts.size(); ++i) {
      const Attempt& attempt = m_data.summary.attempts[i];
      if (i % 2 == 0 || !attempt.start) continue;
      m_plots->bands.push_back({*attempt.start, attempt.end.value_or(m_data.x1), themeInk<&Theme::surface>(),
                                OverviewText::tr("attempt %1").arg(attempt.number)});
    }
  }

  // Findings behind the curves, the most severe on top, and where they begin in the lane.
  // Past the last step that it lasted; without one the end of its attempt, or of the plot while that runs.
  std::int64_t endStep(const Finding& finding) const {
    std::optional<std::int64_t> last = finding.last_step;
    const auto& attempts = m_data.summary.attempts;
    const auto own = std::ranges::find(attempts, finding.attempt, &Attempt::id);
    if (!last && own != attempts.end() && own->end) last = own->last_step;
    if (!last && finding.end) last = finding.first_step;
    return last ? std::max(*last, *finding.first_step) + 1 : std::max(m_data.x1, *finding.first_step);
  }

  void addFindingBands() {
    std::vector<const Finding*> shown;
    for (const Finding& finding : m_data.findings)
      if (finding.severity >= Severity::kWarning) shown.push_back(&finding);
    std::ranges::stable_sort(shown, {}, &Finding::severity);
    for (const Finding* finding : shown) {
      std::optional<TimeRange> range;
      if (m_axis == XAxis::kTime) range = spanOf(*finding, m_data.summary.attempts);
      if (m_axis == XAxis::kStep && finding->first_step) range = TimeRange{*finding->first_step, endStep(*finding)};
      if (!range) continue;
      const QString words = OverviewText::tr("finding: %1").arg(findingText(*finding, kFindingChars));
      m_plots->bands.push_back({range->t0, std::min(range->t1, std::max(m_data.x1, range->t0)), findingTint(finding->severity), words,
                                severityShape(finding->severity)});
      m_plots->marks.push_back({range->t0, severityShape(finding->severity), severityGlyph(finding->severity), words, finding->severity});
    }
  }

  Status addMarks() {
    const auto mark = [&](std::int64_t x, const Ink& ink, const QString& glyph, const QString& text, Severity severity = Severity::kInfo) {
      m_plots->marks.push_back({x, ink, glyph, text, severity});
    };
    RG_ASSIGN(const auto checkpoints, m_reader.checkpoints(m_data.summary.run.id));
    for (const Checkpoint& checkpoint : checkpoints) {
      const QString text =
          (checkpoint.durable ? OverviewText::tr("checkpoint of step %1") : OverviewText::tr("checkpoint of step %1, not durable"))
              .arg(formatCount(checkpoint.step));
      if (m_axis == XAxis::kStep)
        mark(checkpoint.step, themeInk<&Theme::checkpoint>(), QStringLiteral("▪"), text);
      else if (const auto at = checkpoint.durable ? checkpoint.durable : checkpoint.begin)
        mark(*at, themeInk<&Theme::checkpoint>(), QStringLiteral("▪"), formatTimeOfDay(*at, m_plots->style) + QStringLiteral("  ") + text);
    }
    EventFilter filter{.run = m_data.summary.run.id, .at_least = Severity::kInfo, .limit = 2'000};
    if (m_axis == XAxis::kTime) filter.range = {m_data.x0, m_data.x1};
    RG_ASSIGN(const auto events, m_reader.events(filter));
    for (const Event& event : events) {
      // Device facts and periodic events are routine, not marks.
      if (event.kind == "device_facts" || event.kind == "agent_start" || event.kind == "checkpoint_saved") continue;
      const QString words = screenText(event.kind + (event.message.empty() ? "" : ": " + event.message), 160);
      const auto at = m_axis == XAxis::kTime ? event.time : event.step;
      if (at)
        mark(*at, severityShape(event.severity), severityGlyph(event.severity),
             m_axis == XAxis::kTime ? formatTimeOfDay(*at, m_plots->style) + QStringLiteral("  ") + words : words, event.severity);
    }
    addRestartMarks();
    std::stable_sort(m_plots->marks.begin(), m_plots->marks.end(), [](const PlotMark& a, const PlotMark& b) { return a.x < b.x; });
    return {};
  }

  Status rankNodes(const std::vector<NodePace>& paces) {
    RG_ASSIGN(const auto nodes, m_reader.nodes());
    for (const NodePace& pace : paces) {
      if (m_data.slow_nodes.size() == kSlowNodes) break;
      const auto info = std::ranges::find(nodes, pace.node, &Node::id);
      m_data.slow_nodes.push_back(
          {info != nodes.end() ? screenText(info->name, 40) : OverviewText::tr("node %1").arg(pace.node.value), pace});
    }
    return {};
  }

  void tile(const QString& title, const QString& value, const QString& note, const QString& why, Severity severity = Severity::kInfo) {
    m_data.tiles.push_back({title, value, note, why, severity});
  }

  void makeTiles() {
    tileLoss();
    tileThroughput();
    tileStepTime();
    ledgerTile(goodputWords(*m_data.ledger, now()));
    tileCheckpoint();
    ledgerTile(planWords(*m_data.ledger, m_plots->style));
  }

  void ledgerTile(const LedgerWords& words) { tile(words.title, words.value, words.note, words.why); }

  void tileLoss() {
    const RunSummary& s = m_data.summary;
    if (!s.loss) return tile(OverviewText::tr("Loss"), kAbsentText, OverviewText::tr("not logged"), phraseText(s.no_loss, 300));
    const QString why = OverviewText::tr("Newest point of \"%1\", unsmoothed; EMA: debiased, weight %2, of its newest %3 steps.")
                            .arg(screenText(s.loss_tag, 80))
                            .arg(kEmaWeight)
                            .arg(kEmaSteps);
    QString note = screenText(s.loss_tag, 40);
    std::vector<Series> own;
    std::copy_if(m_series.begin(), m_series.end(), std::back_inserter(own),
                 [&](const Series& one) { return one.key.metric == s.loss_tag; });
    const Series* newest = nullptr;
    for (const Series& one : own)
      if (!one.key.rank && (newest == nullptr || one.key.attempt > newest->key.attempt)) newest = &one;
    if (newest != nullptr)
      if (const auto points = m_reader.scalars(newest->id, newestOf(*newest, kEmaSteps), endOf(*newest), m_stop); points.ok()) {
        double sum = 0, weight = 0;
        for (const double value : points->value)
          if (std::isfinite(value)) sum = kEmaWeight * sum + (1 - kEmaWeight) * value, weight = kEmaWeight * weight + (1 - kEmaWeight);
        if (weight > 0) note = QStringLiteral("EMA %1").arg(formatNumber(sum / weight, 4));
      }
    tile(OverviewText::tr("Loss"), formatNumber(*s.loss, 4), note, why, std::isfinite(*s.loss) ? Severity::kInfo : Severity::kError);
  }

  void tileThroughput() {
    const Throughput& t = m_data.summary.throughput;
    QStringList note;
    if (t.mfu && t.tokens_per_s) note += OverviewText::tr("%1 tokens/s").arg(formatShortCount(*t.tokens_per_s));
    if (t.change) note += OverviewText::tr("%1 vs best").arg(formatSignedPercent(*t.change));
    if (!t.mfu && t.tokens_per_s && t.tokens_per_gpu) note += OverviewText::tr("%1/rank").arg(formatShortCount(*t.tokens_per_gpu));
    if (t.mfu_not_available) note += OverviewText::tr("MFU N/A, as logged");
    const bool other = t.flops_per_gpu || t.samples_per_s || t.step_ns;
    if (!t.mfu && !t.tokens_per_s && !t.tokens_per_gpu && !other) note += OverviewText::tr("not logged");
    const QString title = t.mfu              ? QStringLiteral("MFU")
                          : t.tokens_per_s   ? OverviewText::tr("Tokens/s")
                          : t.tokens_per_gpu ? OverviewText::tr("Tokens/s per GPU")
                                             : OverviewText::tr("Throughput");
    const QString value = t.mfu              ? formatPercent(*t.mfu)
                          : t.tokens_per_s   ? formatShortCount(*t.tokens_per_s)
                          : t.tokens_per_gpu ? formatShortCount(*t.tokens_per_gpu)
                                             : throughputText(t);
    tile(title, value, note.join(QStringLiteral(" · ")), throughputWhy(t));
  }

  void tileCheckpoint() {
    const RunSummary& s = m_data.summary;
    const QString why = OverviewText::tr("The newest durable checkpoint, and the steps since it that a crash would cost.");
    if (!s.checkpoint) return tile(OverviewText::tr("Checkpoint"), kAbsentText, OverviewText::tr("none seen"), why);
    const bool live = s.run.state == RunState::kRunning && s.run.time_domain == TimeDomain::kUtc;
    const std::int64_t at_risk = s.last_step ? std::max<std::int64_t>(0, *s.last_step - s.checkpoint->step) : 0;
    tile(OverviewText::tr("Checkpoint"),
         live ? formatAge(now() - *s.checkpoint->durable) : OverviewText::tr("step %1").arg(formatCount(s.checkpoint->step)),
         live || at_risk > 0 ? OverviewText::tr("%1 steps at risk").arg(formatCount(at_risk)) : OverviewText::tr("the last step"), why);
  }

  void tileStepTime() {
    if (!m_data.complete) return tile(OverviewText::tr("Step time"), QStringLiteral("…"), OverviewText::tr("being read"), QString());
    std::vector<const Series*> newest;
    for (const Series* series : m_step_series)
      if (!m_data.summary.attempts.empty() && series->key.attempt == m_data.summary.attempts.back().id) newest.push_back(series);
    const auto times = m_newest.times(newest);
    const QString why = OverviewText::tr("Median and 99th percentile over ranks of the newest %1 steps.").arg(kRecentSteps);
    if (!times.ok() || !*times) return tile(OverviewText::tr("Step time"), kAbsentText, OverviewText::tr("no step durations"), why);
    tile(OverviewText::tr("Step time"), formatDuration(static_cast<DurNs>((*times)->median_ns)),
         QStringLiteral("p99 %1").arg(formatDuration(static_cast<DurNs>((*times)->p99_ns))) +
             (m_slowest.isEmpty() ? QString() : QStringLiteral(" · ") + m_slowest),
         why);
  }

  // "Running. Step 48,210.", "Failed at step 3,108 after 2 h."
  QString stateSentence() const {
    const RunSummary& s = m_data.summary;
    const QString step = s.last_step ? formatCount(*s.last_step) : QString();
    const auto begin = s.run.start ? s.run.start : s.first_data, end = s.run.end ? s.run.end : s.last_data;
    const QString length = begin && end && *end - *begin >= 2 * kNsPerSecond ? formatLength(*end - *begin) : QString();
    const auto over = [&](const QString& alone, const QString& at, const QString& after, const QString& both) {
      if (step.isEmpty()) return length.isEmpty() ? alone : after.arg(length);
      return length.isEmpty() ? at.arg(step) : both.arg(step, length);
    };
    if (s.run.state == RunState::kFinished)
      return over(OverviewText::tr("Finished."), OverviewText::tr("Finished at step %1."), OverviewText::tr("Finished after %1."),
                  OverviewText::tr("Finished at step %1 after %2."));
    if (s.run.state == RunState::kFailed)
      return over(OverviewText::tr("Failed."), OverviewText::tr("Failed at step %1."), OverviewText::tr("Failed after %1."),
                  OverviewText::tr("Failed at step %1 after %2."));
    const std::string_view word = s.run.state == RunState::kUnknown ? "unknown" : stateWord(s, now()).word;
    const QString state = word == "silent"    ? OverviewText::tr("Silent.")
                          : word == "running" ? OverviewText::tr("Running.")
                          : word == "stalled" ? OverviewText::tr("Stalled.")
                                              : OverviewText::tr("State not known.");
    return step.isEmpty() ? state : OverviewText::tr("%1 Step %2.").arg(state, step);
  }

  void makeSentence() {
    const RunSummary& s = m_data.summary;
    const StateWord state = stateWord(s, now());
    QStringList sentences;
    if (s.run.simulated) sentences << OverviewText::tr("Simulated.");
    sentences << stateSentence();
    // A healthy run is a little slower than its best 20 steps.
    if (const auto change = s.throughput.change; change && *change <= -kMinThroughputChange)
      sentences << OverviewText::tr("%1 slower than its best %2 steps.").arg(formatPercent(-*change)).arg(kRecentSteps);
    if (!m_data.findings.empty()) sentences << wholeClauses(findingText(m_data.findings.front()));
    m_data.sentence = sentences.join(u' ');
    m_data.sentence_severity = std::max(state.severity, m_data.findings.empty() ? Severity::kInfo : m_data.findings.front().severity);
  }

  Reader& m_reader;
  const OverviewQuestion& m_question;
  std::stop_token m_stop;
  std::shared_ptr<PlotData> m_plots;
  XAxis m_axis = XAxis::kTime;
  OverviewData m_data;
  std::vector<Series> m_series;
  std::vector<const Series*> m_step_series;
  NewestSteps m_newest;
  QString m_slowest;  // "rank 5 +8.2 %" if a rank is slow
};

}  // namespace

Result<OverviewData> readOverview(const MomentReaders& readers, const OverviewQuestion& question, std::stop_token stop) {
  if (!question.moment) return Builder(readers.whole, question, std::move(stop)).build(nullptr);
  // If only the moment changes, the plots stay.
  const auto& before = question.previous;
  std::shared_ptr<const OverviewData> whole = before && before->whole ? before->whole : before;
  const bool over = whole && (whole->summary.run.state == RunState::kFinished || whole->summary.run.state == RunState::kFailed);
  if (!whole || (!whole->complete && !question.quick) || whole->scope != scopeOf(question) ||
      (!over && monotonicNow() - whole->read_at > kPlotsEvery)) {
    OverviewQuestion about_now = question;
    about_now.moment.reset();
    about_now.previous = whole;
    RG_ASSIGN(OverviewData read, Builder(readers.whole, about_now, stop).build(nullptr));
    whole = std::make_shared<const OverviewData>(std::move(read));
  }
  return Builder(readers.then, question, std::move(stop)).build(std::move(whole));
}

}  // namespace runglass
