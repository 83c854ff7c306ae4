// SPDX-License-Identifier: GPL-3.0-or-later
// Invariant: headline, scale, lattice and side panel belong to one answer.
#include "widgets/topology/topology_view.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QIntValidator>
#include <QVBoxLayout>
#include <algorithm>

#include "model/rank_order.h"
#include "widgets/topology/topology_data.h"

namespace runglass {
namespace {

constexpr int kSideFrom = 800, kHangFrom = 1000;  // minimum widths for the side panel, and for the hang's list too

}  // namespace

TopologyView::TopologyView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_headline(new Headline),
      m_tabs(new QTabBar),
      m_bar(new QWidget),
      m_metric(new QComboBox),
      m_fold(new QComboBox),
      m_order(new QComboBox),
      m_racks(new QCheckBox(tr("racks"))),
      m_links(new QCheckBox(tr("links"))),
      m_find(new QLineEdit),
      m_step(new StepPage(m_context, this)),
      m_pages(nullptr),
      m_scale(new HeatScale),
      m_caption(new QLabel),
      m_grid(new TopologyGrid),
      m_hang(new HangList),
      m_side(new TopologySide),
      m_panel(new StatePanel),
      m_stack(new QStackedLayout(this)) {
  m_caption->setTextFormat(Qt::PlainText);
  m_caption->setWordWrap(true);
  m_caption->setTextInteractionFlags(Qt::TextSelectableByMouse);
  m_caption->setFont(tableFont());
  m_caption->setForegroundRole(QPalette::PlaceholderText);
  for (const TopologyMetric& metric : kTopologyMetrics) m_metric->addItem(TopologyText::tr(metric.title), static_cast<int>(metric.value));
  m_metric->setObjectName(QStringLiteral("metric")), m_fold->setObjectName(QStringLiteral("fold")),
      m_order->setObjectName(QStringLiteral("order")), m_find->setObjectName(QStringLiteral("find"));
  m_metric->setToolTip(tr("Metric that the colour compares with the median of the same PP stage"));
  m_metric->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  m_metric->setMinimumContentsLength(36);
  m_metric->setMaxVisibleItems(30);
  m_tabs->addTab(tr("lattice"));
  m_tabs->addTab(tr("step"));
  m_tabs->setExpanding(false);
  m_tabs->setDrawBase(false);
  for (const auto& [title, fold] : {std::pair(tr("all dimensions"), Fold::kNone),
                                    {tr("DP, PP, CP, TP"), Fold::kTensor},
                                    {tr("DP, PP, CP"), Fold::kContexts},
                                    {tr("DP, PP"), Fold::kStages}})
    m_fold->addItem(title, static_cast<int>(fold));
  m_fold->setToolTip(tr("Dimensions that are drawn separately; a cell of several ranks shows the worst one"));
  m_racks->setToolTip(tr("Lines between tiles whose first ranks are in different racks"));
  m_links->setToolTip(tr("Neighbours of the selected rank in its groups, with the bus bandwidth of their collectives"));
  m_find->setPlaceholderText(tr("find rank"));
  m_find->setAccessibleName(tr("Find rank"));
  m_find->setFixedWidth(90);
  m_find->setValidator(new QIntValidator(0, INT32_MAX, m_find));
  m_order->setEditable(true);
  m_order->setAccessibleName(tr("Order of ranks"));
  m_metric->setAccessibleName(tr("Metric"));
  m_fold->setAccessibleName(tr("Dimensions"));
  m_order->setInsertPolicy(QComboBox::NoInsert);
  m_order->lineEdit()->setPlaceholderText(tr("order: as recorded"));
  m_order->lineEdit()->setAccessibleName(tr("Order of ranks"));
  m_order->setMinimumContentsLength(18);
  for (const char* order : {"", kDefaultRankOrder, "tp-cp-ep-pp-dp", "dp-tp-pp", "pp-dp-tp", "pp-tp-dp"})
    m_order->addItem(QString::fromUtf8(order));
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
  auto* bar = new QHBoxLayout(m_bar);
  bar->setContentsMargins(0, 0, 0, 0);
  bar->setSpacing(2 * kGrid);
  for (QWidget* part : std::initializer_list<QWidget*>{m_metric, m_fold, m_racks, m_links, m_find, m_order}) bar->addWidget(part);
  bar->addStretch(1);
  auto* top = new QHBoxLayout;
  top->setSpacing(2 * kGrid);
  top->addWidget(m_tabs);
  top->addWidget(m_bar, 1);
  column->addLayout(top);
  auto* lattice = new QWidget;
  auto* lattice_column = new QVBoxLayout(lattice);
  lattice_column->setContentsMargins(0, 0, 0, 0);
  lattice_column->setSpacing(kGrid);
  lattice_column->addWidget(m_scale);
  lattice_column->addWidget(m_caption);
  auto* middle = new QHBoxLayout;
  middle->setSpacing(2 * kGrid);
  middle->addWidget(m_hang);
  middle->addWidget(m_grid, 1);
  middle->addWidget(m_side);
  lattice_column->addLayout(middle, 1);
  auto* pages = new QWidget;
  m_pages = new QStackedLayout(pages);
  m_pages->addWidget(lattice);
  m_pages->addWidget(m_step);
  column->addWidget(pages, 1);
  return page;
}

void TopologyView::connectParts() {
  connect(m_metric, &QComboBox::activated, this, [this](int index) {
    m_metric_chosen = m_metric->itemData(index).isValid();
    ask(QueryService::Supersede::kCancelOlder);
  });
  connect(m_tabs, &QTabBar::currentChanged, this, &TopologyView::openPage);
  connect(m_fold, &QComboBox::activated, this, [this](int index) {
    m_grid->setFold(static_cast<Fold>(m_fold->itemData(index).toInt()));
    tellOrder();
  });
  connect(m_racks, &QCheckBox::toggled, m_grid, &TopologyGrid::setRacks);
  connect(m_links, &QCheckBox::toggled, this, [this] { askLinks(); });
  connect(m_order, &QComboBox::activated, this, [this](int index) { chooseOrder(m_order->itemText(index)); });
  connect(m_order->lineEdit(), &QLineEdit::returnPressed, this, [this] { chooseOrder(m_order->lineEdit()->text().trimmed()); });
  connect(m_find, &QLineEdit::returnPressed, this, [this] {
    const int rank = m_find->text().toInt();
    choose(rank);
    m_grid->scrollTo(rank);
  });
  connect(m_step, &StepPage::viewRequested, this, &View::viewRequested);
  connect(m_hang, &HangList::rankChosen, this, [this](int rank) { choose(rank); });
  connect(m_grid, &TopologyGrid::rankChosen, this, [this](int rank) { choose(rank); });
  connect(m_grid, &TopologyGrid::menuWanted, this, [this](int rank, const QPoint& at) {
    choose(rank);  // also selects the machine of the rank
    Object object{.kind = ObjectKind::kRank, .name = tr("Rank %1").arg(rank), .selection = m_context.state->state().selection, .id = rank};
    object.selection.run = m_data->run.id;
    object.selection.attempt = m_data->attempt.id;
    emit menuRequested(object, at);
  });
  connect(m_grid, &TopologyGrid::cleared, this, [this] { choose(std::nullopt); });
  connect(m_grid, &TopologyGrid::rankOpened, this, [this](int rank) {
    choose(rank);
    emit viewRequested(QStringLiteral("timeline"));
  });
}

// A rank selects its node and GPU as well, so that the other views follow.
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
  const bool other = state.selection.run != m_state.selection.run || state.selection.attempt != m_state.selection.attempt ||
                     state.moment != m_state.moment;
  m_state = state;
  m_grid->setSelected(state.selection.rank);
  if (m_data) m_side->show(m_data, state.selection.rank, state.time_style);
  askLinks();
  if (m_tabs->currentIndex() == 1) m_step->setState(m_state, m_data);
  if (!other && m_asked) return;
  m_asked = true;
  ask(QueryService::Supersede::kCancelOlder);
}

