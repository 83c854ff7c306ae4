// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. An index's internal id is 0 for a tag and tag + 1 for a curve of that tag. 2. Ticks name tags by keyOf() and curves by
// series id; they may name items missing from the current catalogue.
#include "widgets/curves/tag_tree.h"

#include <QFont>
#include <QRegularExpression>
#include <algorithm>

#include "widgets/core/theme.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kPatternChars = 200;
// PCRE2 aborts a match after this many internal matches: a pattern like (a+)+$ costs microseconds, not hours.
const QString kMatchLimit = QStringLiteral("(*LIMIT_MATCH=20000)");

}  // namespace

void TagTree::setCatalog(std::shared_ptr<const CurveCatalog> catalog) {
  const auto same = [](const CurveCatalog& a, const CurveCatalog& b) {
    return std::ranges::equal(a.tags, b.tags, [](const CurveTag& x, const CurveTag& y) {
      return x.metric == y.metric && x.unit == y.unit && x.scalar == y.scalar && x.members.size() == y.members.size();
    });
  };
  // Live data only makes curves longer; a model reset would collapse the tree while the user works in it.
  if (same(*m_catalog, *catalog)) {
    m_catalog = std::move(catalog);
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, 0));
    return;
  }
  beginResetModel();
  m_catalog = std::move(catalog);
  chooseDefaults();
  endResetModel();
}

// "12 curves, by step, in nats".
QString TagTree::curvesText(const CurveTag& tag) {
  const QString count = formatCount(static_cast<std::int64_t>(tag.members.size())), unit = screenText(tag.unit, 40);
  if (tag.unit.empty()) return (tag.scalar ? tr("%1 curves, by step") : tr("%1 curves, by time")).arg(count);
  return (tag.scalar ? tr("%1 curves, by step, in %2") : tr("%1 curves, by time, in %2")).arg(count, unit);
}

std::string TagTree::keyOf(std::size_t tag) const {
  const CurveTag& of = m_catalog->tags[tag];
  return of.metric + '\x1f' + of.unit + (of.scalar ? "\x1fs" : "\x1ft");
}

std::vector<std::size_t> TagTree::shownTags() const {
  std::vector<std::size_t> shown;
  for (std::size_t tag = 0; tag < m_catalog->tags.size(); ++tag)
    if (m_shown.contains(keyOf(tag)) && hasShownRun(tag)) shown.push_back(tag);
  std::ranges::stable_partition(shown, [this](std::size_t tag) { return isPinned(tag); });
  return shown;
}

std::vector<std::size_t> TagTree::shownMembers(std::size_t tag) const {
  std::vector<std::size_t> shown;
  const auto& members = m_catalog->tags[tag].members;
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!m_hidden_series.contains(members[i].series.id.value) && !m_hidden_runs.contains(members[i].series.run.value)) shown.push_back(i);
  return shown;
}

bool TagTree::isPinned(std::size_t tag) const { return m_pinned.contains(keyOf(tag)); }

bool TagTree::hasShownRun(std::size_t tag) const {
  return std::ranges::any_of(m_catalog->tags[tag].members,
                             [this](const CurveSeries& member) { return !m_hidden_runs.contains(member.series.run.value); });
}

void TagTree::chooseDefaults() {
  if (m_by_hand) return;
  std::vector<std::size_t> among;
  for (std::size_t tag = 0; tag < m_catalog->tags.size(); ++tag)
    if (hasShownRun(tag)) among.push_back(tag);
  m_shown.clear();
  for (const std::size_t tag : defaultTags(*m_catalog, among)) m_shown.insert(keyOf(tag));
}

void TagTree::setPinned(std::size_t tag, bool pinned) {
  m_by_hand = true;
  if (pinned)
    m_pinned.insert(keyOf(tag));
  else
    m_pinned.erase(keyOf(tag));
  emit dataChanged(index(static_cast<int>(tag), 0), index(static_cast<int>(tag), 0));
  emit ticksChanged();
}

void TagTree::setTagShown(std::size_t tag, bool shown) {
  setData(index(static_cast<int>(tag), 0), shown ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
}

void TagTree::showOnly(const std::vector<std::size_t>& tags) {
  m_by_hand = true;
  m_shown.clear();
  for (const std::size_t tag : tags) m_shown.insert(keyOf(tag));
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, 0), {Qt::CheckStateRole});
  emit ticksChanged();
}

void TagTree::setRunHidden(RunId run, bool hidden) {
  std::vector<RunId> runs;
  for (const std::uint64_t id : m_hidden_runs)
    if (id != run.value) runs.push_back(RunId{id});
  if (hidden) runs.push_back(run);
  setHiddenRuns(runs);
}

