// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. m_cards are the ticked tags in m_tags' order; a card keeps its widget while its tag stays. 2. Every card shows windowOf()
// its tag. 3. m_history has the view's own windows; the time axis never changes it.
#include "widgets/curves/curves_view.h"

#include <QApplication>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QScrollArea>
#include <QSlider>
#include <QSplitter>
#include <QStackedLayout>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "analysis/run_summary/run_steps.h"
#include "analysis/run_summary/run_summary.h"
#include "widgets/core/units.h"
#include "widgets/curves/rewind_dialog.h"
#include "widgets/curves/rules_dialog.h"

namespace runglass {
namespace {

constexpr int kCardWidth = 480, kCardHeight = 220;  // minimum sizes that decide the number of columns and rows
constexpr double kBestAspect = 1.8;
constexpr int kSideWidth = 260, kTableHeight = 150, kRunsHeight = 170;
constexpr int kTableMs = 60;  // the table is updated at text rate
constexpr std::size_t kManyRuns = 8;
constexpr double kMaxSmoothing = 0.999;
// The slider is finer towards 1, where it matters: weight = 1 - (1 - position)^3, cut at 0.999.
constexpr int kSliderSteps = 1000;

double weightOf(int position) {
  const double rest = 1 - static_cast<double>(position) / kSliderSteps;
  return std::min(kMaxSmoothing, 1 - rest * rest * rest);
}
int positionOf(double weight) { return static_cast<int>(std::lround(kSliderSteps * (1 - std::cbrt(1 - weight)))); }

}  // namespace

CurvesView::CurvesView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_tags(new TagTree(this)),
      m_filtered(new TagFilter(this)),
      m_panel(new StatePanel(this)),
      m_stack(new QStackedLayout(this)) {
  m_filtered->setSourceModel(m_tags);
  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeBar());
  auto* split = new QSplitter(Qt::Horizontal, content);
  split->addWidget(makeSide());
  split->addWidget(makeMain());
  split->setStretchFactor(1, 1);
  split->setSizes({kSideWidth, 3 * kSideWidth});
  split->setChildrenCollapsible(false);
  column->addWidget(split, 1);
  m_stack->addWidget(m_panel);
  m_stack->addWidget(content);
  m_panel->showLoading(tr("Reading the curves of this store …"));
  m_table_timer.setSingleShot(true);
  m_table_timer.setInterval(kTableMs);
  connect(&m_table_timer, &QTimer::timeout, this, [this] { m_table->fill(m_cards, m_axis, m_state.time_style); });
  connect(m_tags, &TagTree::ticksChanged, this, &CurvesView::arrangeCards);
}

QWidget* CurvesView::makeBar() {
  auto* bar = new QWidget(this);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  row->setSpacing(2 * kGrid);
  m_axes = new QComboBox(bar);
  m_axes->addItems({tr("step"), tr("time"), tr("time since start")});
  m_axes->setToolTip(tr("X axis of the curves"));
  m_axes->setAccessibleName(tr("Against"));
  connect(m_axes, &QComboBox::activated, this, [this](int index) { setAxis(static_cast<CurveAxis>(index)); });
  m_slider = new QSlider(Qt::Horizontal, bar);
  m_slider->setRange(0, positionOf(kMaxSmoothing));
  m_slider->setFixedWidth(140);
  m_slider->setAccessibleName(tr("Smoothing"));
  m_slider->setToolTip(tr("Weight of the debiased exponential moving average, as TensorBoard's; the raw curve stays visible"));
  m_weight = new QDoubleSpinBox(bar);
  m_weight->setRange(0, kMaxSmoothing);
  m_weight->setDecimals(3);
  m_weight->setSingleStep(0.05);
  m_weight->setAccessibleName(tr("Smoothing"));
  m_slider->setValue(positionOf(m_smoothing));
  m_weight->setValue(m_smoothing);
  connect(m_slider, &QSlider::valueChanged, this, [this](int position) {
    if (positionOf(m_smoothing) != position) setSmoothing(weightOf(position));
  });
  connect(m_weight, &QDoubleSpinBox::valueChanged, this, &CurvesView::setSmoothing);
  m_outliers = new QToolButton(bar);
  m_outliers->setText(tr("leave outliers out"));
  m_outliers->setCheckable(true);
  m_outliers->setToolTip(tr("Scale to the bulk of the values; a badge counts what lies outside"));
  connect(m_outliers, &QToolButton::toggled, this, [this](bool on) {
    m_robust = on;
    updateCards(false);
  });
  m_note = new QLabel(bar);
  m_note->setTextFormat(Qt::PlainText);
  m_note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(new QLabel(tr("against"), bar));
  row->addWidget(m_axes);
  row->addSpacing(2 * kGrid);
  row->addWidget(new QLabel(tr("smoothing"), bar));
  row->addWidget(m_slider);
  row->addWidget(m_weight);
  row->addSpacing(2 * kGrid);
  row->addWidget(m_outliers);
  row->addWidget(m_note, 1);
  return bar;
}

