// SPDX-License-Identifier: GPL-3.0-or-later
// The run strip: one line at the top of every view with the state of the run.
//
// Threading:  GUI thread.
// Ownership:  a plain widget.
// Units:      as formatted by units.h.
// Errors:     none; an absent value prints as –.
// Cost:       one text layout per paint.
#pragma once

#include <QWidget>
#include <optional>
#include <span>
#include <vector>

#include "widgets/core/run_words.h"
#include "widgets/core/units.h"

namespace runglass {

struct StripItem {
  QString caption;  // muted, in front of the value; may be empty
  QString value;
  QString tip;  // the source and the rule
  Severity severity = Severity::kInfo;
  QString view = {};  // target of a click; empty: none
};

// In order of importance: a narrow window drops items from the end. `now` is wall time.
std::vector<StripItem> stripItems(const RunSummary& run, TimeNs now, TimeStyle style);
// Puts the damage of the store, if there is any, in front: every view may show less than was recorded.
std::vector<StripItem> withDamage(std::vector<StripItem> items, std::span<const Issue> damage);

class RunStrip : public QWidget {
  Q_OBJECT

 public:
  explicit RunStrip(QWidget* parent = nullptr);

  void setItems(std::vector<StripItem> items);
  void setPast(bool past);                  // the content is of another moment
  void setMessage(const QString& message);  // instead of items: no run, no store
  const std::vector<StripItem>& items() const { return m_items; }

  QSize sizeHint() const override;
  QRect placeOf(const QString& caption) const;  // of a painted item; empty: no room for it

 signals:
  void viewRequested(const QString& view);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  const StripItem* linkAt(QPoint at) const;
  void hover(const StripItem* link);

  std::vector<StripItem> m_items;
  std::vector<QRect> m_places;  // of the painted items
  QString m_message;
  QString m_hovered;  // the view of the link under the pointer
  bool m_past = false;
};

}  // namespace runglass
