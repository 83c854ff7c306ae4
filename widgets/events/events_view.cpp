// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
// 1. The rows match m_list_range and the filters; a change of either queries the first page again.
// 2. New rows never move the rows being read: they are held back behind the pill unless the table is at its top.
// 3. A click changes the shared state only, and the table keeps its rows when the change is its own.
#include "widgets/events/events_view.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>
#include <array>
#include <memory>

#include "model/issue_catalog.h"
#include "widgets/core/finding_jump.h"
#include "widgets/core/language.h"
#include "widgets/core/table_view.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr DurNs kMargin = 60 * kNsPerSecond;  // around a moment to which every view moves
constexpr int kPagesToMoment = 10;            // maximum pages read to reach the playhead's row
constexpr int kTypingMs = 150, kTableShare = 66, kPanelShare = 34;
constexpr std::array<int, EventModel::kColumns> kWidths = {128, 78, 112, 170, 200};

// Paints the search words highlighted.
class MarkedCells : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QVariantList marks = index.data(EventModel::kMarksRole).toList();
    if (!marks.isEmpty()) {
      const QString text = index.data(Qt::DisplayRole).toString();
      const QFontMetrics metrics(option.font);
      painter->save();
      painter->setClipRect(option.rect);
      for (const QVariant& mark : marks) {
        const QPoint piece = mark.toPoint();
        const int left = option.rect.left() + 3 + metrics.horizontalAdvance(text.left(piece.x()));
        const int width = metrics.horizontalAdvance(text.mid(piece.x(), piece.y() - piece.x()));
        painter->fillRect(QRect(left, option.rect.top() + 2, width, option.rect.height() - 4),
                          mix(currentTheme().ground, currentTheme().warning, 0.45));
      }
      painter->restore();
    }
    QStyledItemDelegate::paint(painter, option, index);
  }
};

std::optional<TimeRange> windowOf(const EventRow& row) {
  if (row.finding) return windowOf(*row.finding);
  if (!row.timed) return std::nullopt;
  return TimeRange{row.key.time - kMargin, std::max(row.end.value_or(row.key.time), row.key.time) + kMargin};
}

Event eventOf(const EventRow& row) {
  Event event{.id = row.key.id, .time = row.timed ? std::optional(row.key.time) : std::nullopt};
  event.attempt = row.attempt, event.node = row.node, event.device = row.device, event.rank = row.rank, event.step = row.step;
  const bool said = row.key.source != EventSource::kEvent;  // a log line or a note: its text is the row
  event.kind = row.key.source == EventSource::kLog ? "log line" : row.kind;
  event.code = said ? std::string() : row.code;
  event.severity = row.severity;
  event.message = row.text;
  return event;
}

}  // namespace

EventsView::EventsView(ViewContext context, QWidget* parent)
    : View(parent),
      m_context(std::move(context)),
      m_model(new EventModel(this)),
      m_lane(new EventLane),
      m_panel(new EventPanel),
      m_card(new FindingCard(m_context)),
      m_table(new QTableView),
      m_search(new QLineEdit),
      m_level(new QComboBox),
      m_source(new QComboBox),
      m_count(new QLabel),
      m_note(new QLabel),
      m_pill(new QPushButton(m_table)),
      m_back(new QPushButton(tr("Only the window"))),
      m_empty(new StatePanel),
      m_stack(new QStackedLayout),
      m_typing(new QTimer(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeFilters());
  column->addWidget(m_lane);
  auto* below = new QWidget;
  below->setLayout(m_stack);
  column->addWidget(below, 1);
  column->addWidget(m_note);
  m_note->setWordWrap(true);
  m_note->setTextFormat(Qt::PlainText);
  m_note->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  m_note->hide();
  m_stack->addWidget(m_empty);
  m_stack->addWidget(makePage());
  m_empty->showLoading(tr("Reading the events …"));
  m_typing->setSingleShot(true);
  m_typing->setInterval(kTypingMs);
  setFocusProxy(m_table);
  connectParts();
}

