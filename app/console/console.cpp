// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The window goes before the session that it reads from. 2. A view is shown before the store has answered: loading is a
// state of the view, not of the console.
#include "app/console/console.h"

#include <unistd.h>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QStyle>

#include <algorithm>
#include <functional>
#include <limits>

#include "app/console/gui_thread.h"
#include "app/console/this_host.h"
#include "app/hub_arguments.h"
#include "model/shared_filesystem.h"
#include "widgets/core/units.h"
#include "widgets/frame/registry.h"

namespace runglass {
namespace {
const QString kDefaultPlace = QStringLiteral("watch");

const QString kStores = QStringLiteral("stores");

QString storeKey(const std::string& store_uuid) { return kStores + u'/' + QString::fromStdString(store_uuid); }

struct Destination {
  Place place;
  Selection selection;
  std::string store_uuid;
};

}  // namespace

std::string Console::rememberedStore(const QSettings* settings, const std::string& store_uuid) {
  return settings == nullptr ? std::string() : settings->value(storeKey(store_uuid)).toString().toStdString();
}

Console::Console(const SessionOptions& session, const Place& place, QSettings* settings) : m_settings(settings) { open(session, place); }

Console::~Console() {
  m_slot.reset();
  m_test_stop.request_stop();
  m_testing.waitForDone();
  m_window.reset();
}

void Console::open(const SessionOptions& session, const Place& place, const QStringList& dropped) {
  m_slot = std::make_unique<QuerySlot>();
  m_test_stop.request_stop();
  m_testing.waitForDone();
  m_test_stop = {};
  m_window.reset();
  m_session.reset();
  m_placed.reset();
  m_control = session.control;
  m_store = session.store;
  WindowOptions options;
  options.settings = m_settings;
  if (!session.store.empty()) {
    SessionOptions with = session;
    // Called on the hub's thread, perhaps while this window goes.
    with.desktop = [show = onGuiThread<AlertMessage>(this, [this](const AlertMessage& message) {
                      showAlert(screenText(message.title, 300), QString::fromStdString(message.text), message.link, message.severity);
                    })](const AlertMessage& message) { show(message); };
    m_session = std::make_unique<StoreSession>(with);
    options.queries = &m_session->queries();
    options.edits = &m_session->edits();
    options.orders = &m_session->orders();
    options.share = &m_session->share();
    options.status = m_session.get();
    if (m_session->writes())
      options.test_alerts = [this](QObject* context, std::function<void(const QString&)> done) {
        m_testing.start([session = m_session.get(), stop = m_test_stop.get_token(), tell = onGuiThread<QString>(context, std::move(done))] {
          tell(QString::fromStdString(session->testAlerts(stop)));
        });
      };
  }
  if (!m_session) options.welcome = welcome(dropped);
  m_window = std::make_unique<MainWindow>(options);
  // Later, because the window that asks is replaced by it.
  connect(
      m_window.get(), &MainWindow::openStoreRequested, this,
      [this](const QString& path) {
        open({.store = path.toStdString(), .control = m_control}, {});
        m_window->show();
      },
      Qt::QueuedConnection);
  const auto replace = [this](const SessionOptions& with, const QStringList& paths) {
    open(with, {}, paths);
    m_window->show();
  };
  connect(
      m_window.get(), &MainWindow::startPageRequested, this, [=] { replace({}, {}); }, Qt::QueuedConnection);
  connect(m_window.get(), &MainWindow::importRequested, this, &Console::importDropped, Qt::QueuedConnection);
  connect(m_window.get(), &MainWindow::listenRequested, this, &Console::listen, Qt::QueuedConnection);
  if (m_session) goTo(place);
}

WelcomeOptions Console::welcome(const QStringList& dropped) {
  WelcomeOptions options{.maker = &m_maker, .to_list = dropped};
  options.folder = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) + QStringLiteral("/runglass");
  // Homes of clusters lie on NFS, where no store can be written.
  if (!sharedFilesystem(QStandardPaths::writableLocation(QStandardPaths::HomeLocation).toStdString()).empty())
    options.folder = QStringLiteral("/var/tmp/runglass-") + QString::number(getuid());
  options.secrets = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/runglass");
  options.hosts = namesOfThisHost();
  if (m_settings == nullptr) return options;
  m_settings->beginGroup(kStores);
  for (const QString& uuid : m_settings->childKeys())
    if (const QString path = m_settings->value(uuid).toString(); QFileInfo(path).isFile()) options.recent << path;
  m_settings->endGroup();
  std::ranges::sort(options.recent, std::greater(), [](const QString& path) { return QFileInfo(path).lastModified(); });
  return options;
}

