// SPDX-License-Identifier: GPL-3.0-or-later
// Console: one window over one store at a time, and the way from the command line to what it shows.
//
// Threading:  GUI thread.
// Ownership:  owns session and window; a new store replaces both.
// Units:      none.
// Errors:     placed(): the Status of going to the place, OK or what the store does not have.
// Cost:       as MainWindow and StoreSession.
#pragma once

#include <QObject>
#include <QSettings>
#include <functional>
#include <memory>
#include <optional>

#include "app/console/place.h"
#include "app/console/store_session.h"
#include "widgets/frame/main_window.h"

namespace runglass {

class Console : public QObject {
  Q_OBJECT

 public:
  // `settings` may be null: nothing is remembered. An empty `session.store` opens the window that asks for one.
  Console(const SessionOptions& session, const Place& place, QSettings* settings);
  ~Console() override;

  MainWindow& window() { return *m_window; }
  // Absent until the store has answered; then OK or why the place does not exist.
  const std::optional<Status>& placed() const { return m_placed; }

 signals:
  void placedChanged();

 private:
  void open(const SessionOptions& session, const Place& place);
  void goTo(const Place& place);

  QSettings* m_settings;
  ControlTarget m_control;
  std::unique_ptr<StoreSession> m_session;
  std::unique_ptr<MainWindow> m_window;
  std::optional<Status> m_placed;
  std::unique_ptr<QuerySlot> m_slot;
};

}  // namespace runglass
