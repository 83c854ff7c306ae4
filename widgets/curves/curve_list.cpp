// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/curves/curve_list.h"

#include <algorithm>

#include "widgets/core/roles.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr int kFirstChecked = 4;

int importance(const CurveTag& tag) {
  if (!tag.scalar) return 100;
  int rank = 10;
  for (const auto& [role, place] :
       {std::pair{Role::kLoss, 0}, {Role::kGradNorm, 1}, {Role::kLearningRate, 2}, {Role::kTokensPerSecond, 3}, {Role::kStepTime, 4}})
    if (!tag.series.empty() && roleFit(tag.series.front().key.metric, role)) rank = std::min(rank, place);
  return rank;
}

}  // namespace

std::vector<CurveTag> groupByTag(const std::vector<Series>& all) {
  std::map<std::pair<bool, std::string>, CurveTag> tags;
  for (const Series& series : all) {
    if (series.sample_count == 0) continue;
    const bool scalar = series.key.kind == SeriesKind::kScalar;
    std::string name = series.key.metric;
    // Parts of a step are tags of their own; {"canonical": …} says nothing new.
    if (!series.key.labels.empty() && series.key.labels.find("\"canonical\"") == std::string::npos && scalar)
      name += " " + series.key.labels;
    CurveTag& tag = tags[{!scalar, name}];
    tag.name = screenText(name, 120);
    tag.unit = series.key.unit;
    tag.scalar = scalar;
    tag.points += series.sample_count;
    tag.series.push_back(series);
  }
  std::vector<CurveTag> sorted;
  for (auto& [key, tag] : tags) sorted.push_back(std::move(tag));
  std::stable_sort(sorted.begin(), sorted.end(), [](const CurveTag& a, const CurveTag& b) { return importance(a) < importance(b); });
  return sorted;
}

void CurveList::setTags(std::vector<CurveTag> tags) {
  if (tags == m_tags) {  // the same rows: only counts moved
    m_tags = std::move(tags);
    if (!m_tags.empty()) emit dataChanged(index(0), index(rowCount() - 1));
    return;
  }
  beginResetModel();
  m_tags = std::move(tags);
  if (!m_chosen && !m_tags.empty()) {
    m_chosen = true;
    for (const CurveTag& tag : m_tags)
      if (static_cast<int>(m_checked.size()) < kFirstChecked && tag.scalar) m_checked.insert(tag.name);
  }
  endResetModel();
}

std::vector<CurveTag> CurveList::checkedTags() const {
  std::vector<CurveTag> tags;
  std::copy_if(m_tags.begin(), m_tags.end(), std::back_inserter(tags), [&](const CurveTag& tag) { return m_checked.contains(tag.name); });
  return tags;
}

void CurveList::check(int row, bool on) { setData(index(row), on ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole); }

QVariant CurveList::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const CurveTag& tag = m_tags[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      return tag.name;
    case Qt::CheckStateRole:
      return m_checked.contains(tag.name) ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole:
      return QString(tr("%1 points in %2 series").arg(formatCount(tag.points)).arg(tag.series.size()));
    default:
      return {};
  }
}

bool CurveList::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (!index.isValid() || role != Qt::CheckStateRole) return false;
  const QString& name = m_tags[static_cast<std::size_t>(index.row())].name;
  if (value.toInt() == Qt::Checked)
    m_checked.insert(name);
  else
    m_checked.erase(name);
  emit dataChanged(index, index, {Qt::CheckStateRole});
  emit checkedChanged();
  return true;
}

Qt::ItemFlags CurveList::flags(const QModelIndex& index) const {
  return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable : Qt::NoItemFlags;
}

}  // namespace runglass
