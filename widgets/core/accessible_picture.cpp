// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/core/accessible_picture.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QElapsedTimer>
#include <QPainter>
#include <QWidget>
#include <map>

#include "widgets/core/theme.h"

namespace runglass {
namespace {

constexpr qint64 kKeptMs = 500;

class PictureInterface;

// One cell. It looks its text up on each call, because rows appear and disappear while a screen reader is on them.
class CellInterface : public QAccessibleInterface, public QAccessibleTableCellInterface {
 public:
  CellInterface(PictureInterface* table, int row, int column) : m_table(table), m_row(row), m_column(column) {}

  bool isValid() const override;
  QObject* object() const override { return nullptr; }
  QAccessibleInterface* childAt(int, int) const override { return nullptr; }
  QAccessibleInterface* parent() const override;
  QAccessibleInterface* child(int) const override { return nullptr; }
  int childCount() const override { return 0; }
  int indexOfChild(const QAccessibleInterface*) const override { return -1; }
  QString text(QAccessible::Text kind) const override;
  void setText(QAccessible::Text, const QString&) override {}
  QRect rect() const override;
  QAccessible::Role role() const override { return QAccessible::Cell; }
  QAccessible::State state() const override;
  void* interface_cast(QAccessible::InterfaceType type) override {
    return type == QAccessible::TableCellInterface ? static_cast<QAccessibleTableCellInterface*>(this) : nullptr;
  }

  bool isSelected() const override { return false; }
  QList<QAccessibleInterface*> columnHeaderCells() const override { return {}; }
  QList<QAccessibleInterface*> rowHeaderCells() const override { return {}; }
  int columnIndex() const override { return m_column; }
  int rowIndex() const override { return m_row; }
  int columnExtent() const override { return 1; }
  int rowExtent() const override { return 1; }
  QAccessibleInterface* table() const override;

 private:
  PictureInterface* m_table;
  int m_row, m_column;
};

class PictureInterface : public QAccessibleWidget, public QAccessibleTableInterface {
 public:
  explicit PictureInterface(QWidget* widget) : QAccessibleWidget(widget) {}
  ~PictureInterface() override {
    for (const auto& [place, id] : m_cells) QAccessible::deleteAccessibleInterface(id);
  }

  const AccessibleTable& table() const {
    if (!m_age.isValid() || m_age.elapsed() > kKeptMs) {
      // Resolved on each call: a widget in destruction is only a QWidget by then, and may still be hidden.
      const auto* const picture = dynamic_cast<const AccessiblePicture*>(widget());
      m_table = picture != nullptr ? picture->accessibleTable() : AccessibleTable();
      m_age.start();
    }
    return m_table;
  }
  QRect areaOf(int row) const {
    const QRect area = table().rows[static_cast<std::size_t>(row)].area;
    return area.isNull() ? QRect() : QRect(widget()->mapToGlobal(area.topLeft()), area.size());
  }

  QAccessible::Role role() const override { return table().columns.isEmpty() ? QAccessible::Graphic : QAccessible::Table; }
  QString text(QAccessible::Text kind) const override {
    if (kind == QAccessible::Value || (kind == QAccessible::Description && widget()->accessibleDescription().isEmpty()))
      return table().summary;
    return QAccessibleWidget::text(kind);
  }
  void* interface_cast(QAccessible::InterfaceType type) override {
    if (type == QAccessible::TableInterface && !table().columns.isEmpty()) return static_cast<QAccessibleTableInterface*>(this);
    return QAccessibleWidget::interface_cast(type);
  }