QWidget* CurvesView::makeSide() {
  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(2 * kGrid, 0, kGrid, kGrid);
  column->setSpacing(kGrid);
  m_filter = new QLineEdit(side);
  m_filter->setPlaceholderText(tr("Filter tags by regex  ( / )"));
  m_filter->setAccessibleName(tr("Filter: %1").arg(tr("Tags")));
  m_filter->setToolTip(tr("Regular expression, case does not matter. Enter ticks exactly what is listed."));
  m_filter->setClearButtonEnabled(true);
  m_filter_note = new QLabel(side);
  m_filter_note->setTextFormat(Qt::PlainText);
  m_filter_note->setWordWrap(true);
  m_filter_note->hide();
  m_tree = new QTreeView(side);
  m_tree->setModel(m_filtered);
  m_tree->setHeaderHidden(true);
  m_tree->setAccessibleName(tr("Tags"));
  m_tree->setUniformRowHeights(true);
  m_tree->setFont(tableFont());
  m_tree->setTextElideMode(Qt::ElideMiddle);
  m_runs = new QListWidget(side);
  m_runs->setFont(tableFont());
  m_runs->setUniformItemSizes(true);
  m_runs->setAccessibleName(tr("Runs"));
  m_runs->setMaximumHeight(kRunsHeight);
  m_runs->setTextElideMode(Qt::ElideMiddle);
  m_runs->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(m_filter, &QLineEdit::textChanged, this, &CurvesView::filterChanged);
  connect(m_filter, &QLineEdit::returnPressed, this, &CurvesView::tickFiltered);
  connect(m_runs, &QListWidget::itemChanged, this, [this](const QListWidgetItem* item) {
    m_runs_chosen = true;
    m_tags->setRunHidden(RunId{item->data(Qt::UserRole).toULongLong()}, item->checkState() != Qt::Checked);
    fillRuns();
  });
  column->addWidget(m_filter);
  column->addWidget(m_filter_note);
  column->addWidget(m_tree, 1);
  column->addWidget(new QLabel(tr("runs"), side));
  column->addWidget(m_runs);
  return side;
}

QWidget* CurvesView::makeMain() {
  auto* split = new QSplitter(Qt::Vertical, this);
  m_scroll = new QScrollArea(split);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setFocusPolicy(Qt::NoFocus);
  m_page = new QWidget(m_scroll);
  auto* grid = new QGridLayout(m_page);
  grid->setContentsMargins(kGrid, 0, 2 * kGrid, kGrid);
  grid->setSpacing(kGrid);
  m_scroll->setWidget(m_page);
  m_scroll->viewport()->installEventFilter(this);
  m_table = new CursorTable(split);
  m_table->setMinimumHeight(kTableHeight / 2);
  connect(m_table, &CursorTable::placeChosen, this, &CurvesView::goTo);
  connect(m_table, &CursorTable::placeOpened, this, [this](const CurvePlace& place) {
    goTo(place);
    emit viewRequested(QStringLiteral("timeline"));
  });
  split->addWidget(m_scroll);
  split->addWidget(m_table);
  split->setStretchFactor(0, 1);
  split->setSizes({4 * kTableHeight, kTableHeight});
  return split;
}