void TopologyView::refresh(Tick tick) {
  if (tick == Tick::kText) ask(QueryService::Supersede::kAfterCurrent);
}

void TopologyView::ask(QueryService::Supersede supersede) {
  TopologyQuestion question{.run = m_state.selection.run,
                            .attempt = m_state.selection.attempt,
                            .value = {},
                            .named = {},
                            .now = m_context.now(),
                            .memory = m_context.state->state().moment ? nullptr : m_slow,
                            .previous = m_data};
  if (m_metric_chosen) {
    const QVariant chosen = m_metric->currentData();
    question.value = chosen.typeId() == QMetaType::Int ? static_cast<TopologyValue>(chosen.toInt()) : TopologyValue::kNamed;
    if (question.value == TopologyValue::kNamed) question.named = chosen.toString().toStdString();
  }
  m_context.submitAtPlayhead<TopologyData>(
      m_slot, supersede,
      [question](const MomentReaders& readers, std::stop_token stop) { return readTopology(readers.then, question, std::move(stop)); },
      [this](const Result<std::shared_ptr<const TopologyData>>& answer) { showAnswer(answer); });
}

void TopologyView::showAnswer(const Result<std::shared_ptr<const TopologyData>>& answer) {
  m_shown = true;
  if (!answer.ok() && answer.status().code() != Code::kNotFound) {
    m_panel->showFailed(tr("The layout could not be read"), screenText(answer.status().message()));
    return m_stack->setCurrentIndex(0);
  }
  if (!answer.ok() || (*answer)->ranks.empty()) {
    m_panel->showEmptyAt(m_context.state->state().moment, tr("No ranks yet"),
                         tr("This run names no ranks. Import traces or dumps of every rank, or let trainers report their rank and its "
                            "tp, pp and dp coordinates through runglass.py."),
                         QStringLiteral("runglassctl import --store STORE.rgl FOLDER_OF_TRACES"));
    return m_stack->setCurrentIndex(0);
  }
  // Links depend on one attempt's places.
  if (m_data && (m_data->attempt.id != (*answer)->attempt.id || m_data->chosen_order != (*answer)->chosen_order)) m_linked.reset();
  m_data = *answer;
  m_stack->setCurrentIndex(1);
  const auto at = std::ranges::find(kTopologyMetrics, m_data->metric.value, &TopologyMetric::value) - kTopologyMetrics.begin();
  offerHang();
  if (!m_metric_chosen) m_metric->setCurrentIndex(m_data->hang_mode ? static_cast<int>(kTopologyMetrics.size()) : static_cast<int>(at));
  m_headline->setSentence(m_data->headline, m_data->hang_found ? m_data->hang_severity
                                            : m_data->warn     ? Severity::kWarning
                                                               : Severity::kInfo);
  m_scale->setData(m_data);
  m_grid->setData(m_data);
  m_hang->show(m_data);
  m_hang->setVisible(m_data->hang_mode && width() >= kHangFrom);
  m_side->show(m_data, m_state.selection.rank, m_state.time_style);
  tellOrder();
  askLinks();
  m_step->setState(m_state, m_tabs->currentIndex() == 1 ? m_data : nullptr);
}