QWidget* EventsView::makeFilters() {
  auto* bar = new QWidget;
  m_search->setPlaceholderText(tr("Search: words, \"phrase\", begin*, -without, node:NAME, rank:N, kind:NAME  ( / )"));
  m_search->setAccessibleName(tr("Search events and logs"));
  m_table->setAccessibleName(tr("Events and log lines"));
  m_search->setClearButtonEnabled(true);
  m_search->setMinimumWidth(260);
  m_search->installEventFilter(this);
  m_level->addItem(tr("Usual"), static_cast<int>(EventLevel::kUsual));
  m_level->addItem(tr("All lines"), static_cast<int>(EventLevel::kAll));
  m_level->addItem(tr("Warnings and worse"), static_cast<int>(EventLevel::kWarning));
  m_level->addItem(tr("Errors and worse"), static_cast<int>(EventLevel::kError));
  m_level->addItem(tr("Critical"), static_cast<int>(EventLevel::kCritical));
  m_level->setToolTip(tr("Usual: events, and log lines of severity warning and above; a search covers all log lines."));
  m_source->addItem(tr("Everything"), -1);
  m_source->addItem(tr("Events"), static_cast<int>(EventSource::kEvent));
  m_source->addItem(tr("Log lines"), static_cast<int>(EventSource::kLog));
  m_source->addItem(tr("Findings"), static_cast<int>(EventSource::kFinding));
  m_source->addItem(tr("Notes"), static_cast<int>(EventSource::kNote));
  m_level->setAccessibleName(tr("Severity"));
  m_source->setAccessibleName(tr("Kind of rows"));
  m_back->setToolTip(tr("The list still has the rows from before a row was opened."));
  m_back->hide();
  m_count->setForegroundRole(QPalette::PlaceholderText);
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(2 * kGrid, kGrid, 2 * kGrid, kGrid);
  row->setSpacing(2 * kGrid);
  row->addWidget(m_search, 3);
  row->addWidget(m_level);
  row->addWidget(m_source);
  row->addWidget(m_back);
  row->addStretch(1);
  row->addWidget(m_count);
  return bar;
}

QWidget* EventsView::makePage() {
  m_table->setModel(m_model);
  m_table->setItemDelegateForColumn(EventModel::kMessage, new MarkedCells(m_table));
  m_table->setFont(tableFont());
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_table->setShowGrid(false);
  m_table->setWordWrap(false);
  m_table->setTabKeyNavigation(false);
  m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  prepareTable(m_table);
  m_table->horizontalHeader()->setHighlightSections(false);
  m_table->horizontalHeader()->setStretchLastSection(true);
  m_table->horizontalHeader()->setFont(tableFont());
  for (int i = 0; i < EventModel::kColumns; ++i) m_table->setColumnWidth(i, kWidths[static_cast<std::size_t>(i)]);
  m_table->installEventFilter(this);
  m_pill->setCursor(Qt::PointingHandCursor);
  m_pill->hide();
  auto* split = new QSplitter(Qt::Horizontal);
  split->setHandleWidth(kHairline);
  split->addWidget(m_table);
  auto* side = new QWidget;
  auto* rows = new QVBoxLayout(side);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setSpacing(0);
  rows->addWidget(m_panel, 1);
  rows->addWidget(m_card);
  m_card->hide();
  split->addWidget(side);
  split->setStretchFactor(0, kTableShare);
  split->setStretchFactor(1, kPanelShare);
  split->setSizes({kTableShare * 1'000, kPanelShare * 1'000});
  split->setCollapsible(0, false);
  return split;
}

