// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. Rows and sentence belong to one outcome, that of the newest ticks. 2. Ticks outlive a new reading of the same attempt.
#include "widgets/ranking/what_if_panel.h"

#include <QDoubleSpinBox>
#include <QEvent>
#include <QGridLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <numeric>

#include "widgets/core/gpu_price.h"
#include "widgets/core/language.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kChoicesShare = 30, kAnswerShare = 70;
constexpr DurNs kReadAgain = 60 * kNsPerSecond;
constexpr std::size_t kMaxWorkers = 512;  // listed; the heat map has all
constexpr double kHighestPrice = 1e6;
constexpr int kKind = Qt::UserRole, kIndex = Qt::UserRole + 1;
enum Kind : int { kGroup = 0, kStage, kReplica, kWorker, kOp, kAllCommunication };

}  // namespace

WhatIfPanel::WhatIfPanel(ViewContext context, QWidget* parent)
    : QWidget(parent),
      m_context(std::move(context)),
      m_sentence(new Headline),
      m_grounds(new QLabel),
      m_choices(new QTreeWidget),
      m_price(new QDoubleSpinBox),
      m_heat(new WorkerHeatMap),
      m_panel(new StatePanel),
      m_stack(new QStackedLayout(this)) {
  m_sentence->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  m_grounds->setTextFormat(Qt::PlainText);
  m_grounds->setWordWrap(true);
  m_grounds->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_grounds->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  m_grounds->setForegroundRole(QPalette::PlaceholderText);
  m_price->setRange(0, kHighestPrice);
  m_price->setDecimals(2);
  m_price->setSpecialValueText(tr("no price"));
  m_price->setMinimumWidth(120);
  m_price->setToolTip(tr("What one GPU costs an hour, in your currency. Kept on this machine; 0: no money is shown."));
  m_price->setValue(rememberedGpuPrice().value_or(0));
  m_choices->setColumnCount(2);
  m_choices->setHeaderLabels({tr("Fix"), tr("S")});
  m_choices->setFont(tableFont());
  m_choices->setUniformRowHeights(true);
  m_choices->header()->setStretchLastSection(false);
  m_choices->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  m_choices->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_panel->showLoading(tr("Replaying the steps …"));
  connect(m_choices, &QTreeWidget::itemChanged, this, [this] {
    if (!m_filling) choose();
  });
  connect(m_heat, &WorkerHeatMap::workerChosen, this, &WhatIfPanel::toggleWorker);
  connect(m_price, &QDoubleSpinBox::valueChanged, this, [this](double value) {
    rememberGpuPrice(value);
    showOutcome();
  });
}

