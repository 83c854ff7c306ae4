// SPDX-License-Identifier: GPL-3.0-or-later
// WorkerHeatMap: DP across, PP down, how much each worker slows the run down. A click ticks a worker.
//
// Threading:  GUI thread.
// Ownership:  shares its values.
// Units:      S_w, 1 = no slowdown; full colour at scale().
// Errors:     none.
// Cost:       a picture is O(pixels) above one cell a pixel, else O(cells).
#pragma once

#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace runglass {

struct WorkerCells {
  std::vector<std::int32_t> replicas, stages;  // their dp and pp numbers
  std::vector<double> s;                       // by replica, then stage: S_w
  std::vector<std::int32_t> rank;              // likewise
};

class WorkerHeatMap : public QWidget {
  Q_OBJECT

 public:
  explicit WorkerHeatMap(QWidget* parent = nullptr);
  void setCells(std::shared_ptr<const WorkerCells> cells);
  void setTicked(std::set<std::uint32_t> workers);  // replica * stages + stage
  QSize sizeHint() const override { return {640, 360}; }
  QRect cellArea() const;
  QRect cellRect(std::uint32_t worker) const;
  // The slowdown that is shown in full colour: the next of 1.1, 1.2, 1.5, 2, 3, 5 that the worst stays within, as the scale printed beside.
  double scale() const;

 signals:
  void workerChosen(std::uint32_t worker);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  bool empty() const { return !m_cells || m_cells->s.empty(); }
  std::optional<std::uint32_t> workerAt(const QPoint& point) const;
  void paintLegend(QPainter& painter) const;
  void paintAxes(QPainter& painter) const;

  std::shared_ptr<const WorkerCells> m_cells;
  std::set<std::uint32_t> m_ticked;
};

}  // namespace runglass