void EventsView::connectParts() {
  connect(m_typing, &QTimer::timeout, this, &EventsView::filtersChanged);
  connect(m_search, &QLineEdit::textChanged, this, [this] { m_typing->start(); });
  connect(m_search, &QLineEdit::returnPressed, this, [this] { m_table->setFocus(); });
  connect(m_level, &QComboBox::currentIndexChanged, this, &EventsView::filtersChanged);
  connect(m_source, &QComboBox::currentIndexChanged, this, &EventsView::filtersChanged);
  connect(m_model, &EventModel::pageWanted, this, &EventsView::askNext);
  connect(m_pill, &QPushButton::clicked, this, &EventsView::showNewer);
  connect(m_back, &QPushButton::clicked, this, [this] {
    m_own_window.reset();
    applyState(m_state);
  });
  m_table->setContextMenuPolicy(Qt::CustomContextMenu);
  connect(m_table, &QTableView::customContextMenuRequested, this, [this](const QPoint& at) {
    if (const EventRow* row = m_model->rowAt(m_table->indexAt(at)))
      emit menuRequested(objectOf(*row), m_table->viewport()->mapToGlobal(at));
  });
  connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, &EventsView::rowChosen);
  connect(m_table, &QTableView::clicked, this, [this](const QModelIndex& index) {
    m_touched = true;
    if (m_model->isHeader(index) && index.column() == EventModel::kMessage) return m_model->toggle(index);
    if (const EventRow* row = m_model->rowAt(index)) goTo(*row);
  });
  connect(m_table->verticalScrollBar(), &QScrollBar::valueChanged, this, [this](int value) {
    if (value == 0 && m_waiting) showNewer();
  });
  connect(m_lane, &EventLane::rangeChosen, this, [this](TimeRange range, bool gesture) {
    m_own_window.reset();
    m_context.state->setWindow(range, gesture ? SharedState::Undo::kMerge : SharedState::Undo::kStep);
  });
  connect(m_lane, &EventLane::gestureEnded, this, [this] { m_context.state->endGesture(); });
  connect(m_lane, &EventLane::allWanted, this, [this] {
    m_own_window.reset();
    m_context.state->showAll();
  });
  connect(m_lane, &EventLane::timeClicked, this, [this](TimeNs time) {
    if (m_state.moment) return m_context.state->setMoment(time);
    if (const int row = m_model->firstBy(time); row >= 0) m_table->setCurrentIndex(m_model->index(row, 0));
  });
  connect(m_panel, &EventPanel::linkChosen, this, &EventsView::follow);
  connect(m_card, &FindingCard::viewRequested, this, &View::viewRequested);
  connect(m_card, &FindingCard::incidentRequested, this, &View::incidentRequested);
}

EventFilters EventsView::filters() const {
  EventFilters filters{.words = m_search->text().toStdString(), .level = static_cast<EventLevel>(m_level->currentData().toInt())};
  if (const int source = m_source->currentData().toInt(); source >= 0) filters.source = static_cast<EventSource>(source);
  return filters;
}

EventQuestion EventsView::question() const {
  EventQuestion question{.run = m_state.selection.run, .filters = filters()};
  // All of time also includes the rows without a time.
  if (!m_list_all && m_list_range.t0 < m_list_range.t1) question.range = m_list_range;
  return question;
}

// All of time may extend beyond the run that the window shows.
TimeRange EventsView::listed() const { return m_list_all && m_extent ? *m_extent : m_list_range; }

void EventsView::applyState(const ViewState& state) {
  const bool other_run = !m_shown || state.selection.run != m_state.selection.run;
  const bool own = m_own_window && state.window.mode == WindowMode::kFixed && state.window.range == *m_own_window;
  const bool restyled = state.time_style != m_state.time_style;
  const WindowMode old_mode = m_state.window.mode;
  const bool travelled = state.moment != m_state.moment;
  m_state = state;
  if (travelled) showMoment();
  if (own && !other_run) {
    // The list stays; the lanes show the window's position in it.
    m_back->show();
    if (restyled) m_model->setTimes(state.time_style, listed());
    return askDensity(QueryService::Supersede::kCancelOlder);
  }
  m_back->hide();
  const bool moved = m_list_range != state.window.range || old_mode != state.window.mode;
  m_list_range = state.window.range;
  m_list_all = state.window.mode == WindowMode::kAll;
  m_model->setTimes(state.time_style, listed());
  if (!other_run && !moved && !restyled) return;
  const auto supersede =
      other_run || state.window.mode == WindowMode::kFixed ? QueryService::Supersede::kCancelOlder : QueryService::Supersede::kAfterCurrent;
  if (other_run || state.window.mode != WindowMode::kAll || old_mode != state.window.mode) askFirst(supersede);
  askDensity(supersede);
}

