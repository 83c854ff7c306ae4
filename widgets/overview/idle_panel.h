// SPDX-License-Identifier: GPL-3.0-or-later
// IdlePanel: "GPU idle, explained": the share of the steps in which the devices were idle, a bar of the steps' time by use, and the causes
// with their evidence. A click, or Enter, on a cause shows its longest occurrence in the timeline.
//
// Threading:  GUI thread; the answer is read on a query worker.
// Ownership:  as View; ViewContext's objects outlive it.
// Units:      shares of step time.
// Errors:     an unanswerable query is one line with its reason; a failed read keeps the shown answer and reports the failure.
// Cost:       one readIdleAnswer() when run, attempt or a fixed window change (after kSettleMs without a change), and of a live run once a
//             minute.
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>
#include <optional>

#include "analysis/gpu_idle/idle_answer.h"
#include "widgets/core/accessible_picture.h"
#include "widgets/core/theme.h"
#include "widgets/core/view.h"

namespace runglass {

QColor idleCauseColor(const Theme& theme, IdleCause cause);

class IdlePanel : public QWidget, public AccessiblePicture {
  Q_OBJECT

 public:
  static constexpr int kHeight = 136, kMaxRows = 5, kSettleMs = 250;

  explicit IdlePanel(ViewContext context, QWidget* parent = nullptr);

  void applyState(const ViewState& state);
  void refresh();
  bool isFinal() const { return m_shown && !m_settle.isActive() && !m_slot.busy(); }
  // The causes as TSV; empty: no answer.
  QString copyText() const;

  // The shown answer; null: none yet.
  const std::shared_ptr<const IdleAnswer>& answer() const { return m_answer; }
  QString headline() const;
  QRect rowRect(int row) const;
  // Shows a row's longest occurrence in the timeline. No effect for rows without one.
  void openRow(int row);
  AccessibleTable accessibleTable() const override;

 signals:
  void viewRequested(const QString& id);

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  int rowCount() const;
  int rowAt(const QPoint& place) const;
  std::optional<TimeRange> placeOf(const IdleRow& row) const;
  void ask(QueryService::Supersede supersede);
  void showAnswer(const Result<std::shared_ptr<const IdleAnswer>>& answer);
  void paintAnswer(QPainter& painter);
  void paintBar(QPainter& painter, const QRect& rect) const;
  void paintRow(QPainter& painter, int row) const;
  QString missingWords() const;
  int causeWidth(const QFontMetrics& metrics) const;
  bool tellsUnits() const;

  const ViewContext m_context;
  ViewState m_state;
  std::optional<ViewState> m_asked;
  std::shared_ptr<const IdleAnswer> m_answer;
  QString m_failed;
  QTimer m_settle;
  TimeNs m_read_at = 0;  // monotonic
  int m_current = -1, m_hovered = -1;
  bool m_shown = false;
  QuerySlot m_slot;
};

}  // namespace runglass
