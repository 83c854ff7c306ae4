// SPDX-License-Identifier: GPL-3.0-or-later
// PlotPicture: stacked plots on one axis at one size, ready to be drawn into an image, on any thread, or as vectors.
//
// Threading:  immutable; render() may run anywhere (it uses a second core where that pays).
// Ownership:  shares the data; holds its own copy of the theme.
// Units:      TimeNs or steps on the x axis; device-independent pixels.
// Errors:     none; a panel without data shows the reason.
// Cost:       render() is O(bins + columns x curves): about 10 ms for 64 curves of 1,600 columns on one core.
#pragma once

#include <QImage>
#include <QPainter>
#include <QRect>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "widgets/charts/geometry.h"
#include "widgets/charts/plot_data.h"
#include "widgets/core/theme.h"

namespace runglass {

class PlotPicture {
 public:
  static constexpr int kGutter = 64, kRight = 12, kTitle = 18, kAxis = 20, kLane = 18, kBetween = 6;
  struct PanelLayout {
    QRect title, plot;
  };

  PlotPicture() = default;
  PlotPicture(std::shared_ptr<const PlotData> data, std::int64_t x0, std::int64_t x1, QSize size, int title_reserve, const Theme& theme)
      : m_data(std::move(data)), m_x0(x0), m_x1(x1), m_size(size), m_title_reserve(title_reserve), m_theme(theme) {}

  bool isEmpty() const { return !m_data || m_x1 <= m_x0; }
  std::int64_t x0() const { return m_x0; }
  std::int64_t x1() const { return m_x1; }
  QRect plotArea() const;
  std::vector<PanelLayout> layoutPanels(const QRect& area) const;
  XMap xMap(const QRect& plot) const { return {m_x0, m_x1, static_cast<double>(plot.left()), static_cast<double>(plot.width())}; }
  // Absent: the panel has no value in the window.
  std::optional<YMap> yMap(const PlotPanel& panel, const QRect& plot, int* outliers = nullptr) const;

  // Image of the size times `ratio` pixels.
  QImage render(double ratio) const;
  // Placeholder until render() is done: an older picture of [x0, x1) moved and stretched to this window, with this window's axis.
  void paintMoved(QPainter& painter, const QImage& image, std::int64_t x0, std::int64_t x1) const;
  void paintVector(QPainter& painter, const QRect& target) const;
  // Number of pixel columns of curves: the size of a vector file.
  int primitives() const;
  // Texts of the panel marks at this point, worst first.
  QStringList markTexts(QPoint at) const;
  std::size_t binCount() const;  // the cost of render()

 private:
  struct Drawing;  // target: image or vectors
  std::optional<ValueRange> rangeOf(const PlotPanel& panel, int* outliers) const;
  void draw(Drawing& drawing, const QRect& area) const;
  void drawBands(QPainter& painter, const XMap& x, const QRect& plot) const;
  void drawPanel(Drawing& drawing, const PlotPanel& panel, const PanelLayout& place) const;
  void drawCurves(Drawing& drawing, const PlotPanel& panel, const QRect& plot, const YMap& y) const;
  void drawNotNumbers(QPainter& painter, const PixelColumns& columns, const QRect& plot, double ratio, const QColor& color) const;
  void drawPanelMarks(QPainter& painter, const PlotPanel& panel, const QRect& plot) const;
  void drawTitle(QPainter& painter, const PlotPanel& panel, const PanelLayout& place, const QString& unit, int outliers) const;
  void drawAxis(QPainter& painter, const QRect& area) const;
  void drawMarks(QPainter& painter, const QRect& lane, const QRect& plot) const;
  std::span<const Bin> visible(const std::vector<Bin>& bins) const;

  std::shared_ptr<const PlotData> m_data;
  std::int64_t m_x0 = 0, m_x1 = 0;
  QSize m_size;
  int m_title_reserve = 0;
  Theme m_theme{};
};

}  // namespace runglass
