// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
// 1. m_shown has every group once, in order, followed by its rows where it is open. 2. A group's rows are closer than kApart to each other.
#include "widgets/events/event_model.h"

#include <QIcon>
#include <QPoint>
#include <unordered_set>

#include "model/fault_catalog.h"
#include "widgets/core/language.h"
#include "widgets/core/theme.h"
#include "widgets/events/event_data.h"

namespace runglass {
namespace {

constexpr DurNs kApart = 600 * kNsPerSecond;
constexpr double kLaterInk = 0.55;  // of rows later than the playhead
constexpr int kMessageChars = 600;
constexpr std::size_t kSayingBytes = 200;
constexpr qsizetype kFarHit = 60, kBeforeHit = 24;

qsizetype charsOf(std::string_view bytes) { return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size())).size(); }

// Moves a hit far inside a long line to its front.
QString fromHit(const QString& text, const LogQuery& words) {
  if (words.asksNothing() || text.size() < kFarHit) return text;
  const std::string bytes = text.toStdString();
  const std::vector<TextPiece> marks = words.marks(bytes);
  const qsizetype at = marks.empty() ? 0 : charsOf(std::string_view(bytes).substr(0, marks.front().begin));
  return at < kFarHit ? text : u'…' + text.mid(at - kBeforeHit);
}

QString sourceWord(EventSource source) {
  switch (source) {
    case EventSource::kEvent:
      return EventText::tr("event");
    case EventSource::kLog:
      return EventText::tr("log");
    case EventSource::kFinding:
      return EventText::tr("finding");
    case EventSource::kNote:
      return EventText::tr("note");
  }
  return {};
}

}  // namespace

// The text that repeats share: it ignores numbers.
std::string EventModel::saying(const EventRow& row) {
  std::string says = std::to_string(static_cast<int>(row.key.source)) + '/' + row.kind + '/' + row.code + '/' +
                     std::to_string(static_cast<int>(row.severity)) + '/';
  // Consequences of another fault come from all peers at once: fold them into one row, so that they do not bury the cause.
  const FaultInfo* fault = row.key.source == EventSource::kEvent ? findFault(row.kind, row.code) : nullptr;
  if (fault != nullptr && fault->secondary) return says;
  says += std::to_string(row.node.value) + '/' + std::to_string(row.device.value) + '/' + (row.rank ? std::to_string(*row.rank) : "") + '/';
  // An Xid is identified by its number; register values in its text differ each time.
  if (row.kind == "xid" && !row.code.empty()) return says;
  bool in_number = false;
  for (const char c : std::string_view(row.text).substr(0, kSayingBytes)) {
    const bool digit = (c >= '0' && c <= '9');
    if (!digit || !in_number) says += digit ? '#' : c;
    in_number = digit;
  }
  return says;
}

void EventModel::take(std::vector<EventRow> rows) {
  for (EventRow& row : rows) {
    const std::size_t at = m_rows.size();
    const bool alone = row.key.source == EventSource::kFinding || row.key.source == EventSource::kNote || !row.timed;
    std::string says = alone ? std::string() : saying(row);
    const auto known = alone ? m_newest_group.end() : m_newest_group.find(says);
    if (known != m_newest_group.end()) {
      Group& group = m_groups[known->second];
      if (m_rows[group.rows.back()].key.time - row.key.time <= kApart) {
        group.rows.push_back(at);
        m_rows.push_back(std::move(row));
        continue;
      }
    }
    if (!alone) m_newest_group[says] = m_groups.size();
    m_groups.push_back({.rows = {at}, .says = std::move(says)});
    m_rows.push_back(std::move(row));
  }
}

void EventModel::layOut() {
  m_shown.clear();
  for (std::size_t g = 0; g < m_groups.size(); ++g) {
    m_groups[g].at = static_cast<int>(m_shown.size());
    m_shown.push_back({g, -1});
    if (!m_groups[g].open) continue;
    for (int i = 0; i < static_cast<int>(m_groups[g].rows.size()); ++i) m_shown.push_back({g, i});
  }
}

void EventModel::reset(std::vector<EventRow> rows, bool more) {
  std::unordered_set<std::string> open;
  for (const Group& group : m_groups)
    if (group.open) open.insert(group.says);
  beginResetModel();
  m_rows.clear();
  m_groups.clear();
  m_newest_group.clear();
  take(std::move(rows));
  for (Group& group : m_groups) group.open = group.rows.size() > 1 && open.contains(group.says);
  layOut();
  m_more = more;
  m_asked = false;
  endResetModel();
}

