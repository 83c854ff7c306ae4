// SPDX-License-Identifier: GPL-3.0-or-later
// EventPanel: one row in full: its text, its meaning, the action, related views, and the log lines around it.
//
// Threading:  GUI thread.
// Errors:     a failed read is shown in place.
// Cost:       one page of rich text.
#pragma once

#include <QTextBrowser>
#include <QWidget>

#include "widgets/core/units.h"
#include "widgets/events/event_data.h"

namespace runglass {

// The page as HTML, with all outside text escaped. `detail` null: still being read.
QString eventHtml(const EventRow& row, const EventDetail* detail, const std::string& words, TimeStyle style);

class EventPanel : public QWidget {
  Q_OBJECT

 public:
  explicit EventPanel(QWidget* parent = nullptr);
  void showRow(const EventRow& row, const std::string& words, TimeStyle style);
  void showDetail(const EventDetail& detail);
  void showFailed(const QString& why);
  void showNothing();
  QString plainText() const { return m_text->toPlainText(); }

 signals:
  // "node", "rank", "device", "attempt", "time": the clicked part of the row.
  void linkChosen(const QString& what);

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void render();

  QTextBrowser* m_text;
  std::optional<EventRow> m_row;
  std::optional<EventDetail> m_detail;
  std::string m_words;
  QString m_failed;
  TimeStyle m_style = TimeStyle::kUtc;
};

}  // namespace runglass
