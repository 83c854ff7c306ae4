// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. Sentence, table and heat maps belong to one answer. 2. A click changes the shared state only; the highlighted row follows
// it.
#include "widgets/ranking/ranking_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/finding_jump.h"
#include "widgets/core/units.h"
#include "widgets/ranking/ranking_words.h"
#include "widgets/ranking/spark_delegate.h"

namespace runglass {
namespace {

constexpr int kTableShare = 66, kMapShare = 34;
constexpr int kMarginShare = 4;  // of a step's length, to either side of it in the timeline
constexpr int kWorkersTab = 0, kHostsTab = 1, kStepsTab = 2;

QString levelName(RankLevel level) {
  switch (level) {
    case RankLevel::kGpu:
      return RankingView::tr("GPUs");
    case RankLevel::kNode:
      return RankingView::tr("nodes");
    case RankLevel::kRack:
      return RankingView::tr("racks");
    case RankLevel::kSwitch:
      return RankingView::tr("switches");
    case RankLevel::kRank:
      break;
  }
  return RankingView::tr("ranks, by node");
}

}  // namespace

RankingView::RankingView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_model(new TableModel<RankRow>(
          rankColumns(), [](const RankRow& a, const RankRow& b) { return a.score.rank == b.score.rank && a.name == b.name; }, this)),
      m_sentence(new Headline),
      m_grounds(new QLabel),
      m_pattern(new QLabel),
      m_levels(new QComboBox),
      m_table(new TableView(m_model, tr("Ranks"), tr("Filter ranks  ( / )"), this)),
      m_heat(new RankHeatMap),
      m_workers(new PlaceHeatMap),
      m_hosts(new PlaceHeatMap),
      m_maps(new QTabWidget),
      m_evidence(new EvidencePanel(m_context)),
      m_panel(new StatePanel),
      m_tabs(new QTabWidget),
      m_stack(new QStackedLayout),
      m_what_if(new WhatIfPanel(m_context)) {
  for (QLabel* label : {m_grounds, m_pattern}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  }
  m_sentence->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  m_grounds->setForegroundRole(QPalette::PlaceholderText);
  m_tabs->setAccessibleName(tr("Ranking and what-if"));
  m_maps->setAccessibleName(tr("Heat maps"));
  m_table->table()->setItemDelegateForColumn(kSparkColumn, new SparkDelegate(m_model, this));
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(m_tabs);
  auto* ranking = new QWidget;
  ranking->setLayout(m_stack);
  m_tabs->setDocumentMode(true);
  m_tabs->addTab(ranking, tr("Ranking"));
  m_tabs->addTab(m_what_if, tr("What if"));
  m_tabs->setCornerWidget(m_levels);
  setTabOrder(m_tabs->tabBar(), m_levels);
  m_levels->setToolTip(tr("Grouping of the table's rows"));
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_panel->showLoading(tr("Comparing the ranks …"));
  setFocusProxy(m_table);
  offerLevels();
  connect(m_levels, &QComboBox::activated, this, [this](int at) { setLevel(static_cast<RankLevel>(m_levels->itemData(at).toInt())); });
  connect(m_table, &TableView::rowChosen, this, [this](const QModelIndex& index) {
    if (const RankRow* row = m_model->rowAt(index)) choose(*row);
  });
  connect(m_table, &TableView::rowActivated, this, [this](const QModelIndex& index) {
    if (const RankRow* row = m_model->rowAt(index)) open(row->score.rank, std::nullopt);
  });
  connect(m_table, &TableView::menuWanted, this, [this](const QModelIndex& index, const QPoint& at) {
    const RankRow* row = m_model->rowAt(index);
    if (row == nullptr) return;
    Object object{.kind = ObjectKind::kRank,
                  .name = tr("Rank %1").arg(row->score.rank),
                  .detail = row->node,
                  .selection = selectionOf(row->score.rank, std::nullopt),
                  .id = row->score.rank};
    if (row->score.score)
      object.value = tr("rank %1: %2 compared with its peers").arg(row->score.rank).arg(formatSignedPercent(*row->score.score));
    emit menuRequested(object, at);
  });
  connect(m_heat, &RankHeatMap::cellChosen, this, [this](std::int32_t rank, std::int64_t step) { select(rank, step); });
  connect(m_heat, &RankHeatMap::cellActivated, this, [this](std::int32_t rank, std::int64_t step) { open(rank, step); });
  for (PlaceHeatMap* map : {m_workers, m_hosts})
    connect(map, &PlaceHeatMap::rankChosen, this, [this](std::int32_t rank) { select(rank, std::nullopt); });
  connect(m_evidence, &EvidencePanel::jump, this, &RankingView::jump);
  connect(m_evidence, &EvidencePanel::whatIfWanted, this, &RankingView::showWhatIf);
  connect(m_evidence, &EvidencePanel::worstStepWanted, this, [this] {
    if (const RankRow* row = shownRow()) open(row->score.rank, std::nullopt);
  });
}

QWidget* RankingView::makeMaps() {
  auto* maps = new QWidget;
  auto* column = new QVBoxLayout(maps);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_pattern);
  column->addWidget(m_maps, 1);
  m_maps->setDocumentMode(true);
  m_maps->addTab(m_workers, tr("DP × PP"));
  m_maps->addTab(m_hosts, tr("host × GPU"));
  m_maps->addTab(m_heat, tr("rank × step"));
  m_maps->setCurrentIndex(kStepsTab);
  connect(m_maps, &QTabWidget::tabBarClicked, this, [this] { m_map_chosen = true; });
  return maps;
}