void EventModel::append(std::vector<EventRow> rows, bool more) {
  m_more = more;
  m_asked = false;
  std::vector<std::size_t> before(m_groups.size());
  for (std::size_t g = 0; g < m_groups.size(); ++g) before[g] = m_groups[g].rows.size();
  const std::size_t groups = m_groups.size();
  take(std::move(rows));
  for (std::size_t g = 0; g < groups; ++g) {
    if (m_groups[g].rows.size() == before[g]) continue;
    if (m_groups[g].open) {
      const int first = m_groups[g].at + 1 + static_cast<int>(before[g]);
      const int count = static_cast<int>(m_groups[g].rows.size() - before[g]);
      beginInsertRows({}, first, first + count - 1);
      std::vector<Shown> more_rows;
      for (int i = 0; i < count; ++i) more_rows.push_back({g, static_cast<int>(before[g]) + i});
      m_shown.insert(m_shown.begin() + first, more_rows.begin(), more_rows.end());
      for (std::size_t later = g + 1; later < groups; ++later) m_groups[later].at += count;
      endInsertRows();
    }
    emit dataChanged(index(m_groups[g].at, 0), index(m_groups[g].at, kColumns - 1));
  }
  if (m_groups.size() == groups) return;
  const int first = static_cast<int>(m_shown.size());
  beginInsertRows({}, first, first + static_cast<int>(m_groups.size() - groups) - 1);
  for (std::size_t g = groups; g < m_groups.size(); ++g) {
    m_groups[g].at = static_cast<int>(m_shown.size());
    m_shown.push_back({g, -1});
  }
  endInsertRows();
}

void EventModel::toggle(const QModelIndex& at) {
  if (!at.isValid()) return;
  const std::size_t g = m_shown[static_cast<std::size_t>(at.row())].group;
  Group& group = m_groups[g];
  const int count = static_cast<int>(group.rows.size()), first = group.at + 1;
  if (count < 2) return;
  if (group.open) {
    beginRemoveRows({}, first, first + count - 1);
    m_shown.erase(m_shown.begin() + first, m_shown.begin() + first + count);
  } else {
    beginInsertRows({}, first, first + count - 1);
    std::vector<Shown> rows;
    for (int i = 0; i < count; ++i) rows.push_back({g, i});
    m_shown.insert(m_shown.begin() + first, rows.begin(), rows.end());
  }
  for (std::size_t later = g + 1; later < m_groups.size(); ++later) m_groups[later].at += group.open ? -count : count;
  group.open = !group.open;
  if (group.open)
    endInsertRows();
  else
    endRemoveRows();
  emit dataChanged(index(group.at, 0), index(group.at, kColumns - 1));
}

void EventModel::setWords(const std::string& words) { m_words = LogQuery(words); }

void EventModel::setTimes(TimeStyle style, TimeRange shown) {
  const DurNs span = shown.t1 / 2 - shown.t0 / 2 > INT64_MAX / 4 ? INT64_MAX : shown.t1 - shown.t0;
  const int digits = span > 600 * kNsPerSecond ? 3 : span > kNsPerSecond ? 6 : 9;
  const bool dates = span > 12 * 3600 * kNsPerSecond && style != TimeStyle::kRelative;
  if (style == m_style && digits == m_digits && dates == m_dates) return;
  m_style = style;
  m_digits = digits;
  m_dates = dates;
  if (rowCount() > 0) emit dataChanged(index(0, kTime), index(rowCount() - 1, kTime));
}

void EventModel::setMoment(std::optional<TimeNs> moment) {
  if (moment == m_moment) return;
  m_moment = moment;
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1), {Qt::ForegroundRole});
}

int EventModel::firstBy(TimeNs moment) const {
  for (int i = 0; i < rowCount(); ++i) {
    const EventRow* row = rowAt(index(i, 0));
    if (row->timed && row->key.time <= moment) return i;
  }
  return -1;
}

QString EventModel::timeText(TimeNs time) const {
  if (m_style == TimeStyle::kRelative) return formatTimeOfDay(time, m_style);
  const TimeNs in_second = ((time % kNsPerSecond) + kNsPerSecond) % kNsPerSecond;
  QString text = formatTimeOfDay(time, m_style) + u'.' + QStringLiteral("%1").arg(in_second, 9, 10, QLatin1Char('0')).left(m_digits);
  if (m_dates) text = formatTime(time, m_style).mid(5, 6) + text;
  return text;
}

const EventRow* EventModel::rowAt(const QModelIndex& index) const {
  if (!index.isValid() || static_cast<std::size_t>(index.row()) >= m_shown.size()) return nullptr;
  const Shown& shown = m_shown[static_cast<std::size_t>(index.row())];
  return &m_rows[groupOf(shown).rows[static_cast<std::size_t>(std::max(shown.member, 0))]];
}

std::size_t EventModel::groupSize(const QModelIndex& index) const {
  if (!index.isValid()) return 0;
  const Shown& shown = m_shown[static_cast<std::size_t>(index.row())];
  return shown.member < 0 ? groupOf(shown).rows.size() : 1;
}

bool EventModel::isHeader(const QModelIndex& index) const { return groupSize(index) > 1; }

QModelIndex EventModel::find(const EventKey& key) const {
  for (const Group& group : m_groups)
    for (const std::size_t row : group.rows)
      if (m_rows[row].key == key) return index(group.at, 0);
  return {};
}

void EventModel::fetchMore(const QModelIndex& parent) {
  if (!canFetchMore(parent)) return;
  m_asked = true;
  emit pageWanted();
}