void EventsView::refresh(Tick tick) {
  if (tick != Tick::kText) return;
  askFirst(QueryService::Supersede::kAfterCurrent);
  askDensity(QueryService::Supersede::kAfterCurrent);
}

bool EventsView::isFinal() const {
  return m_shown && !m_typing->isActive() && !m_first_slot.busy() && !m_density_slot.busy() && !m_detail_slot.busy() && m_card->isFinal();
}

std::optional<IncidentSeed> EventsView::incidentSeed() const {
  const EventRow* const row = m_model->rowAt(m_table->currentIndex());
  if (row == nullptr) return std::nullopt;
  if (row->key.source == EventSource::kFinding) return IncidentSeed{.finding = row->key.id};
  return IncidentSeed{.event = eventOf(*row)};
}

Object EventsView::objectOf(const EventRow& row) const {
  static constexpr std::array kRelations = {"event", "log_line", "finding", "note"};  // by EventSource
  const bool finding = row.key.source == EventSource::kFinding;
  return {.kind = finding ? ObjectKind::kFinding : ObjectKind::kEvent,
          .name = screenText(row.text.empty() ? row.kind : row.text),
          .detail = row.where,
          .selection = selectionOf(row),
          .window = windowOf(row),
          .key = finding ? row.kind : kRelations[static_cast<std::size_t>(row.key.source)],
          .id = row.key.id,
          .event = finding ? nullptr : std::make_shared<const Event>(eventOf(row))};
}

void EventsView::focusFilter() {
  m_search->setFocus(Qt::ShortcutFocusReason);
  m_search->selectAll();
}

QString EventsView::noteText() const { return m_note->isHidden() ? QString() : m_note->text(); }

QString EventsView::copyText() const {
  QStringList lines;
  QModelIndexList rows = m_table->selectionModel()->selectedRows();
  std::ranges::sort(rows, {}, &QModelIndex::row);
  for (const QModelIndex& row : rows) {
    QStringList cells;
    for (int c = 0; c < EventModel::kColumns; ++c)
      cells << row.siblingAtColumn(c).data(EventModel::kCopyRole).toString().replace(u'\t', u' ').replace(u'\n', u' ');
    lines << cells.join(u'\t');
  }
  return lines.isEmpty() ? QString() : lines.join(u'\n') + u'\n';
}

void EventsView::filtersChanged() {
  m_typing->stop();
  m_waiting.reset();
  m_pill->hide();
  m_model->setWords(typedFilters(filters().words).words);
  askFirst(QueryService::Supersede::kCancelOlder);
  askDensity(QueryService::Supersede::kCancelOlder);
}

void EventsView::askFirst(QueryService::Supersede supersede) {
  const bool again = supersede == QueryService::Supersede::kAfterCurrent;
  m_context.queries->submit<EventPageData>(
      m_first_slot, supersede,
      [question = question()](Reader& reader, std::stop_token stop) { return readEvents(reader, question, std::move(stop)); },
      [this, again](const auto& answer) { showFirst(answer, again); });
}

void EventsView::askNext() {
  EventQuestion next = question();
  next.from = m_next;
  m_context.queries->submit<EventPageData>(
      m_next_slot, QueryService::Supersede::kCancelOlder,
      [next](Reader& reader, std::stop_token stop) { return readEvents(reader, next, std::move(stop)); },
      [this](const auto& answer) { showNext(answer); });
}

