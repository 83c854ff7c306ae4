// SPDX-License-Identifier: GPL-3.0-or-later
// EventLane: the number of rows by severity over time, as three lanes of bars over the shared window; a drag zooms every view.
//
// Threading:  GUI thread.
// Ownership:  shares the counts.
// Units:      TimeNs; half-open.
// Cost:       a rectangle per part and lane.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "widgets/charts/geometry.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/events/event_data.h"

namespace runglass {

// Worst on top.
inline constexpr int kLanes = 3;
// The lane of a severity.
int laneOf(Severity severity);
// The height of a bar for `count` where the highest is `most`: a single row is visible next to a million.
int barHeight(std::uint32_t count, std::uint32_t most, int height);

class EventLane : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit EventLane(QWidget* parent = nullptr);
  void setDensity(std::shared_ptr<const EventDensity> density, TimeStyle style);
  void setMark(std::optional<TimeNs> time);
  void setPlayhead(std::optional<TimeNs> moment);
  // Number of parts that fit.
  std::size_t parts() const;
  AccessibleTable accessibleTable() const override;

 signals:
  void rangeChosen(TimeRange range, bool gesture);  // gesture: one of many; gestureEnded() follows
  void gestureEnded();
  void allWanted();
  void timeClicked(TimeNs time);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  bool event(QEvent* event) override;

 private:
  XMap map() const;
  QRect laneRect(int lane) const;

  std::shared_ptr<const EventDensity> m_density;
  TimeStyle m_style = TimeStyle::kUtc;
  std::optional<TimeNs> m_mark, m_playhead;
  std::optional<int> m_pressed;  // x
  int m_pointer = 0;
};

}  // namespace runglass
