// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: sentence, grid, table and strips belong to one answer.
#include "widgets/devices/gpus_view.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <tuple>

#include "widgets/core/icon.h"
#include "widgets/core/language.h"
#include "widgets/devices/gpu_data.h"
#include "widgets/devices/gpu_words.h"

namespace runglass {
namespace {

constexpr int kSideFrom = 1000;  // minimum widths for the side column, and for the table of the host
constexpr int kTableFrom = 640, kStripsFrom = 500;
constexpr int kMinTable = 80, kMinGrid = 96, kLowestGrid = 48;
constexpr int kRowsShown = 8;

QString stateText(const GpuCell& cell) {
  switch (cell.state) {
    case CellState::kHeard:
      return DeviceText::tr("reporting");
    case CellState::kStale:
      return DeviceText::tr("stale");
    case CellState::kLost:
      return DeviceText::tr("lost");
    case CellState::kAbsent:
      break;
  }
  return DeviceText::tr("never reported");
}

QString badgeText(const GpuCell& cell) {
  QStringList words;
  for (const auto& [group, name] : kCellGroups)
    if (group >= CellGroup::kFinding && isIn(cell, group)) words << DeviceText::tr(name);
  return words.join(QStringLiteral(", "));
}

std::vector<Column<GpuCell>> worstColumns(const std::shared_ptr<const GpuData>* data) {
  const auto left = Qt::AlignLeft, right = Qt::AlignRight;
  using C = GpuCell;
  std::vector<Column<C>> columns;
  columns.push_back({.title = DeviceText::tr("GPU or host"), .align = left, .text = [](const C& c) { return c.name; }});
  columns.push_back({.title = DeviceText::tr("rank (dp,pp,tp)"), .align = left, .text = [](const C& c) {
                       return c.rank.isEmpty() ? kAbsentText : c.rank;
                     }});
  columns.push_back({.title = DeviceText::tr("value"),
                     .help = DeviceText::tr("Of the chosen metric."),
                     .align = right,
                     .text = [data](const C& c) { return c.value ? formatValue(*c.value, (*data)->unit) : kAbsentText; },
                     .sort = [](const C& c) { return c.value ? QVariant(*c.value) : QVariant(); },
                     .copy = [](const C& c) { return c.value ? fullNumber(*c.value) : QString(); }});
  columns.push_back({.title = DeviceText::tr("against peers"),
                     .help = DeviceText::tr("Deviation from the median of the other GPUs of the same job and pipeline stage."),
                     .align = right,
                     .text = [](const C& c) { return c.deviation ? formatSignedPercent(*c.deviation) : kAbsentText; },
                     .sort = [](const C& c) { return c.deviation ? QVariant(*c.deviation) : QVariant(); }});
  columns.push_back(
      {.title = DeviceText::tr("state"), .align = left, .text = stateText, .mark = [](const C& c) {
         return c.state == CellState::kLost ? Severity::kError : c.state == CellState::kStale ? Severity::kWarning : Severity::kInfo;
       }});
  columns.push_back({.title = DeviceText::tr("last report"),
                     .help = DeviceText::tr("Age of its newest sample of any metric."),
                     .align = right,
                     .text = [](const C& c) { return c.age ? formatAge(*c.age) : kAbsentText; },
                     .sort = [](const C& c) { return c.age ? QVariant(static_cast<double>(*c.age)) : QVariant(); }});
  columns.push_back({.title = DeviceText::tr("marks"), .align = left, .text = badgeText});
  columns.push_back({.title = DeviceText::tr("finding"), .align = left, .text = [](const C& c) {
                       return c.finding ? findingText(*c.finding) : QString();
                     }});
  return columns;
}

}  // namespace

GpusView::GpusView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_sentence(new Headline),
      m_metric(new QComboBox),
      m_order(new QPushButton(tr("by rack"))),
      m_worst_button(new QPushButton(tr("as a list"))),
      m_scale(new QLabel),
      m_side(new GpuSide),
      m_grid(new GpuGrid),
      m_scroll(new QScrollArea),
      m_worst_model(new TableModel<GpuCell>(
          worstColumns(&m_data), [](const GpuCell& a, const GpuCell& b) { return a.node == b.node && a.device == b.device; }, this)),
      m_worst(new TableView(m_worst_model, tr("Outlier GPUs"), tr("Filter GPUs  ( / )"), this)),
      m_host(new QLabel),
      m_links(makeLinks()),
      m_host_line(new QLabel),
      m_trouble(new QLabel),
      m_table(new QTableWidget),
      m_strips(new PlotWidget),
      m_panel(new StatePanel),
      m_stack(new QStackedLayout(this)) {
  for (QLabel* label : {m_scale, m_host, m_host_line, m_trouble}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  m_slot.sayWhatLacks();
  m_scale->setFont(tableFont());
  m_host_line->setFont(tableFont());
  m_trouble->setFont(tableFont());
  m_host_line->setForegroundRole(QPalette::PlaceholderText);
  for (const GridMetric& metric : kGridMetrics)
    m_metric->addItem(QStringLiteral("%1  %2").arg(QLatin1Char(metric.key)).arg(DeviceText::tr(metric.title)));
  m_metric->setToolTip(tr("Metric of the colour: keys W, 1 to 9 and 0"));
  m_metric->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_order->setToolTip(tr("Order of the hosts: by rack and name, or by their ranks in the job (R)"));
  m_worst_button->setToolTip(tr("All GPUs as a list, the worst first (L)"));
  m_worst_button->setCheckable(true);
  m_worst->hide();
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionMode(QAbstractItemView::NoSelection);
  m_table->setFocusPolicy(Qt::NoFocus);
  m_table->setFont(tableFont());
  m_table->horizontalHeader()->setFont(tableFont());
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->setShowGrid(false);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_panel->showLoading(tr("Reading the devices …"));
  setFocusProxy(m_grid);
  connectParts();
}

QWidget* GpusView::makeBar() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(kGrid);
  row->addWidget(m_metric);
  for (QPushButton* button : {m_order, m_worst_button}) {
    button->setFont(tableFont());
    row->addWidget(button);
  }
  row->addStretch(1);
  return bar;
}

QWidget* GpusView::makeLinks() {
  auto* links = new QWidget;
  auto* row = new QHBoxLayout(links);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(kGrid);
  const auto add = [&](const char* view, const QString& words, const QString& tip) {
    auto* button = new QToolButton(links);
    button->setIcon(icon(QString::fromLatin1(view)));
    button->setText(words);
    button->setIconSize({kIconPx, kIconPx});
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setToolTip(tip);
    connect(button, &QToolButton::clicked, this, [this, view] { emit viewRequested(QString::fromLatin1(view)); });
    row->addWidget(button);
  };
  add("timeline", tr("Timeline"), tr("Open the timeline of this GPU's rank (double click on its cell)"));
  add("ranking", tr("Ranking"), tr("Compare this GPU's rank with its peers"));
  add("events", tr("Events"), tr("Open the events of this GPU and its node"));
  return links;
}

QWidget* GpusView::makePage() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  column->setSpacing(kGrid);
  column->addWidget(m_sentence);
  column->addWidget(makeBar());
  column->addWidget(m_scale);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(2 * kGrid);
  middle->addWidget(m_side);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setWidget(m_grid);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  middle->addWidget(m_scroll, 1);
  middle->addWidget(m_worst, 1);
  column->addLayout(middle);
  auto* head = new QHBoxLayout;
  head->addWidget(m_host, 1);
  head->addWidget(m_links, 0, Qt::AlignTop);
  column->addLayout(head);
  column->addWidget(m_trouble);
  column->addWidget(m_host_line);
  column->addWidget(m_table);
  column->addWidget(m_strips, 1);
  column->addStretch();  // without strips the texts stay together
  return page;
}

