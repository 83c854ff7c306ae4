// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: headline, scale, lattice and side panel are of one answer.
#include "widgets/topology/topology_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

namespace runglass {
namespace {

constexpr int kSideFrom = 800, kHangFrom = 1000;  // widths from which there is room for the side panel, for the hang's list too

}  // namespace

TopologyView::TopologyView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_headline(new QLabel),
      m_metric(new QComboBox),
      m_scale(new HeatScale),
      m_caption(new QLabel),
      m_grid(new TopologyGrid),
      m_hang(new HangList),
      m_side(new TopologySide),
      m_panel(new StatePanel),
      m_stack(new QStackedLayout(this)) {
  for (QLabel* label : {m_headline, m_caption}) {
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  }
  m_headline->setFont(headlineFont());
  m_caption->setFont(tableFont());
  m_caption->setForegroundRole(QPalette::PlaceholderText);
  for (const TopologyMetric& metric : kTopologyMetrics) m_metric->addItem(QString::fromUtf8(metric.title));
  m_metric->setToolTip(tr("What the colour compares with the median of the same PP stage"));
  m_metric->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(makePage());
  m_panel->showLoading(tr("Reading the layout …"));
  setFocusProxy(m_grid);
  connectParts();
}

QWidget* TopologyView::makePage() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  column->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  column->setSpacing(kGrid);
  column->addWidget(m_headline);
  auto* bar = new QHBoxLayout;
  bar->setSpacing(2 * kGrid);
  bar->addWidget(m_metric);
  bar->addWidget(m_scale, 1);
  column->addLayout(bar);
  column->addWidget(m_caption);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(2 * kGrid);
  middle->addWidget(m_hang);
  middle->addWidget(m_grid, 1);
  middle->addWidget(m_side);
  column->addLayout(middle, 1);
  return page;
}

void TopologyView::connectParts() {
  connect(m_metric, &QComboBox::activated, this, [this](int index) {
    m_metric_chosen = index < static_cast<int>(kTopologyMetrics.size());
    ask(QueryService::Supersede::kCancelOlder);
  });
  connect(m_hang, &HangList::rankChosen, this, [this](int rank) { choose(rank); });
  connect(m_grid, &TopologyGrid::rankChosen, this, [this](int rank) { choose(rank); });
  connect(m_grid, &TopologyGrid::cleared, this, [this] { choose(std::nullopt); });
  connect(m_grid, &TopologyGrid::rankOpened, this, [this](int rank) {
    choose(rank);
    emit viewRequested(QStringLiteral("timeline"));
  });
}

// A rank brings its node and GPU along, so that the other views turn to them as well.
void TopologyView::choose(std::optional<std::int32_t> rank) {
  if (!m_data) return;
  const auto placeOf = [this](std::optional<std::int32_t> number) {
    const auto found = std::ranges::find_if(m_data->ranks, [&](const TopologyRank& r) { return number && r.place.rank == *number; });
    return found == m_data->ranks.end() ? Rank{} : found->place;
  };
  Selection selection = m_state.selection;
  const Rank before = placeOf(selection.rank), after = placeOf(rank);
  selection.rank = rank;
  if (after.node || selection.node == before.node) selection.node = after.node;
  if (after.device || selection.device == before.device) selection.device = after.device;
  m_context.state->select(selection);
}

void TopologyView::applyState(const ViewState& state) {
  const bool other = state.selection.run != m_state.selection.run || state.selection.attempt != m_state.selection.attempt;
  m_state = state;
  m_grid->setSelected(state.selection.rank);
  if (m_data) m_side->show(m_data, state.selection.rank, state.time_style);
  if (!other && m_asked) return;
  m_asked = true;
  ask(QueryService::Supersede::kCancelOlder);
}

void TopologyView::refresh(Tick tick) {
  if (tick == Tick::kText) ask(QueryService::Supersede::kAfterCurrent);
}

