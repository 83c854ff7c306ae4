// SPDX-License-Identifier: GPL-3.0-or-later
// The information for screen readers: names of all focusable widgets, and tables for painted content.
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QLabel>

#include "tests/widgets/console_fixture.h"
#include "widgets/charts/plot_widget.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/devices/gpu_grid.h"
#include "widgets/frame/navigation.h"

namespace runglass {
namespace {

class AccessibleTest : public ConsoleTest {
 protected:
  static std::string describe(const QWidget& widget) {
    std::string text = widget.metaObject()->className();
    for (const QWidget* up = widget.parentWidget(); up != nullptr && qobject_cast<const View*>(up) == nullptr; up = up->parentWidget())
      if (const std::string_view name = up->metaObject()->className(); !name.starts_with("Q")) text += " in " + std::string(name);
    return text;
  }
  template <class T>
  T* shown() {
    for (T* one : m_window->findChildren<T*>())
      if (one->isVisible()) return one;
    return nullptr;
  }
};

TEST_F(AccessibleTest, AllThatTakesTheFocusOrIsPaintedHasAName) {
  open();
  std::set<std::string> nameless;
  for (const auto& place : m_window->findChild<Navigation*>()->places()) {
    go(place.id);
    for (QWidget* widget : m_window->findChildren<QWidget*>()) {
      if (!widget->isVisible()) continue;
      const bool painted = dynamic_cast<AccessiblePicture*>(widget) != nullptr;
      if (!painted && (widget->focusPolicy() & Qt::TabFocus) == 0) continue;
      if (qobject_cast<QAbstractSpinBox*>(widget->parentWidget()) != nullptr) continue;  // its line edit represents the spin box
      const auto* const label = qobject_cast<const QLabel*>(widget);
      if (label != nullptr && label->text().isEmpty()) continue;
      const QAccessibleInterface* const reported = QAccessible::queryAccessibleInterface(widget);
      ASSERT_NE(reported, nullptr) << describe(*widget);
      if (reported->text(QAccessible::Name).isEmpty()) nameless.insert(place.id.toStdString() + ": " + describe(*widget));
    }
  }
  for (const std::string& one : nameless) ADD_FAILURE() << one;
}

TEST_F(AccessibleTest, TheGridOfGpusIsATableOfItsCells) {
  open();
  go("gpus");
  GpuGrid* const grid = shown<GpuGrid>();
  ASSERT_NE(grid, nullptr);
  QAccessibleInterface* const reported = QAccessible::queryAccessibleInterface(grid);
  EXPECT_EQ(reported->role(), QAccessible::Table);
  QAccessibleTableInterface* const table = reported->tableInterface();
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->columnDescription(0), "GPU");
  ASSERT_GT(table->rowCount(), 4);
  EXPECT_EQ(reported->childCount(), table->rowCount() * table->columnCount());
  QAccessibleInterface* const first = table->cellAt(0, 0);
  EXPECT_FALSE(first->text(QAccessible::Name).isEmpty());
  EXPECT_EQ(first->role(), QAccessible::Cell);
  EXPECT_EQ(first->parent(), reported);
  EXPECT_TRUE(QRect(grid->mapToGlobal(QPoint(0, 0)), grid->size()).contains(first->rect())) << "where it is painted";
  EXPECT_EQ(reported->childAt(first->rect().center().x(), first->rect().center().y()), first);
  EXPECT_EQ(reported->indexOfChild(table->cellAt(1, 1)), table->columnCount() + 1);
  EXPECT_EQ(table->cellAt(table->rowCount(), 0), nullptr);
  int with_finding = 0;
  for (int row = 0; row < table->rowCount(); ++row) with_finding += table->cellAt(row, 2)->text(QAccessible::Name).contains("slow") ? 1 : 0;
  EXPECT_GT(with_finding, 0) << "an open finding is told with its GPU";
}

TEST_F(AccessibleTest, APlotIsATableOfItsCurves) {
  open();
  go("overview");
  const PlotWidget* const plot = shown<PlotWidget>();
  ASSERT_NE(plot, nullptr);
  QAccessibleTableInterface* const table = QAccessible::queryAccessibleInterface(const_cast<PlotWidget*>(plot))->tableInterface();
  ASSERT_NE(table, nullptr);
  ASSERT_GT(table->rowCount(), 0);
  for (int row = 0; row < table->rowCount(); ++row)
    for (int column = 2; column < 5; ++column)
      EXPECT_FALSE(table->cellAt(row, column)->text(QAccessible::Name).isEmpty()) << table->rowDescription(row).toStdString();
}

}  // namespace
}  // namespace runglass
