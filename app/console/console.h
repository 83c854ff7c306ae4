// SPDX-License-Identifier: GPL-3.0-or-later
// Console: one window over one store at a time; resolves the command line to the place that it shows.
//
// Threading:  GUI thread.
// Ownership:  owns session and window; a new store replaces both. The destructor waits for sessions that are still closing.
// Errors:     placed(): OK, or which object of the place is not in the store.
// Cost:       as MainWindow and StoreSession.
#pragma once

#include <QObject>
#include <QSettings>
#include <QThreadPool>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "app/console/closing_sessions.h"
#include "app/console/console_store_maker.h"
#include "app/console/desktop_notifier.h"
#include "app/console/followed_hubs.h"
#include "app/console/place.h"
#include "app/console/store_repair.h"
#include "app/console/store_session.h"
#include "widgets/frame/main_window.h"

namespace runglass {

// The hub to connect to, and the file for its replica; empty: the previous one, or a new one.
struct ConnectOptions {
  HubAddress hub;
  std::string copy;
};
// Reads the token. INVALID_ARGUMENT: its file cannot be used.
Result<SessionOptions> sessionOf(const ConnectOptions& options);

class Console : public QObject {
  Q_OBJECT

 public:
  // `settings` may be null: nothing is remembered. With an empty `session.store`, the start page is shown.
  Console(const SessionOptions& session, const Place& place, QSettings* settings);
  ~Console() override;

  MainWindow& window() { return *m_window; }
  // The path at which this user last opened the store with this uuid; empty: never, or nothing is remembered.
  static std::string rememberedStore(const QSettings* settings, const std::string& store_uuid);
  // Of the current store; null: none.
  QueryService* queries() { return m_session ? &m_session->queries() : nullptr; }
  // Absent until the store has answered, or, with a hub, until the replica has all data that may contain the place; then OK or why the
  // place does not exist.
  const std::optional<Status>& placed() const { return m_placed; }
  // The state of replication from a hub; absent: this window has none.
  std::optional<MirrorStatus> followed() const { return m_session ? m_session->followed() : std::nullopt; }

 signals:
  void placedChanged();

 private:
  // Without a store: the start page, which lists `dropped` for an import.
  void open(const SessionOptions& session, const Place& place, const QStringList& dropped = {});
  void makeWindow(const QStringList& dropped);
  // The same in another language: texts of widgets are made once.
  void replaceWindow(Language language);
  WelcomeOptions welcome(const QStringList& dropped);
  void makeRepair();
  void importDropped(const QStringList& paths);
  void listen(const ListenOptions& hub);
  void connectTo(const HubAddress& hub);
  void lookAfterHub();
  void goTo(const Place& place);
  void remember(const StoreInfo& info) const;
  void showAlert(const AlertMessage& message);
  void notifyDesktop(const QString& id, const QString& title, const QString& text, Severity severity, const std::function<void()>& open);
  void followLink(const std::string& link);

  QSettings* m_settings;
  SessionOptions m_options;  // of m_session
  BackgroundStoreMaker m_maker;
  ControlTarget m_control;
  std::string m_store;
  Place m_place;                // as requested
  bool m_known_source = false;  // the source store of the replica is known
  QTimer m_hub_timer;           // while connected to a hub
  ClosingSessions m_closing;
  QThreadPool m_repairing;                // copies of damaged stores
  std::unique_ptr<StoreRepair> m_repair;  // of the current store
  std::unique_ptr<StoreSession> m_session;
  std::unique_ptr<MainWindow> m_window;
  std::optional<Status> m_placed;
  std::unique_ptr<QuerySlot> m_slot;
  DesktopNotifier m_desktop;
  std::stop_source m_test_stop;
  std::unique_ptr<QObject> m_alerts;  // receives the alerts of the current session
  QThreadPool m_testing;              // tests alert targets
};

}  // namespace runglass
