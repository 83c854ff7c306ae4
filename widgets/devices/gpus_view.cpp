// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: sentence, grid, table and strips are of one answer.
#include "widgets/devices/gpus_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollArea>
#include <QVBoxLayout>

namespace runglass {

GpusView::GpusView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_sentence(new QLabel),
      m_metric(new QComboBox),
      m_scale(new QLabel),
      m_grid(new GpuGrid),
      m_host(new QLabel),
      m_table(new QTableWidget),
      m_strips(new PlotWidget),
      m_panel(new StatePanel),
      m_stack(new QStackedLayout(this)) {
  for (QLabel* label : {m_sentence, m_scale, m_host}) {
    label->setTextFormat(Qt::PlainText);
    label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }
  m_sentence->setFont(headlineFont());
  for (std::size_t i = 0; i < kGridMetrics.size(); ++i)
    m_metric->addItem(QStringLiteral("%1  %2").arg(i + 1).arg(QString::fromUtf8(kGridMetrics[i].title)));
  m_metric->setToolTip(tr("What the colour shows: keys 1 to 9"));
  m_metric->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setFont(tableFont());
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->setShowGrid(false);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_panel->showLoading(tr("Reading the devices …"));
  setFocusProxy(m_grid);
  connect(m_metric, &QComboBox::currentIndexChanged, this, [this] { ask(QueryService::Supersede::kCancelOlder); });
  connect(m_grid, &GpuGrid::cellChosen, this, [this](NodeId node, DeviceId device) {
    m_node = node;
    Selection selection = m_state.selection;
    selection.node = node;
    selection.device = device;
    m_context.state->select(selection);
    ask(QueryService::Supersede::kCancelOlder);
  });
  SharedState* state = m_context.state;
  connect(m_strips, &PlotWidget::windowChanged, state, [state](std::int64_t x0, std::int64_t x1, bool gesture) {
    state->setWindow({x0, x1}, gesture ? SharedState::Undo::kMerge : SharedState::Undo::kStep);
  });
  connect(m_strips, &PlotWidget::rangeSelected, state, [state](std::int64_t x0, std::int64_t x1) { state->setWindow({x0, x1}); });
  connect(m_strips, &PlotWidget::gestureEnded, state, [state] { state->endGesture(); });
  connect(m_strips, &PlotWidget::showAll, state, [state] { state->showAll(); });
  connect(m_strips, &PlotWidget::followEnd, state, [this, state] { state->followEnd(m_strips->x1() - m_strips->x0()); });
}

QWidget* GpusView::makePage() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  column->setSpacing(kGrid);
  column->addWidget(m_sentence);
  auto* bar = new QHBoxLayout;
  bar->addWidget(m_metric);
  bar->addWidget(m_scale, 1);
  column->addLayout(bar);
  auto* scroll = new QScrollArea;
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setWidget(m_grid);
  column->addWidget(scroll, 3);
  column->addWidget(m_host);
  column->addWidget(m_table, 2);
  column->addWidget(m_strips, 5);
  return page;
}

void GpusView::applyState(const ViewState& state) {
  const bool moved_by_data = state.window.mode != WindowMode::kFixed && state.selection == m_state.selection;
  m_state = state;
  if (state.selection.node) m_node = state.selection.node;
  ask(moved_by_data ? QueryService::Supersede::kAfterCurrent : QueryService::Supersede::kCancelOlder);
}

void GpusView::refresh(Tick tick) {
  if (tick == Tick::kText) ask(QueryService::Supersede::kAfterCurrent);
}