void CurvesView::applyState(const ViewState& state) {
  const bool by_data = state.window.mode != WindowMode::kFixed && state.selection == m_state.selection;
  const bool travelled = state.moment != m_state.moment || state.selection.run != m_state.selection.run;
  m_state = state;
  if (travelled) askPlayhead();
  if (!m_catalog_shown) return askCatalog(QueryService::Supersede::kAfterCurrent);
  chooseRuns();
  if (m_axis != CurveAxis::kTime) return updateCards(false);
  updateCards(by_data && state.window.mode == WindowMode::kFollow);
}

void CurvesView::refresh(Tick tick) {
  if (tick == Tick::kText) return askCatalog(QueryService::Supersede::kAfterCurrent);
}

void CurvesView::askCatalog(QueryService::Supersede supersede) {
  m_context.queries->submit<CurveCatalog>(
      m_slot, supersede, [](Reader& reader, std::stop_token stop) { return readCurveCatalog(reader, std::move(stop)); },
      [this](const Result<std::shared_ptr<const CurveCatalog>>& answer) { catalogAnswered(answer); });
}

void CurvesView::catalogAnswered(const Result<std::shared_ptr<const CurveCatalog>>& answer) {
  if (!answer.ok()) {
    m_catalog_shown = false;
    m_panel->showFailed(tr("The curves could not be read"), screenText(answer.status().message()));
    m_panel->offer(tr("Try again"), [this] { askCatalog(QueryService::Supersede::kCancelOlder); });
    m_stack->setCurrentIndex(0);
    return;
  }
  if ((*answer)->tags.empty()) {
    m_catalog_shown = false;
    m_panel->showEmpty(tr("No curve yet"),
                       tr("Nothing in this store has recorded a value so far. Import a log, or point an agent at this store."),
                       QStringLiteral("runglassctl import --store STORE.rgl PATH"));
    m_stack->setCurrentIndex(0);
    return;
  }
  const bool first = !m_catalog_shown;
  m_catalog_shown = true;
  m_tags->setCatalog(*answer);
  if (first) {
    // If no series in the store has steps, time is the only axis.
    const bool steps = std::ranges::any_of((*answer)->tags, &CurveTag::scalar);
    if (!steps && m_axis != CurveAxis::kTime) {
      m_axis = CurveAxis::kTime;
      askPlayhead();
    }
    m_axes->setCurrentIndex(static_cast<int>(m_axis));
  }
  fillRuns();
  chooseRuns();
  fillRuns();
  m_stack->setCurrentIndex(1);
  tickRevealed();
  arrangeCards();
  if (!first) updateCards(true);
}

void CurvesView::fillRuns() {
  const auto& runs = m_tags->catalog()->runs;
  const QSignalBlocker quiet(m_runs);
  if (m_runs->count() != static_cast<int>(runs.size())) {
    m_runs->clear();
    for (const CurveRun& run : runs) {
      auto* item = new QListWidgetItem(run.name, m_runs);
      item->setData(Qt::UserRole, QVariant::fromValue(static_cast<qulonglong>(run.run.id.value)));
      item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
      item->setToolTip(run.name.toHtmlEscaped());
    }
  }
  std::size_t shown = 0;
  for (int i = 0; i < m_runs->count(); ++i) {
    const CurveRun& run = runs[static_cast<std::size_t>(i)];
    m_runs->item(i)->setText(run.name);
    m_runs->item(i)->setCheckState(m_tags->isRunHidden(run.run.id) ? Qt::Unchecked : Qt::Checked);
    QPixmap swatch(10, 10);
    swatch.fill(m_tags->isRunHidden(run.run.id) ? QColor(Qt::transparent) : curveColor(currentTheme(), shown++));
    m_runs->item(i)->setIcon(QIcon(swatch));
  }
}

