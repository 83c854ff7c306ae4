// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: pictures are queried for the visible rows plus half a window on either side, so that a short pan shows the uncovered part at
// once.
#include "widgets/timeline/timeline_view.h"

#include <QHBoxLayout>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "model/time.h"

namespace runglass {
namespace {

constexpr int kDrawerHeight = 200, kLegendFrom = 1'200;
constexpr qint64 kCatalogMs = 2'000;

}  // namespace

TimelineView::TimelineView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_choice(new QComboBox),
      m_grouping(new QComboBox),
      m_filter(new QLineEdit),
      m_search(new QLineEdit),
      m_legend(new CategoryLegend),
      m_badges(new QLabel),
      m_canvas(new TimelineCanvas(&m_rows)),
      m_drawer(new TimelineDrawer),
      m_clocks(new ClockPanel(m_context)),
      m_panel(new StatePanel),
      m_stack(new QStackedLayout(this)),
      m_finder(m_context.queries, this),
      m_mark(new MarkEditor(m_context.edits, m_canvas)),
      m_go_to(new GoToField(m_canvas)) {
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_panel->showLoading(tr("Reading the timeline …"));
  setFocusProxy(m_canvas);
  connectCanvas();
  // An empty canvas would look as if nothing had run.
  for (QuerySlot* slot : {&m_catalog_slot, &m_slot, &m_detail_slot, &m_area_slot, &m_waits_slot, &m_anomaly_slot}) slot->sayWhatLacks();
}

QWidget* TimelineView::makeBar() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(kGrid);
  m_choice->addItems({tr("suggested ranks"), tr("all ranks")});
  m_choice->setToolTip(tr("Suggested: the slowest rank, its pipeline neighbours, peers of its role, and what is selected or pinned"));
  m_grouping->addItems({tr("by node"), tr("by PP stage"), tr("by DP rank"), tr("by TP rank"), tr("ungrouped")});
  m_filter->setPlaceholderText(tr("Show rows (regex)"));
  m_filter->setAccessibleName(tr("Filter: %1").arg(tr("Rows")));
  m_search->setAccessibleName(tr("Search spans"));
  m_search->setPlaceholderText(tr("Search spans ( / )"));
  for (QLineEdit* edit : {m_filter, m_search}) {
    edit->setClearButtonEnabled(true);
    edit->setFont(tableFont());
    edit->setMinimumWidth(180);
    edit->setMaximumWidth(240);
  }
  m_badges->setFont(tableFont());
  m_badges->setTextFormat(Qt::PlainText);
  m_badges->setForegroundRole(QPalette::PlaceholderText);
  row->addWidget(m_choice);
  row->addWidget(m_grouping);
  row->addWidget(m_filter, 1);
  row->addWidget(m_search, 1);
  row->addSpacing(kGrid);
  row->addWidget(m_legend);
  row->addWidget(m_badges, 4);
  m_badges->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  m_badges->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  row->addWidget(m_clocks->button());
  connect(m_choice, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_rows.setChoice(index == 0 ? RowChoice::kSuggested : RowChoice::kAll);
    m_canvas->rowsChanged();
  });
  connect(m_grouping, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_rows.setGrouping(static_cast<RowGrouping>(index));
    m_canvas->rowsChanged();
  });
  connect(m_filter, &QLineEdit::textChanged, this, [this](const QString& text) {
    m_rows.setPattern(text);
    m_filter->setToolTip(m_rows.patternProblem().isEmpty() ? tr("Regular expression over rank, node and track") : m_rows.patternProblem());
    m_canvas->rowsChanged();
  });
  m_filter->setToolTip(tr("Regular expression over rank, node and track"));
  m_search->setToolTip(tr("Regular expression over span names; Enter: next hit, Shift+Enter: previous"));
  m_search->installEventFilter(this);
  connect(m_search, &QLineEdit::textChanged, this, [this] {
    m_finder.clear();
    m_wanted_hit = 0;
    m_canvas->setHits({});
    m_search_state.clear();
    showBadges();
  });
  return bar;
}

QWidget* TimelineView::makePage() {
  auto* page = new QWidget;
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(kGrid, kGrid, kGrid, 0);
  column->setSpacing(kGrid);
  column->addWidget(makeBar());
  column->addWidget(m_clocks);
  for (QAction* action : m_clocks->actions()) addAction(action);
  auto* split = new QSplitter(Qt::Vertical);
  split->addWidget(m_canvas);
  split->addWidget(m_drawer);
  split->setStretchFactor(0, 1);
  split->setCollapsible(0, false);
  split->setSizes({600, kDrawerHeight});
  column->addWidget(split, 1);
  return page;
}