void TopologyView::ask(QueryService::Supersede supersede) {
  TopologyQuestion question{
      .run = m_state.selection.run, .attempt = m_state.selection.attempt, .value = {}, .now = m_context.clock(), .previous = m_data};
  if (m_metric_chosen) question.value = kTopologyMetrics[static_cast<std::size_t>(std::max(0, m_metric->currentIndex()))].value;
  m_context.queries->submit<TopologyData>(
      m_slot, supersede, [question](Reader& reader, std::stop_token stop) { return readTopology(reader, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const TopologyData>>& answer) { showAnswer(answer); });
}

void TopologyView::showAnswer(const Result<std::shared_ptr<const TopologyData>>& answer) {
  m_shown = true;
  if (!answer.ok() && answer.status().code() != Code::kNotFound) {
    m_panel->showFailed(tr("The layout could not be read"), screenText(answer.status().message()));
    return m_stack->setCurrentIndex(0);
  }
  if (!answer.ok() || (*answer)->ranks.empty()) {
    m_panel->showEmpty(tr("No ranks yet"),
                       tr("This run names no ranks. Import traces or dumps of every rank, or let trainers report their rank and its "
                          "tp, pp and dp coordinates through runglass.py."),
                       QStringLiteral("runglassctl import --store STORE.rgl FOLDER_OF_TRACES"));
    return m_stack->setCurrentIndex(0);
  }
  m_data = *answer;
  m_stack->setCurrentIndex(1);
  const auto at = std::ranges::find(kTopologyMetrics, m_data->metric.value, &TopologyMetric::value) - kTopologyMetrics.begin();
  offerHang();
  if (!m_metric_chosen) m_metric->setCurrentIndex(m_data->hang_mode ? static_cast<int>(kTopologyMetrics.size()) : static_cast<int>(at));
  m_headline->setText(m_data->headline);
  m_caption->setText(m_data->caption);
  restyle();
  m_scale->setData(m_data);
  m_grid->setData(m_data);
  m_hang->show(m_data);
  m_hang->setVisible(m_data->hang_mode && width() >= kHangFrom);
  m_side->show(m_data, m_state.selection.rank, m_state.time_style);
}

// The states of a hang stand among the metrics as long as there is one.
void TopologyView::offerHang() {
  const int last = static_cast<int>(kTopologyMetrics.size());
  if (m_data->hang_found && m_metric->count() == last) m_metric->addItem(tr("state in the hang"));
  if (!m_data->hang_found && m_metric->count() > last) m_metric->removeItem(last);
}

void TopologyView::restyle() {
  QPalette ink = m_headline->palette();
  ink.setColor(QPalette::WindowText, m_data && m_data->hang_found ? currentTheme().error
                                     : m_data && m_data->warn     ? severityColor(currentTheme(), Severity::kWarning)
                                                                  : currentTheme().text);
  m_headline->setPalette(ink);
}

void TopologyView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) restyle();
  View::changeEvent(event);
}

void TopologyView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  m_side->setVisible(width() >= kSideFrom);
  m_hang->setVisible(m_data && m_data->hang_mode && width() >= kHangFrom);
}

QString TopologyView::copyText() const {
  if (!m_data) return {};
  const auto number = [](const std::optional<std::int32_t>& value) { return value ? QString::number(*value) : QString(); };
  QStringList lines{
      QStringLiteral("rank\tnode\tdp\tpp\ttp\tcp\tep\t%1 (%2)\tdeviation%3")
          .arg(QString::fromUtf8(m_data->metric.title), QString::fromUtf8(m_data->metric.unit),
               m_data->metric.relative ? QStringLiteral(" (ratio)") : QStringLiteral(" (%1)").arg(QString::fromUtf8(m_data->metric.unit)))};
  for (const TopologyRank& rank : m_data->ranks) {
    const Rank& p = rank.place;
    lines << QStringList{QString::number(p.rank),
                         rank.node,
                         number(p.dp),
                         number(p.pp),
                         number(p.tp),
                         number(p.cp),
                         number(p.ep),
                         rank.value ? fullNumber(*rank.value) : QString(),
                         rank.deviation ? fullNumber(*rank.deviation) : QString()}
                 .join(QLatin1Char('\t'));
  }
  return lines.join(QLatin1Char('\n'));
}

}  // namespace runglass
