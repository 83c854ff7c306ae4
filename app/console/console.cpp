// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The window goes before the session that it reads from. 2. A view is shown before the store has answered: loading is a
// state of the view, not of the console.
#include "app/console/console.h"

#include <limits>

namespace runglass {
namespace {
const QString kDefaultPlace = QStringLiteral("watch");
}

Console::Console(const SessionOptions& session, const Place& place, QSettings* settings) : m_settings(settings) { open(session, place); }

Console::~Console() {
  m_slot.reset();
  m_window.reset();
}

void Console::open(const SessionOptions& session, const Place& place) {
  m_slot = std::make_unique<QuerySlot>();
  m_window.reset();
  m_session.reset();
  m_placed.reset();
  m_control = session.control;
  WindowOptions options;
  options.settings = m_settings;
  if (!session.store.empty()) {
    m_session = std::make_unique<StoreSession>(session);
    options.queries = &m_session->queries();
    options.edits = &m_session->edits();
    options.orders = &m_session->orders();
    options.status = m_session.get();
  }
  m_window = std::make_unique<MainWindow>(options);
  // Later, because the window that asks is replaced by it.
  connect(
      m_window.get(), &MainWindow::openStoreRequested, this,
      [this](const QString& path) {
        open({.store = path.toStdString(), .control = m_control}, {});
        m_window->show();
      },
      Qt::QueuedConnection);
  if (m_session) goTo(place);
}

void Console::goTo(const Place& place) {
  m_window->showPlace(place.view.empty() ? kDefaultPlace : QString::fromStdString(place.view));
  m_session->queries().submit<Selection>(
      *m_slot, QueryService::Supersede::kCancelOlder, [place](Reader& reader, std::stop_token) { return resolvePlace(reader, place); },
      [this, place](const Result<std::shared_ptr<const Selection>>& answer) {
        m_placed = answer.status();
        if (answer.ok()) {
          m_window->state().select(**answer);
          const TimeRange extent = m_window->state().extent().value_or(TimeRange{});
          if (place.t0 || place.t1) m_window->state().setWindow({place.t0.value_or(extent.t0), place.t1.value_or(extent.t1)});
        }
        emit placedChanged();
      });
}

}  // namespace runglass