void TimelineView::connectCanvas() {
  SharedState* state = m_context.state;
  connect(m_canvas, &TimelineCanvas::windowChanged, this, [state](std::int64_t t0, std::int64_t t1, bool gesture) {
    state->setWindow({t0, t1}, gesture ? SharedState::Undo::kMerge : SharedState::Undo::kStep);
  });
  connect(m_canvas, &TimelineCanvas::gestureEnded, state, [state] { state->endGesture(); });
  connect(m_canvas, &TimelineCanvas::showAll, state, [state] { state->showAll(); });
  connect(m_canvas, &TimelineCanvas::followEnd, state, [this, state] { state->followEnd(m_canvas->t1() - m_canvas->t0()); });
  connect(m_canvas, &TimelineCanvas::rowsScrolled, this, [this] { ask(QueryService::Supersede::kCancelOlder); });
  connect(m_canvas, &TimelineCanvas::barChosen, this, &TimelineView::choose);
  connect(m_canvas, &TimelineCanvas::menuWanted, this, &TimelineView::showMenu);
  connect(m_canvas, &TimelineCanvas::nothingChosen, this, [this] {
    m_chosen.reset();
    m_anomaly.reset();
    m_anomaly_words.clear();
    m_canvas->setSelected(std::nullopt, {});
    showBadges();
  });
  connect(m_canvas, &TimelineCanvas::areaChosen, this, [this](std::int64_t t0, std::int64_t t1) { askArea({t0, t1}); });
  connect(m_canvas, &TimelineCanvas::rankChosen, this, [this, state](std::int32_t rank) {
    Selection selection = m_state.selection;
    selection.rank = rank < 0 ? std::nullopt : std::optional(rank);
    state->select(selection);
  });
  connect(m_canvas, &TimelineCanvas::rankToggled, this, [this](std::int32_t rank) {
    m_rows.toggle(rank);
    m_canvas->rowsChanged();
  });
  connect(m_canvas, &TimelineCanvas::trackToggled, this, [this](std::uint64_t track) {
    m_rows.toggle(TrackId{track});
    m_canvas->rowsChanged();
  });
  connect(m_canvas, &TimelineCanvas::pinToggled, this, [this](std::int32_t rank) {
    m_rows.togglePin(rank);
    m_canvas->rowsChanged();
  });
  connect(m_canvas, &TimelineCanvas::densityWanted, this, [this](int by) {
    m_rows.setDensity(by);
    m_canvas->rowsChanged();
  });
  connect(m_clocks, &ClockPanel::aligned, this, [this] {
    askCatalog(QueryService::Supersede::kCancelOlder);
    ask(QueryService::Supersede::kCancelOlder);
    if (const auto chosen = m_clocks->chosen()) askDetail(chosen->track, chosen->rank, chosen->id, chosen->t0);
  });
  connect(m_drawer, &TimelineDrawer::peerChosen, this,
          [this](const SpanPeer& peer) { goTo(peer.track, peer.rank, peer.id, peer.t0, peer.t1); });
  connect(m_drawer, &TimelineDrawer::hitChosen, this, [this](const SearchHit& hit) {
    m_finder.goneTo(hit);
    goTo(hit.track, hit.rank, hit.id, hit.t0, hit.t1);
  });
  connect(m_canvas, &TimelineCanvas::markWanted, this, [this](std::int64_t time, QPoint at) {
    if (m_rows.catalog()) openMark({.run_uuid = m_rows.catalog()->run.uuid, .time = time}, at);
  });
  connect(m_canvas, &TimelineCanvas::markChosen, this, &TimelineView::openMark);
  connect(m_canvas, &TimelineCanvas::goToWanted, m_go_to, &GoToField::open);
  connect(m_go_to, &GoToField::wanted, this, &TimelineView::askMoment);
  connect(m_canvas, &TimelineCanvas::flowWanted, this, &TimelineView::walkFlow);
  connect(m_mark, &MarkEditor::saved, this, [this] {
    m_canvas->setFocus();
    askNotes();
  });
  connect(m_canvas, &TimelineCanvas::momentClicked, this, [this](std::int64_t time) { m_context.state->setMoment(time); });
  connect(m_canvas, &TimelineCanvas::anomalyWanted, this, &TimelineView::askAnomaly);
  connect(&m_finder, &TimelineSearch::changed, this, &TimelineView::showSearch);
}

TimeRange TimelineView::window() const {
  const TimeRange range = m_state.window.range;
  if (range.t1 > range.t0) return range;
  const auto& catalog = m_rows.catalog();
  return catalog && catalog->extent ? *catalog->extent : TimeRange{0, 0};
}