QWidget* WhatIfPanel::makePage() {
  auto* page = new QWidget;
  auto* left = new QWidget;
  auto* left_column = new QVBoxLayout(left);
  left_column->setContentsMargins(0, 0, 0, 0);
  left_column->setSpacing(kGrid);
  auto* clear = new QPushButton(tr("Untick all"));
  connect(clear, &QPushButton::clicked, this, &WhatIfPanel::clearTicks);
  left_column->addWidget(m_choices, 1);
  left_column->addWidget(clear, 0, Qt::AlignLeft);
  auto* right = new QWidget;
  auto* right_column = new QVBoxLayout(right);
  right_column->setContentsMargins(2 * kGrid, 0, 0, 0);
  right_column->setSpacing(2 * kGrid);
  auto* facts = new QGridLayout;
  facts->setHorizontalSpacing(6 * kGrid);
  facts->setVerticalSpacing(kGrid);
  const std::array<QString, 4> heads = {QString(), tr("as recorded"), tr("ticked fixed"), tr("saved")};
  for (int column = 1; column < 4; ++column) {
    auto* head = new QLabel(heads[static_cast<std::size_t>(column)]);
    head->setForegroundRole(QPalette::PlaceholderText);
    facts->addWidget(head, 0, column, Qt::AlignRight);
  }
  for (std::size_t row = 0; row < kWhatIfFacts; ++row)
    for (std::size_t column = 0; column < 4; ++column) {
      auto* label = m_cells[row][column] = new QLabel;
      label->setTextFormat(Qt::PlainText);
      label->setTextInteractionFlags(Qt::TextSelectableByMouse);
      facts->addWidget(label, static_cast<int>(row) + 1, static_cast<int>(column), column == 0 ? Qt::AlignLeft : Qt::AlignRight);
    }
  for (std::size_t row = 0; row < kWhatIfFacts; ++row) {
    m_notes[row] = new QLabel;
    m_notes[row]->setForegroundRole(QPalette::PlaceholderText);
    facts->addWidget(m_notes[row], static_cast<int>(row) + 1, 1, 1, 3, Qt::AlignLeft);
  }
  facts->setColumnStretch(4, 1);
  auto* price_row = new QHBoxLayout;
  auto* price_label = new QLabel(tr("Price of a GPU-hour"));
  price_label->setBuddy(m_price);
  price_row->addWidget(price_label);
  price_row->addWidget(m_price);
  price_row->addStretch(1);
  right_column->addLayout(facts);
  right_column->addLayout(price_row);
  right_column->addWidget(m_heat, 1);
  auto* split = new QSplitter(Qt::Horizontal);
  split->setHandleWidth(kHairline);
  split->addWidget(left);
  split->addWidget(right);
  split->setStretchFactor(0, kChoicesShare);
  split->setStretchFactor(1, kAnswerShare);
  split->setSizes({kChoicesShare * 1'000, kAnswerShare * 1'000});
  split->setCollapsible(0, false);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(0, kGrid, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_sentence);
  column->addWidget(m_grounds);
  column->addWidget(split, 1);
  return page;
}

void WhatIfPanel::applyState(const ViewState& state) {
  const bool other = state.selection.run != m_state.selection.run || state.selection.attempt != m_state.selection.attempt;
  m_state = state;
  m_stale |= other;
  // A hidden tab queries when it is shown.
  if (m_stale && isVisible()) read(QueryService::Supersede::kCancelOlder);
}

void WhatIfPanel::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_stale) read(QueryService::Supersede::kCancelOlder);
}

void WhatIfPanel::refresh(Tick tick) {
  if (tick != Tick::kText || !isVisible() || monotonicNow() - m_read_at < kReadAgain) return;
  read(QueryService::Supersede::kAfterCurrent);
}

QString WhatIfPanel::copyText() const {
  QString text;
  if (m_data)
    for (const WhatIfRow& row : m_rows) text += row.name + u'\t' + row.recorded + u'\t' + row.fixed + u'\t' + row.saved + u'\n';
  return text;
}

QString WhatIfPanel::sentence() const { return m_sentence->words(); }

void WhatIfPanel::read(QueryService::Supersede supersede) {
  m_asked = true;
  m_stale = false;
  m_read_at = monotonicNow();
  m_context.queries->submit<WhatIfShown>(
      m_read, supersede,
      [run = m_state.selection.run, attempt = m_state.selection.attempt](Reader& reader, std::stop_token stop) {
        return readWhatIfShown(reader, run, attempt, std::move(stop));
      },
      [this](const auto& answer) { showAnswer(answer); });
}

void WhatIfPanel::showAnswer(const Result<std::shared_ptr<const WhatIfShown>>& answer) {
  m_shown = true;
  if (!answer.ok() && answer.status().code() != Code::kNotFound) {
    m_panel->showFailed(tr("The steps could not be replayed"), screenText(answer.status().message()));
    return m_stack->setCurrentIndex(0);
  }
  if (!answer.ok() || (*answer)->data.what_if.status == WhatIfStatus::kInsufficient) {
    const QString why = answer.ok() ? phraseText((*answer)->data.what_if.reason) : tr("there is no run");
    m_panel->showEmpty(tr("No steps to replay"),
                       tr("The forward and backward passes of every rank are needed, with their steps, micro-batches and parallel "
                          "coordinates: %1.")
                           .arg(why),
                       QStringLiteral("runglassctl import --store STORE.rgl TRACE-FOLDER"));
    return m_stack->setCurrentIndex(0);
  }
  if ((*answer)->data.what_if.status == WhatIfStatus::kRefused) {
    m_panel->showEmpty(tr("No answer that can be relied on"), phraseText((*answer)->data.what_if.reason));
    return m_stack->setCurrentIndex(0);
  }
  const bool same = m_data && m_data->data.attempt.id == (*answer)->data.attempt.id &&
                    m_data->data.graph->workers.size() == (*answer)->data.graph->workers.size();
  const WhatIfTicks before = same ? ticks() : WhatIfTicks();
  m_data = *answer;
  m_outcome.reset();
  m_stack->setCurrentIndex(1);
  m_grounds->setText(whatIfGrounds(*m_data));
  auto cells = std::make_shared<WorkerCells>();
  cells->replicas = m_data->data.graph->replicas;
  cells->stages = m_data->data.graph->stages;
  cells->s = m_data->data.what_if.by_worker;
  for (const StepWorker& worker : m_data->data.graph->workers) cells->rank.push_back(worker.rank);
  m_heat->setCells(std::move(cells));
  fillChoices(before);
  choose();
}