QWidget* RankingView::makePage() {
  auto* page = new QWidget;
  auto* split = new QSplitter(Qt::Horizontal);
  split->setHandleWidth(kHairline);
  split->addWidget(m_table);
  split->addWidget(makeMaps());
  split->setStretchFactor(0, kTableShare);
  split->setStretchFactor(1, kMapShare);
  split->setSizes({kTableShare * 1'000, kMapShare * 1'000});
  split->setCollapsible(0, false);
  auto* rows = new QSplitter(Qt::Vertical);
  rows->setHandleWidth(kHairline);
  rows->addWidget(split);
  rows->addWidget(m_evidence);
  rows->setStretchFactor(0, 1);
  rows->setStretchFactor(1, 0);
  rows->setCollapsible(0, false);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, kGrid, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_sentence);
  column->addWidget(m_grounds);
  column->addWidget(rows, 1);
  return page;
}

void RankingView::applyState(const ViewState& state) {
  const bool other = state.selection.run != m_state.selection.run || state.selection.attempt != m_state.selection.attempt;
  const bool travelled = state.moment != m_state.moment;
  const bool style = state.time_style != m_state.time_style;
  m_state = state;
  if (other || !m_memory) m_memory = std::make_shared<RankingMemory>(state.selection.run, state.selection.attempt);
  if (other || travelled || !m_asked) ask(QueryService::Supersede::kCancelOlder);
  if (style && m_data) m_sentence->setSentence(rankingSentence(*m_data, state.time_style));
  m_what_if->applyState(state);
  showSelection();
}

void RankingView::showWhatIf() { m_tabs->setCurrentWidget(m_what_if); }

void RankingView::refresh(Tick tick) {
  if (tick == Tick::kText) ask(QueryService::Supersede::kAfterCurrent);
  m_what_if->refresh(tick);
}

bool RankingView::isFinal() const {
  return m_shown && !m_slot.busy() && m_evidence->isFinal() && (m_tabs->currentWidget() != m_what_if || m_what_if->isFinal());
}

QString RankingView::copyText() const {
  if (m_tabs->currentWidget() == m_what_if) return m_what_if->copyText();
  return m_data ? m_table->selectedTsv() : QString();
}

bool RankingView::showTab(const QString& name) {
  if (name == QLatin1String("what-if")) {
    showWhatIf();
    return true;
  }
  static const QStringList maps = {QStringLiteral("dp-pp"), QStringLiteral("host-gpu"), QStringLiteral("rank-step")};
  if (const auto map = static_cast<int>(maps.indexOf(name)); map >= 0)
    m_maps->setCurrentIndex(map), m_map_chosen = true;
  else if (name != QLatin1String("ranking"))
    return false;
  m_tabs->setCurrentIndex(0);
  return true;
}

void RankingView::focusFilter() { m_table->focusFilter(); }

void RankingView::ask(QueryService::Supersede supersede) {
  if (!m_memory) m_memory = std::make_shared<RankingMemory>(m_state.selection.run, m_state.selection.attempt);
  m_asked = true;
  // The cached state grows with time: in the past each moment is read without it.
  const auto memory = m_state.moment ? nullptr : m_memory;
  m_context.submitAtPlayhead<RankingData>(
      m_slot, supersede,
      [memory, selection = m_state.selection](const MomentReaders& readers, std::stop_token stop) {
        return memory ? readRanking(readers.then, *memory, stop)
                      : readRanking(readers.then, selection.run, selection.attempt, std::move(stop));
      },
      [this](const auto& answer) { showAnswer(answer); });
}

