// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: sentence, tiles, plots and side panels belong to one answer.
#include "widgets/overview/overview_view.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <limits>

#include "analysis/run_summary/open_finding.h"
#include "widgets/core/finding_jump.h"

namespace runglass {

OverviewView::OverviewView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_sentence(new Headline),
      m_hang(new FindingCard(m_context)),
      m_tiles(new TileRow),
      m_plots(new PlotWidget),
      m_side(new SidePanels),
      m_card(new FindingCard(m_context)),
      m_breakdown(new BreakdownView),
      m_idle(new IdlePanel(m_context)),
      m_axis_button(new QPushButton),
      m_panel(new StatePanel),
      m_stack(new QStackedLayout(this)) {
  m_sentence->setObjectName(QStringLiteral("sentence"));
  m_axis_button->setFont(tableFont());
  m_axis_button->setFlat(true);
  m_axis_button->setText(tr("against time"));
  m_axis_button->setShortcut(QKeySequence(Qt::Key_X));
  connect(m_axis_button, &QPushButton::clicked, this, &OverviewView::switchAxis);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_panel->showLoading(tr("Reading the run …"));
  setFocusProxy(m_plots);
  connectPlots();
}

QWidget* OverviewView::makePage() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  column->setSpacing(kGrid);
  auto* top = new QHBoxLayout;
  top->addWidget(m_sentence, 1);
  top->addWidget(m_axis_button, 0, Qt::AlignBottom);
  column->addLayout(top);
  column->addWidget(m_hang);
  column->addWidget(m_tiles);
  m_hang->hide();
  auto* row = new QHBoxLayout;
  row->setSpacing(2 * kGrid);
  row->addWidget(m_plots, 7);
  // A widget: a layout of hidden widgets would still take its share of the row.
  m_side_column = new QWidget;
  auto* side = new QVBoxLayout(m_side_column);
  side->setContentsMargins(0, 0, 0, 0);
  side->setSpacing(0);
  side->addWidget(m_side, 1);
  side->addWidget(m_card);
  row->addWidget(m_side_column, 3);
  column->addLayout(row, 1);
  auto* steps = new QHBoxLayout;
  steps->setSpacing(2 * kGrid);
  steps->addWidget(m_breakdown, 1);
  steps->addWidget(m_idle, 1);
  column->addLayout(steps);
  connect(m_idle, &IdlePanel::viewRequested, this, &View::viewRequested);
  connect(m_side, &SidePanels::findingChosen, this, [this](const Finding& finding) {
    m_card->setFinding(finding);
    goToFinding(*m_context.state, Finding(finding));  // a copy: the signals that this emits may replace the list
  });
  for (FindingCard* card : {m_card, m_hang}) {
    connect(card, &FindingCard::viewRequested, this, &View::viewRequested);
    connect(card, &FindingCard::incidentRequested, this, &View::incidentRequested);
  }
  connect(m_sentence, &InkLabel::clicked, this, [this] { emit viewRequested(QStringLiteral("findings")); });
  placeSide();
  return page;
}

void OverviewView::setAlone(bool alone) {
  m_alone = alone;
  placeSide();
}

void OverviewView::placeSide() {
  m_side_column->setVisible(m_alone && m_side_has_data);
  m_card->setVisible(m_data && !m_data->findings.empty());
}

void OverviewView::switchAxis() {
  m_axis = m_axis == XAxis::kTime ? XAxis::kStep : XAxis::kTime;
  m_steps.reset();
  ask(QueryService::Supersede::kCancelOlder);
}

void OverviewView::connectPlots() {
  SharedState* state = m_context.state;
  connect(m_plots, &PlotWidget::windowChanged, this, [this, state](std::int64_t x0, std::int64_t x1, bool gesture) {
    if (m_data && m_data->plots->axis == XAxis::kStep) {
      m_steps = {x0, x1};
      ask(QueryService::Supersede::kCancelOlder);
    } else {
      state->setWindow({x0, x1}, gesture ? SharedState::Undo::kMerge : SharedState::Undo::kStep);
    }
  });
  connect(m_plots, &PlotWidget::gestureEnded, state, [state] { state->endGesture(); });
  connect(m_plots, &PlotWidget::rangeSelected, this,
          [this](std::int64_t x0, std::int64_t x1) { emit m_plots->windowChanged(x0, x1, false); });
  connect(m_plots, &PlotWidget::momentClicked, state, [this, state](std::int64_t x) {
    if (m_data && m_data->plots->axis == XAxis::kTime) state->setMoment(x);
  });
  connect(m_plots, &PlotWidget::showAll, this, [this, state] {
    m_steps.reset();
    state->showAll();
    ask(QueryService::Supersede::kCancelOlder);
  });
  connect(m_plots, &PlotWidget::followEnd, state, [this, state] { state->followEnd(m_plots->x1() - m_plots->x0()); });
}

