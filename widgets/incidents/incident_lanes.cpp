// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/incidents/incident_lanes.h"

#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "widgets/core/language.h"
#include "widgets/core/sentence_text.h"
#include "widgets/core/theme.h"
#include "widgets/core/units.h"
#include "widgets/incidents/incident_text.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid, kReachPx = 8;
constexpr int kEmptyHeight = 10 * kGrid;
constexpr int kTextChars = 400, kHappenedColumn = 3;
constexpr double kMinute = 60e9;

QString entryText(const TimelineEntry& entry) {
  QString text = sentenceText(entry.text, kTextChars);
  if (entry.count > 1) text += QStringLiteral("  (%1 ×)").arg(formatCount(entry.count));
  return text;
}

QString kindText(const TimelineEntry& entry) {
  QString kind = screenText(entry.kind, 60);
  return kind.replace(u'_', u' ');
}

QString entryTip(const TimelineEntry& entry, TimeStyle style) {
  QString tip = formatTimeFull(entry.time, style) + QStringLiteral("\n%1, %2").arg(severityLabel(entry.severity), kindText(entry));
  if (entry.step) tip = IncidentText::tr("%1, step %2").arg(tip, formatCount(*entry.step));
  if (entry.until) tip += u'\n' + IncidentText::tr("until %1").arg(formatTimeFull(*entry.until, style));
  return tip + u'\n' + sentenceText(entry.text, 2'000);
}

// Wraps text that spans two columns at the width of both.
class LaneDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    QStyleOptionViewItem wide = option;
    const auto* table = qobject_cast<const QTableView*>(option.widget);
    const int span = table != nullptr ? table->columnSpan(index.row(), index.column()) : 1;
    if (span > 1) {
      int width = 0;
      for (int i = 0; i < span; ++i) width += table->columnWidth(index.column() + i);
      wide.rect.setWidth(width);
    }
    return QStyledItemDelegate::sizeHint(wide, index);
  }
};

}  // namespace

QString minutesText(TimeNs time, TimeNs zero) {
  const double minutes = (static_cast<double>(time) - static_cast<double>(zero)) / kMinute;
  const UnitScale tenths{1, 1, "min"};
  const QString text = formatScaled(minutes, tenths);
  return minutes > 0 && text != formatScaled(0, tenths) ? u'+' + text : text;
}

std::vector<Column<TimelineEntry>> laneColumns(const TimeStyle* style, const TimeNs* zero) {
  using E = TimelineEntry;
  std::vector<Column<E>> columns;
  columns.push_back({.title = IncidentText::tr("min"),
                     .help = IncidentText::tr("Minutes since its first sign."),
                     .align = Qt::AlignRight,
                     .text = [zero](const E& e) { return minutesText(e.time, *zero); },
                     .sort = [](const E& e) { return QVariant::fromValue(static_cast<qlonglong>(e.time)); }});
  columns.push_back({.title = IncidentText::tr("time"),
                     .help = IncidentText::tr("When; of several the first."),
                     .text = [style](const E& e) { return formatTimeOfDay(e.time, *style); },
                     .sort = [](const E& e) { return QVariant::fromValue(static_cast<qlonglong>(e.time)); },
                     .copy = [](const E& e) { return formatTimeFull(e.time, TimeStyle::kUtc); }});
  columns.push_back({.title = IncidentText::tr("step"),
                     .help = IncidentText::tr("The step that was made then."),
                     .align = Qt::AlignRight,
                     .text = [](const E& e) { return e.step ? formatCount(*e.step) : kAbsentText; },
                     .sort = [](const E& e) { return e.step ? QVariant::fromValue(static_cast<qlonglong>(*e.step)) : QVariant(); }});
  const auto lane = [&](const QString& title, const QString& help, IncidentLane which) {
    columns.push_back({.title = title,
                       .help = help,
                       .text = [which](const E& e) { return e.lane == which ? entryText(e) : QString(); },
                       .tip = [style, which](const E& e) { return e.lane == which ? plainTip(entryTip(e, *style)) : QString(); },
                       .mark = [which](const E& e) { return e.lane == which ? e.severity : Severity::kInfo; }});
  };
  lane(IncidentText::tr("what happened"), IncidentText::tr("Events, ends and starts of attempts, checkpoints, findings where they began."),
       IncidentLane::kHappened);
  lane(IncidentText::tr("what was known"), IncidentText::tr("Alerts, captures, notes, and publication of findings."), IncidentLane::kKnown);
  return columns;
}

