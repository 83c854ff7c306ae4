// SPDX-License-Identifier: GPL-3.0-or-later
// PlotWidget: stacked plots on one x axis, painted into one image; zoom and pan with mouse and keys, one crosshair through all panels.
//
// Threading:  GUI thread.
// Ownership:  shares the PlotData.
// Units:      x as in PlotData; the window is half-open.
// Errors:     none; a panel without data shows what is missing.
// Cost:       a repaint is O(bins + pixels); the crosshair alone does not redraw the curves.
//
// Keys and mouse as in ux section 5: W/S zoom, A/D and arrows pan, Shift faster, Ctrl+Home all, Home/End, Ctrl+wheel zoom at the
// cursor, Shift+wheel pan, left-drag selects a range, Shift- or middle-drag pans, Alt+drag zooms to the box, double-click shows all.
#pragma once

#include <QImage>
#include <QWidget>
#include <functional>
#include <memory>
#include <optional>

#include "widgets/charts/plot_data.h"
#include "widgets/charts/plot_picture.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/core/theme.h"

namespace runglass {

// Value of a curve under the crosshair.
struct CursorValue {
  const PlotPanel* panel = nullptr;  // of data(); valid until the next setData()
  const PlotCurve* curve = nullptr;
  Bin bin;  // one point, or the content of one bin
  std::optional<double> smooth;
};

// The point of a curve next to the mouse.
struct CurvePoint {
  SeriesId series;
  std::int64_t x = 0;
};

class PlotWidget : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit PlotWidget(QWidget* parent = nullptr);

  void setData(std::shared_ptr<const PlotData> data);
  std::shared_ptr<const PlotData> data() const { return m_data; }
  void setWindow(std::int64_t x0, std::int64_t x1);
  std::int64_t x0() const { return m_x0; }
  std::int64_t x1() const { return m_x1; }
  // The crosshair position of another panel; nothing hides it.
  void setCursor(std::optional<std::int64_t> x);
  // Position of the playhead; a line through all panels. While it is shown a click moves it.
  void setPlayhead(std::optional<std::int64_t> x);
  // A query is pending: the picture stays, dimmed.
  void setStale(bool stale);
  // The screen shows the newest data and window.
  bool isRendered() const { return !m_dirty && !m_rendering; }
  // The plot area: its width in pixel columns determines how many bins to query.
  QRect plotArea() const;
  // Paints everything as vectors, for SVG and PDF.
  void paintVector(QPainter& painter, const QRect& target) const;
  // Number of pixel columns of curves in the picture: the size of a vector file.
  int primitives() const;
  // Reserves space to the right of the titles for the owner's buttons.
  void setTitleReserve(int pixels);
  // Backspace, Alt+Left and Alt+Right call undo() and redo() instead of the main window's.
  void setOwnsUndo(bool owns) { m_owns_undo = owns; }
  // N and Shift+N move between the panels' own marks; else they belong to the main window, which has all events and findings.
  void setVisitsMarks(bool visits) { m_visits_marks = visits; }
  std::vector<CursorValue> cursorValues() const;
  // The curve of a series that is drawn here, or a few pixels away.
  std::optional<CurvePoint> curveAt(QPointF at) const;
  // Table of the crosshair's values: panel, name, value, unit; TSV.
  QString cursorTable() const;
  AccessibleTable accessibleTable() const override;

 signals:
  void windowChanged(std::int64_t x0, std::int64_t x1, bool gesture);  // gesture: more follow, up to gestureEnded()
  void gestureEnded();
  void showAll();
  void followEnd();
  void undo();
  void redo();
  void cursorMoved(std::optional<std::int64_t> x);
  void rangeSelected(std::int64_t x0, std::int64_t x1);
  void clicked(std::int64_t x);                                  // outside the curves
  void curveClicked(runglass::SeriesId series, std::int64_t x);  // on a point of a curve
  // A place was clicked while a playhead is shown, or a key moved to a mark: the moment to inspect.
  void momentClicked(std::int64_t x);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void leaveEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  PlotPicture picture() const;
  void render();
  void takeImage(const QImage& image, std::int64_t x0, std::int64_t x1);
  void paintCursor(QPainter& painter, const QRect& area) const;
  void paintDrag(QPainter& painter, const QRect& area) const;
  bool takesKey(const QKeyEvent& event) const;
  void zoom(double factor, double at_pixel);
  void pan(double share);
  void goToMark(int direction);
  void visit(std::int64_t mark);
  bool visiting() const;
  std::optional<std::int64_t> markAt(QPointF at) const;
  void change(std::int64_t x0, std::int64_t x1, bool gesture);
  XMap xMap(const QRect& plot) const { return {m_x0, m_x1, static_cast<double>(plot.left()), static_cast<double>(plot.width())}; }
  const Bin* binAt(const std::vector<Bin>& bins, std::int64_t x) const;

  std::shared_ptr<const PlotData> m_data;
  std::int64_t m_x0 = 0, m_x1 = 0;
  std::optional<std::int64_t> m_cursor, m_playhead;
  std::int64_t m_visit_width = 0;
  std::optional<std::int64_t> m_visited;  // panel mark reached by key
  bool m_stale = false;
  bool m_owns_undo = false;
  bool m_visits_marks = false;
  int m_title_reserve = 0;
  QImage m_image;
  std::int64_t m_image_x0 = 0, m_image_x1 = 0;
  bool m_dirty = true;
  bool m_rendering = false;    // a picture is being rendered on a worker
  std::uint64_t m_render = 0;  // number of the newest
  enum class Drag : std::uint8_t { kNone, kPress, kSelect, kPan, kBox } m_drag = Drag::kNone;
  QPointF m_press, m_here;
  std::int64_t m_press_x0 = 0, m_press_x1 = 0;
};

}  // namespace runglass