// Until the user ticks a run: all if there are few, else the selected (or newest) one.
void CurvesView::chooseRuns() {
  const auto& runs = m_tags->catalog()->runs;
  if (m_runs_chosen || runs.size() <= kManyRuns) return;
  RunId wanted = m_state.selection.run;
  if (!wanted) {
    const auto newest = std::ranges::max_element(runs, {}, [](const CurveRun& run) { return run.begin.value_or(INT64_MIN); });
    wanted = newest->run.id;
  }
  std::vector<RunId> hidden;
  for (const CurveRun& run : runs)
    if (run.run.id != wanted) hidden.push_back(run.run.id);
  m_tags->setHiddenRuns(hidden);
  for (int i = 0; i < m_runs->count(); ++i)
    if (!m_tags->isRunHidden(runs[static_cast<std::size_t>(i)].run.id)) m_runs->scrollToItem(m_runs->item(i));
}

void CurvesView::filterChanged() {
  const QString refused = m_filtered->setPattern(m_filter->text());
  m_filter_note->setText(refused);
  m_filter_note->setVisible(!refused.isEmpty());
}

void CurvesView::tickFiltered() {
  std::vector<std::size_t> tags;
  for (int row = 0; row < m_filtered->rowCount(); ++row)
    tags.push_back(static_cast<std::size_t>(m_filtered->mapToSource(m_filtered->index(row, 0)).row()));
  m_tags->showOnly(tags);
}

void CurvesView::reveal(const Object& object) {
  if (object.kind != ObjectKind::kCurve) return;
  m_revealed = object.key;
  tickRevealed();
}

void CurvesView::tickRevealed() {
  if (m_revealed.empty() || !m_catalog_shown) return;
  std::vector<std::size_t> tags;
  for (std::size_t tag = 0; tag < m_tags->catalog()->tags.size(); ++tag)
    if (m_tags->catalog()->tags[tag].metric == m_revealed) tags.push_back(tag);
  if (!tags.empty()) m_tags->showOnly(tags);
  m_revealed.clear();
}

CurveCard* CurvesView::makeCard() {
  auto* card = new CurveCard(m_context.queries, m_page);
  const auto tag = [this, card] { return card->question().catalog == nullptr ? m_tags->catalog()->tags.size() : card->question().tag; };
  const auto valid = [this, tag] { return tag() < m_tags->catalog()->tags.size(); };
  connect(card, &CurveCard::pinToggled, this, [this, tag, valid](bool pinned) {
    if (valid()) m_tags->setPinned(tag(), pinned);
  });
  connect(card, &CurveCard::menuWanted, this, [this, tag, valid](const QPoint& at) {
    if (!valid()) return;
    const CurveTag& shown = m_tags->catalog()->tags[tag()];
    Object object{.kind = ObjectKind::kCurve, .name = shown.title, .value = copyText(), .selection = m_state.selection};
    object.key = shown.metric;
    object.scalar = shown.scalar;
    emit menuRequested(object, at);
  });
  connect(card, &CurveCard::hideRequested, this, [this, tag, valid] {
    if (valid()) m_tags->setTagShown(tag(), false);
  });
  connect(card, &CurveCard::logToggled, this, [this, tag, valid](bool log) {
    if (!valid()) return;
    const std::string& metric = m_tags->catalog()->tags[tag()].metric;
    if (log)
      m_log_tags.insert(metric);
    else
      m_log_tags.erase(metric);
    updateCards(false);
  });
  connect(card, &CurveCard::rulesChosen, this, [this, tag, valid](const SpikeRules& rules) {
    if (!valid()) return;
    m_rules_of[m_tags->catalog()->tags[tag()].metric] = rules;
    updateCards(false);
  });
  connect(card, &CurveCard::comparisonRequested, this,
          [this, card] { (new RulesDialog(m_context.queries, card->question(), this))->show(); });
  connect(card, &CurveCard::rewindRequested, this, [this, card] { (new RewindDialog(m_context.queries, card->question(), this))->show(); });
  connect(card, &CurveCard::exported, m_note, [this](const QString& words, bool good) {
    m_note->setText((good ? QString() : severityGlyph(Severity::kError) + u' ') + words);
    m_note->setToolTip(words.toHtmlEscaped());
  });
  connectPlot(card);
  return card;
}