void GpusView::connectParts() {
  connect(m_metric, &QComboBox::currentIndexChanged, this, [this](int index) {
    m_chosen_metric = static_cast<std::size_t>(std::max(0, index));
    ask(QueryService::Supersede::kCancelOlder);
  });
  connect(m_order, &QPushButton::clicked, this, &GpusView::toggleOrder);
  connect(m_worst_button, &QPushButton::clicked, this, &GpusView::toggleWorst);
  connect(m_grid, &GpuGrid::cellChosen, this, &GpusView::choose);
  connect(m_grid, &GpuGrid::cellOpened, this, [this] { emit viewRequested(QStringLiteral("timeline")); });
  connect(m_worst, &TableView::rowActivated, this, [this] { emit viewRequested(QStringLiteral("timeline")); });
  connect(m_worst, &TableView::rowChosen, this, [this](const QModelIndex& index) {
    if (const GpuCell* cell = m_worst_model->rowAt(index)) choose(cell->node, cell->device);
  });
  connect(m_grid, &GpuGrid::menuWanted, this, [this](NodeId node, DeviceId device, const QPoint& at) {
    for (const HostColumn& host : m_data->hosts)
      for (const GpuCell& cell : host.cells)
        if (cell.node == node && cell.device == device) return showMenu(cell, at);
  });
  connect(m_worst, &TableView::menuWanted, this, [this](const QModelIndex& index, const QPoint& at) {
    if (const GpuCell* cell = m_worst_model->rowAt(index)) showMenu(*cell, at);
  });
  connect(m_side, &GpuSide::groupChosen, this, [this](CellGroup group) { setFilter(group, {}); });
  connect(m_side, &GpuSide::devicesChosen, this, [this](const std::vector<DeviceId>& devices) {
    setFilter(CellGroup::kAll, {devices.begin(), devices.end()});
  });
  SharedState* state = m_context.state;
  connect(m_strips, &PlotWidget::windowChanged, state, [state](std::int64_t x0, std::int64_t x1, bool gesture) {
    state->setWindow({x0, x1}, gesture ? SharedState::Undo::kMerge : SharedState::Undo::kStep);
  });
  connect(m_strips, &PlotWidget::rangeSelected, state, [state](std::int64_t x0, std::int64_t x1) { state->setWindow({x0, x1}); });
  connect(m_strips, &PlotWidget::momentClicked, state, [state](std::int64_t x) { state->setMoment(x); });
  connect(m_strips, &PlotWidget::gestureEnded, state, [state] { state->endGesture(); });
  connect(m_strips, &PlotWidget::showAll, state, [state] { state->showAll(); });
  connect(m_strips, &PlotWidget::followEnd, state, [this, state] { state->followEnd(m_strips->x1() - m_strips->x0()); });
}

