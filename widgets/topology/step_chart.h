// SPDX-License-Identifier: GPL-3.0-or-later
// StepChart: the pipeline of one replica in one step: a row for each stage, its operations over time, and their dependencies.
//
// Threading:  GUI thread.
// Ownership:  shares the StepData.
// Units:      device-independent pixels; TimeNs within the step.
// Errors:     a step that cannot be shown is reported by StepPage.
// Cost:       a repaint is O(operations of the replica); the operation under the pointer is found by bisection.
#pragma once

#include <QAbstractScrollArea>
#include <memory>
#include <optional>
#include <vector>

#include "widgets/core/accessible_picture.h"
#include "widgets/core/theme.h"
#include "widgets/topology/step_data.h"

namespace runglass {

class StepChart : public QAbstractScrollArea, public AccessiblePicture {
  Q_OBJECT

 public:
  static constexpr int kLeft = 72, kTop = 22, kMinRow = 26, kMaxRow = 96;
  explicit StepChart(QWidget* parent = nullptr);
  void setData(std::shared_ptr<const StepData> data);
  void setSelected(std::optional<std::uint32_t> node);
  std::optional<std::uint32_t> selected() const { return m_selected; }
  // The legend as text and swatches (rich text).
  static QString legend(const StepGraph& graph, const std::vector<std::uint32_t>& nodes);
  // The position of a node on the viewport now; empty if it is not of the replica.
  QRect nodeRect(std::uint32_t node) const;
  std::optional<std::uint32_t> nodeAt(const QPoint& point) const;
  AccessibleTable accessibleTable() const override;

 signals:
  void nodeChosen(std::uint32_t node);
  void nodeOpened(std::uint32_t node);
  void cleared();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Row {
    std::int32_t pp = 0;
    std::vector<std::uint32_t> passes, other;  // by start: computation; communication, drawn below it
  };
  void layOut();
  int x(TimeNs time) const;
  TimeNs timeAt(int x) const;
  int rowTop(std::size_t row) const;
  QRect rectOf(std::uint32_t node, std::size_t row) const;
  std::optional<std::size_t> rowOf(std::uint32_t node) const;
  void paintRow(QPainter& painter, std::size_t row) const;
  void paintNode(QPainter& painter, std::uint32_t node, const QRect& rect) const;
  void paintDeps(QPainter& painter) const;
  void paintPath(QPainter& painter, const CriticalPath& path, const QColor& color, int width) const;
  void paintAxis(QPainter& painter) const;
  QStringList wordsOf(std::uint32_t node) const;  // its name first
  QString tipOf(std::uint32_t node) const;
  void walk(int by);

  std::shared_ptr<const StepData> m_data;
  std::vector<Row> m_rows;
  std::vector<bool> m_on_path;  // by node
  std::optional<std::uint32_t> m_selected;
  CriticalPath m_way;  // to the selected node
  TimeRange m_shown{0, 0};
  int m_row = kMinRow;
  std::optional<QPoint> m_drag;
  bool m_dragged = false;
};

}  // namespace runglass
