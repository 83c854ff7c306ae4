// SPDX-License-Identifier: GPL-3.0-or-later
// GpuGrid: every GPU as one cell, a host as a column, hosts in bands: outliers catch the eye first.
//
// Threading:  GUI thread.
// Ownership:  shares the GpuData.
// Units:      24 px cells up to 256 GPUs, 12 px above; smaller ones if that makes all of them fit.
// Errors:     absent and stale cells are hatched, lost ones crossed; never 0.
// Cost:       a repaint is O(cells).
#pragma once

#include <QWidget>
#include <functional>
#include <memory>

#include "widgets/core/accessible_picture.h"
#include "widgets/devices/gpu_data.h"

namespace runglass {

class GpuGrid : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit GpuGrid(QWidget* parent = nullptr);
  void setData(std::shared_ptr<const GpuData> data);
  // The height to fit without scrolling, if cells can be that small.
  void setRoom(int height);
  // Matching cells are drawn in full; the others are dimmed.
  void setFilter(std::function<bool(const GpuCell&)> filter);
  void setDevice(DeviceId device);  // the selected device; 0: none
  QSize sizeHint() const override { return {400, neededHeight(std::max(200, width()))}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return neededHeight(width); }
  int neededHeight(int width) const;
  // The cell of a device; for a host without devices that of the host. Null: not drawn.
  QRect rectOf(NodeId node, DeviceId device) const;
  AccessibleTable accessibleTable() const override;

 signals:
  void cellChosen(NodeId node, DeviceId device);
  void menuWanted(NodeId node, DeviceId device, const QPoint& at);
  void cellOpened();  // a double click on the cell that its first press selected

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Geometry {
    int cell, per_band, rows, band_height;
  };
  Geometry geometryFor(int width) const;
  int heightOf(const Geometry& geometry) const;
  QRect cellRect(const Geometry& geometry, std::size_t host, std::size_t cell) const;
  const GpuCell* cellAt(const QPoint& point) const;
  const GpuCell* current() const;  // the keyboard position: the selected GPU, else the first one of the selected host
  void walk(int hosts, int cells);
  void paintCell(QPainter& painter, const QRect& rect, const GpuCell& cell) const;
  QStringList wordsOf(const GpuCell& cell) const;  // its name first
  static void paintBadges(QPainter& painter, const QRect& rect, const GpuCell& cell);
  void paintFinding(QPainter& painter, const QRect& rect, const FindingMark& mark) const;

  std::shared_ptr<const GpuData> m_data;
  DeviceId m_device;
  int m_room = 0;
  std::function<bool(const GpuCell&)> m_filter;
};

}  // namespace runglass