// Whoever receives a run must not lose it to a dropped file.
void Console::importDropped(const QStringList& paths) {
  if (m_session && m_session->writes()) {
    m_window->showToast(tr("Not imported"), tr("This window receives a run. Drop the files on another window, or use runglassctl import."),
                        Severity::kWarning);
    return;
  }
  open({}, {}, paths);
  m_window->show();
}

void Console::listen(const ListenOptions& hub) {
  SessionOptions session{.store = hub.store.toStdString(), .control = m_control};
  session.hub = HubOptions{.listen = hub.listen.toStdString()};
  if (!hub.trust.isEmpty()) setTrust(*session.hub, hub.trust.toStdString());
  QDir().mkpath(QFileInfo(hub.store).absolutePath());
  open(session, {});
  m_window->show();
}

void Console::goTo(const Place& place) {
  m_window->showPlace(place.view.empty() ? kDefaultPlace : QString::fromStdString(place.view));
  m_window->showTab(QString::fromStdString(place.tab));
  m_session->queries().submit<Destination>(
      *m_slot, QueryService::Supersede::kCancelOlder,
      [place](Reader& reader, std::stop_token) -> Result<Destination> {
        Destination destination;
        RG_ASSIGN(destination.place, placeToOpen(reader, place));
        RG_ASSIGN(destination.selection, resolvePlace(reader, destination.place));
        RG_ASSIGN(StoreInfo info, reader.info());
        destination.store_uuid = std::move(info.store_uuid);
        return destination;
      },
      [this, asked = place.view](const Result<std::shared_ptr<const Destination>>& answer) {
        m_placed = answer.status();
        if (answer.ok()) {
          const Place& place = (*answer)->place;
          remember((*answer)->store_uuid);
          if (place.view != asked && findView(place.view) != nullptr) m_window->showPlace(QString::fromStdString(place.view));
          m_window->state().select((*answer)->selection);
          const TimeRange extent = m_window->state().extent().value_or(TimeRange{});
          m_window->state().setMoment(place.at);
          if (place.t0 || place.t1) m_window->state().setWindow({place.t0.value_or(extent.t0), place.t1.value_or(extent.t1)});
        }
        emit placedChanged();
      });
}

// So that a link, which names the store by its uuid, finds the file.
void Console::remember(const std::string& store_uuid) const {
  if (m_settings == nullptr || store_uuid.empty()) return;
  m_settings->setValue(storeKey(store_uuid), QFileInfo(QString::fromStdString(m_store)).absoluteFilePath());
}

void Console::showAlert(const QString& title, const QString& text, const std::string& link, Severity severity) {
  m_newest_link = link;
  // Without the title, which stands above, and the link, which a click follows.
  const QString body = text.section(u'\n', 1).section(u'\n', 0, -3);
  m_window->showToast(title, body, severity, [this, link] { followLink(link); });
  if (!QSystemTrayIcon::isSystemTrayAvailable()) return;
  if (m_tray == nullptr) {
    m_tray = new QSystemTrayIcon(m_window->style()->standardIcon(QStyle::SP_MessageBoxWarning), this);
    connect(m_tray, &QSystemTrayIcon::messageClicked, this, [this] { followLink(m_newest_link); });
    m_tray->show();
  }
  // Desktops render markup, and the text has lines of logs in it.
  m_tray->showMessage(title, body.toHtmlEscaped(), severity >= Severity::kError ? QSystemTrayIcon::Critical : QSystemTrayIcon::Warning);
}

void Console::followLink(const std::string& link) {
  const Result<PlaceLink> parsed = parseLink(link);
  const Result<Place> place = parsed.ok() ? placeOf(*parsed) : Result<Place>(parsed.status());
  if (place.ok()) goTo(*place);
  m_window->raise();
  m_window->activateWindow();
}

}  // namespace runglass
