// SPDX-License-Identifier: GPL-3.0-or-later
// The timeline of an incident in minutes and two lanes: the events, and the information available at the time. A strip to scale, and below
// it every entry as text.
//
// Threading:  GUI thread.
// Ownership:  shares the page.
// Units:      TimeNs; minutes since the first sign.
// Errors:     an incident without a time shows that it has no timeline.
// Cost:       O(entries), at most kMaxEntries.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "widgets/core/accessible_picture.h"
#include "widgets/core/table_model.h"
#include "widgets/core/table_view.h"
#include "widgets/core/units.h"
#include "widgets/evidence/lane_picture.h"
#include "widgets/incidents/incident_data.h"

class QLabel;

namespace runglass {

QString minutesText(TimeNs time, TimeNs zero);  // "+4.2", "−0.5", "0.0"
std::vector<Column<TimelineEntry>> laneColumns(const TimeStyle* style, const TimeNs* zero);

// Marks of both lanes on one axis.
class LaneStrip : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit LaneStrip(QWidget* parent = nullptr);
  void setEntries(std::vector<TimelineEntry> entries, TimeRange range, TimeNs zero);
  void setMoment(std::optional<TimeNs> moment);
  // Index of the mark nearest to the point, within reach of the pointer; −1: none.
  int entryAt(const QPoint& place) const;
  double xOf(TimeNs time) const;
  AccessibleTable accessibleTable() const override;

 signals:
  void chosen(int entry);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  LaneStory m_story;
  std::optional<TimeNs> m_moment;
};

class IncidentLanes : public QWidget {
  Q_OBJECT

 public:
  explicit IncidentLanes(QWidget* parent = nullptr);
  void setPage(std::shared_ptr<const IncidentPage> page, TimeStyle style);
  void setMoment(std::optional<TimeNs> moment) { m_strip->setMoment(moment); }
  const TableModel<TimelineEntry>* model() const { return m_model; }
  TableView* table() const { return m_table; }
  LaneStrip* strip() const { return m_strip; }
  void focusFilter() { m_table->focusFilter(); }
  QString copyText() const { return m_table->selectedTsv(); }
  // Height that shows every entry.
  int wantedHeight() const;

 signals:
  void entryChosen(const TimelineEntry& entry);  // the user moved to it

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void showRow(const QModelIndex& index);
  void spanRows();

  std::shared_ptr<const IncidentPage> m_page;
  TimeStyle m_style = TimeStyle::kUtc;
  TimeNs m_zero = 0;
  TableModel<TimelineEntry>* m_model;
  LaneStrip* m_strip;
  TableView* m_table;
  QLabel* m_nothing;
};

}  // namespace runglass
