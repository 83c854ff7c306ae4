// SPDX-License-Identifier: GPL-3.0-or-later
// TableModel<Row>: a read-only table over immutable rows; a view supplies only the columns, as functions.
//
// Threading:  GUI thread; rows are computed elsewhere and handed over as shared_ptr<const vector>.
// Ownership:  shares the rows.
// Units:      a column names its unit in its title.
// Errors:     none. An absent value has an invalid sort key, prints kAbsentText and sorts last in either direction.
// Cost:       setRows() is O(rows) key comparisons; text is created for visible cells only.
#pragma once

#include <QAbstractTableModel>
#include <QGuiApplication>
#include <QIcon>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "widgets/core/theme.h"

namespace runglass {

// Roles that the sort proxy and copying use in addition to Qt's own.
enum TableRole : int { kSortRole = Qt::UserRole, kCopyRole, kFilterRole };

template <class Row>
struct Column {
  QString title;
  QString help;  // meaning, source and rule
  Qt::Alignment align = Qt::AlignLeft;
  std::function<QString(const Row&)> text;
  std::function<QVariant(const Row&)> sort = {};  // default: the text
  std::function<QString(const Row&)> copy = {};   // full precision; default: the text
  std::function<QString(const Row&)> tip = {};    // default: none
  std::function<Severity(const Row&)> mark = {};  // shape before the text; default: none
};

template <class Row>
class TableModel final : public QAbstractTableModel {
 public:
  using Rows = std::shared_ptr<const std::vector<Row>>;

  // `same` returns whether two rows are about the same object, so that a refresh keeps selection and scroll position.
  TableModel(std::vector<Column<Row>> columns, std::function<bool(const Row&, const Row&)> same, QObject* parent)
      : QAbstractTableModel(parent),
        m_columns(std::move(columns)),
        m_same(std::move(same)),
        m_rows(std::make_shared<const std::vector<Row>>()) {}

  void setRows(Rows rows) {
    int kept = 0;
    const int before = static_cast<int>(m_rows->size()), after = static_cast<int>(rows->size());
    while (kept < before && kept < after && m_same((*m_rows)[static_cast<std::size_t>(kept)], (*rows)[static_cast<std::size_t>(kept)]))
      ++kept;
    // Between the two signals the model must still serve its old rows, so the swap happens inside.
    if (kept < before) {
      beginRemoveRows({}, kept, before - 1);
      m_rows = std::make_shared<const std::vector<Row>>(m_rows->begin(), m_rows->begin() + kept);
      endRemoveRows();
    }
    if (kept < after) {
      beginInsertRows({}, kept, after - 1);
      m_rows = std::move(rows);
      endInsertRows();
    } else {
      m_rows = std::move(rows);
    }
    if (kept > 0) emit dataChanged(index(0, 0), index(kept - 1, columnCount() - 1));
  }

  // The same rows print differently now (another clock, another theme).
  void retext() {
    if (rowCount() > 0) emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
  }

  const Row* rowAt(const QModelIndex& index) const {
    return index.isValid() && static_cast<std::size_t>(index.row()) < m_rows->size() ? &(*m_rows)[static_cast<std::size_t>(index.row())]
                                                                                     : nullptr;
  }
  const std::vector<Row>& rows() const { return *m_rows; }

  int rowCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_rows->size()); }
  int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : static_cast<int>(m_columns.size()); }

  QVariant data(const QModelIndex& index, int role) const override {
    if (!index.isValid() || !checkIndex(index)) return {};
    const Row& row = (*m_rows)[static_cast<std::size_t>(index.row())];
    const Column<Row>& column = m_columns[static_cast<std::size_t>(index.column())];
    switch (role) {
      case Qt::DisplayRole:
      case kFilterRole:
        return column.text(row);
      case kCopyRole:
        return column.copy ? column.copy(row) : column.text(row);
      case kSortRole:
        return column.sort ? column.sort(row) : QVariant(column.text(row));
      case Qt::TextAlignmentRole:
        return static_cast<int>(column.align | Qt::AlignVCenter);
      case Qt::DecorationRole: {
        const Severity severity = column.mark ? column.mark(row) : Severity::kInfo;
        if (severity <= Severity::kInfo) return {};
        const QPixmap picture = severityMark(severity, kTablePx, qGuiApp->devicePixelRatio());
        QIcon icon(picture);
        icon.addPixmap(picture, QIcon::Selected);  // the colour keeps its meaning in a selected row
        return icon;
      }
      case Qt::ToolTipRole:
        return column.tip ? QVariant(column.tip(row)) : QVariant();
      default:
        return {};
    }
  }

  QVariant headerData(int section, Qt::Orientation orientation, int role) const override {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const Column<Row>& column = m_columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::ToolTipRole) return column.help;
    if (role == Qt::TextAlignmentRole) return static_cast<int>(column.align | Qt::AlignVCenter);
    return {};
  }

 private:
  const std::vector<Column<Row>> m_columns;
  const std::function<bool(const Row&, const Row&)> m_same;
  Rows m_rows;
};

}  // namespace runglass