void CurvesView::connectPlot(CurveCard* card) {
  PlotWidget* plot = card->plot();
  connect(plot, &PlotWidget::windowChanged, this, &CurvesView::moveWindow);
  connect(plot, &PlotWidget::rangeSelected, this, [this](std::int64_t x0, std::int64_t x1) { moveWindow(x0, x1, false); });
  connect(plot, &PlotWidget::gestureEnded, this, [this] {
    m_history.endGesture();
    m_context.state->endGesture();
  });
  connect(plot, &PlotWidget::showAll, this, &CurvesView::showAll);
  connect(plot, &PlotWidget::followEnd, this, [this, plot] {
    if (m_axis == CurveAxis::kTime) return m_context.state->followEnd(plot->x1() - plot->x0());
    if (const auto all = extent(m_tags->shownTags())) setOwnWindow(XRange{all->x1 - (plot->x1() - plot->x0()), all->x1}, false);
  });
  connect(plot, &PlotWidget::undo, this, [this] { stepBack(1); });
  connect(plot, &PlotWidget::redo, this, [this] { stepBack(-1); });
  connect(plot, &PlotWidget::cursorMoved, this, &CurvesView::cursorAt);
  plot->setVisitsMarks(true);
  connect(plot, &PlotWidget::momentClicked, this, &CurvesView::moveMoment);
  connect(plot, &PlotWidget::curveClicked, this, [this, card](SeriesId series, std::int64_t x) {
    if (const auto place = card->placeOn(series, x)) goTo(*place);
  });
  connect(plot, &PlotWidget::clicked, this, [this](std::int64_t x) {
    if (m_axis != CurveAxis::kStep) return;
    Selection selection = m_context.state->state().selection;
    selection.step = x;
    m_context.state->select(selection);
  });
}

void CurvesView::arrangeCards() {
  const std::vector<std::size_t> shown = m_tags->shownTags();
  while (m_cards.size() > shown.size()) {
    m_cards.back()->deleteLater();
    m_cards.back()->hide();
    m_cards.pop_back();
  }
  while (m_cards.size() < shown.size()) {
    m_cards.push_back(makeCard());
    m_cards.back()->show();
  }
  auto* grid = static_cast<QGridLayout*>(m_page->layout());
  while (grid->count() > 0) delete grid->takeAt(0);
  const int wide = std::max(1, m_scroll->viewport()->width()), high = std::max(1, m_scroll->viewport()->height());
  const int count = static_cast<int>(m_cards.size());
  const auto heightOf = [&](int columns) {
    const int rows = (count + columns - 1) / columns;
    return std::max(kCardHeight, high / std::max(1, std::min(rows, high / kCardHeight)));
  };
  int columns = 1;
  const auto away = [&](int c) { return std::abs(std::log(static_cast<double>(wide) / c / heightOf(c) / kBestAspect)); };
  for (int c = 2; c <= count && wide / c >= kCardWidth; ++c)
    if (away(c) < away(columns)) columns = c;
  for (int i = 0; i < count; ++i) {
    m_cards[static_cast<std::size_t>(i)]->setMinimumHeight(heightOf(columns) - kGrid - 2);
    // The last row's cards share its whole width.
    const bool last = i == count - 1 && columns > 1 && count % columns != 0;
    grid->addWidget(m_cards[static_cast<std::size_t>(i)], i / columns, i % columns, 1, last ? columns - i % columns : 1);
  }
  QWidget* before = m_runs;
  for (CurveCard* card : m_cards) before = card->tabAfter(before);
  updateCards(false);
}