void RankingView::showNothing(const Result<std::shared_ptr<const RankingData>>& answer) {
  m_data.reset();
  if (!answer.ok() && answer.status().code() != Code::kNotFound)
    m_panel->showFailed(tr("The ranking could not be made"), screenText(answer.status().message()));
  else
    m_panel->showEmptyAt(m_context.state->state().moment, tr("No step times yet"),
                         tr("Ranks are compared by the work of their steps, and no rank of this run recorded any. Trainers record it with "
                            "runglass.py (runglass.step, runglass.span with part=…); profiler traces with steps bring step times."),
                         QStringLiteral("runglassctl import --store STORE.rgl TRACE-FOLDER"));
  m_stack->setCurrentIndex(0);
}

void RankingView::showAnswer(const Result<std::shared_ptr<const RankingData>>& answer) {
  m_shown = true;
  if (!answer.ok() || (*answer)->empty()) return showNothing(answer);
  m_data = *answer;
  m_stack->setCurrentIndex(1);
  m_sentence->setSentence(rankingSentence(*m_data, m_state.time_style));
  m_grounds->setText(rankingGrounds(*m_data));
  m_pattern->setText(patternSentence(*m_data));
  m_pattern->setVisible(!m_pattern->text().isEmpty());
  offerLevels();
  showRows();
  showMaps();
  showSelection();
}

void RankingView::offerLevels() {
  std::vector<RankLevel> known{RankLevel::kRank};
  for (const RankLevel level : {RankLevel::kGpu, RankLevel::kNode, RankLevel::kRack, RankLevel::kSwitch})
    if (m_data && !m_data->rowsOf(level).empty()) known.push_back(level);
  if (std::ranges::find(known, m_level) == known.end()) m_level = RankLevel::kRank;
  if (m_levels->count() == static_cast<int>(known.size())) return;
  m_levels->clear();
  for (const RankLevel level : known) m_levels->addItem(tr("Rows: %1").arg(levelName(level)), static_cast<int>(level));
  m_levels->setCurrentIndex(m_levels->findData(static_cast<int>(m_level)));
}

void RankingView::setLevel(RankLevel level) {
  m_level = level;
  m_levels->setCurrentIndex(m_levels->findData(static_cast<int>(level)));
  if (!m_data) return;
  showRows();
  showSelection();
}

// A column without a value in any row would push others out of sight.
void RankingView::showRows() {
  m_model->setRows(std::shared_ptr<const std::vector<RankRow>>(m_data, &m_data->rowsOf(m_level)));
  QHeaderView* head = m_table->table()->horizontalHeader();
  bool appeared = !m_fitted;
  for (int column = 0; column < m_model->columnCount(); ++column) {
    bool any = false;
    for (int row = 0; row < m_model->rowCount() && !any; ++row) any = m_model->index(row, column).data() != kAbsentText;
    appeared |= any && head->isSectionHidden(column);
    head->setSectionHidden(column, !any && column > 2);
  }
  if (appeared && m_model->rowCount() > 0) m_table->fitColumns(), m_fitted = true;
}

void RankingView::showMaps() {
  const auto part = [this](const PlaceCells& cells) { return std::shared_ptr<const PlaceCells>(m_data, &cells); };
  m_workers->setCells(part(m_data->workers));
  m_hosts->setCells(part(m_data->hosts));
  m_heat->setCells(std::shared_ptr<const HeatCells>(m_data, &m_data->heat));
  const bool ranked = m_data->ranking.relative.status == SlowRanksStatus::kRanked;
  m_maps->setTabVisible(kWorkersTab, !m_data->workers.empty() && m_data->ranking.kind.has_value());
  m_maps->setTabVisible(kHostsTab, !m_data->hosts.empty() && m_data->ranking.kind.has_value());
  m_maps->setTabVisible(kStepsTab, ranked);
  m_maps->setVisible(m_data->ranking.kind.has_value());
  if (m_map_chosen) return;
  // The map that shows its pattern.
  const Suspect* worst = m_data->ranking.suspects.worst();
  int tab = ranked ? kStepsTab : kWorkersTab;
  if (worst != nullptr && worst->pattern == "host_block") tab = kHostsTab;
  if (worst != nullptr && (worst->pattern == "row" || worst->pattern == "column")) tab = kWorkersTab;
  if (m_maps->isTabVisible(tab)) m_maps->setCurrentIndex(tab);
}