// The part of the run being viewed: the playhead, or the end of a fixed window.
std::optional<TimeNs> TimelineView::seen() const {
  if (m_state.moment) return m_state.moment;
  const TimeWindow& window = m_state.window;
  return window.mode == WindowMode::kFixed && window.range.t0 < window.range.t1 ? std::optional(window.range.t1 - 1) : std::nullopt;
}

// The shown attempt changes with the viewed part of the run.
bool TimelineView::looksElsewhere(const TimelineCatalog& catalog) const {
  const TimeNs at = seen().value_or(std::numeric_limits<TimeNs>::max() - 1);
  return !m_state.selection.attempt && (at < catalog.chosen_for.t0 || at >= catalog.chosen_for.t1);
}

void TimelineView::applyState(const ViewState& state) {
  const bool other_run = state.selection.run != m_state.selection.run || state.selection.attempt != m_state.selection.attempt ||
                         state.selection.rank != m_state.selection.rank;
  const bool moved_by_data = state.window.mode != WindowMode::kFixed && state.selection == m_state.selection;
  m_state = state;
  m_rows.setSelected(state.selection.rank);
  m_canvas->setStyle(state.time_style);
  m_canvas->setPlayhead(state.moment);
  m_canvas->setExtent(m_context.state->extent());
  const bool elsewhere = m_rows.catalog() && looksElsewhere(*m_rows.catalog());
  if (other_run || elsewhere || !m_asked) {
    m_asked = true;
    askCatalog(QueryService::Supersede::kCancelOlder);
  }
  const TimeRange range = window();
  m_canvas->setWindow(range.t0, range.t1);
  m_canvas->rowsChanged();
  ask(moved_by_data ? QueryService::Supersede::kAfterCurrent : QueryService::Supersede::kCancelOlder);
}

void TimelineView::refresh(Tick tick) {
  if (tick == Tick::kText && (!m_catalog_age.isValid() || m_catalog_age.elapsed() > kCatalogMs))
    askCatalog(QueryService::Supersede::kAfterCurrent);
  if (tick == Tick::kPictures) ask(QueryService::Supersede::kAfterCurrent);
}

bool TimelineView::isFinal() const { return m_shown && !m_catalog_slot.busy() && !m_slot.busy() && !m_waits_slot.busy(); }

void TimelineView::askCatalog(QueryService::Supersede supersede) {
  m_catalog_age.restart();
  m_context.queries->submit<TimelineCatalog>(
      m_catalog_slot, supersede,
      [selection = m_state.selection, seen = seen(), memory = m_slow](Reader& reader, std::stop_token stop) {
        return readTimelineCatalog(reader, selection.run, selection.attempt, selection.rank, std::move(stop), seen, memory.get());
      },
      [this, again = supersede == QueryService::Supersede::kAfterCurrent](const auto& answer) {
        // If a refresh is unavailable for now, the old picture stays, with its age in the strip.
        if (again && m_shown && answer.status().code() == Code::kUnavailable) return;
        showCatalog(answer);
      });
}

void TimelineView::showCatalog(const Result<std::shared_ptr<const TimelineCatalog>>& answer) {
  if (!answer.ok() && answer.status().code() != Code::kNotFound) {
    m_shown = true;
    m_panel->showFailed(tr("The timeline could not be read"), screenText(answer.status().message()));
    return m_stack->setCurrentIndex(0);
  }
  if (!answer.ok() || (*answer)->tracks() == 0) {
    m_shown = true;
    m_panel->showEmpty(
        tr("No timeline yet"),
        tr("There are no spans here. Import a profiler's trace, or let trainers report spans through runglass.py or the tracer."),
        QStringLiteral("runglassctl import --store STORE.rgl TRACE.json.gz"));
    return m_stack->setCurrentIndex(0);
  }
  // The window may have moved during the read.
  if (looksElsewhere(**answer)) askCatalog(QueryService::Supersede::kCancelOlder);
  m_stack->setCurrentIndex(1);
  m_rows.setCatalog(*answer);
  m_clocks->setCatalog(*answer);
  askNotes();
  m_rows.setSelected(m_state.selection.rank);
  const TimeRange range = window();
  m_canvas->setWindow(range.t0, range.t1);
  m_canvas->rowsChanged();
}

// The rank whose steps the bands show.
std::optional<std::int32_t> TimelineView::stepRank() const {
  const auto& catalog = m_rows.catalog();
  if (m_state.selection.rank || !catalog) return m_state.selection.rank;
  return catalog->slowest || catalog->ranks.empty() ? catalog->slowest : catalog->ranks.front().rank;
}

