// SPDX-License-Identifier: GPL-3.0-or-later
// NoticeWatch: findings and alerts that appear while the window is open: the count of unread notifications, and each new one once.
//
// Threading:  GUI thread; the history is read on a query worker.
// Ownership:  owned by the window; its borrowed objects outlive it.
// Cost:       one readAlerts() per look(), coalesced.
#pragma once

#include <QObject>
#include <QSet>

#include "widgets/alerts/alerts_view.h"
#include "widgets/alerts/read_marks.h"

namespace runglass {

class NoticeWatch : public QObject {
  Q_OBJECT

 public:
  NoticeWatch(ViewContext context, ReadMarks* marks, QObject* parent);
  void look();
  // The newest of this cause; null: not in the history that was read last.
  const AlertRow* ofCause(const std::string& cause) const;

 signals:
  void unreadChanged(int count, Severity worst);
  // The most severe of several that arrived together. Those present at the first look, and muted ones, do not count as new.
  void arrived(const AlertRow& row);

 private:
  void count();

  const ViewContext m_context;
  ReadMarks* m_marks;
  std::shared_ptr<const std::vector<AlertRow>> m_rows;
  QSet<QString> m_known;
  QuerySlot m_slot;
};

}  // namespace runglass