void TopologyView::openPage(int index) {
  m_pages->setCurrentIndex(index);
  m_bar->setVisible(index == 0);
  setFocusProxy(index == 0 ? static_cast<QWidget*>(m_grid) : m_step);
  if (index == 1) m_step->setState(m_state, m_data);
}

bool TopologyView::showTab(const QString& name) {
  if (name != QLatin1String("lattice") && name != QLatin1String("links") && name != QLatin1String("step")) return false;
  if (name == QLatin1String("links")) m_links->setChecked(true);
  m_tabs->setCurrentIndex(name == QLatin1String("step") ? 1 : 0);
  return true;
}

void TopologyView::focusFilter() {
  m_tabs->setCurrentIndex(0);
  m_find->setFocus();
  m_find->selectAll();
}

// Queried once per selected rank: a stored rank's traffic does not change, and a live rank is queried again with the next selection.
void TopologyView::askLinks() {
  const auto rank = m_links->isChecked() ? m_state.selection.rank : std::nullopt;
  const bool known = rank && m_data && std::ranges::any_of(m_data->ranks, [&](const TopologyRank& r) { return r.place.rank == *rank; });
  if (!known) {
    m_links_slot.cancel();
    m_linked.reset();
    m_grid->setLinks(nullptr);
    m_side->setLinks(nullptr);
    return;
  }
  if (m_linked == rank) return;
  m_linked = rank;
  m_context.queries->submit<RankLinks>(
      m_links_slot, QueryService::Supersede::kCancelOlder,
      [data = m_data, rank = *rank](Reader& reader, std::stop_token stop) { return readLinks(reader, *data, rank, std::move(stop)); },
      [this](const Result<std::shared_ptr<const RankLinks>>& answer) {
        if (!answer.ok()) {
          m_linked.reset();
          m_side->setLinksTrouble(screenText(answer.status().message()));
          return;
        }
        m_grid->setLinks(*answer);
        m_side->setLinks(*answer);
      });
}

