// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: chart and lists belong to m_data.
#include "widgets/topology/step_page.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <algorithm>

#include "widgets/core/language.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kListHeight = 190, kNodeRole = Qt::UserRole;
constexpr std::size_t kMaxPieces = 2000;

QString milliseconds(DurNs time) { return formatScaled(static_cast<double>(time), {1e-6, 3, "ms"}); }

QTreeWidget* makeList(const QStringList& heads) {
  auto* list = new QTreeWidget;
  list->setColumnCount(static_cast<int>(heads.size()));
  list->setHeaderLabels(heads);
  list->setRootIsDecorated(false);
  list->setUniformRowHeights(true);
  list->setFont(tableFont());
  list->header()->setStretchLastSection(false);
  list->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  list->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  return list;
}

QTreeWidgetItem* addRow(QTreeWidget* list, const QStringList& texts, std::optional<std::uint32_t> node) {
  auto* item = new QTreeWidgetItem(list, texts);
  for (int column = 1; column < texts.size(); ++column) item->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
  if (node) item->setData(0, kNodeRole, *node);
  return item;
}

}  // namespace

StepPage::StepPage(const ViewContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_back(new QToolButton),
      m_next(new QToolButton),
      m_number(new QSpinBox),
      m_replicas(new QComboBox),
      m_headline(new QLabel),
      m_note(new QLabel),
      m_chart(new StepChart),
      m_path(makeList({tr("critical path of the step"), tr("ms"), tr("share")})),
      m_chain(makeList({tr("what it waited for, last first"), tr("from ms"), tr("ms"), tr("after a gap of ms")})),
      m_panel(new StatePanel),
      m_stack(new QStackedLayout) {
  m_back->setArrowType(Qt::LeftArrow), m_next->setArrowType(Qt::RightArrow);
  m_back->setToolTip(tr("Step before")), m_next->setToolTip(tr("Next step"));
  m_number->setKeyboardTracking(false);
  m_number->setGroupSeparatorShown(true);
  m_replicas->setToolTip(tr("The replica whose stages are shown"));
  m_note->setFont(tableFont());
  m_note->setForegroundRole(QPalette::PlaceholderText);
  for (QLabel* label : {m_headline, m_note}) {
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  m_note->setTextFormat(Qt::RichText);
  m_note->setWordWrap(true);
  m_replicas->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* bar = new QHBoxLayout;
  bar->setSpacing(kGrid);
  bar->addWidget(new QLabel(tr("step")));
  for (QWidget* part : std::initializer_list<QWidget*>{m_back, m_number, m_next, m_replicas}) bar->addWidget(part);
  bar->addSpacing(2 * kGrid);
  bar->addWidget(m_headline, 1);
  auto* picture = new QWidget;
  auto* column = new QVBoxLayout(picture);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(kGrid);
  column->addWidget(m_note);
  column->addWidget(m_chart, 3);
  auto* lists = new QHBoxLayout;
  lists->setSpacing(2 * kGrid);
  lists->addWidget(m_path, 2);
  lists->addWidget(m_chain, 3);
  for (QTreeWidget* list : {m_path, m_chain}) list->setMinimumHeight(kListHeight);
  column->addLayout(lists, 1);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(picture);
  auto* all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->setSpacing(kGrid);
  all->addLayout(bar);
  all->addLayout(m_stack, 1);
  setFocusProxy(m_chart);
  m_panel->showLoading(tr("Reading the step …"));
  connect(m_back, &QToolButton::clicked, this, [this] { goTo(-1); });
  connect(m_next, &QToolButton::clicked, this, [this] { goTo(1); });
  connect(m_number, &QSpinBox::valueChanged, this, [this](int step) {
    m_step = step;
    ask();
  });
  connect(m_replicas, &QComboBox::activated, this, [this](int index) {
    m_replica = m_replicas->itemData(index).toInt();
    ask();
  });
  connect(m_chart, &StepChart::nodeChosen, this, [this](std::uint32_t node) { choose(node); });
  connect(m_chart, &StepChart::cleared, this, [this] { choose(std::nullopt); });
  connect(m_chart, &StepChart::nodeOpened, this, &StepPage::open);
  for (QTreeWidget* list : {m_path, m_chain}) {
    connect(list, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) {
      if (const QVariant node = item->data(0, kNodeRole); node.isValid()) choose(node.toUInt());
    });
    connect(list, &QTreeWidget::itemDoubleClicked, this, [this](QTreeWidgetItem* item) {
      if (const QVariant node = item->data(0, kNodeRole); node.isValid()) open(node.toUInt());
    });
  }
}

void StepPage::setState(const ViewState& state, std::shared_ptr<const TopologyData> topology) {
  // The known steps depend on the moment: another moment has another newest step.
  if (state.moment != m_state.moment) m_data.reset();
  m_state = state;
  if (!topology) return;
  const bool other = !m_topology || m_topology->attempt.id != topology->attempt.id || m_topology->chosen_order != topology->chosen_order;
  m_topology = std::move(topology);
  if (other) m_data.reset(), m_step.reset(), m_selected.reset(), m_replica.reset(), m_rank.reset();
  bool wanted = other || !m_data;
  // A selection made while another tab was shown counts as well.
  if (state.selection.step && state.selection.step != m_selected) {
    m_selected = state.selection.step;
    if (m_step != m_selected) m_step = m_selected, wanted = true;
  }
  if (state.selection.rank && state.selection.rank != m_rank) {
    m_rank = state.selection.rank;
    const auto rank = std::ranges::find_if(m_topology->ranks, [&](const TopologyRank& r) { return r.place.rank == *m_rank; });
    if (rank != m_topology->ranks.end() && rank->place.dp && rank->place.dp != m_replica) m_replica = rank->place.dp, wanted = true;
  }
  if (wanted) ask();
}

void StepPage::ask() {
  if (!m_topology) return;
  m_context.submitAtPlayhead<StepData>(
      m_slot, QueryService::Supersede::kCancelOlder,
      [question = StepQuestion{.topology = m_topology, .step = m_step, .replica = m_replica, .previous = m_data}](
          const MomentReaders& readers, std::stop_token stop) { return readStep(readers.then, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const StepData>>& answer) { showAnswer(answer); });
}

void StepPage::showAnswer(const Result<std::shared_ptr<const StepData>>& answer) {
  if (!answer.ok()) {
    m_data = std::make_shared<const StepData>();
    m_panel->showFailed(tr("The step could not be read"), screenText(answer.status().message()));
    return m_stack->setCurrentIndex(0);
  }
  m_data = *answer;
  m_replica = m_data->replica;
  {
    const QSignalBlocker quiet(m_number), calm(m_replicas);
    m_replicas->clear();
    for (const std::int32_t dp : m_data->replicas) m_replicas->addItem(tr("replica dp %1").arg(dp), dp);
    m_replicas->setCurrentIndex(m_replicas->findData(m_data->replica));
    if (!m_data->steps.empty()) {
      m_number->setRange(static_cast<int>(std::clamp<std::int64_t>(m_data->steps.begin()->first, 0, INT32_MAX)),
                         static_cast<int>(std::clamp<std::int64_t>(m_data->steps.rbegin()->first, 0, INT32_MAX)));
      if (m_data->shown) m_number->setValue(static_cast<int>(std::clamp<std::int64_t>(*m_data->shown, 0, INT32_MAX)));
    }
  }
  const auto at = m_data->shown ? m_data->steps.find(*m_data->shown) : m_data->steps.end();
  m_back->setEnabled(at != m_data->steps.end() && at != m_data->steps.begin());
  m_next->setEnabled(at != m_data->steps.end() && std::next(at) != m_data->steps.end());
  m_chart->setData(m_data);
  const StepGraph::Step* step = m_data->step();
  if (step == nullptr || m_data->nodes.empty()) {
    m_headline->setText(QString());
    m_panel->showEmpty(
        tr("No dependencies to show"), m_data->reason,
        tr("Spans that name their step, micro-batch and operation come from runglass.py, ndtimeline or StragglerAnalysis traces"));
    return m_stack->setCurrentIndex(0);
  }
  DurNs idle = 0;
  for (const Bubble& bubble : m_data->bubbles) idle += bubble.t1 - bubble.t0;
  const auto stages = static_cast<double>(m_data->graph.stages.size());
  m_headline->setText(
      tr("%1 of %2 recorded steps · %3 · %4 of the stages' time without computation")
          .arg(formatCount(std::distance(m_data->steps.begin(), m_data->steps.find(*m_data->shown)) + 1),
               formatCount(static_cast<std::int64_t>(m_data->steps.size())), formatDuration(step->t1 - step->t0),
               formatPercent(static_cast<double>(idle) / (stages * static_cast<double>(std::max<DurNs>(1, step->t1 - step->t0))), 1)));
  fillLegend();
  m_stack->setCurrentIndex(1);
  fillPath();
  fillChain();
}

void StepPage::fillLegend() {
  QString text = StepChart::legend(m_data->graph, m_data->nodes);
  if (!m_data->graph.has_transfers) text += QStringLiteral("&nbsp;&nbsp; ") + tr("no sends and receives are recorded");
  if (!m_data->note.isEmpty()) text += QStringLiteral("&nbsp;&nbsp; ") + m_data->note.toHtmlEscaped();
  m_note->setText(text);
}

void StepPage::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && m_data && m_data->step() != nullptr) fillLegend();
  QWidget::changeEvent(event);
}