QTreeWidgetItem* WhatIfPanel::addGroup(const QString& name) {
  auto* group = new QTreeWidgetItem(m_choices, {name});
  group->setFlags(Qt::ItemIsEnabled);
  group->setData(0, kKind, kGroup);
  return group;
}

void WhatIfPanel::addChoice(QTreeWidgetItem* group, const QString& name, std::optional<double> s, int kind, std::uint32_t index,
                            bool ticked) {
  auto* item = new QTreeWidgetItem(group, {name, s ? formatRatio(*s) : QString()});
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
  item->setCheckState(0, ticked ? Qt::Checked : Qt::Unchecked);
  item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
  item->setData(0, kKind, kind);
  item->setData(0, kIndex, index);
}

void WhatIfPanel::fillChoices(const WhatIfTicks& ticked) {
  m_filling = true;
  m_choices->clear();
  const WhatIfData& data = m_data->data;
  const StepGraph& graph = *data.graph;
  QTreeWidgetItem* group = addGroup(tr("Pipeline stages"));
  for (std::uint32_t s = 0; s < graph.stages.size(); ++s)
    addChoice(group, tr("stage %1").arg(graph.stages[s]), data.what_if.by_stage[s], kStage, s, ticked.stages.contains(s));
  group->setExpanded(true);
  group = addGroup(tr("Operations"));
  addChoice(group, tr("all communication"), std::nullopt, kAllCommunication, 0, false);
  for (int i = 0; i < kStepOpCount; ++i) {
    const auto op = static_cast<StepOp>(i);
    if (data.replay->count(op) == 0) continue;
    const auto share = std::ranges::find(data.what_if.by_op, std::string(stepOpShareName(op)), &WhatIfShare::op);
    addChoice(group, op == StepOp::kGc ? tr("garbage collection") : termText(stepOpName(op)),
              share != data.what_if.by_op.end() ? std::optional(share->s) : std::nullopt, kOp, static_cast<std::uint32_t>(i),
              ticked.ops.contains(op));
  }
  group->setExpanded(true);
  group = addGroup(tr("Data-parallel replicas"));
  for (std::uint32_t r = 0; r < graph.replicas.size(); ++r)
    addChoice(group, tr("replica %1").arg(graph.replicas[r]), data.what_if.by_replica[r], kReplica, r, ticked.replicas.contains(r));
  std::vector<std::uint32_t> order(graph.workers.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater(), [&](std::uint32_t w) { return data.what_if.by_worker[w]; });
  group = addGroup(order.size() > kMaxWorkers ? tr("Workers, the worst %1").arg(kMaxWorkers) : tr("Workers, worst first"));
  for (std::size_t i = 0; i < std::min(order.size(), kMaxWorkers); ++i) {
    const StepWorker& worker = graph.workers[order[i]];
    addChoice(group, tr("rank %1 (dp %2, pp %3)").arg(worker.rank).arg(worker.dp).arg(worker.pp), data.what_if.by_worker[order[i]], kWorker,
              order[i], ticked.workers.contains(order[i]));
  }
  group->setExpanded(graph.replicas.size() <= 8);
  m_filling = false;
}