// Stored with the attempt, so that every reader of the store sees the same places.
void TopologyView::chooseOrder(const QString& order) {
  if (!m_data || m_context.edits == nullptr) return;
  const RankOrderChoice choice{.run_uuid = m_data->run.uuid, .attempt = m_data->attempt.number, .order = order.toStdString()};
  if (choice.order == m_data->chosen_order) return;
  if (const Status wrong = checkEdit(choice); !wrong.ok()) {
    m_order_trouble = screenText(wrong.message());
    return tellOrder();
  }
  m_context.edits->submit(choice, this, [this](const Status& status) {
    m_order_trouble = status.ok() ? QString() : screenText(status.message());
    tellOrder();
    if (status.ok()) ask(QueryService::Supersede::kCancelOlder);
  });
}

void TopologyView::tellOrder() {
  const QString refusal = m_context.edits == nullptr ? tr("this window cannot change the store") : m_context.edits->refusal();
  m_order->setEnabled(refusal.isEmpty());
  if (!m_order->lineEdit()->hasFocus() && m_data) m_order->setEditText(QString::fromStdString(m_data->chosen_order));
  QString tip =
      tr("In which order the dimensions number the ranks, the fastest first, with sizes where they are not known: tp-cp-ep-dp-pp, "
         "tp8-dp4-pp2. Empty: as recorded. What ranks said themselves stays.");
  if (!refusal.isEmpty()) tip = refusal;
  m_order->setToolTip(tip);
  if (m_data)
    m_caption->setText(captionOf(*m_data, m_grid->lattice()) +
                       (m_order_trouble.isEmpty() ? QString() : QStringLiteral("  ·  ") + m_order_trouble));
}

// The states of a hang are listed among the metrics while there is a hang.
void TopologyView::offerHang() {
  const int last = static_cast<int>(kTopologyMetrics.size());
  const bool offered = m_metric->count() > last && !m_metric->itemData(last).isValid();
  if (m_data->hang_found && !offered) m_metric->insertItem(last, tr("state in the hang"));
  if (!m_data->hang_found && offered) m_metric->removeItem(last);
  for (const std::string& name : m_data->offered)
    if (const QString text = QString::fromStdString(name); m_metric->findData(text) < 0) m_metric->addItem(screenText(name, 80), text);
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
