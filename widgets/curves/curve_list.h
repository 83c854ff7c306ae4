// SPDX-License-Identifier: GPL-3.0-or-later
// CurveList: the tags of all runs as a checkable list; a tag is one card, whichever runs have it.
//
// Threading:  GUI thread.
// Ownership:  holds values.
// Units:      none.
// Errors:     an invalid pattern filters nothing and says so through patternError().
// Cost:       one row per tag; thousands are fine.
#pragma once

#include <QAbstractListModel>
#include <map>
#include <set>
#include <vector>

#include "storage/reader.h"

namespace runglass {

// A tag (scalar) or a metric of a node or device, and the series that carry it.
struct CurveTag {
  QString name;
  std::string unit;
  bool scalar = true;
  std::vector<Series> series;
  std::int64_t points = 0;
  friend bool operator==(const CurveTag& a, const CurveTag& b) { return a.name == b.name && a.scalar == b.scalar; }
};

// Groups by tag, scalars first, training loss on top; per-rank series of one tag stay together.
std::vector<CurveTag> groupByTag(const std::vector<Series>& series);

class CurveList : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;

  void setTags(std::vector<CurveTag> tags);  // keeps what is checked
  const CurveTag& tag(int row) const { return m_tags[static_cast<std::size_t>(row)]; }
  std::vector<CurveTag> checkedTags() const;
  void check(int row, bool on);
  bool isChecked(int row) const { return m_checked.contains(m_tags[static_cast<std::size_t>(row)].name); }

  int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_tags.size()); }
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 signals:
  void checkedChanged();

 private:
  std::vector<CurveTag> m_tags;
  std::set<QString> m_checked;
  bool m_chosen = false;  // the first list checks what one wants to see first
};

}  // namespace runglass