LaneStrip::LaneStrip(QWidget* parent) : QWidget(parent) {
  setFixedHeight(laneStripHeight());
  setAccessibleName(tr("Timeline: what happened, what was known when"));
}

void LaneStrip::setEntries(std::vector<TimelineEntry> entries, TimeRange range, TimeNs zero) {
  m_story = laneStory(std::move(entries), range, zero);
  update();
}

void LaneStrip::setMoment(std::optional<TimeNs> moment) {
  if (m_moment == moment) return;
  m_moment = moment;
  update();
}

AccessibleTable LaneStrip::accessibleTable() const {
  AccessibleTable table{.summary = {}, .columns = {tr("minutes since the first sign"), tr("lane"), tr("what")}};
  for (const TimelineEntry& entry : m_story.entries)
    table.rows.push_back({{minutesText(entry.time, m_story.zero),
                           entry.lane == IncidentLane::kKnown ? tr("what was known") : tr("what happened"), entryText(entry)}});
  return table;
}

double LaneStrip::xOf(TimeNs time) const { return laneX(m_story, time, width()); }

void LaneStrip::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  paintLanes(painter, size(), m_story, theme);
  if (m_moment && *m_moment >= m_story.range.t0 && *m_moment <= m_story.range.t1) {
    painter.setPen(QPen(theme.accent, kSelectionLine));
    painter.drawLine(QPointF(xOf(*m_moment), 0), QPointF(xOf(*m_moment), laneBottom()));
  }
}

int LaneStrip::entryAt(const QPoint& place) const {
  if (place.y() < 0 || place.y() >= laneBottom()) return -1;
  const IncidentLane lane = place.y() < laneTop(IncidentLane::kKnown) ? IncidentLane::kHappened : IncidentLane::kKnown;
  int best = -1;
  double nearest = kReachPx + 1;
  for (std::size_t i = 0; i < m_story.entries.size(); ++i) {
    if (m_story.entries[i].lane != lane) continue;
    const double away = std::abs(xOf(m_story.entries[i].time) - place.x());
    const bool worse =
        best >= 0 && away == nearest && m_story.entries[i].severity > m_story.entries[static_cast<std::size_t>(best)].severity;
    if (away < nearest || worse) nearest = away, best = static_cast<int>(i);
  }
  return best;
}

void LaneStrip::mousePressEvent(QMouseEvent* event) {
  if (const int at = entryAt(event->position().toPoint()); at >= 0) emit chosen(at);
}

bool LaneStrip::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  if (const int at = entryAt(help->pos()); at >= 0)
    QToolTip::showText(help->globalPos(), plainTip(entryTip(m_story.entries[static_cast<std::size_t>(at)], TimeStyle::kUtc)), this);
  else
    QToolTip::hideText();
  return true;
}