std::optional<XRange> CurvesView::extent(std::span<const std::size_t> tags) const {
  std::optional<XRange> all;
  const auto& catalog = *m_tags->catalog();
  for (const std::size_t tag : tags)
    for (const std::size_t member : m_tags->shownMembers(tag)) {
      const auto own = extentOf(catalog, catalog.tags[tag], catalog.tags[tag].members[member], m_axis);
      if (own) all = all ? XRange{std::min(all->x0, own->x0), std::max(all->x1, own->x1)} : *own;
    }
  return all;
}

// Unzoomed: each tag shows its own extent, because the steps of one may be samples of another. A zoom is the same for all.
XRange CurvesView::windowOf(std::size_t tag) const {
  if (m_axis == CurveAxis::kTime) {
    const TimeRange range = m_state.window.range;
    if (range.t1 > range.t0 && m_state.window.mode != WindowMode::kAll) return {range.t0, range.t1};
  } else if (m_history.current()) {
    return *m_history.current();
  }
  const std::vector<std::size_t> shown = m_axis == CurveAxis::kTime ? m_tags->shownTags() : std::vector<std::size_t>{tag};
  const auto all = extent(shown);
  if (!all) return {0, 1};
  // A margin at the right, where the newest point would be on the frame.
  return {all->x0, all->x1 + (all->x1 - all->x0) / 100};
}

void CurvesView::updateCards(bool fresh) {
  const std::vector<std::size_t> shown = m_tags->shownTags();
  for (std::size_t i = 0; i < m_cards.size() && i < shown.size(); ++i) {
    CurveCard* card = m_cards[i];
    const XRange now = windowOf(shown[i]);
    CardQuestion question;
    question.catalog = m_tags->catalog();
    question.tag = shown[i];
    question.members = m_tags->shownMembers(shown[i]);
    const std::size_t left_out = question.members.size() > kMaxCurves ? question.members.size() - kMaxCurves : 0;
    question.members.resize(question.members.size() - left_out);
    question.colors = colorsOf(shown[i], question.members);
    question.axis = m_axis;
    question.x0 = now.x0;
    question.x1 = now.x1;
    question.pixels = static_cast<std::size_t>(std::max(64, card->plot()->plotArea().width()));
    question.smoothing = m_smoothing;
    question.log = m_log_tags.contains(question.catalog->tags[shown[i]].metric);
    question.robust = m_robust;
    question.style = m_state.time_style;
    question.spikes = m_spikes;
    question.rule_cache = m_rule_cache;
    if (const auto rules = m_rules_of.find(question.catalog->tags[shown[i]].metric); rules != m_rules_of.end())
      question.rules = rules->second;
    card->plot()->setPlayhead(m_playhead);
    card->plot()->setOwnsUndo(m_axis != CurveAxis::kTime);
    card->ask(question, left_out, m_tags->isPinned(shown[i]), fresh);
  }
}

// A run keeps its colour across cards if no card has two curves of one run; else colours distinguish the curves within a card.
std::vector<std::size_t> CurvesView::colorsOf(std::size_t tag, const std::vector<std::size_t>& members) const {
  const CurveCatalog& catalog = *m_tags->catalog();
  std::vector<std::size_t> of_run(catalog.runs.size());
  for (std::size_t run = 0, next = 0; run < catalog.runs.size(); ++run)
    of_run[run] = m_tags->isRunHidden(catalog.runs[run].run.id) ? 0 : next++;
  std::set<std::size_t> runs;
  for (const std::size_t member : members) runs.insert(catalog.tags[tag].members[member].run);
  const bool by_run = runs.size() == members.size() && !runs.contains(CurveCatalog::kNoRun);
  std::vector<std::size_t> colors;
  for (const std::size_t member : members) colors.push_back(by_run ? of_run[catalog.tags[tag].members[member].run] : colors.size());
  return colors;
}

void CurvesView::moveWindow(std::int64_t x0, std::int64_t x1, bool gesture) {
  if (x1 <= x0) return;
  if (m_axis == CurveAxis::kTime)
    m_context.state->setWindow({x0, x1}, gesture ? SharedState::Undo::kMerge : SharedState::Undo::kStep);
  else
    setOwnWindow(XRange{x0, x1}, gesture);
}