void OverviewView::applyState(const ViewState& state) {
  if (state.selection.run != m_state.selection.run) m_steps.reset();
  const bool moved_by_data = state.window.mode != WindowMode::kFixed && state.selection == m_state.selection;
  m_state = state;
  showPlayhead();
  m_idle->applyState(state);
  ask(moved_by_data ? QueryService::Supersede::kAfterCurrent : QueryService::Supersede::kCancelOlder);
}

void OverviewView::refresh(Tick tick) {
  if (tick != Tick::kText) return;
  ask(QueryService::Supersede::kAfterCurrent);
  m_idle->refresh();
}

void OverviewView::ask(QueryService::Supersede supersede) {
  OverviewQuestion question{.run = m_state.selection.run,
                            .window = m_state.window,
                            .axis = m_axis,
                            .steps = m_steps,
                            .pixels = static_cast<std::size_t>(std::max(64, m_plots->plotArea().width())),
                            .style = m_state.time_style,
                            .now = m_context.clock(),
                            .moment = m_context.state->state().moment,
                            .spikes = m_spikes,
                            .quick = m_data == nullptr,
                            .memory = m_context.state->state().moment ? nullptr : m_slow,
                            .previous = m_data};
  m_context.submitAtPlayhead<OverviewData>(
      m_slot, supersede,
      [question](const MomentReaders& readers, std::stop_token stop) { return readOverview(readers, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const OverviewData>>& answer) { showAnswer(answer); });
}

void OverviewView::showAnswer(const Result<std::shared_ptr<const OverviewData>>& answer) {
  m_shown = true;
  if (!answer.ok()) {
    if (answer.status().code() == Code::kNotFound)
      m_panel->showEmptyAt(m_context.state->state().moment, tr("No run yet"), tr("This store holds no training run so far."),
                           QStringLiteral("runglassctl import --store STORE.rgl PATH"));
    else
      m_panel->showFailed(tr("The run could not be read"), screenText(answer.status().message()));
    m_stack->setCurrentIndex(0);
    return;
  }
  m_data = *answer;
  m_stack->setCurrentIndex(1);
  m_sentence->setSentence(m_data->sentence, m_data->sentence_severity);
  m_sentence->setLink(!m_data->findings.empty());
  m_sentence->setHint(m_sentence->isLink() ? tr("Show the findings") : QString());
  m_tiles->setTiles(m_data->tiles);
  m_plots->setData(m_data->plots);
  m_plots->setWindow(m_data->x0, m_data->x1);
  showPlayhead();
  m_axis_button->setText(m_data->plots->axis == XAxis::kTime ? tr("against time") : tr("against step"));
  m_axis_button->setEnabled(m_data->has_times);
  m_axis_button->setToolTip(m_data->has_times ? tr("Plot against time or against the training step (X)")
                                              : tr("Steps of this run have no times: curves have steps only"));
  m_breakdown->setData(m_data->breakdown);
  m_side_has_data = m_side->setData(m_data, m_context.now(), m_state.time_style);
  const Finding* chosen = m_side->chosenFinding();
  m_card->setFinding(chosen != nullptr ? std::optional(*chosen) : std::nullopt);
  if (!m_data->complete) {
    // Reserves space for content that is still being read, so that nothing moves when it arrives.
    m_side_has_data = true;
    m_breakdown->show();
    ask(QueryService::Supersede::kCancelOlder);
  }
  showHang();
  placeSide();
}

// A hang is what the whole view is about, without a click.
void OverviewView::showHang() {
  const TimeNs at = m_data->summary.last_data.value_or(std::numeric_limits<TimeNs>::max());
  const auto hang = std::ranges::find_if(m_data->findings, [&](const Finding& finding) {
    return finding.kind == "hang" && finding.severity >= Severity::kWarning && isOpen(finding, at, m_data->summary.run.end);
  });
  const bool hangs = hang != m_data->findings.end();
  m_hang->setFinding(hangs ? std::optional(*hang) : std::nullopt);
  m_hang->setVisible(hangs);
}

// At the moment; on a step axis at the last step that had ended.
void OverviewView::showPlayhead() {
  const bool by_step = m_data && m_data->plots->axis == XAxis::kStep;
  std::optional<std::int64_t> x = m_state.moment;
  if (by_step && x) x = m_data->summary.last_step;
  m_plots->setPlayhead(x);
}

std::optional<IncidentSeed> OverviewView::incidentSeed() const {
  const Finding* const finding = m_side->isVisible() ? m_side->chosenFinding() : nullptr;
  if (finding != nullptr) return IncidentSeed{.finding = finding->id};
  return m_hang->finding() ? std::optional(IncidentSeed{.finding = m_hang->finding()->id}) : std::nullopt;
}

QString OverviewView::copyText() const {
  if (!m_data) return {};
  const QString table = m_plots->cursorTable();
  return table.isEmpty() ? m_data->sentence : table;
}

}  // namespace runglass