void GpusView::ask(QueryService::Supersede supersede) {
  GpuQuestion question{.metric = static_cast<std::size_t>(std::max(0, m_metric->currentIndex())),
                       .run = m_state.selection.run,
                       .node = m_node,
                       .window = m_state.window,
                       .pixels = static_cast<std::size_t>(std::max(64, m_strips->plotArea().width())),
                       .style = m_state.time_style,
                       .theme = currentTheme().name,
                       .now = m_context.clock()};
  m_context.queries->submit<GpuData>(
      m_slot, supersede, [question](Reader& reader, std::stop_token stop) { return readGpus(reader, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const GpuData>>& answer) { showAnswer(answer); });
}

void GpusView::showAnswer(const Result<std::shared_ptr<const GpuData>>& answer) {
  m_shown = true;
  if (!answer.ok()) {
    m_panel->showFailed(tr("The devices could not be read"), screenText(answer.status().message()));
    m_stack->setCurrentIndex(0);
    return;
  }
  if ((*answer)->hosts.empty()) {
    m_panel->showEmpty(tr("No hosts"), tr("No agent has reported to this store, and imported logs name no machines."),
                       QStringLiteral("runglass-agent --hub HOST:PORT"));
    m_stack->setCurrentIndex(0);
    return;
  }
  m_data = *answer;
  m_stack->setCurrentIndex(1);
  QPalette ink = m_sentence->palette();
  ink.setColor(QPalette::WindowText,
               m_data->severity >= Severity::kWarning ? severityColor(currentTheme(), m_data->severity) : currentTheme().text);
  m_sentence->setPalette(ink);
  m_sentence->setText(m_data->sentence);
  m_metric->setEnabled(m_data->has_gpus);
  if (!m_data->has_gpus) {
    const QSignalBlocker quiet(m_metric);
    m_metric->setCurrentIndex(static_cast<int>(kGridMetrics.size()) - 1);
  }
  m_scale->setText(scaleText());
  m_grid->setData(m_data, kGridMetrics[static_cast<std::size_t>(std::max(0, m_metric->currentIndex()))]);
  m_host->setText(m_data->chosen_name);
  fillTable();
  m_strips->setVisible(m_data->strips && !m_data->strips->panels.empty());
  if (m_data->strips) {
    m_strips->setData(m_data->strips);
    m_strips->setWindow(m_data->x0, m_data->x1);
  }
}

QString GpusView::scaleText() const {
  if (!m_data->median) return tr("no value heard");
  return tr("median %1 · full colour at ±%2 from it · ■ Xid  ◣ slowed  ● remap  × lost  hatched: stale or absent")
      .arg(formatValue(*m_data->median, m_data->unit), formatPercent(m_data->spread, 0));
}

void GpusView::fillTable() {
  m_table->setVisible(!m_data->rows.empty());
  m_table->setColumnCount(static_cast<int>(m_data->columns.size()) + 2);
  QStringList heads{tr("device"), tr("rank (dp,pp,tp)")};
  for (const QString& column : m_data->columns) heads << column;
  m_table->setHorizontalHeaderLabels(heads);
  m_table->setRowCount(static_cast<int>(m_data->rows.size()));
  for (int r = 0; r < m_table->rowCount(); ++r) {
    const HostRow& row = m_data->rows[static_cast<std::size_t>(r)];
    const auto put = [&](int column, const QString& text, bool number) {
      auto* item = m_table->item(r, column);
      if (item == nullptr) m_table->setItem(r, column, item = new QTableWidgetItem);
      item->setText(text);
      item->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    };
    put(0, row.device, false);
    put(1, row.rank, false);
    for (std::size_t i = 0; i < row.values.size(); ++i) put(static_cast<int>(i) + 2, row.values[i], true);
  }
}

void GpusView::keyPressEvent(QKeyEvent* event) {
  const int digit = event->key() - Qt::Key_1;
  if (digit >= 0 && digit < static_cast<int>(kGridMetrics.size()) && event->modifiers() == Qt::NoModifier && m_metric->isEnabled())
    m_metric->setCurrentIndex(digit);
  else
    View::keyPressEvent(event);
}

// A host list: what one pastes into a drain command.
QString GpusView::copyText() const {
  QStringList hosts;
  if (m_data)
    for (const HostColumn& host : m_data->hosts) hosts << host.name;
  return hosts.join(QLatin1Char('\n'));
}

}  // namespace runglass