void TimelineView::ask(QueryService::Supersede supersede) {
  const TimeRange range = window();
  const auto& catalog = m_rows.catalog();
  if (!catalog || range.t1 <= range.t0) return;
  m_supersede = supersede;
  const DurNs half = (range.t1 - range.t0) / 2;
  TimelineQuestion question{.run = catalog->run.id,
                            .attempt = catalog->attempt.number,
                            .rows = m_canvas->visibleRows(),
                            .range = {plusTime(range.t0, -half), plusTime(range.t1, half)},
                            .pixel = std::max<DurNs>((range.t1 - range.t0) / m_canvas->timeWidth(), 1),
                            .step_rank = stepRank()};
  m_context.queries->submit<TimelinePicture>(
      m_slot, supersede,
      [question = std::move(question)](Reader& reader, std::stop_token stop) { return readTimeline(reader, question, std::move(stop)); },
      [this](const auto& answer) { showPicture(answer); });
}

void TimelineView::showPicture(const Result<std::shared_ptr<const TimelinePicture>>& answer) {
  m_shown = true;
  if (!answer.ok()) {
    m_problem = screenText(answer.status().message());
    return showBadges();
  }
  m_problem.clear();
  m_picture = *answer;
  const bool live = m_rows.catalog() && m_rows.catalog()->run.state == RunState::kRunning && !m_state.paused;
  m_canvas->setNow(m_context.clock(), live);
  const bool grew = m_rows.noteLanes(*m_picture);
  m_canvas->setPicture(m_picture);
  if (grew) m_canvas->rowsChanged();
  askWaits();
  showBadges();
}

// The waiting parts of the visible communication. Known parts stay until the new ones arrive.
void TimelineView::askWaits() {
  const auto& catalog = m_rows.catalog();
  WaitQuestion question{m_canvas->splittable(), m_picture->range};
  if (!catalog || question.tracks.empty()) {
    m_waits_slot.cancel();
    m_waits_note.clear();
    return;
  }
  // A run that has ended gets no new data.
  if (m_waits && catalog->run.state != RunState::kRunning && m_waits_catalog == catalog && m_waits->answers(question)) return;
  m_context.queries->submit<WaitParts>(
      m_waits_slot, m_supersede,
      [catalog, question = std::move(question)](Reader& reader, std::stop_token stop) {
        return readWaits(reader, *catalog, question, std::move(stop));
      },
      [this, catalog](const auto& answer) {
        m_waits_note = answer.ok() ? (*answer)->note : screenText(answer.status().message());
        if (!answer.ok()) return showBadges();
        m_waits = *answer;
        m_waits_catalog = catalog;
        m_canvas->setWaits(m_waits);
        showBadges();
      });
}

void TimelineView::showBadges() {
  QStringList badges;
  if (!m_problem.isEmpty()) badges << m_problem;
  if (!m_anomaly_words.isEmpty()) badges << m_anomaly_words;
  const auto& catalog = m_rows.catalog();
  if (catalog) {
    // Only the spans of this attempt are shown: before and after it the rows are empty.
    if (catalog->attempts > 1) badges << tr("attempt %1").arg(catalog->attempt.number);
    badges << tr("%1 of %2 ranks").arg(formatCount(m_rows.shownRanks()), formatCount(static_cast<std::int64_t>(catalog->ranks.size())));
  }
  const bool elsewhere = catalog && !catalog->spans_at.empty();
  if (elsewhere) badges << tr("its spans stay at hub %1: connect to it to see them").arg(screenText(catalog->spans_at, 120));
  if (m_picture && !elsewhere) badges << (m_picture->exact ? tr("exact") : tr("binned: stretches of up to 128 spans"));
  if (!m_search_state.isEmpty()) badges << m_search_state;
  if (!m_waits_note.isEmpty()) badges << m_waits_note;
  if (catalog && catalog->run.time_domain == TimeDomain::kRelative) badges << tr("times count from the trace's own start");
  m_badge_words = badges.join(QStringLiteral("  ·  "));
  m_badges->setToolTip(m_badge_words.toHtmlEscaped());
  m_badges->setText(m_badges->fontMetrics().elidedText(m_badge_words, Qt::ElideRight, m_badges->width()));
}

void TimelineView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  m_legend->setVisible(width() >= kLegendFrom);
  showBadges();
}

QString TimelineView::copyText() const { return m_drawer->copyText(); }

void TimelineView::focusFilter() {
  m_search->setFocus();
  m_search->selectAll();
}

}  // namespace runglass
