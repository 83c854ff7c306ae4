// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. Sentence, table and heat map are of one answer. 2. A click changes the shared state only; what is marked follows it.
#include "widgets/ranking/ranking_view.h"

#include <QSplitter>
#include <QTabWidget>
#include <QVBoxLayout>

#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kTableShare = 70, kHeatShare = 30;
constexpr int kMarginShare = 4;  // of a step's length, to either side of it in the timeline

}  // namespace

RankingView::RankingView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_model(new TableModel<RankRow>(
          rankColumns(), [](const RankRow& a, const RankRow& b) { return a.score.rank == b.score.rank; }, this)),
      m_sentence(new QLabel),
      m_grounds(new QLabel),
      m_evidence(new QLabel),
      m_table(new TableView(m_model, tr("Filter ranks  ( / )"), this)),
      m_heat(new RankHeatMap),
      m_panel(new StatePanel),
      m_tabs(new QTabWidget),
      m_stack(new QStackedLayout),
      m_what_if(new WhatIfPanel(m_context)) {
  for (QLabel* label : {m_sentence, m_grounds, m_evidence}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  }
  m_sentence->setFont(headlineFont());
  m_grounds->setForegroundRole(QPalette::PlaceholderText);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_tabs);
  auto* ranking = new QWidget;
  ranking->setLayout(m_stack);
  m_tabs->setDocumentMode(true);
  m_tabs->addTab(ranking, tr("Ranking"));
  m_tabs->addTab(m_what_if, tr("What if"));
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_panel->showLoading(tr("Comparing the ranks …"));
  setFocusProxy(m_table);
  connect(m_table, &TableView::rowChosen, this, [this](const QModelIndex& index) {
    if (const RankRow* row = m_model->rowAt(index)) select(row->score.rank, std::nullopt);
  });
  connect(m_table, &TableView::rowActivated, this, [this](const QModelIndex& index) {
    if (const RankRow* row = m_model->rowAt(index)) open(row->score.rank, std::nullopt);
  });
  connect(m_heat, &RankHeatMap::cellChosen, this, [this](std::int32_t rank, std::int64_t step) { select(rank, step); });
  connect(m_heat, &RankHeatMap::cellActivated, this, [this](std::int32_t rank, std::int64_t step) { open(rank, step); });
}

QWidget* RankingView::makePage() {
  auto* page = new QWidget;
  auto* left = new QWidget;
  auto* left_column = new QVBoxLayout(left);
  left_column->setContentsMargins(0, 0, 0, 0);
  left_column->setSpacing(0);
  left_column->addWidget(m_table, 1);
  left_column->addWidget(m_evidence);
  auto* split = new QSplitter(Qt::Horizontal);
  split->setHandleWidth(kHairline);
  split->addWidget(left);
  split->addWidget(m_heat);
  split->setStretchFactor(0, kTableShare);
  split->setStretchFactor(1, kHeatShare);
  split->setSizes({kTableShare * 1'000, kHeatShare * 1'000});
  split->setCollapsible(0, false);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, kGrid, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_sentence);
  column->addWidget(m_grounds);
  column->addWidget(split, 1);
  return page;
}

void RankingView::applyState(const ViewState& state) {
  const bool other = state.selection.run != m_state.selection.run || state.selection.attempt != m_state.selection.attempt;
  m_state = state;
  if (other || !m_asked) ask(QueryService::Supersede::kCancelOlder);
  m_what_if->applyState(state);
  showSelection();
}

void RankingView::showWhatIf() { m_tabs->setCurrentWidget(m_what_if); }

void RankingView::refresh(Tick tick) {
  if (tick == Tick::kText) ask(QueryService::Supersede::kAfterCurrent);
  m_what_if->refresh(tick);
}

bool RankingView::isFinal() const { return m_shown && !m_slot.busy() && (m_tabs->currentWidget() != m_what_if || m_what_if->isFinal()); }