WhatIfTicks WhatIfPanel::ticks() const {
  WhatIfTicks out;
  for (int g = 0; g < m_choices->topLevelItemCount(); ++g) {
    const QTreeWidgetItem* group = m_choices->topLevelItem(g);
    for (int i = 0; i < group->childCount(); ++i) {
      const QTreeWidgetItem* item = group->child(i);
      if (item->checkState(0) != Qt::Checked) continue;
      const std::uint32_t index = item->data(0, kIndex).toUInt();
      switch (item->data(0, kKind).toInt()) {
        case kStage:
          out.stages.insert(index);
          break;
        case kReplica:
          out.replicas.insert(index);
          break;
        case kWorker:
          out.workers.insert(index);
          break;
        case kOp:
          out.ops.insert(static_cast<StepOp>(index));
          break;
        case kAllCommunication:
          for (int op = 0; op < kStepOpCount; ++op)
            if (isCommunication(static_cast<StepOp>(op))) out.ops.insert(static_cast<StepOp>(op));
          break;
        default:
          break;
      }
    }
  }
  return out;
}

void WhatIfPanel::choose() {
  if (!m_data) return;
  const WhatIfTicks ticked = ticks();
  m_heat->setTicked(ticked.workers);
  m_context.queries->submit<Outcome>(
      m_replay, QueryService::Supersede::kCancelOlder,
      [data = m_data, ticked](Reader&, const std::stop_token&) -> Result<Outcome> {
        return Outcome{outcomeOf(*data, ticked), ticked};
      },
      [this](const Result<std::shared_ptr<const Outcome>>& answer) {
        if (!answer.ok()) return;
        m_outcome = *answer;
        showOutcome();
      });
}

void WhatIfPanel::toggleWorker(std::uint32_t worker) {
  for (int g = 0; g < m_choices->topLevelItemCount(); ++g)
    for (int i = 0; i < m_choices->topLevelItem(g)->childCount(); ++i) {
      QTreeWidgetItem* item = m_choices->topLevelItem(g)->child(i);
      if (item->data(0, kKind).toInt() == kWorker && item->data(0, kIndex).toUInt() == worker)
        return item->setCheckState(0, item->checkState(0) == Qt::Checked ? Qt::Unchecked : Qt::Checked);
    }
  // The worker was below the listing threshold until now.
  const StepWorker& place = m_data->data.graph->workers[worker];
  addChoice(m_choices->topLevelItem(m_choices->topLevelItemCount() - 1),
            tr("rank %1 (dp %2, pp %3)").arg(place.rank).arg(place.dp).arg(place.pp), m_data->data.what_if.by_worker[worker], kWorker,
            worker, true);
  choose();
}

void WhatIfPanel::clearTicks() {
  m_filling = true;
  for (int g = 0; g < m_choices->topLevelItemCount(); ++g)
    for (int i = 0; i < m_choices->topLevelItem(g)->childCount(); ++i)
      m_choices->topLevelItem(g)->child(i)->setCheckState(0, Qt::Unchecked);
  m_filling = false;
  choose();
}

std::optional<double> WhatIfPanel::priceOrNone() const { return m_price->value() > 0 ? std::optional(m_price->value()) : std::nullopt; }

void WhatIfPanel::showOutcome() {
  if (!m_data || !m_outcome) return;
  m_sentence->setSentence(whatIfSentence(*m_data, m_outcome->outcome, m_outcome->ticks));
  m_rows = whatIfRows(*m_data, m_outcome->outcome, priceOrNone(), m_context.clock(), m_state.time_style);
  for (std::size_t row = 0; row < kWhatIfFacts; ++row) {
    const WhatIfRow& text = m_rows[row];
    // An unknown value is a sentence across all columns.
    const bool is_note = text.fixed.isEmpty();
    m_cells[row][0]->setText(text.name);
    m_cells[row][1]->setText(is_note ? QString() : text.recorded);
    m_cells[row][2]->setText(text.fixed);
    m_cells[row][3]->setText(text.saved);
    m_notes[row]->setText(is_note ? text.recorded : QString());
  }
}

}  // namespace runglass