void TagTree::setHiddenRuns(const std::vector<RunId>& runs) {
  std::set<std::uint64_t> hidden;
  for (const RunId run : runs) hidden.insert(run.value);
  if (hidden == m_hidden_runs) return;
  m_hidden_runs = std::move(hidden);
  chooseDefaults();
  if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, 0));
  emit ticksChanged();
}

QModelIndex TagTree::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : 0);
}

QModelIndex TagTree::parent(const QModelIndex& child) const {
  if (!child.isValid() || child.internalId() == 0) return {};
  return createIndex(static_cast<int>(child.internalId() - 1), 0, quintptr{0});
}

int TagTree::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return static_cast<int>(m_catalog->tags.size());
  if (parent.internalId() != 0) return 0;
  return static_cast<int>(m_catalog->tags[static_cast<std::size_t>(parent.row())].members.size());
}

Qt::CheckState TagTree::stateOf(std::size_t tag) const {
  if (!m_shown.contains(keyOf(tag))) return Qt::Unchecked;
  const auto& members = m_catalog->tags[tag].members;
  const bool all = std::ranges::none_of(members, [this](const CurveSeries& m) { return m_hidden_series.contains(m.series.id.value); });
  return all ? Qt::Checked : Qt::PartiallyChecked;
}

QVariant TagTree::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !checkIndex(index)) return {};
  const bool is_tag = index.internalId() == 0;
  const std::size_t tag = is_tag ? static_cast<std::size_t>(index.row()) : index.internalId() - 1;
  const CurveTag& of = m_catalog->tags[tag];
  if (is_tag) {
    switch (role) {
      case Qt::DisplayRole:
        return isPinned(tag) ? QStringLiteral("◆ ") + of.title : of.title;
      case Qt::CheckStateRole:
        return stateOf(tag);
      case Qt::ForegroundRole:
        return hasShownRun(tag) ? QVariant() : QVariant(currentTheme().muted);
      case Qt::ToolTipRole:
        return of.title + u'\n' + curvesText(of);
      default:
        return {};
    }
  }
  const CurveSeries& member = of.members[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return member.name;
    case Qt::CheckStateRole:
      return m_hidden_series.contains(member.series.id.value) ? Qt::Unchecked : Qt::Checked;
    case Qt::ForegroundRole:
      return currentTheme().muted;
    case Qt::ToolTipRole:
      return member.name + u'\n' + tr("%1 points").arg(formatCount(member.series.sample_count));
    default:
      return {};
  }
}

bool TagTree::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::CheckStateRole || !index.isValid() || !checkIndex(index)) return false;
  m_by_hand = true;
  const bool on = static_cast<Qt::CheckState>(value.toInt()) != Qt::Unchecked;
  const bool is_tag = index.internalId() == 0;
  const std::size_t tag = is_tag ? static_cast<std::size_t>(index.row()) : index.internalId() - 1;
  const auto& members = m_catalog->tags[tag].members;
  if (is_tag) {
    if (on)
      m_shown.insert(keyOf(tag));
    else
      m_shown.erase(keyOf(tag));
    if (on)
      for (const CurveSeries& member : members) m_hidden_series.erase(member.series.id.value);
  } else {
    const std::uint64_t id = members[static_cast<std::size_t>(index.row())].series.id.value;
    if (on)
      m_hidden_series.erase(id), m_shown.insert(keyOf(tag));
    else
      m_hidden_series.insert(id);
  }
  const QModelIndex head = is_tag ? index : index.parent();
  emit dataChanged(head, head, {Qt::CheckStateRole});
  if (rowCount(head) > 0) emit dataChanged(this->index(0, 0, head), this->index(rowCount(head) - 1, 0, head), {Qt::CheckStateRole});
  emit ticksChanged();
  return true;
}

Qt::ItemFlags TagTree::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::NoItemFlags;
  const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable;
  return index.internalId() == 0 ? flags : flags | Qt::ItemNeverHasChildren;
}

TagFilter::TagFilter(QObject* parent) : QSortFilterProxyModel(parent) {
  setRecursiveFilteringEnabled(true);
  setAutoAcceptChildRows(true);
}

QString TagFilter::setPattern(const QString& pattern) {
  if (pattern.size() > kPatternChars) return tr("the pattern is longer than %1 characters").arg(kPatternChars);
  // Error messages use the pattern without the limit, so that positions match the user's input.
  const QRegularExpression typed(pattern);
  if (!typed.isValid()) return tr("%1 at character %2").arg(typed.errorString(), QString::number(typed.patternErrorOffset() + 1));
  setFilterRegularExpression(pattern.isEmpty() ? QRegularExpression()
                                               : QRegularExpression(kMatchLimit + pattern, QRegularExpression::CaseInsensitiveOption));
  return {};
}

}  // namespace runglass
