// SPDX-License-Identifier: GPL-3.0-or-later
// TimeBar: the run's whole extent in one line, with its events and the playhead.
//
// Threading:  GUI thread.
// Ownership:  shares the RunMarks.
// Units:      TimeNs.
// Cost:       a paint is O(marks).
//
// A live run shown as of now has only the slim track: a click on it travels in time and shows the whole bar. A stored run has all of it.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>

#include "model/time.h"
#include "widgets/charts/geometry.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/core/run_marks.h"
#include "widgets/core/units.h"

class QComboBox;
class QToolButton;

namespace runglass {

// The track with its marks; dragging scrubs.
class BarTrack : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  explicit BarTrack(QWidget* parent = nullptr);

  void setData(std::shared_ptr<const RunMarks> data);
  void setExtent(std::optional<TimeRange> extent);
  void setMoment(std::optional<TimeNs> moment);
  void setStyle(TimeStyle style) { m_style = style; }
  AccessibleTable accessibleTable() const override;

 signals:
  void scrubbed(std::int64_t time);
  void scrubEnded();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  bool event(QEvent* event) override;

 private:
  XMap map() const;
  TimeNs timeAt(double pixel) const;
  const RunMark* markAt(double pixel) const;
  void paintSpans(QPainter& painter, const XMap& x) const;
  void paintMarks(QPainter& painter, const XMap& x) const;

  std::shared_ptr<const RunMarks> m_data;
  std::optional<TimeRange> m_extent;
  std::optional<TimeNs> m_moment;
  TimeStyle m_style = TimeStyle::kUtc;
  std::optional<double> m_pressed;  // where
  bool m_scrubbing = false;
};

// Text on a conspicuous background.
class MomentLabel : public QWidget {
 public:
  using QWidget::QWidget;
  void setText(const QString& text);
  const QString& text() const { return m_text; }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  QString m_text;
};

class TimeBar : public QWidget {
  Q_OBJECT

 public:
  explicit TimeBar(QWidget* parent = nullptr);

  BarTrack& track() { return *m_track; }
  // Text of the shown moment; past: not now.
  void setWords(const QString& words, bool past);
  QString words() const { return m_words->text(); }
  void setSlim(bool slim);
  bool isSlim() const { return m_slim; }
  void setPlaying(bool playing);
  double speed() const;

 signals:
  void stepWanted(int by);
  void jumpWanted(int by);
  void playWanted();
  void nowWanted();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void place();

  BarTrack* m_track;
  MomentLabel* m_words;
  QToolButton* m_now;
  QToolButton* m_play;
  QComboBox* m_speed;
  std::vector<QToolButton*> m_buttons;
  bool m_slim = false, m_past = false;
};

}  // namespace runglass