void GpusView::choose(NodeId node, DeviceId device) {
  m_node = node;
  m_device = device;
  m_grid->setDevice(device);
  Selection selection = m_state.selection;
  selection.node = node;
  selection.device = device;
  if (m_data && device)
    for (const HostColumn& host : m_data->hosts)
      for (const GpuCell& cell : host.cells)
        if (cell.device == device && cell.rank_number) selection.rank = cell.rank_number;
  m_context.state->select(selection);
  ask(QueryService::Supersede::kCancelOlder);
}

void GpusView::showMenu(const GpuCell& cell, const QPoint& at) {
  Object object{.kind = cell.device ? ObjectKind::kGpu : ObjectKind::kNode,
                .name = cell.name,
                .detail = cell.rank,
                .selection = m_state.selection,
                .id = cell.index};
  object.selection.node = cell.node;
  object.selection.device = cell.device;
  object.selection.rank = cell.rank_number;
  if (cell.value)
    object.value = QStringLiteral("%1: %2 %3").arg(cell.name, DeviceText::tr(kGridMetrics[m_data->metric].title), fullNumber(*cell.value));
  for (const HostColumn& host : m_data->hosts)
    if (host.node == cell.node) object.key = host.name.toStdString();
  emit menuRequested(object, at);
}

void GpusView::setFilter(CellGroup group, std::set<DeviceId> devices) {
  if (group == CellGroup::kAll && devices.empty())
    m_grid->setFilter({});
  else
    m_grid->setFilter([group, devices = std::move(devices)](const GpuCell& cell) {
      return isIn(cell, group) && (devices.empty() || devices.contains(cell.device));
    });
}

void GpusView::toggleOrder() {
  m_by_job = !m_by_job;
  m_order->setText(m_by_job ? tr("by rank") : tr("by rack"));
  ask(QueryService::Supersede::kCancelOlder);
}

void GpusView::toggleWorst() {
  const bool list = m_worst->isHidden();
  m_worst_button->setChecked(list);
  m_worst->setVisible(list);
  m_scroll->setVisible(!list);
  if (m_data) fillWorst();
  fitRoom();
  (list ? static_cast<QWidget*>(m_worst) : m_grid)->setFocus();
}

void GpusView::applyState(const ViewState& state) {
  const bool moved_by_data = state.window.mode != WindowMode::kFixed && state.selection == m_state.selection;
  m_state = state;
  m_strips->setPlayhead(state.moment);
  if (state.selection.node) m_node = state.selection.node;
  if (state.selection.device) m_device = state.selection.device;
  m_grid->setDevice(m_device);
  ask(moved_by_data ? QueryService::Supersede::kAfterCurrent : QueryService::Supersede::kCancelOlder);
}

void GpusView::refresh(Tick tick) {
  if (tick == Tick::kText) ask(QueryService::Supersede::kAfterCurrent);
}

