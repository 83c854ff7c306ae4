// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/desktop_notifier.h"

#include <QCoreApplication>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QFileInfo>
#include <QGuiApplication>

namespace runglass {
namespace {

const QString kPortal = QStringLiteral("org.freedesktop.portal.Desktop"), kPortalPath = QStringLiteral("/org/freedesktop/portal/desktop"),
              kPortalInterface = QStringLiteral("org.freedesktop.portal.Notification");
const QString kServer = QStringLiteral("org.freedesktop.Notifications"), kServerPath = QStringLiteral("/org/freedesktop/Notifications");
const QString kOpen = QStringLiteral("default");
constexpr int kKeep = 200;  // messages that may still be clicked

}  // namespace

DesktopNotifier::DesktopNotifier(const QDBusConnection& bus, QObject* parent) : QObject(parent), m_bus(bus) {
  if (!m_bus.isConnected()) return;
  m_bus.connect({}, kPortalPath, kPortalInterface, QStringLiteral("ActionInvoked"), this,
                SLOT(portalInvoked(QString, QString, QVariantList)));
  m_bus.connect({}, kServerPath, kServer, QStringLiteral("ActionInvoked"), this, SLOT(serverInvoked(uint, QString)));
}

QDBusConnection DesktopNotifier::sessionBus() {
  const QString runtime = qEnvironmentVariable("XDG_RUNTIME_DIR");
  const bool there =
      qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") || (!runtime.isEmpty() && QFileInfo::exists(runtime + QStringLiteral("/bus")));
  return there ? QDBusConnection::sessionBus() : QDBusConnection(QStringLiteral("none"));
}

void DesktopNotifier::show(const DesktopMessage& message) {
  if (!m_bus.isConnected()) return;
  if (m_open.size() >= kKeep) clear();
  m_open[message.id] = message.open;
  showByPortal(message);
}

void DesktopNotifier::clear() {
  m_open.clear();
  m_numbers.clear();
}

void DesktopNotifier::showByPortal(const DesktopMessage& message) {
  const char* priority = message.severity >= Severity::kCritical ? "urgent" : message.severity >= Severity::kError ? "high" : "normal";
  QDBusMessage call = QDBusMessage::createMethodCall(kPortal, kPortalPath, kPortalInterface, QStringLiteral("AddNotification"));
  call << message.id
       << QVariantMap{{QStringLiteral("title"), message.title},
                      {QStringLiteral("body"), message.text},
                      {QStringLiteral("priority"), QString::fromLatin1(priority)},
                      {QStringLiteral("default-action"), kOpen}};
  auto* watcher = new QDBusPendingCallWatcher(m_bus.asyncCall(call), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, message, watcher] {
    if (watcher->isError()) showByServer(message);
    watcher->deleteLater();
  });
}

// Servers render markup, and the text contains log lines.
void DesktopNotifier::showByServer(const DesktopMessage& message) {
  QVariantMap hints{{QStringLiteral("urgency"), QVariant::fromValue<uchar>(message.severity >= Severity::kCritical ? 2 : 1)},
                    {QStringLiteral("desktop-entry"), QGuiApplication::desktopFileName()}};
  if (message.sound)
    hints[QStringLiteral("sound-name")] =
        message.severity >= Severity::kError ? QStringLiteral("dialog-error") : QStringLiteral("dialog-warning");
  else
    hints[QStringLiteral("suppress-sound")] = true;
  QDBusMessage call = QDBusMessage::createMethodCall(kServer, kServerPath, kServer, QStringLiteral("Notify"));
  call << QCoreApplication::applicationName() << m_numbers.value(message.id, 0U) << QGuiApplication::desktopFileName() << message.title
       << message.text.toHtmlEscaped() << QStringList{kOpen, tr("Open")} << hints << -1;
  auto* watcher = new QDBusPendingCallWatcher(m_bus.asyncCall(call), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, id = message.id, watcher] {
    const QDBusPendingReply<uint> reply = *watcher;
    if (!reply.isError()) m_numbers[id] = reply.value();
    watcher->deleteLater();
  });
}

void DesktopNotifier::portalInvoked(const QString& id, const QString& /*action*/, const QVariantList& /*parameter*/) { opened(id); }

void DesktopNotifier::serverInvoked(uint number, const QString& /*action*/) { opened(m_numbers.key(number)); }

void DesktopNotifier::opened(const QString& id) {
  if (const auto open = m_open.take(id)) open();
}

}  // namespace runglass
