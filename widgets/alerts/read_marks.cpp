// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/alerts/read_marks.h"

#include <QSettings>
#include <algorithm>

namespace runglass {
namespace {
QString keyOf(const QString& store, const char* what) { return QStringLiteral("notifications/%1/%2").arg(store, QLatin1String(what)); }
}  // namespace

void ReadMarks::setStore(const QString& uuid, TimeNs now) {
  if (uuid == m_store) return;
  m_store = uuid;
  m_up_to = now;
  m_single.clear();
  if (m_settings != nullptr && m_settings->contains(keyOf(m_store, "read_up_to"))) {
    m_up_to = m_settings->value(keyOf(m_store, "read_up_to")).toLongLong();
    m_single = m_settings->value(keyOf(m_store, "read")).toStringList();
  } else {
    write();
  }
  emit changed();
}

void ReadMarks::markRead(const QString& key) {
  if (m_single.contains(key)) return;
  m_single << key;
  if (m_single.size() > kMaxSingle) m_single.removeFirst();
  write();
  emit changed();
}

void ReadMarks::markAllRead(TimeNs up_to) {
  m_up_to = std::max(m_up_to, up_to);
  m_single.clear();
  write();
  emit changed();
}

void ReadMarks::write() {
  if (m_settings == nullptr || m_store.isEmpty()) return;
  m_settings->setValue(keyOf(m_store, "read_up_to"), static_cast<qlonglong>(m_up_to));
  m_settings->setValue(keyOf(m_store, "read"), m_single);
}

}  // namespace runglass