const RankRow* RankingView::shownRow() const {
  if (!m_data || m_data->rows.empty()) return nullptr;
  const RankRow* row = m_state.selection.rank ? m_data->find(*m_state.selection.rank) : nullptr;
  return row != nullptr ? row : &m_data->rows.front();
}

std::optional<IncidentSeed> RankingView::incidentSeed() const {
  const RankRow* const row = shownRow();
  if (row == nullptr) return std::nullopt;
  return IncidentSeed{.rank = row->score.rank, .attempt = m_data->ranking.attempt.id};
}

QStringList RankingView::chosenNodes() const {
  QStringList nodes;
  const auto add = [&](const RankRow& row) {
    if (!row.node.isEmpty() && !nodes.contains(row.node)) nodes << row.node;
  };
  const auto* proxy = qobject_cast<const QSortFilterProxyModel*>(m_table->table()->model());
  for (const QModelIndex& index : m_table->table()->selectionModel()->selectedRows())
    if (const RankRow* row = m_model->rowAt(proxy->mapToSource(index))) add(*row);
  if (const RankRow* row = shownRow(); row != nullptr && nodes.isEmpty()) add(*row);
  return nodes;
}

// Without a selection the first row's evidence is shown.
void RankingView::showSelection() {
  const RankRow* row = shownRow();
  if (row == nullptr) return;
  m_heat->setSelected(m_state.selection.rank, m_state.selection.step);
  for (PlaceHeatMap* map : {m_workers, m_hosts}) map->setSelected(m_state.selection.rank);
  if (m_state.selection.rank == row->score.rank) {
    const auto& rows = m_model->rows();
    const auto at = std::ranges::find_if(rows, [&](const RankRow& one) { return one.score.rank == row->score.rank; });
    if (at != rows.end()) m_table->chooseRow(m_model->index(static_cast<int>(at - rows.begin()), 0));
  }
  m_evidence->show(m_data, *row, chosenNodes(), m_state.time_style);
}

// A rank that a finding blames is shown in the time of that finding.
void RankingView::choose(const RankRow& row) {
  const Suspect* suspect = m_data->ranking.suspectOf(row.ranked);
  if (suspect == nullptr || !suspect->start) return select(row.score.rank, std::nullopt);
  TimeRange window = *EvidencePanel::rangeOf(*m_data, row, m_context.now());
  window.t0 -= kFindingMargin, window.t1 += kFindingMargin;
  m_context.state->goTo(selectionOf(row.score.rank, suspect->first_step), window);
}

void RankingView::select(std::int32_t rank, std::optional<std::int64_t> step) { m_context.state->select(selectionOf(rank, step)); }

Selection RankingView::selectionOf(std::int32_t rank, std::optional<std::int64_t> step) const {
  Selection selection = m_state.selection;
  selection.rank = rank;
  if (step) selection.step = step;
  // The rank's machine is selected too, so that its GPU is a click away.
  if (const RankRow* row = m_data ? m_data->find(rank) : nullptr) {
    if (row->ranked.place.node) selection.node = row->ranked.place.node;
    if (row->ranked.place.device) selection.device = row->ranked.place.device;
  }
  return selection;
}

void RankingView::open(std::int32_t rank, std::optional<std::int64_t> step) {
  const RankRow* row = m_data ? m_data->find(rank) : nullptr;
  if (row == nullptr) return;
  if (!step && row->score.worst) step = m_data->ranking.relative.steps[*row->score.worst];
  select(rank, step);
  if (const auto when = step ? m_data->timeOf(*step) : std::nullopt) {
    const DurNs margin = (when->t1 - when->t0) / kMarginShare;
    m_context.state->setWindow({when->t0 - margin, when->t1 + margin});
  }
  emit viewRequested(QStringLiteral("timeline"));
}

// Opens a view at the row's machine, in the time of its evidence.
void RankingView::jump(const QString& view) {
  const RankRow* row = shownRow();
  if (row == nullptr) return;
  select(row->score.rank, std::nullopt);
  if (const auto range = EvidencePanel::rangeOf(*m_data, *row, m_context.now())) m_context.state->setWindow(*range);
  emit viewRequested(view);
}

}  // namespace runglass
