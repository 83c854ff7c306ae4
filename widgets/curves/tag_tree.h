// SPDX-License-Identifier: GPL-3.0-or-later
// TagTree: the tags of a store with their curves as children, to tick, pin and filter.
//
// Threading:  GUI thread.
// Ownership:  shares the catalogue. Ticks are stored by name, so that a newer catalogue keeps them.
// Errors:     a bad or over-long pattern is refused with its reason; the old filter stays.
// Cost:       O(1) per visible row; a filter visits every title once. PCRE cuts off a pattern that backtracks without end.
#pragma once

#include <QAbstractItemModel>
#include <QSortFilterProxyModel>
#include <memory>
#include <set>

#include "widgets/curves/curve_catalog.h"

namespace runglass {

class TagTree : public QAbstractItemModel {
  Q_OBJECT

 public:
  using QAbstractItemModel::QAbstractItemModel;

  void setCatalog(std::shared_ptr<const CurveCatalog> catalog);
  const std::shared_ptr<const CurveCatalog>& catalog() const { return m_catalog; }

  // Ticked tags that have a curve to draw, pinned first, each in the catalogue's order.
  std::vector<std::size_t> shownTags() const;
  // Ticked curves of a tag whose run is not hidden.
  std::vector<std::size_t> shownMembers(std::size_t tag) const;
  bool isPinned(std::size_t tag) const;
  void setPinned(std::size_t tag, bool pinned);
  void setTagShown(std::size_t tag, bool shown);
  void showOnly(const std::vector<std::size_t>& tags);
  void setRunHidden(RunId run, bool hidden);
  void setHiddenRuns(const std::vector<RunId>& runs);
  bool isRunHidden(RunId run) const { return m_hidden_runs.contains(run.value); }

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& child) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& = {}) const override { return 1; }
  QVariant data(const QModelIndex& index, int role) const override;
  bool setData(const QModelIndex& index, const QVariant& value, int role) override;
  Qt::ItemFlags flags(const QModelIndex& index) const override;

 signals:
  void ticksChanged();

 private:
  static QString curvesText(const CurveTag& tag);
  std::string keyOf(std::size_t tag) const;
  Qt::CheckState stateOf(std::size_t tag) const;
  bool hasShownRun(std::size_t tag) const;
  void chooseDefaults();

  std::shared_ptr<const CurveCatalog> m_catalog = std::make_shared<const CurveCatalog>();
  bool m_by_hand = false;  // false until the user ticks a tag: the ticks are defaultTags() of the shown runs
  std::set<std::string> m_shown, m_pinned;
  std::set<std::uint64_t> m_hidden_series, m_hidden_runs;
};

class TagFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit TagFilter(QObject* parent);
  // Empty: accepted; else the reason for the refusal.
  QString setPattern(const QString& pattern);
};

}  // namespace runglass
