// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/frame/notice_watch.h"

#include <algorithm>
#include <utility>

namespace runglass {

NoticeWatch::NoticeWatch(ViewContext context, ReadMarks* marks, QObject* parent)
    : QObject(parent), m_context(std::move(context)), m_marks(marks) {
  connect(m_marks, &ReadMarks::changed, this, &NoticeWatch::count);
}

void NoticeWatch::look() {
  m_context.queries->submit<std::vector<AlertRow>>(
      m_slot, QueryService::Supersede::kAfterCurrent,
      [now = m_context.clock()](Reader& reader, std::stop_token) { return readAlerts(reader, now); },
      [this](const Result<std::shared_ptr<const std::vector<AlertRow>>>& answer) {
        if (!answer.ok()) return;  // the view of the notifications shows the reason
        const bool first = m_rows == nullptr;
        m_rows = *answer;
        const AlertRow* news = nullptr;
        QSet<QString> faults;  // of this look
        for (const AlertRow& row : *m_rows) {
          // A finding and the alert that its hub later sends about it are one notification, and so are all signs of a fault.
          const QString fault = QStringLiteral("fault:") + QString::fromStdString(row.fault);
          const bool known =
              m_known.contains(row.key()) || m_known.contains(row.findingKey()) || (row.alert.count <= 1 && m_known.contains(fault));
          m_known.insert(row.key());
          faults.insert(fault);
          if (first || known || row.snoozed_until || isRead(*m_marks, row)) continue;
          if (news == nullptr || row.alert.severity > news->alert.severity) news = &row;
        }
        m_known.unite(faults);
        count();
        if (news != nullptr) emit arrived(*news);
      });
}

const AlertRow* NoticeWatch::ofCause(const std::string& cause) const {
  if (m_rows == nullptr) return nullptr;
  const auto found = std::ranges::find(*m_rows, cause, [](const AlertRow& row) { return row.alert.cause; });
  return found == m_rows->end() ? nullptr : &*found;
}

void NoticeWatch::count() {
  int unread = 0;
  Severity worst = Severity::kInfo;
  for (const AlertRow& row : m_rows != nullptr ? *m_rows : std::vector<AlertRow>()) {
    if (isRead(*m_marks, row)) continue;
    ++unread;
    worst = std::max(worst, row.alert.severity);
  }
  emit unreadChanged(unread, worst);
}

}  // namespace runglass