void CurvesView::setOwnWindow(std::optional<XRange> window, bool gesture) {
  m_history.set(window, gesture);
  updateCards(false);
}

void CurvesView::showAll() {
  if (m_axis == CurveAxis::kTime) return m_context.state->showAll();
  if (m_history.current()) setOwnWindow(std::nullopt, false);
}

void CurvesView::stepBack(int by) {
  if (m_history.step(by)) updateCards(false);
}

void CurvesView::setAxis(CurveAxis axis) {
  if (axis == m_axis) return;
  m_axis = axis;
  m_axes->setCurrentIndex(static_cast<int>(axis));
  m_history.clear();
  cursorAt(std::nullopt);
  askPlayhead();
  updateCards(false);
}

void CurvesView::setSmoothing(double weight) {
  weight = std::clamp(weight, 0.0, kMaxSmoothing);
  if (weight == m_smoothing) return;
  m_smoothing = weight;
  const QSignalBlocker quiet_slider(m_slider), quiet_weight(m_weight);
  m_slider->setValue(positionOf(weight));
  m_weight->setValue(weight);
  updateCards(false);
}

void CurvesView::cursorAt(std::optional<std::int64_t> x) {
  m_cursor = x;
  for (CurveCard* card : m_cards) card->plot()->setCursor(x);
  // The last values stay in the table, so that the mouse can move there and copy them.
  if (x && !m_table_timer.isActive()) m_table_timer.start();
}

// Every view goes to the curve's rank or GPU, at its step or time. A window that shows the moment stays.
void CurvesView::goTo(const CurvePlace& place) {
  SharedState* const state = m_context.state;
  Selection selection = state->state().selection;
  const Selection& of = place.selection;
  if (of.run) selection.run = of.run, selection.attempt = of.attempt;
  if (of.rank || of.node || of.device) selection.rank = of.rank, selection.node = of.node, selection.device = of.device;
  if (of.step) selection.step = of.step;
  const auto go = [state, selection](std::optional<TimeNs> at) {
    const TimeRange window = state->state().window.range;
    if (!at || window.t1 <= window.t0 || (*at >= window.t0 && *at < window.t1)) return state->select(selection);
    const DurNs half = (window.t1 - window.t0) / 2;
    state->goTo(selection, TimeRange{*at - half, *at + half});
  };
  if (!of.step || state->state().window.mode == WindowMode::kAll) return go(place.time);
  m_context.queries->submit<std::optional<StepMoment>>(
      m_step_slot, QueryService::Supersede::kCancelOlder,
      [run = selection.run, step = *of.step](Reader& reader, std::stop_token stop) -> Result<std::optional<StepMoment>> {
        RG_ASSIGN(const Run shown, chooseRun(reader, run));
        return momentOfStep(reader, shown.id, step, std::move(stop));
      },
      [go](const Result<std::shared_ptr<const std::optional<StepMoment>>>& answer) {
        go(answer.ok() && **answer ? std::optional((**answer)->time) : std::nullopt);
      });
}

bool CurvesView::isFinal() const {
  if (m_slot.busy() || m_playhead_slot.busy() || m_step_slot.busy()) return false;
  if (!m_catalog_shown) return m_stack->currentIndex() == 0;
  return std::ranges::all_of(m_cards, [](const CurveCard* card) { return card->isFinal(); });
}

QString CurvesView::copyText() const { return m_table->selectedTsv(); }

void CurvesView::focusFilter() { m_filter->setFocus(Qt::ShortcutFocusReason); }

void CurvesView::resizeEvent(QResizeEvent*) {
  if (m_catalog_shown) arrangeCards();
}

void CurvesView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && m_catalog_shown) {
    fillRuns();
  }
  View::changeEvent(event);
}

bool CurvesView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize && m_catalog_shown) arrangeCards();
  return View::eventFilter(watched, event);
}

}  // namespace runglass