  int childCount() const override { return rowCount() * columnCount(); }
  QAccessibleInterface* child(int index) const override {
    return index < 0 || index >= childCount() ? nullptr : cellAt(index / columnCount(), index % columnCount());
  }
  QAccessibleInterface* childAt(int x, int y) const override {
    const QPoint at = widget()->mapFromGlobal(QPoint(x, y));
    for (int row = 0; row < rowCount(); ++row)
      if (table().rows[static_cast<std::size_t>(row)].area.contains(at)) return cellAt(row, 0);
    return nullptr;
  }
  int indexOfChild(const QAccessibleInterface* child) const override {
    for (const auto& [place, id] : m_cells)
      if (QAccessible::accessibleInterface(id) == child) return place.first * columnCount() + place.second;
    return -1;
  }

  QAccessibleInterface* cellAt(int row, int column) const override {
    if (row < 0 || row >= rowCount() || column < 0 || column >= columnCount()) return nullptr;
    const auto [at, fresh] = m_cells.try_emplace({row, column}, 0);
    if (fresh) at->second = QAccessible::registerAccessibleInterface(new CellInterface(const_cast<PictureInterface*>(this), row, column));
    return QAccessible::accessibleInterface(at->second);
  }
  int rowCount() const override { return static_cast<int>(table().rows.size()); }
  int columnCount() const override { return static_cast<int>(table().columns.size()); }
  QString columnDescription(int column) const override { return table().columns.value(column); }
  QString rowDescription(int row) const override {
    return row < 0 || row >= rowCount() ? QString() : table().rows[static_cast<std::size_t>(row)].cells.value(0);
  }
  QAccessibleInterface* caption() const override { return nullptr; }
  QAccessibleInterface* summary() const override { return nullptr; }
  int selectedCellCount() const override { return 0; }
  int selectedColumnCount() const override { return 0; }
  int selectedRowCount() const override { return 0; }
  QList<QAccessibleInterface*> selectedCells() const override { return {}; }
  QList<int> selectedColumns() const override { return {}; }
  QList<int> selectedRows() const override { return {}; }
  bool isColumnSelected(int) const override { return false; }
  bool isRowSelected(int) const override { return false; }
  bool selectRow(int) override { return false; }
  bool selectColumn(int) override { return false; }
  bool unselectRow(int) override { return false; }
  bool unselectColumn(int) override { return false; }
  void modelChange(QAccessibleTableModelChangeEvent*) override {}

 private:
  mutable AccessibleTable m_table;
  mutable QElapsedTimer m_age;
  mutable std::map<std::pair<int, int>, QAccessible::Id> m_cells;
};

bool CellInterface::isValid() const { return m_table->isValid() && m_row < m_table->rowCount() && m_column < m_table->columnCount(); }
QAccessibleInterface* CellInterface::parent() const { return m_table; }
QAccessibleInterface* CellInterface::table() const { return m_table; }

QString CellInterface::text(QAccessible::Text kind) const {
  if (!isValid()) return {};
  if (kind == QAccessible::Name) return m_table->table().rows[static_cast<std::size_t>(m_row)].cells.value(m_column);
  return kind == QAccessible::Description ? m_table->columnDescription(m_column) : QString();
}

QRect CellInterface::rect() const { return isValid() ? m_table->areaOf(m_row) : QRect(); }

QAccessible::State CellInterface::state() const {
  QAccessible::State state = m_table->state();
  state.focusable = state.focused = false;
  state.readOnly = true;
  state.invalid = !isValid();
  return state;
}

QAccessibleInterface* interfaceOf(const QString&, QObject* object) {
  auto* const widget = qobject_cast<QWidget*>(object);
  return widget == nullptr || dynamic_cast<const AccessiblePicture*>(object) == nullptr ? nullptr : new PictureInterface(widget);
}

}  // namespace

void paintFocusRing(QPainter& painter, const QWidget& widget, const QRect& area) {
  if (!widget.hasFocus()) return;
  painter.setPen(currentTheme().accent);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(area.adjusted(0, 0, -1, -1));
}

void installAccessiblePictures() {
  static const bool installed = (QAccessible::installFactory(interfaceOf), true);
  static_cast<void>(installed);
}

}  // namespace runglass
