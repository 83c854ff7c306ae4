// SPDX-License-Identifier: GPL-3.0-or-later
// HeatMap: rows x columns in colour around the peers' median: worse red, better blue, the background where a cell is like its peers.
//
// Threading:  GUI thread.
// Ownership:  the derived class owns the cells.
// Units:      ratios to the peers' median, minus 1.
// Errors:     a cell without data is hatched, never 0.
// Cost:       a picture is O(pixels + cells) and cached until data, size or theme change.
#pragma once

#include <QImage>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "widgets/core/accessible_picture.h"
#include "widgets/ranking/heat_paint.h"

namespace runglass {

class HeatMap : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  QSize sizeHint() const override { return {520, 500}; }
  QRect cellArea() const;
  // At least a pixel; if several cells share a pixel, that pixel.
  QRect cellRect(std::size_t row, std::size_t column) const;
  AccessibleTable accessibleTable() const override;

 protected:
  // Limits the cell size, so that a few cells do not become huge.
  HeatMap(QSize largest_cell, QWidget* parent);

  struct Scale {
    QString low, high;
    double from = 0;  // the ratio at its lower end
    QStringList notes;
  };
  virtual const HeatCells* cells() const = 0;  // may be null
  virtual QString title() const = 0;
  virtual Scale scaleWords() const = 0;
  virtual QString rowName(std::size_t row) const = 0;
  virtual QString columnName(std::size_t column) const = 0;
  virtual QString cellText(float /*ratio*/) const { return {}; }  // text in a cell that is large enough; empty: none
  virtual QString tip(const HeatCell& cell) const = 0;
  virtual void chosen(const HeatCell& cell) = 0;
  virtual void paintSelection(QPainter& painter) const = 0;

  bool empty() const { return cells() == nullptr || cells()->empty(); }
  void cellsChanged();
  // The cell under a point: of several the worst, or the first if none was compared.
  std::optional<HeatCell> cellAt(const QPoint& point) const;

  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  HeatWords words() const;

  QSize m_largest_cell;
  QImage m_image;
  bool m_dirty = true;
};

}  // namespace runglass