// By operation, the largest first, each with its pieces in order of time.
void StepPage::fillPath() {
  m_path->clear();
  m_path->setRootIsDecorated(true);
  const CriticalPath& path = m_data->path;
  const auto share = [&](DurNs time) {
    return path.total > 0 ? formatPercent(static_cast<double>(time) / static_cast<double>(path.total), 1) : QString();
  };
  constexpr int kLaunchRow = kStepOpCount, kUnexplainedRow = kStepOpCount + 1;
  std::vector<std::pair<DurNs, int>> order;
  const auto addSum = [&](DurNs time, int row) {
    if (time > 0) order.emplace_back(time, row);
  };
  for (int op = 0; op < kStepOpCount; ++op) addSum(path.by_op[static_cast<std::size_t>(op)], op);
  addSum(path.launch, kLaunchRow);
  addSum(path.unexplained, kUnexplainedRow);
  std::ranges::sort(order, std::greater{});
  const auto rowOf = [&](const PathPiece& piece) {
    return piece.time == PathTime::kRan      ? static_cast<int>(m_data->graph.op[piece.node])
           : piece.time == PathTime::kLaunch ? kLaunchRow
                                             : kUnexplainedRow;
  };
  for (const auto& [time, row] : order) {
    const QString name = row == kLaunchRow        ? tr("between operations (launch, host)")
                         : row == kUnexplainedRow ? tr("waiting that nothing explains")
                                                  : termText(stepOpName(static_cast<StepOp>(row)));
    auto* head = addRow(m_path, {name, milliseconds(time), share(time)}, {});
    std::size_t listed = 0;
    for (const PathPiece& piece : path.pieces) {
      if (rowOf(piece) != row) continue;
      if (++listed > kMaxPieces) break;
      const QString text = nodeText(m_data->graph, piece.node);
      auto* child = new QTreeWidgetItem(head, {piece.time == PathTime::kRan ? text : tr("before %1").arg(text),
                                               milliseconds(piece.t1 - piece.t0), share(piece.t1 - piece.t0)});
      child->setData(0, kNodeRole, piece.node);
      for (int column = 1; column < 3; ++column) child->setTextAlignment(column, Qt::AlignRight | Qt::AlignVCenter);
    }
  }
  addRow(m_path, {tr("the whole step"), milliseconds(path.total), share(path.total)}, {});
}

