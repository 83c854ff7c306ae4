// SPDX-License-Identifier: GPL-3.0-or-later
// GpuSide: the left column of the GPU view: counts by state (a click highlights those cells), and facts in which a few devices differ.
//
// Threading:  GUI thread.
// Ownership:  shares the data.
// Cost:       a dozen lines of text.
#pragma once

#include <QWidget>
#include <memory>

#include "widgets/core/accessible_picture.h"
#include "widgets/devices/gpu_data.h"

namespace runglass {

class GpuSide : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit GpuSide(QWidget* parent = nullptr);
  // Height of all counts; differences use more where there is room.
  static int neededHeight();
  void setData(std::shared_ptr<const GpuData> data);
  CellGroup group() const { return m_group; }
  AccessibleTable accessibleTable() const override;

 signals:
  void groupChosen(CellGroup group);
  void devicesChosen(const std::vector<DeviceId>& devices);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Line {
    QRect rect;
    CellGroup group = CellGroup::kAll;
    int difference = -1;
  };
  const Line* lineAt(const QPoint& point) const;

  std::shared_ptr<const GpuData> m_data;
  CellGroup m_group = CellGroup::kAll;
  int m_difference = -1;
  std::vector<Line> m_lines;
};

}  // namespace runglass