IncidentLanes::IncidentLanes(QWidget* parent)
    : QWidget(parent),
      m_model(new TableModel<TimelineEntry>(
          laneColumns(&m_style, &m_zero),
          [](const TimelineEntry& a, const TimelineEntry& b) { return a.time == b.time && a.lane == b.lane && a.text == b.text; }, this)),
      m_strip(new LaneStrip(this)),
      m_table(new TableView(m_model, tr("Timeline"), tr("Filter the timeline  ( / )"), this)),
      m_nothing(new QLabel(this)) {
  m_nothing->setTextFormat(Qt::PlainText);
  m_nothing->setContentsMargins(kPad, kGrid, kPad, kGrid);
  m_nothing->setForegroundRole(QPalette::PlaceholderText);
  m_nothing->setFont(tableFont());
  m_table->table()->setTextElideMode(Qt::ElideRight);
  m_table->table()->setItemDelegate(new LaneDelegate(m_table));
  m_table->table()->setWordWrap(true);  // elided text needs hovering, which costs time in an emergency
  QHeaderView* const head = m_table->table()->horizontalHeader();
  for (int column = 0; column < m_model->columnCount(); ++column)
    head->setSectionResizeMode(column, column < kHappenedColumn ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_strip);
  column->addWidget(m_nothing);
  column->addWidget(m_table, 1);
  // Filtered and sorted rows have other indices.
  const QAbstractItemModel* const rows = m_table->table()->model();
  connect(rows, &QAbstractItemModel::layoutChanged, this, &IncidentLanes::spanRows);
  connect(rows, &QAbstractItemModel::rowsInserted, this, &IncidentLanes::spanRows);
  connect(rows, &QAbstractItemModel::rowsRemoved, this, &IncidentLanes::spanRows);
  connect(m_table, &TableView::rowChosen, this, &IncidentLanes::showRow);
  connect(m_table, &TableView::rowActivated, this, &IncidentLanes::showRow);
  connect(m_strip, &LaneStrip::chosen, this, [this](int row) {
    const QModelIndex index = m_model->index(row, 0);
    m_table->chooseRow(index);
    showRow(index);
  });
}

void IncidentLanes::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  m_table->table()->resizeRowsToContents();
}

// The text of an event may span the column of available information, which is empty in its row.
void IncidentLanes::spanRows() {
  QTableView* const table = m_table->table();
  table->clearSpans();
  for (int row = 0; row < table->model()->rowCount(); ++row)
    if (table->model()->index(row, kHappenedColumn + 1).data().toString().isEmpty()) table->setSpan(row, kHappenedColumn, 1, 2);
  table->resizeRowsToContents();
}

int IncidentLanes::wantedHeight() const {
  int rows = 0;
  for (int row = 0; row < m_model->rowCount(); ++row) rows += m_table->table()->rowHeight(row);
  const int above = m_table->table()->mapTo(this, QPoint()).y() + m_table->table()->horizontalHeader()->height();
  return m_model->rowCount() == 0 ? kEmptyHeight : above + rows + kPad;
}

void IncidentLanes::showRow(const QModelIndex& index) {
  if (const TimelineEntry* entry = m_model->rowAt(index)) emit entryChosen(*entry);
}

void IncidentLanes::setPage(std::shared_ptr<const IncidentPage> page, TimeStyle style) {
  if (m_style != style) {
    m_style = style;
    m_model->retext();
  }
  if (page == m_page) return;
  m_page = std::move(page);
  std::vector<TimelineEntry> entries;
  QString nothing;
  if (m_page) {
    entries = m_page->answer.timeline.entries;
    m_zero = firstSign(m_page->answer).value_or(0);
    const std::size_t left_out = m_page->answer.timeline.left_out;
    if (!m_page->answer.range)
      nothing = tr("It has no time, so it has no timeline.");
    else if (entries.empty())
      nothing = tr("Nothing was recorded in its time.");
    else if (left_out > 0)
      nothing = tr("%1 less severe entries are left out.").arg(formatCount(static_cast<std::int64_t>(left_out)));
  }
  m_nothing->setText(nothing);
  m_nothing->setVisible(!nothing.isEmpty());
  m_strip->setVisible(!entries.empty());
  if (!entries.empty())
    m_strip->setEntries(entries, m_page->answer.shown.value_or(TimeRange{entries.front().time, entries.back().time}), m_zero);
  m_model->setRows(std::make_shared<const std::vector<TimelineEntry>>(std::move(entries)));
  m_table->setVisible(m_model->rowCount() > 0);
  spanRows();
}

}  // namespace runglass
