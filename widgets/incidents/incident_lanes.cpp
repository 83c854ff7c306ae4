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
#include <limits>

#include "widgets/core/theme.h"
#include "widgets/incidents/incident_text.h"

namespace runglass {
namespace {

constexpr int kPad = 2 * kGrid, kLaneHeight = 5 * kGrid, kAxisHeight = 5 * kGrid, kNamesWidth = 26 * kGrid;
constexpr int kMarkPx = 9, kReachPx = 8, kLeastTickPx = 70;
constexpr int kEmptyHeight = 10 * kGrid;
constexpr int kTextChars = 400, kHappenedColumn = 3;
constexpr double kMinute = 60e9;

QString entryText(const TimelineEntry& entry) {
  QString text = screenText(entry.text, kTextChars);
  if (entry.count > 1) text += QStringLiteral("  (%1 ×)").arg(formatCount(entry.count));
  return text;
}

QString kindText(const TimelineEntry& entry) {
  QString kind = screenText(entry.kind, 60);
  return kind.replace(u'_', u' ');
}

QString entryTip(const TimelineEntry& entry, TimeStyle style) {
  QString tip = formatTimeFull(entry.time, style) + QStringLiteral("\n%1, %2").arg(severityWord(entry.severity), kindText(entry));
  if (entry.step) tip += QStringLiteral(", step %1").arg(formatCount(*entry.step));
  if (entry.until) tip += QStringLiteral("\nuntil ") + formatTimeFull(*entry.until, style);
  return tip + u'\n' + screenText(entry.text, 2'000);
}

// 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, ... minutes, so that their names have room.
double tickMinutes(double minutes, int width) {
  const double least = minutes * kLeastTickPx / std::max(1, width);
  for (const double step : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 240.0, 720.0})
    if (step >= least) return step;
  return std::ceil(least / 1440) * 1440;
}

// Wraps what stands in two columns at the width of both.
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

std::optional<TimeNs> firstSign(const IncidentAnswer& answer) {
  std::optional<TimeNs> first;
  for (const Finding& one : answer.findings)
    if (one.start) first = std::min(first.value_or(*one.start), *one.start);
  if (!first && answer.range) first = answer.range->t0;
  return first;
}

QString minutesText(TimeNs time, TimeNs zero) {
  const double minutes = (static_cast<double>(time) - static_cast<double>(zero)) / kMinute;
  const double rounded = std::round(minutes * 10) / 10;
  const QString text = QString::number(std::abs(rounded), 'f', 1);
  return rounded == 0 ? QStringLiteral("0.0") : (rounded > 0 ? QStringLiteral("+") : QStringLiteral("−")) + text;
}

std::vector<Column<TimelineEntry>> laneColumns(const TimeStyle* style, const TimeNs* zero) {
  using E = TimelineEntry;
  std::vector<Column<E>> columns;
  columns.push_back({.title = QStringLiteral("min"),
                     .help = QStringLiteral("Minutes since its first sign."),
                     .align = Qt::AlignRight,
                     .text = [zero](const E& e) { return minutesText(e.time, *zero); },
                     .sort = [](const E& e) { return QVariant::fromValue(static_cast<qlonglong>(e.time)); }});
  columns.push_back({.title = QStringLiteral("time"),
                     .help = QStringLiteral("When; of several the first."),
                     .text = [style](const E& e) { return formatTimeOfDay(e.time, *style); },
                     .sort = [](const E& e) { return QVariant::fromValue(static_cast<qlonglong>(e.time)); },
                     .copy = [](const E& e) { return formatTimeFull(e.time, TimeStyle::kUtc); }});
  columns.push_back({.title = QStringLiteral("step"),
                     .help = QStringLiteral("The step that was made then."),
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
  lane(QStringLiteral("what happened"), QStringLiteral("Events, ends and starts of attempts, checkpoints, findings where they began."),
       IncidentLane::kHappened);
  lane(QStringLiteral("what was known"), QStringLiteral("Alerts, captures, notes, and when a finding was told or judged."),
       IncidentLane::kKnown);
  return columns;
}

LaneStrip::LaneStrip(QWidget* parent) : QWidget(parent) {
  setFixedHeight(2 * kLaneHeight + kAxisHeight + kGrid);
  setAccessibleName(tr("Time line: what happened, what was known when"));
}

void LaneStrip::setEntries(std::vector<TimelineEntry> entries, TimeRange range, TimeNs zero) {
  m_entries = std::move(entries);
  m_zero = zero;
  // An incident that is not over is drawn to its last entry.
  TimeNs begin = range.t0, end = range.t1 == std::numeric_limits<TimeNs>::max() ? range.t0 + 1 : range.t1;
  for (const TimelineEntry& one : m_entries) begin = std::min(begin, one.time), end = std::max(end, one.until.value_or(one.time) + 1);
  m_range = {begin, std::max(end, begin + 1)};
  update();
}

void LaneStrip::setMoment(std::optional<TimeNs> moment) {
  if (m_moment == moment) return;
  m_moment = moment;
  update();
}

double LaneStrip::xOf(TimeNs time) const {
  const double length = static_cast<double>(m_range.t1) - static_cast<double>(m_range.t0);
  const double share = (static_cast<double>(time) - static_cast<double>(m_range.t0)) / length;
  return kNamesWidth + std::clamp(share, 0.0, 1.0) * std::max(1, width() - kNamesWidth - 2 * kPad);
}

int LaneStrip::laneTop(IncidentLane lane) const { return lane == IncidentLane::kHappened ? 0 : kLaneHeight; }

void LaneStrip::paintEvent(QPaintEvent*) {
  const Theme& theme = currentTheme();
  QPainter painter(this);
  painter.fillRect(rect(), theme.surface);
  painter.setFont(tableFont());
  painter.setPen(theme.muted);
  painter.drawText(QRect(kPad, 0, kNamesWidth, kLaneHeight), Qt::AlignLeft | Qt::AlignVCenter, tr("what happened"));
  painter.drawText(QRect(kPad, kLaneHeight, kNamesWidth, kLaneHeight), Qt::AlignLeft | Qt::AlignVCenter, tr("what was known"));
  const int right = width() - 2 * kPad, bottom = 2 * kLaneHeight;
  painter.setPen(theme.line);
  for (const int y : {kLaneHeight / 2, kLaneHeight + kLaneHeight / 2, bottom}) painter.drawLine(kNamesWidth, y, right, y);
  const double all = (static_cast<double>(m_range.t1) - static_cast<double>(m_range.t0)) / kMinute;
  const double before = (static_cast<double>(m_zero) - static_cast<double>(m_range.t0)) / kMinute;
  const double step = tickMinutes(all, right - kNamesWidth);
  for (double minute = -std::floor(before / step) * step; minute <= all - before; minute += step) {
    const int x = static_cast<int>(kNamesWidth + (minute + before) / all * (right - kNamesWidth));
    painter.setPen(theme.line);
    painter.drawLine(x, 0, x, bottom + kGrid);
    painter.setPen(theme.muted);
    const QString name = QString::number(minute, 'f', step < 1 ? 1 : 0) + (std::abs(minute) < step / 2 ? tr(" min") : QString());
    const bool at_edge = x + kLeastTickPx / 2 > width();  // its name stands before it
    const QRect place(at_edge ? x - kLeastTickPx - kGrid / 2 : x + kGrid / 2, bottom, kLeastTickPx, kAxisHeight);
    painter.drawText(place, (at_edge ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter, name);
  }
  // The worst last, so that nothing hides it.
  std::vector<const TimelineEntry*> order;
  for (const TimelineEntry& one : m_entries) order.push_back(&one);
  std::ranges::stable_sort(order, {}, [](const TimelineEntry* one) { return one->severity; });
  for (const TimelineEntry* one : order) {
    const double x = xOf(one->time);
    const int y = laneTop(one->lane) + kLaneHeight / 2;
    const QColor color = severityColor(theme, one->severity);
    if (one->until) painter.fillRect(QRectF(x, y - 1, std::max(1.0, xOf(*one->until) - x), 3), color);
    const QPixmap mark = severityMark(one->severity, kMarkPx, devicePixelRatioF());
    if (mark.isNull())
      painter.fillRect(QRectF(x - 1, y - 4, 2, 9), color);
    else
      painter.drawPixmap(QPointF(x - kMarkPx / 2.0, y - kMarkPx / 2.0), mark);
  }
  if (m_moment && *m_moment >= m_range.t0 && *m_moment <= m_range.t1) {
    painter.setPen(QPen(theme.accent, kSelectionLine));
    painter.drawLine(QPointF(xOf(*m_moment), 0), QPointF(xOf(*m_moment), bottom));
  }
}

int LaneStrip::entryAt(const QPoint& place) const {
  if (place.y() < 0 || place.y() >= 2 * kLaneHeight) return -1;
  const IncidentLane lane = place.y() < kLaneHeight ? IncidentLane::kHappened : IncidentLane::kKnown;
  int best = -1;
  double nearest = kReachPx + 1;
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    if (m_entries[i].lane != lane) continue;
    const double away = std::abs(xOf(m_entries[i].time) - place.x());
    const bool worse = best >= 0 && away == nearest && m_entries[i].severity > m_entries[static_cast<std::size_t>(best)].severity;
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
    QToolTip::showText(help->globalPos(), plainTip(entryTip(m_entries[static_cast<std::size_t>(at)], TimeStyle::kUtc)), this);
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
      m_table(new TableView(m_model, tr("Filter the time line  ( / )"), this)),
      m_nothing(new QLabel(this)) {
  m_nothing->setTextFormat(Qt::PlainText);
  m_nothing->setContentsMargins(kPad, kGrid, kPad, kGrid);
  m_nothing->setForegroundRole(QPalette::PlaceholderText);
  m_nothing->setFont(tableFont());
  m_table->table()->setTextElideMode(Qt::ElideRight);
  m_table->table()->setItemDelegate(new LaneDelegate(m_table));
  m_table->table()->setWordWrap(true);  // at three in the morning nobody hovers over what is cut off
  QHeaderView* const head = m_table->table()->horizontalHeader();
  for (int column = 0; column < m_model->columnCount(); ++column)
    head->setSectionResizeMode(column, column < kHappenedColumn ? QHeaderView::ResizeToContents : QHeaderView::Stretch);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(m_strip);
  column->addWidget(m_nothing);
  column->addWidget(m_table, 1);
  // Filtered and sorted rows are other ones.
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

// What happened may take the place of what was known, which is empty in its row.
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
      nothing = tr("It has no time, so it has no time line.");
    else if (entries.empty())
      nothing = tr("Nothing was recorded in its time.");
    else if (left_out > 0)
      nothing = tr("%1 less severe entries are left out.").arg(formatCount(static_cast<std::int64_t>(left_out)));
  }
  m_nothing->setText(nothing);
  m_nothing->setVisible(!nothing.isEmpty());
  m_strip->setVisible(!entries.empty());
  if (!entries.empty())
    m_strip->setEntries(entries, m_page->answer.range.value_or(TimeRange{entries.front().time, entries.back().time}), m_zero);
  m_model->setRows(std::make_shared<const std::vector<TimelineEntry>>(std::move(entries)));
  m_table->setVisible(m_model->rowCount() > 0);
  spanRows();
}

}  // namespace runglass