void GpusView::ask(QueryService::Supersede supersede) {
  GpuQuestion question{.metric = m_chosen_metric,
                       .by_job = m_by_job,
                       .run = m_state.selection.run,
                       .node = m_node,
                       .device = m_device,
                       .window = m_state.window,
                       .pixels = static_cast<std::size_t>(std::max(64, m_strips->plotArea().width())),
                       .style = m_state.time_style,
                       .now = m_context.now(),
                       // In the past each moment is read without the cache.
                       .memory = m_state.moment ? nullptr : m_memory,
                       .previous = m_data};
  m_context.submitAtPlayhead<GpuData>(
      m_slot, supersede,
      [question](const MomentReaders& readers, std::stop_token stop) { return readGpus(readers, question, std::move(stop)); },
      [this, again = supersede == QueryService::Supersede::kAfterCurrent](const Result<std::shared_ptr<const GpuData>>& answer) {
        // If a refresh is unavailable for now, the old picture stays, with its age in the strip.
        if (again && m_data && answer.status().code() == Code::kUnavailable) return;
        showAnswer(answer);
      });
}

void GpusView::showAnswer(const Result<std::shared_ptr<const GpuData>>& answer) {
  m_shown = true;
  if (!answer.ok()) {
    m_panel->showFailed(tr("The devices could not be read"), screenText(answer.status().message()));
    m_stack->setCurrentIndex(0);
    return;
  }
  if ((*answer)->hosts.empty()) {
    m_panel->showEmptyAt(m_context.state->state().moment, tr("No hosts"),
                         tr("No agent has reported from this run, and its files name no machines."),
                         QStringLiteral("runglass-agent --hub HOST:PORT"));
    m_stack->setCurrentIndex(0);
    return;
  }
  m_data = *answer;
  m_stack->setCurrentIndex(1);
  {
    const QSignalBlocker quiet(m_metric);
    m_metric->setCurrentIndex(static_cast<int>(m_data->metric));
  }
  m_sentence->setSentence(m_data->sentence, m_data->severity);
  m_scale->setText(m_data->scale);
  m_side->setData(m_data);
  m_grid->setData(m_data);
  if (!m_worst->isHidden()) fillWorst();
  showDetail();
}

void GpusView::showDetail() {
  const HostDetail& detail = m_data->detail;
  m_host->setText(detail.name);
  m_host_line->setText(detail.host_line);
  m_trouble->setText(detail.trouble);
  fillTable();
  fitRoom();
  if (!detail.strips) return;
  m_strips->setData(detail.strips);
  m_strips->setWindow(detail.x0, detail.x1);
}

// The grid gets the height that it needs, up to half of the view; then eight rows of the host; the strips get the rest, if there is room.
void GpusView::fitRoom() {
  m_side->setVisible(width() >= kSideFrom);
  const int beside = m_side->isVisibleTo(this) ? m_side->width() + 2 * kGrid : 0;
  m_grid->setRoom(height() / 2 - kGrid);
  const int needed =
      std::max(m_grid->neededHeight(std::max(100, width() - beside - 4 * kGrid)) + kGrid, beside > 0 ? GpuSide::neededHeight() : 0);
  m_scroll->setFixedHeight(std::min(needed, height() / 2));
  // A small panel shows only the grid: it is next to findings that have the same information as the host's texts.
  const bool roomy = width() >= kTableFrom || height() >= kStripsFrom;
  m_host_line->setVisible(m_data && !m_data->detail.host_line.isEmpty() && roomy);
  m_trouble->setVisible(m_data && !m_data->detail.trouble.isEmpty() && width() >= kTableFrom);
  m_strips->setVisible(m_data && m_data->detail.strips && !m_data->detail.strips->panels.empty() && roomy);
  m_worst->setFixedHeight(std::max(200, height() / 2));
  m_links->setVisible(width() >= kTableFrom);
  m_host->setVisible(true);
  m_metric->parentWidget()->setVisible(true);
  const bool table = m_data && !m_data->detail.rows.empty() && width() >= kTableFrom;
  m_table->setVisible(table);
  if (table) {
    const int rows = std::min<int>(kRowsShown, static_cast<int>(m_data->detail.rows.size()));
    m_table->setFixedHeight(
        std::min(rows * kRowHeight + m_table->horizontalHeader()->sizeHint().height() + 2, std::max(kMinTable, height() / 4)));
  }
  // In a low view with many lines of text the table gets smaller, which scrolls; then the strips are hidden; then the grid scrolls; then
  // the name of the host is hidden, which the grid's tooltips have; then the bar, whose choices have keys and whose metric the scale names;
  // then the grid gets as low as two rows of cells.
  QLayout* column = m_strips->parentWidget()->layout();
  const auto excess = [&] {
    column->invalidate();
    return (column->hasHeightForWidth() ? column->totalMinimumHeightForWidth(width()) : column->minimumSize().height()) - height();
  };
  if (const int over = excess(); over > 0 && table) m_table->setFixedHeight(std::max(kMinTable, m_table->minimumHeight() - over));
  if (excess() > 0) m_strips->setVisible(false);
  const auto shrinkGrid = [&](int least) {
    if (const int over = excess(), now = m_scroll->minimumHeight(); over > 0 && now > least)
      m_scroll->setFixedHeight(std::max(least, now - over));
  };
  shrinkGrid(kMinGrid);
  if (excess() > 0) m_host->setVisible(false);
  if (excess() > 0) m_metric->parentWidget()->setVisible(false);
  shrinkGrid(kLowestGrid);
}

