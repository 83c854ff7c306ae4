// SPDX-License-Identifier: GPL-3.0-or-later
// ReadMarks: the notifications of a store that this user has read: all up to a time, plus single ones after it.
//
// Threading:  GUI thread.
// Ownership:  the settings outlive it; null: marks live only as long as the window.
// Units:      TimeNs.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "model/time.h"

class QSettings;

namespace runglass {

class ReadMarks : public QObject {
  Q_OBJECT

 public:
  static constexpr qsizetype kMaxSingle = 1'000;

  ReadMarks(QSettings* settings, QObject* parent) : QObject(parent), m_settings(settings) {}
  // Loads the marks of the store with this uuid. Notifications that exist when a store is first opened, at `now`, count as read.
  void setStore(const QString& uuid, TimeNs now);
  bool isRead(const QString& key, TimeNs when) const { return when <= m_up_to || m_single.contains(key); }
  void markRead(const QString& key);
  void markAllRead(TimeNs up_to);

 signals:
  void changed();

 private:
  void write();

  QSettings* m_settings;
  QString m_store;
  TimeNs m_up_to = 0;
  QStringList m_single;
};

}  // namespace runglass