void StepPage::fillChain() {
  m_chain->clear();
  const auto selected = m_chart->selected();
  const StepGraph& graph = m_data->graph;
  if (!selected) {
    addRow(m_chain, {tr("click an operation"), {}, {}, {}}, {});
    return;
  }
  const TimeNs t0 = m_data->step()->t0;
  std::uint32_t node = *selected;
  std::optional<HeldUpBy> by;
  for (std::size_t i = 0; i < kMaxPieces; ++i) {
    const bool elsewhere = graph.workers[graph.worker[node]].dp != m_data->replica;
    QString text = nodeText(graph, node);
    if (by && by->why == HoldUp::kMember) text = tr("%1 (came last)").arg(text);
    if (elsewhere) text = tr("%1 (other replica)").arg(text);
    addRow(m_chain, {text, milliseconds(graph.start[node] - t0), milliseconds(graph.dur[node]), by ? milliseconds(by->gap) : QString()},
           node);
    by = m_data->holds.of(node);
    if (!by) return;
    node = by->node;
  }
}

void StepPage::choose(std::optional<std::uint32_t> node) {
  m_chart->setSelected(node);
  fillChain();
}

void StepPage::open(std::uint32_t node) {
  const StepGraph& graph = m_data->graph;
  const DurNs around = std::max<DurNs>(graph.dur[node], kNsPerMs);
  Selection selection = m_state.selection;
  selection.rank = graph.workers[graph.worker[node]].rank;
  selection.step = m_data->shown;
  m_rank = selection.rank;  // the replica stays
  m_step = m_selected = m_data->shown;
  m_context.state->select(selection);
  m_context.state->setWindow({graph.start[node] - around, graph.start[node] + graph.dur[node] + around});
  emit viewRequested(QStringLiteral("timeline"));
}

void StepPage::goTo(int steps) {
  if (!m_data || !m_data->shown) return;
  auto at = m_data->steps.find(*m_data->shown);
  for (; steps > 0 && at != m_data->steps.end() && std::next(at) != m_data->steps.end(); --steps) ++at;
  for (; steps < 0 && at != m_data->steps.begin(); ++steps) --at;
  if (at == m_data->steps.end() || at->first == *m_data->shown) return;
  m_step = at->first;
  ask();
}

}  // namespace runglass