void EventsView::askDensity(QueryService::Supersede supersede) {
  EventQuestion density = question();
  // A run known only from kernel messages has no extent of its own.
  density.range = m_state.window.range;
  if (density.range.t0 >= density.range.t1 && m_extent) density.range = *m_extent;
  if (density.range.t0 >= density.range.t1) return m_lane->setDensity(nullptr, m_state.time_style);
  m_context.queries->submit<EventDensity>(
      m_density_slot, supersede,
      [density, parts = m_lane->parts()](Reader& reader, std::stop_token stop) {
        return readDensity(reader, density, parts, std::move(stop));
      },
      [this](const Result<std::shared_ptr<const EventDensity>>& answer) {
        if (answer.ok()) m_lane->setDensity(*answer, m_state.time_style);
      });
}

void EventsView::askDetail() {
  const EventRow* row = m_model->rowAt(m_table->currentIndex());
  if (row == nullptr) return;
  m_context.queries->submit<EventDetail>(
      m_detail_slot, QueryService::Supersede::kCancelOlder,
      [row = *row](Reader& reader, std::stop_token stop) { return readEventDetail(reader, row, std::move(stop)); },
      [this](const Result<std::shared_ptr<const EventDetail>>& answer) {
        if (answer.ok())
          m_panel->showDetail(**answer);
        else
          m_panel->showFailed(screenText(answer.status().message()));
      });
}

void EventsView::showFirst(const Result<std::shared_ptr<const EventPageData>>& answer, bool again) {
  const bool first = !m_shown;
  m_shown = true;
  if (!answer.ok()) {
    if (!first && again) return;  // the rows stay; the frame reports a store that cannot be read
    m_empty->showFailed(tr("The events cannot be read."), screenText(answer.status().message()));
    return m_stack->setCurrentIndex(0);
  }
  const EventPageData& page = **answer;
  if (page.range && m_extent != page.range) {
    m_extent = page.range;
    m_model->setTimes(m_state.time_style, listed());
    if (m_state.window.range.t0 >= m_state.window.range.t1) askDensity(QueryService::Supersede::kCancelOlder);
  }
  showNotKept(page);
  if (m_card->finding())
    for (const EventRow& row : page.rows)
      if (row.finding != nullptr && row.finding->id == m_card->finding()->id) m_card->setFinding(*row.finding);
  const bool at_top = m_table->verticalScrollBar()->value() == 0;
  if (!again || first || m_model->rowCount() == 0 || at_top) return takeFirst(page);
  const EventKey newest = m_model->rows().front().key;
  const auto newer = std::ranges::count_if(page.rows, [&](const EventRow& row) { return row.timed && row.key > newest; });
  if (newer == 0) return;
  m_waiting = page;
  m_pill->setText(
      tr("▲ %1%2 newer").arg(formatCount(newer), static_cast<std::size_t>(newer) == page.rows.size() ? QStringLiteral("+") : QString()));
  m_pill->adjustSize();
  m_pill->move((m_table->viewport()->width() - m_pill->width()) / 2, m_table->horizontalHeader()->height() + kGrid);
  m_pill->show();
  m_pill->raise();
}

