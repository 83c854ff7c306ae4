// SPDX-License-Identifier: GPL-3.0-or-later
// TableView: the console's table: dense rows, sorting by header, a filter above it, Ctrl+C as TSV.
//
// Threading:  GUI thread.
// Ownership:  owns its proxy; the model is the caller's and outlives it.
// Cost:       filtering and sorting are O(n log n) in the rows; tables here stay below 10,000 rows.
#pragma once

#include <QSortFilterProxyModel>
#include <QTableView>
#include <QWidget>

class QLineEdit;
class QLabel;

namespace runglass {

// Sorts by kSortRole, absent values last in both directions; keeps rows in which any column contains every word of the filter.
class TableProxy : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit TableProxy(QObject* parent) : QSortFilterProxyModel(parent) {}
  void setFilterText(const QString& text);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
  bool filterAcceptsRow(int source_row, const QModelIndex& source_parent) const override;

 private:
  QStringList m_words;
};

// Rows of this many lines, in the height of the current look, also after it changes. With the focus, the table handles Ctrl+Home and
// Ctrl+End itself.
void prepareTable(QTableView* table, int lines = 1);

class TableView : public QWidget {
  Q_OBJECT

 public:
  // `name`: of the table, for screen readers.
  TableView(QAbstractItemModel* model, const QString& name, const QString& filter_hint, QWidget* parent = nullptr);

  QTableView* table() const { return m_table; }
  void focusFilter();
  // The model's index of the current row; invalid if no row is selected.
  QModelIndex currentRow() const;
  // Makes `source` (an index of the model) the current row without emitting rowChosen().
  void chooseRow(const QModelIndex& source);
  // Selected rows (all shown rows if none is selected) with a header line, tab-separated, full precision.
  QString selectedTsv() const;
  void fitColumns();
  // Rows of this many lines, with wrapped cell text.
  void setLines(int lines);

 signals:
  // The user moved to a row or clicked it again; not emitted for rows that are added, removed or filtered.
  void rowChosen(const QModelIndex& source);
  void rowActivated(const QModelIndex& source);                  // Enter or double click
  void menuWanted(const QModelIndex& source, const QPoint& at);  // for a row, at a screen position

 private:
  void updateCount();

  QAbstractItemModel* m_model;
  TableProxy* m_proxy;
  QLineEdit* m_filter;
  QLabel* m_count;
  QTableView* m_table;
  bool m_quiet = false;
};

}  // namespace runglass
