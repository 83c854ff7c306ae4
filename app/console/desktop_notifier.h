// SPDX-License-Identifier: GPL-3.0-or-later
// DesktopNotifier: desktop notifications, through the D-Bus portal (org.freedesktop.portal.Notification) or, if there is none, through
// org.freedesktop.Notifications.
//
// Threading:  GUI thread; never waits for the bus.
// Errors:     on a desktop with neither, nothing is shown: the window's own toast and history have the message.
#pragma once

#include <QDBusConnection>
#include <QHash>
#include <QObject>
#include <functional>

#include "model/events.h"

namespace runglass {

struct DesktopMessage {
  QString id;           // a later message with the same id replaces this one
  QString title, text;  // plain
  Severity severity = Severity::kInfo;
  bool sound = false;
  std::function<void()> open;  // called on a click
};

class DesktopNotifier : public QObject {
  Q_OBJECT

 public:
  explicit DesktopNotifier(const QDBusConnection& bus = sessionBus(), QObject* parent = nullptr);
  // The desktop's bus, or an unconnected one: no bus is started.
  static QDBusConnection sessionBus();
  void show(const DesktopMessage& message);
  // A click on an earlier message then has no effect.
  void clear();

 private slots:
  void portalInvoked(const QString& id, const QString& action, const QVariantList& parameter);
  void serverInvoked(uint number, const QString& action);

 private:
  void showByPortal(const DesktopMessage& message);
  void showByServer(const DesktopMessage& message);
  void opened(const QString& id);

  QDBusConnection m_bus;
  QHash<QString, std::function<void()>> m_open;  // by id
  QHash<QString, uint> m_numbers;                // the server's, by id
};

}  // namespace runglass