void EventsView::takeFirst(const EventPageData& page) {
  // A finding changes while its row keeps its place.
  const bool same = !page.rows.empty() && page.rows.size() == m_model->loaded() &&
                    std::ranges::equal(page.rows, m_model->rows(), [](const EventRow& a, const EventRow& b) {
                      return a.key == b.key && a.severity == b.severity && a.end == b.end && a.text == b.text;
                    });
  m_waiting.reset();
  m_pill->hide();
  if (same) return;
  const EventRow* current = m_model->rowAt(m_table->currentIndex());
  const std::optional<EventKey> kept = current != nullptr ? std::optional(current->key) : std::nullopt;
  m_choosing = true;
  m_next = page.next;
  m_model->reset(page.rows, page.more);
  m_choosing = false;
  m_count->setText(
      tr("%1%2 rows").arg(formatCount(static_cast<std::int64_t>(m_model->loaded())), page.more ? QStringLiteral("+") : QString()));
  showEmptyOr(page);
  if (page.rows.empty()) return m_panel->showNothing();
  if (const QModelIndex at = kept && m_touched ? m_model->find(*kept) : QModelIndex(); at.isValid())
    m_table->selectionModel()->setCurrentIndex(at, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  else
    chooseStart();
  m_pages_left = kPagesToMoment;
  scrollToMoment();
}

// Without a selection by the user the detail shows the newest row of the item selected in other views, else the newest of the worst.
void EventsView::chooseStart() {
  int best = -1;
  int best_score = -1;
  const Selection& selection = m_state.selection;
  for (int i = 0; i < std::min(m_model->rowCount(), 2'000); ++i) {
    const EventRow* row = m_model->rowAt(m_model->index(i, 0));
    int score = static_cast<int>(row->severity);
    if (selection.rank && row->rank == selection.rank) score += 20;
    if (selection.node && row->node == selection.node) score += 10;
    if (row->key.source == EventSource::kEvent && row->severity >= Severity::kWarning) score += 1;
    if (score > best_score) best = i, best_score = score;
  }
  // In the past, the newest row of that moment.
  if (const int now = m_state.moment ? m_model->firstBy(*m_state.moment) : -1; now >= 0) best = now;
  if (best < 0) return;
  m_table->selectionModel()->setCurrentIndex(m_model->index(best, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
  m_table->scrollToTop();
}

void EventsView::showNext(const Result<std::shared_ptr<const EventPageData>>& answer) {
  if (!answer.ok()) return m_model->append({}, false);
  m_next = (*answer)->next;
  m_model->append((*answer)->rows, (*answer)->more);
  if (m_pages_left > 0) scrollToMoment();
  m_count->setText(
      tr("%1%2 rows").arg(formatCount(static_cast<std::int64_t>(m_model->loaded())), (*answer)->more ? QStringLiteral("+") : QString()));
}

void EventsView::showEmptyOr(const EventPageData& page) {
  if (!page.rows.empty()) return m_stack->setCurrentIndex(1);
  if (!page.unknown.isEmpty()) {
    m_empty->showEmpty(tr("No node is called %1.").arg(page.unknown),
                       tr("node:NAME needs the full name of the node, as in the GPUs view."));
  } else if (page.anything) {
    m_empty->showEmpty(tr("Nothing of this kind in this window."),
                       tr("Esc clears the search; “All lines” also shows what is below a warning; Ctrl+Home shows the whole run."));
  } else {
    m_empty->showEmpty(tr("Nothing has happened yet."),
                       tr("Agents send hardware events, kernel messages and the trainers' log lines; imports bring those of stored runs."),
                       QStringLiteral("runglassctl import --store STORE.rgl KERNEL-LOG TRAIN-LOG"));
  }
  m_stack->setCurrentIndex(0);
}

void EventsView::showNotKept(const EventPageData& page) {
  std::int64_t lines = 0, batches = 0;
  QStringList why;
  for (const Issue& issue : page.not_kept) {
    (issue.code == kLostBatches ? batches : lines) += issue.count;
    const IssueInfo* info = findIssue(issue.code);
    why << screenText(issue.source, 60) + QStringLiteral(": ") +
               (issue.detail.empty() && info != nullptr ? termText(info->help) : screenText(issue.detail, 160));
  }
  m_note->setVisible(lines + batches > 0);
  if (lines + batches == 0) return;
  why.removeDuplicates();
  const QString details = why.mid(0, 3).join(QStringLiteral(" · ")), rows = formatCount(lines), sent = formatCount(batches);
  m_note->setText(severityGlyph(Severity::kWarning) + u' ' +
                  (batches == 0 ? tr("%1 rows were not kept. %2").arg(rows, details)
                   : lines == 0 ? tr("%1 batches of agents were not kept. %2").arg(sent, details)
                                : tr("%1 rows and %2 batches of agents were not kept. %3").arg(rows, sent, details)));
  m_note->setToolTip(why.join(u'\n').toHtmlEscaped());
}

void EventsView::rowChosen() {
  if (m_choosing) return;
  const EventRow* row = m_model->rowAt(m_table->currentIndex());
  if (row == nullptr) return m_lane->setMark(std::nullopt);
  m_lane->setMark(row->timed ? std::optional(row->key.time) : std::nullopt);
  m_panel->showRow(*row, typedFilters(filters().words).words, m_state.time_style);
  m_card->setVisible(row->finding != nullptr);
  if (row->finding != nullptr) m_card->setFinding(*row->finding);
  askDetail();
}

// Moves every view to the row's place and time.
Selection EventsView::selectionOf(const EventRow& row) const {
  Selection selection = m_state.selection;
  if (row.run) selection.run = row.run;
  if (row.attempt) selection.attempt = row.attempt;
  selection.rank = row.rank;
  selection.node = row.node;
  selection.device = row.device;
  selection.step = row.step;
  return selection;
}

void EventsView::goTo(const EventRow& row) {
  const Selection selection = selectionOf(row);
  const std::optional<TimeRange> window = windowOf(row);
  if (!window) return m_context.state->select(selection);
  m_own_window = window;
  m_state.selection = selection;  // this view's own change: the list stays
  m_context.state->goTo(selection, window);
}

// Rows later than the playhead are dimmed; the newest other row is scrolled into view, reading as many pages as needed.
void EventsView::showMoment() {
  m_lane->setPlayhead(m_state.moment);
  m_model->setMoment(m_state.moment);
  m_pages_left = kPagesToMoment;
  scrollToMoment();
}

void EventsView::scrollToMoment() {
  if (!m_state.moment) return;
  const int row = m_model->firstBy(*m_state.moment);
  if (row >= 0) {
    m_pages_left = 0;
    m_table->scrollTo(m_model->index(row, 0), QAbstractItemView::PositionAtCenter);
  } else if (m_pages_left > 0 && m_model->canFetchMore({})) {
    --m_pages_left;
    m_model->fetchMore({});
  }
}

void EventsView::follow(const QString& what) {
  const EventRow* current = m_model->rowAt(m_table->currentIndex());
  if (current == nullptr) return;
  const EventRow row = *current;
  goTo(row);
  if (what == QLatin1String("rank")) emit viewRequested(QStringLiteral("timeline"));
  if (what == QLatin1String("node") || what == QLatin1String("device")) emit viewRequested(QStringLiteral("gpus"));
  if (what == QLatin1String("attempt")) emit viewRequested(QStringLiteral("overview"));
}

void EventsView::showNewer() {
  if (!m_waiting) return;
  const EventPageData page = std::move(*m_waiting);
  takeFirst(page);
  m_table->scrollToTop();
}

bool EventsView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return View::eventFilter(watched, event);
  const auto* key = static_cast<QKeyEvent*>(event);
  if (key->key() == Qt::Key_Escape) {
    if (m_search->text().isEmpty()) m_level->setCurrentIndex(0), m_source->setCurrentIndex(0);
    m_search->clear();
    m_table->setFocus();
    return true;
  }
  if (watched != m_table) {
    if (key->key() == Qt::Key_Down) m_table->setFocus();
    return key->key() == Qt::Key_Down;
  }
  const QModelIndex at = m_table->currentIndex();
  m_touched = true;
  if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
    if (const EventRow* row = m_model->rowAt(at)) goTo(EventRow(*row));
    return true;
  }
  if ((key->key() == Qt::Key_Right || key->key() == Qt::Key_Left) && m_model->isHeader(at)) {
    m_model->toggle(at);
    return true;
  }
  return View::eventFilter(watched, event);
}

void EventsView::resizeEvent(QResizeEvent* event) {
  View::resizeEvent(event);
  if (m_shown) askDensity(QueryService::Supersede::kCancelOlder);
}

}  // namespace runglass
