// SPDX-License-Identifier: GPL-3.0-or-later
// TimelineCanvas: rows of spans under one time axis, with gutter, step bands and minimap; zoom, pan, selection with mouse and keys.
//
// Threading:  GUI thread.
// Ownership:  borrows the RowList; shares the picture.
// Units:      TimeNs; the window is half-open.
// Errors:     none; rows that are not in the picture yet stay empty until they are.
// Cost:       a repaint is O(bars on screen + pixels); the crosshair alone repaints no bars.
#pragma once

#include <QImage>
#include <QWidget>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "widgets/charts/geometry.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/timeline/row_list.h"
#include "widgets/timeline/timeline_marks.h"
#include "widgets/timeline/timeline_raster.h"

class QScrollBar;

namespace runglass {

// The span under the pointer. id 0: several.
struct PointedBar {
  TrackId track;
  std::int32_t rank = -1;
  SpanBar bar;
  QString name;
};

// An arrow between two spans.
struct FlowArrow {
  TrackId from, to;
  TimeNs from_time = 0, to_time = 0;
};

class TimelineCanvas : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  static constexpr int kGutter = 180, kMinimap = 8, kRuler = 20, kBands = 16, kHeader = kMinimap + kRuler + kBands;

  explicit TimelineCanvas(RowList* rows, QWidget* parent = nullptr);

  void rowsChanged();  // after any change of the RowList
  void setPicture(std::shared_ptr<const TimelinePicture> picture);
  void setWindow(TimeNs t0, TimeNs t1);
  void setExtent(std::optional<TimeRange> extent);
  void setNow(TimeNs now, bool live);
  void setPlayhead(std::optional<TimeNs> moment);
  void setStyle(TimeStyle style);
  void setSelected(std::optional<PointedBar> bar, std::vector<FlowArrow> arrows);
  void setHits(std::set<std::int64_t> ids);
  void setArea(std::optional<TimeRange> area);
  void setWaits(std::shared_ptr<const WaitParts> waits);
  void setMarks(TimelineMarks marks);
  void scrollTo(TrackId track);
  TimeNs t0() const { return m_t0; }
  TimeNs t1() const { return m_t1; }
  std::optional<TimeRange> area() const { return m_area; }
  // Rows on screen now, as a query to the store.
  std::vector<RowQuestion> visibleRows() const;
  // Ranks and tracks whose communication is wide enough to be split into waiting and transfer.
  std::vector<std::pair<std::int32_t, TrackId>> splittable() const;
  int timeWidth() const;
  bool isRendered() const { return !m_dirty; }
  AccessibleTable accessibleTable() const override;

 signals:
  void windowChanged(std::int64_t t0, std::int64_t t1, bool gesture);
  void gestureEnded();
  void showAll();
  void followEnd();
  void rowsScrolled();
  void barChosen(const runglass::PointedBar& bar);
  void menuWanted(const runglass::PointedBar& bar, QPoint at);  // id 0: for the row's rank
  void nothingChosen();
  void areaChosen(std::int64_t t0, std::int64_t t1);
  void rankChosen(std::int32_t rank);
  void rankToggled(std::int32_t rank);
  void trackToggled(std::uint64_t track);
  void pinToggled(std::int32_t rank);
  void densityWanted(int by);
  void goToWanted();
  void flowWanted(int by);                        // along the arrows of the selected span
  void markWanted(std::int64_t time, QPoint at);  // at the pointer, or at the selected span
  void markChosen(const runglass::Note& note, QPoint at);
  void anomalyWanted(int by);
  void momentClicked(std::int64_t time);  // on the ruler

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  QRect timeArea() const;  // right of the gutter, below the header
  XMap map() const;
  int screenY(const TimelineRow& row) const;
  const TimelineRow* rowAt(int y) const;
  const RowPicture* pictureOf(const TimelineRow& row) const;
  std::optional<PointedBar> barAt(QPointF at) const;
  QString tipAt(QPointF at) const;
  void render();
  void renderRows(QImage& image, QPainter& painter);
  void renderMetric(QImage& image, const RowPicture& made, int top, int height) const;
  void renderGutter(QPainter& painter);
  QString rangeOf(const TimelineRow& row) const;
  void renderHeader(QPainter& painter);
  void renderBands(QPainter& painter);
  void renderFindings(QPainter& painter);
  void paintMarks(QPainter& painter) const;
  void paintArea(QPainter& painter) const;
  const Flag* flagAt(QPointF at) const;
  void placeNotes();
  void mark();
  void fitSelection();
  void paintCursor(QPainter& painter) const;
  std::optional<QRect> rectOf(TrackId track, TimeNs t0, TimeNs t1, std::int64_t id) const;
  void zoom(double factor, double at_pixel);
  void pan(double share);
  void change(TimeNs t0, TimeNs t1, bool gesture);
  void stepSelection(int by);
  void toggle(const TimelineRow& row);
  bool takesKey(const QKeyEvent& event) const;
  void placeScroll();
  void touch();

  RowList* m_rows;
  QScrollBar* m_scroll;
  std::shared_ptr<const TimelinePicture> m_picture;
  std::shared_ptr<const WaitParts> m_waits;
  TimelineMarks m_marks;
  std::vector<Flag> m_flags;                // of its notes, in the shown window
  std::vector<std::size_t> m_picture_rows;  // per row of m_rows: 1 + index in m_picture, 0: none
  TimeNs m_t0 = 0, m_t1 = 0, m_now = 0;
  std::optional<TimeNs> m_playhead;
  bool m_live = false;
  std::optional<TimeRange> m_extent, m_area;
  TimeStyle m_style = TimeStyle::kUtc;
  std::optional<PointedBar> m_selected;
  std::vector<FlowArrow> m_arrows;
  std::set<std::int64_t> m_hits;
  QImage m_image;
  bool m_dirty = true;
  std::optional<QPointF> m_cursor;
  enum class Drag : std::uint8_t { kNone, kPress, kArea, kPan, kMinimap } m_drag = Drag::kNone;
  QPointF m_press, m_here;
  TimeNs m_press_t0 = 0, m_press_t1 = 0;
  int m_press_scroll = 0;
};

}  // namespace runglass