void GpusView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  fitRoom();
}

void GpusView::fillTable() {
  const HostDetail& detail = m_data->detail;
  m_table->setColumnCount(static_cast<int>(detail.columns.size()) + 1);
  m_table->setAccessibleName(tr("GPUs of the host"));
  m_table->setHorizontalHeaderItem(0, new QTableWidgetItem(tr("device")));
  for (int c = 0; c < static_cast<int>(detail.columns.size()); ++c) {
    const DetailColumn& column = detail.columns[static_cast<std::size_t>(c)];
    auto* head = new QTableWidgetItem(column.title);
    head->setToolTip(column.why);
    head->setTextAlignment((column.number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    m_table->setHorizontalHeaderItem(c + 1, head);
  }
  m_table->setRowCount(static_cast<int>(detail.rows.size()));
  const auto put = [&](int row, int column, const QString& text, bool number) {
    auto* item = m_table->item(row, column);
    if (item == nullptr) m_table->setItem(row, column, item = new QTableWidgetItem);
    item->setText(text);
    item->setTextAlignment((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  };
  for (int r = 0; r < m_table->rowCount(); ++r) {
    const DetailRow& row = detail.rows[static_cast<std::size_t>(r)];
    put(r, 0, row.device, false);
    for (std::size_t c = 0; c < row.cells.size(); ++c) put(r, static_cast<int>(c) + 1, row.cells[c], detail.columns[c].number);
  }
}

void GpusView::fillWorst() {
  auto cells = std::make_shared<std::vector<GpuCell>>();
  for (const HostColumn& host : m_data->hosts) cells->insert(cells->end(), host.cells.begin(), host.cells.end());
  // Findings and cells that do not report come first, then by the deviation on the worse side.
  std::ranges::stable_sort(*cells, std::greater{}, [](const GpuCell& cell) {
    return std::tuple(cell.finding ? cell.finding->severity : Severity::kDebug, cell.state == CellState::kLost || cell.xid, cell.shade);
  });
  const bool first = m_worst_model->rowCount() == 0;
  m_worst_model->setRows(std::move(cells));
  if (first) m_worst->fitColumns();
}

void GpusView::keyPressEvent(QKeyEvent* event) {
  const auto at = std::ranges::find(kGridMetrics, static_cast<char>(event->key() < 128 ? event->key() : 0), &GridMetric::key);
  if (event->modifiers() != Qt::NoModifier && event->modifiers() != Qt::KeypadModifier) return View::keyPressEvent(event);
  if (at != kGridMetrics.end())
    m_metric->setCurrentIndex(static_cast<int>(at - kGridMetrics.begin()));
  else if (event->key() == Qt::Key_L)
    toggleWorst();
  else if (event->key() == Qt::Key_R)
    toggleOrder();
  else
    View::keyPressEvent(event);
}

void GpusView::focusFilter() {
  if (m_worst->isHidden()) toggleWorst();
  m_worst->focusFilter();
}

// A host list, to be pasted into a drain command: of the list's selected rows, of the highlighted cells, or of all.
QString GpusView::copyText() const {
  if (!m_worst->isHidden()) return m_worst->selectedTsv();
  QStringList hosts;
  if (m_data)
    for (const HostColumn& host : m_data->hosts)
      if (std::ranges::any_of(host.cells, [this](const GpuCell& cell) { return isIn(cell, m_side->group()); })) hosts << host.name;
  return hosts.join(QLatin1Char('\n'));
}

}  // namespace runglass