QString RankingView::copyText() const {
  if (m_tabs->currentWidget() == m_what_if) return m_what_if->copyText();
  return m_data ? m_table->selectedTsv() : QString();
}

void RankingView::focusFilter() { m_table->focusFilter(); }

void RankingView::changeEvent(QEvent* event) {
  View::changeEvent(event);
  if (event->type() == QEvent::FontChange) m_sentence->setFont(headlineFont());
}

void RankingView::ask(QueryService::Supersede supersede) {
  m_asked = true;
  m_context.queries->submit<RankingData>(
      m_slot, supersede,
      [run = m_state.selection.run, attempt = m_state.selection.attempt](Reader& reader, std::stop_token stop) {
        return readRanking(reader, run, attempt, std::move(stop));
      },
      [this](const auto& answer) { showAnswer(answer); });
}

void RankingView::showAnswer(const Result<std::shared_ptr<const RankingData>>& answer) {
  m_shown = true;
  if (!answer.ok() && answer.status().code() != Code::kNotFound) {
    m_panel->showFailed(tr("The ranking could not be made"), screenText(answer.status().message()));
    return m_stack->setCurrentIndex(0);
  }
  if (!answer.ok() || (*answer)->ranking.steps.empty()) {
    m_panel->showEmpty(tr("No step times yet"),
                       tr("Ranks are compared by the work of their steps, and no rank of this run has told of any. Trainers tell through "
                          "runglass.py (runglass.step, runglass.span with part=…); profiler traces with steps bring step times."),
                       QStringLiteral("runglassctl import --store STORE.rgl TRACE-FOLDER"));
    return m_stack->setCurrentIndex(0);
  }
  m_data = *answer;
  m_stack->setCurrentIndex(1);
  m_sentence->setText(rankingSentence(*m_data));
  m_grounds->setText(rankingGrounds(*m_data));
  m_model->setRows(std::shared_ptr<const std::vector<RankRow>>(m_data, &m_data->rows));
  if (!m_fitted) m_table->fitColumns();
  m_fitted = true;
  m_heat->setVisible(m_data->ranking.status == SlowRanksStatus::kRanked);
  m_heat->setCells(std::shared_ptr<const HeatCells>(m_data, &m_data->heat));
  showSelection();
}

// Without a choice the first row is the one whose evidence is shown.
void RankingView::showSelection() {
  if (!m_data || m_data->rows.empty()) return;
  m_heat->setSelected(m_state.selection.rank, m_state.selection.step);
  const RankRow* row = m_state.selection.rank ? m_data->find(*m_state.selection.rank) : nullptr;
  m_evidence->setText(rankEvidence(*m_data, row != nullptr ? *row : m_data->rows.front()));
  if (row != nullptr) m_table->chooseRow(m_model->index(static_cast<int>(row - m_data->rows.data()), 0));
}

void RankingView::select(std::int32_t rank, std::optional<std::int64_t> step) {
  Selection selection = m_state.selection;
  selection.rank = rank;
  if (step) selection.step = step;
  // The rank's machine comes along, so that its GPU is a click away.
  if (const RankRow* row = m_data ? m_data->find(rank) : nullptr) {
    if (row->place.node) selection.node = row->place.node;
    if (row->place.device) selection.device = row->place.device;
  }
  m_context.state->select(selection);
}

void RankingView::open(std::int32_t rank, std::optional<std::int64_t> step) {
  const RankRow* row = m_data ? m_data->find(rank) : nullptr;
  if (row == nullptr) return;
  if (!step && row->score.worst) step = m_data->ranking.steps[*row->score.worst];
  select(rank, step);
  if (const auto when = step ? m_data->timeOf(*step) : std::nullopt) {
    const DurNs margin = (when->t1 - when->t0) / kMarginShare;
    m_context.state->setWindow({when->t0 - margin, when->t1 + margin});
  }
  emit viewRequested(QStringLiteral("timeline"));
}

}  // namespace runglass
