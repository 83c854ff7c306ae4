// SPDX-License-Identifier: GPL-3.0-or-later
// Desktop notifications on the test's own bus, with a portal, with a notification server alone, and with neither.
#include "app/console/desktop_notifier.h"

#include <gtest/gtest.h>

#include <QDBusMessage>
#include <QProcess>
#include <QStandardPaths>

#include "tests/widgets/offscreen.h"

namespace runglass {

class FakePortal : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Notification")

 public:
  QStringList ids;
  QVariantMap newest;

 public slots:
  void AddNotification(const QString& id, const QVariantMap& notification) {
    ids << id;
    newest = notification;
  }

 signals:
  void ActionInvoked(const QString& id, const QString& action, const QVariantList& parameter);
};

class FakeServer : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")

 public:
  int calls = 0;
  uint replaces = 0;
  QString title, text;
  QVariantMap hints;

 public slots:
  uint Notify(const QString& /*program*/, uint old, const QString& /*icon*/, const QString& head, const QString& body,
              const QStringList& /*actions*/, const QVariantMap& with, int /*timeout*/) {
    ++calls;
    replaces = old;
    title = head, text = body, hints = with;
    return 42;
  }

 signals:
  void ActionInvoked(uint number, const QString& action);
};

namespace {

class DesktopNotifierTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (QStandardPaths::findExecutable("dbus-daemon").isEmpty()) GTEST_SKIP() << "dbus-daemon is not installed";
    m_daemon.start("dbus-daemon", {"--session", "--nofork", "--print-address"});
    ASSERT_TRUE(m_daemon.waitForReadyRead(60'000)) << m_daemon.readAllStandardError().toStdString();
    m_address = QString::fromUtf8(m_daemon.readLine()).trimmed();
  }
  void TearDown() override {
    QDBusConnection::disconnectFromBus("desktop");
    QDBusConnection::disconnectFromBus("console");
    m_daemon.kill();
    m_daemon.waitForFinished();
  }
  QDBusConnection bus(const char* name) { return QDBusConnection::connectToBus(m_address, name); }
  void serve(const char* service, const char* path, QObject* object) {
    QDBusConnection desktop = bus("desktop");
    ASSERT_TRUE(desktop.registerObject(path, object, QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals));
    ASSERT_TRUE(desktop.registerService(service));
  }
  DesktopMessage message(Severity severity = Severity::kError) {
    return {.id = "a", .title = "error: <b>x</b>", .text = "rank 3 & rank 4", .severity = severity, .open = [this] { ++opened; }};
  }
  int opened = 0;

 private:
  QProcess m_daemon;
  QString m_address;
};

TEST_F(DesktopNotifierTest, ThePortalGetsPlainTextAndAClickOpens) {
  FakePortal portal;
  FakeServer server;
  serve("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", &portal);
  serve("org.freedesktop.Notifications", "/org/freedesktop/Notifications", &server);
  DesktopNotifier notifier(bus("console"));
  notifier.show(message());
  ASSERT_TRUE(waitFor([&] { return !portal.ids.isEmpty(); }));
  EXPECT_EQ(portal.newest["title"].toString(), "error: <b>x</b>");
  EXPECT_EQ(portal.newest["body"].toString(), "rank 3 & rank 4");
  EXPECT_EQ(portal.newest["priority"].toString(), "high");
  emit portal.ActionInvoked("another program's", "default", {});
  emit portal.ActionInvoked("a", "default", {});
  ASSERT_TRUE(waitFor([&] { return opened > 0; }));
  EXPECT_EQ(opened, 1);
  EXPECT_EQ(server.calls, 0);
}

TEST_F(DesktopNotifierTest, WithoutAPortalTheServerGetsEscapedTextAndNoSoundUnlessAskedFor) {
  FakeServer server;
  serve("org.freedesktop.Notifications", "/org/freedesktop/Notifications", &server);
  DesktopNotifier notifier(bus("console"));
  notifier.show(message(Severity::kCritical));
  ASSERT_TRUE(waitFor([&] { return server.calls == 1; }));
  EXPECT_EQ(server.text, "rank 3 &amp; rank 4");
  EXPECT_TRUE(server.hints["suppress-sound"].toBool());
  EXPECT_EQ(server.hints["urgency"].toInt(), 2);
  EXPECT_EQ(server.replaces, 0U);
  ASSERT_TRUE(waitFor([&] {
    emit server.ActionInvoked(42, "default");
    return opened > 0;
  }));
  DesktopMessage loud = message();
  loud.sound = true;
  notifier.show(loud);
  ASSERT_TRUE(waitFor([&] { return server.calls == 2; }));
  EXPECT_EQ(server.replaces, 42U) << "the same message again replaces the one on screen";
  EXPECT_EQ(server.hints["sound-name"].toString(), "dialog-error");
  EXPECT_FALSE(server.hints.contains("suppress-sound"));
}

TEST_F(DesktopNotifierTest, WithNeitherNothingHappens) {
  FakePortal late;
  DesktopNotifier notifier(bus("console"));
  notifier.show(message());
  serve("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", &late);
  DesktopMessage second = message();
  second.id = "b";
  notifier.show(second);
  ASSERT_TRUE(waitFor([&] { return late.ids.contains("b"); }));
  DesktopNotifier unconnected(QDBusConnection("no such bus"));
  unconnected.show(message());
}

}  // namespace
}  // namespace runglass

#include "desktop_notifier_test.moc"