QString EventModel::message(const Shown& shown) const {
  const Group& group = groupOf(shown);
  const EventRow& row = m_rows[group.rows[static_cast<std::size_t>(std::max(shown.member, 0))]];
  QString text = fromHit(screenText(withoutEscapes(row.text), kMessageChars), m_words);
  const QString name = row.kind == "xid" && !row.code.empty() ? QStringLiteral("Xid %1").arg(screenText(row.code, 20)) : QString();
  const bool named = name.isEmpty() || text.startsWith(QLatin1String("Xid"));
  // A number alone means nothing to the user.
  if (const FaultInfo* fault = !name.isEmpty() && text == name ? findFault(row.kind, row.code) : nullptr)
    text += QStringLiteral(": ") + termText(fault->meaning);
  if (shown.member >= 0 || group.rows.size() < 2) return named ? text : name + QStringLiteral(": ") + text;
  const QString first = formatTimeOfDay(m_rows[group.rows.back()].key.time, m_style), last = formatTimeOfDay(row.key.time, m_style);
  return QStringLiteral("%1 %2× %3%4, %5  %6")
      .arg(group.open ? QStringLiteral("▾") : QStringLiteral("▸"), name.isEmpty() ? name : name + u' ',
           formatCount(static_cast<std::int64_t>(group.rows.size())), m_more ? QStringLiteral("+") : QString(),
           first == last ? last : first + u'–' + last, text);
}

QString EventModel::text(const Shown& shown, int column, bool full) const {
  const EventRow& row = m_rows[groupOf(shown).rows[static_cast<std::size_t>(std::max(shown.member, 0))]];
  switch (column) {
    case kTime:
      if (!row.timed) return kAbsentText;
      return full ? formatTimeFull(row.key.time, m_style == TimeStyle::kRelative ? m_style : TimeStyle::kUtc) : timeText(row.key.time);
    case kSeverity:
      return severityLabel(row.severity);
    case kKind:
      if (row.key.source == EventSource::kEvent || row.key.source == EventSource::kFinding) return screenText(row.kind, 40);
      return sourceWord(row.key.source) + (full && !row.kind.empty() ? u' ' + screenText(row.kind, 80) : QString());
    case kWhere: {
      if (shown.member >= 0) return row.where;
      std::unordered_set<QString> places;
      for (const std::size_t at : groupOf(shown).rows) places.insert(m_rows[at].where);
      return places.size() > 1 ? tr("%1 places").arg(formatCount(static_cast<std::int64_t>(places.size()))) : row.where;
    }
    default:
      return full ? screenText(withoutEscapes(row.text), 1 << 20) : message(shown);
  }
}

QVariant EventModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !checkIndex(index)) return {};
  const Shown& shown = m_shown[static_cast<std::size_t>(index.row())];
  const EventRow& row = *rowAt(index);
  switch (role) {
    case Qt::DisplayRole: {
      const QString shown_text = text(shown, index.column(), false);
      return shown.member >= 0 && index.column() == kMessage ? QStringLiteral("    ") + shown_text : shown_text;
    }
    case kCopyRole:
      return text(shown, index.column(), true);
    case Qt::TextAlignmentRole:
      return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ForegroundRole:
      if (m_moment && row.timed && row.key.time > *m_moment) return mix(currentTheme().ground, currentTheme().muted, kLaterInk);
      if (row.severity <= Severity::kInfo && (index.column() == kSeverity || index.column() == kKind)) return currentTheme().muted;
      return {};
    case Qt::DecorationRole: {
      if (index.column() != kSeverity || row.severity <= Severity::kInfo) return {};
      const QPixmap picture = severityMark(row.severity, kTablePx, 1);
      QIcon icon(picture);
      icon.addPixmap(picture, QIcon::Selected);
      return icon;
    }
    case Qt::ToolTipRole:
      return index.column() == kTime && row.timed ? QVariant(formatTimeFull(row.key.time, m_style)) : QVariant();
    case kMarksRole: {
      if (index.column() != kMessage || m_words.asksNothing()) return {};
      const QString message_text = data(index, Qt::DisplayRole).toString();
      const std::string bytes = message_text.toStdString();
      QVariantList marks;
      for (const TextPiece& piece : m_words.marks(bytes)) {
        const auto chars = [&](std::size_t to) { return static_cast<int>(charsOf(std::string_view(bytes).substr(0, to))); };
        marks << QPoint(chars(piece.begin), chars(piece.end));
      }
      return marks;
    }
    default:
      return {};
  }
}

QVariant EventModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
  const QString titles[kColumns] = {tr("time"), tr("severity"), tr("kind"), tr("where"), tr("message")};
  const QString helps[kColumns] = {tr("Time on the corrected clock; exact to the nanosecond in the tooltip and in copies."),
                                   tr("How bad its source says it is."),
                                   tr("Of an event or finding; a log line says its stream beside the list."), tr("Node, device and rank."),
                                   tr("Repeats within 10 minutes are one row: → opens it.")};
  if (role == Qt::DisplayRole) return titles[section];
  if (role == Qt::ToolTipRole) return helps[section];
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);
  return {};
}

}  // namespace runglass
