// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. The window is destroyed before the session that it reads from, and the session closes on another thread. 2. A view is
//             shown before the store has answered: loading is a state of the view, not of the console.
#include "app/console/console.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "app/cli/hub_arguments.h"
#include "app/console/gui_thread.h"
#include "app/console/this_host.h"
#include "storage/read/damage_log.h"
#include "storage/sqlite/damaged_pages.h"
#include "widgets/core/units.h"
#include "widgets/frame/view_registry.h"

namespace runglass {
namespace {
const QString kStores = QStringLiteral("stores");

QString storeKey(const std::string& store_uuid) { return kStores + u'/' + QString::fromStdString(store_uuid); }

constexpr int kHubPeriodMs = 100, kMakerPeriodMs = 200;

struct Destination {
  Place place;
  Selection selection;
  StoreInfo info;
};

}  // namespace

std::string Console::rememberedStore(const QSettings* settings, const std::string& store_uuid) {
  return settings == nullptr ? std::string() : settings->value(storeKey(store_uuid)).toString().toStdString();
}

Result<SessionOptions> sessionOf(const ConnectOptions& options) {
  SessionOptions session;
  Following follow{.hub = {}, .entered = options.hub, .any_copy = options.copy.empty()};
  RG_ASSIGN(follow.hub, targetOf(options.hub));
  session.store = follow.any_copy ? copyFile(knownHubs(nullptr).folder, follow.hub.hub) : options.copy;
  session.follow = std::move(follow);
  return session;
}

Console::Console(const SessionOptions& session, const Place& place, QSettings* settings) : m_settings(settings) {
  connect(&m_hub_timer, &QTimer::timeout, this, &Console::lookAfterHub);
  open(session, place);
}

Console::~Console() {
  m_slot.reset();
  m_test_stop.request_stop();
  m_window.reset();
  m_closing.add(std::move(m_session));
}

void Console::open(const SessionOptions& session, const Place& place, const QStringList& dropped) {
  m_slot = std::make_unique<QuerySlot>();
  m_test_stop.request_stop();
  m_test_stop = {};
  m_desktop.clear();  // their clicks refer to the window being destroyed
  m_window.reset();
  m_repair.reset();
  m_closing.add(std::move(m_session));
  m_alerts = std::make_unique<QObject>();
  m_placed.reset();
  m_known_source = false;
  m_control = session.control;
  m_store = session.store;
  m_place = place;
  m_hub_timer.stop();
  m_options = session;
  if (!session.store.empty()) {
    m_options.after = m_closing.before(session);
    // Called on the hub's thread, perhaps while this window goes.
    m_options.desktop = [show = onGuiThread<AlertMessage>(m_alerts.get(), [this](const AlertMessage& message) { showAlert(message); })](
                            const AlertMessage& message) { show(message); };
    m_session = std::make_unique<StoreSession>(m_options);
    makeRepair();
    if (session.follow) {
      m_hub_timer.start(kHubPeriodMs);
      if (m_settings != nullptr) rememberHub(*m_settings, session.follow->entered, QString::fromStdString(session.store));
    }
  }
  makeWindow(dropped);
  if (m_session) goTo(place);
}

void Console::makeWindow(const QStringList& dropped) {
  WindowOptions options;
  options.settings = m_settings;
  options.damage_notes = DamageLog::notes;
  options.damaged_page = [store = m_options.copy ? m_options.copy->path() : m_store] { return sqlite::damagedPageOf(store); };
  if (m_session) {
    options.queries = &m_session->queries();
    if (!m_options.copy) options.edits = &m_session->edits();  // an edit of the copy would be lost
    if (!m_options.copy) options.orders = &m_session->orders();
    options.repair = m_repair.get();
    if (m_options.copy) options.repaired_copy = m_options.copy->line();
    options.share = &m_session->share();
    options.status = m_session.get();
    if (m_options.follow) options.clock = [session = m_session.get()] { return session->now(); };
    if (m_session->writes())
      options.test_alerts = [this, with = m_options](QObject* context, std::function<void(const QString&)> done) {
        m_testing.start([with, stop = m_test_stop.get_token(), answer = onGuiThread<QString>(context, std::move(done))] {
          answer(QString::fromStdString(StoreSession::testAlerts(with, stop)));
        });
      };
  }
  if (!m_session) options.welcome = welcome(dropped);
  options.welcome.hubs = knownHubs(m_settings);
  options.notify = !m_session || !m_session->writes();
  if (m_settings != nullptr) options.forget_hub = [this](const QString& address) { forgetHub(*m_settings, address); };
  m_window = std::make_unique<MainWindow>(options);
  connect(m_window.get(), &MainWindow::noticed, this, &Console::notifyDesktop);
  // Queued, because it replaces the window that sends the signal.
  connect(
      m_window.get(), &MainWindow::openStoreRequested, this,
      [this](const QString& path) {
        // The first store of a window is shown at the place of the command line.
        open({.store = path.toStdString(), .control = m_control}, m_session ? Place() : Place(m_place));
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
  connect(
      m_window.get(), &MainWindow::languageChosen, this, [this] { replaceWindow(m_window->settings().language); }, Qt::QueuedConnection);
  connect(m_window.get(), &MainWindow::listenRequested, this, &Console::listen, Qt::QueuedConnection);
  connect(m_window.get(), &MainWindow::connectRequested, this, &Console::connectTo, Qt::QueuedConnection);
}

void Console::makeRepair() {
  const QString refusal =
      m_options.hub || m_options.follow ? tr("this window writes the store. Close it, then use runglassctl repair.") : QString();
  m_repair = std::make_unique<StoreRepair>(m_store, refusal, m_repairing, [this](std::shared_ptr<const RepairedFile> copy) {
    Place place;
    place.view = m_window->place().toStdString();
    open({.store = m_store, .control = m_control, .copy = std::move(copy)}, place);
    m_window->show();
  });
}

void Console::replaceWindow(Language language) {
  // The window has the progress of an import, and the button that stops it: it is replaced afterwards.
  if (m_maker.busy()) return QTimer::singleShot(kMakerPeriodMs, this, [this, language] { replaceWindow(language); });
  const ViewState shown = m_window->state().state();
  const std::optional<TimeRange> extent = m_window->state().extent();
  const QString view = m_window->place();
  const QByteArray geometry = m_window->saveGeometry();
  m_desktop.clear();
  m_window->docks().closeWindows();
  m_window.reset();
  setLanguage(language);
  makeWindow({});
  m_window->restoreGeometry(geometry);
  if (m_session) {
    m_window->state().setExtent(extent);
    m_window->state().takeOver(shown);
    m_window->showPlace(view);
  }
  m_window->show();
  m_window->showSettings(SettingsDialog::languageField());
}

WelcomeOptions Console::welcome(const QStringList& dropped) {
  WelcomeOptions options{.maker = &m_maker, .to_list = dropped, .metrics = std::exchange(m_options.metrics, {})};
  options.folder = storesFolder();
  options.secrets = QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation) + QStringLiteral("/runglass");
  options.hosts = namesOfThisHost();
  if (m_settings == nullptr) return options;
  m_settings->beginGroup(kStores);
  for (const QString& uuid : m_settings->childKeys())
    if (const QString path = m_settings->value(uuid).toString(); QFileInfo(path).isFile()) options.recent << path;
  m_settings->endGroup();
  options.recent.removeDuplicates();
  std::ranges::sort(options.recent, std::greater(), [](const QString& path) { return QFileInfo(path).lastModified(); });
  return options;
}

// A window that receives a run must not lose it because of a dropped file.
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

void Console::connectTo(const HubAddress& hub) {
  const Result<SessionOptions> session = sessionOf({.hub = hub, .copy = {}});
  if (!session.ok()) return m_window->showToast(tr("Not connected"), screenText(session.status().message()), Severity::kError);
  open(*session, {});
  m_window->show();
}

// Actions that need the state of the hub's connection.
void Console::lookAfterHub() {
  const std::optional<MirrorStatus> status = followed();
  if (!status) return;
  if (const Following& follow = *m_session->follows(); follow.any_copy && !status->other_source.empty()) {
    const std::string other = copyFile(knownHubs(nullptr).folder, follow.hub.hub, status->other_source);
    if (other == m_store) return m_hub_timer.stop();
    open({.store = other, .control = m_control, .follow = follow}, Place(m_place));
    m_window->show();
    m_window->showToast(tr("Another store"), tr("That hub writes another store than before: this is a copy of its own."), Severity::kInfo);
    return;
  }
  // A place that was missing may exist now.
  if (m_slot->busy()) return;
  if (!m_placed && (status->caught_up || status->refused)) return goTo(m_place);
  if (!m_placed || !status->caught_up || m_known_source) return;
  m_known_source = true;
  // The source store of this replica is known by now.
  m_session->queries().submit<StoreInfo>(
      *m_slot, QueryService::Supersede::kCancelOlder, [](Reader& reader, std::stop_token) { return reader.info(); },
      [this](const Result<std::shared_ptr<const StoreInfo>>& info) {
        if (info.ok()) remember(**info);
      });
}

void Console::goTo(const Place& place) {
  m_place = place;
  m_window->showPlace(place.view.empty() ? m_window->settings().start_view : QString::fromStdString(place.view));
  m_window->showTab(QString::fromStdString(place.tab));
  m_session->queries().submit<Destination>(
      *m_slot, QueryService::Supersede::kCancelOlder,
      [place](Reader& reader, std::stop_token) -> Result<Destination> {
        Destination destination;
        RG_ASSIGN(destination.place, placeToOpen(reader, place));
        RG_ASSIGN(destination.selection, resolvePlace(reader, destination.place));
        RG_ASSIGN(destination.info, reader.info());
        return destination;
      },
      [this, asked = place.view](const Result<std::shared_ptr<const Destination>>& answer) {
        // It may not have arrived yet.
        const std::optional<MirrorStatus> hub = followed();
        if (!answer.ok() && answer.status().code() == Code::kNotFound && hub && !hub->caught_up && !hub->refused) return;
        m_placed = answer.status();
        if (answer.ok()) {
          const Place& place = (*answer)->place;
          remember((*answer)->info);
          if (place.view != asked && findView(place.view) != nullptr) m_window->showPlace(QString::fromStdString(place.view));
          m_window->state().select((*answer)->selection);
          const TimeRange extent = m_window->state().extent().value_or(TimeRange{});
          m_window->state().setMoment(place.at);
          if (place.t0 || place.t1) m_window->state().setWindow({place.t0.value_or(extent.t0), place.t1.value_or(extent.t1)});
        }
        emit placedChanged();
      });
}

// So that a link, which names the store by its uuid, finds the file. For a replica, links name its source store.
void Console::remember(const StoreInfo& info) const {
  const std::string& uuid = info.mirror ? info.mirror->source_uuid : info.store_uuid;
  if (m_settings == nullptr || uuid.empty() || (m_session->follows() && !info.mirror)) return;
  const QString file = QFileInfo(QString::fromStdString(m_store)).absoluteFilePath();
  const QString known = m_settings->value(storeKey(uuid)).toString();
  // The store itself is preferred to a replica.
  if (info.mirror && !known.isEmpty() && known != file && QFileInfo(known).isFile() && !hubOfCopy(*m_settings, known)) return;
  m_settings->setValue(storeKey(uuid), file);
}

void Console::showAlert(const AlertMessage& message) {
  const QString title = screenText(message.title, 300);
  // Without the title, which is shown separately, and the link, which is opened by a click.
  const QString body = QString::fromStdString(message.text).section(u'\n', 1).section(u'\n', 0, -3);
  const auto open = [this, link = message.link] { followLink(link); };
  m_window->showNotice(title, body, message.severity, message.alerts.empty() ? std::string() : message.alerts.front().cause, open);
  notifyDesktop(QString::fromStdString(message.id), title, body, message.severity, open);
}

void Console::notifyDesktop(const QString& id, const QString& title, const QString& text, Severity severity,
                            const std::function<void()>& open) {
  m_desktop.show({.id = id, .title = title, .text = text, .severity = severity, .sound = m_window->settings().sound, .open = [this, open] {
                    open();
                    m_window->raise();
                    m_window->activateWindow();
                  }});
}

void Console::followLink(const std::string& link) {
  const Result<PlaceLink> parsed = parseLink(link);
  const Result<Place> place = parsed.ok() ? placeOf(*parsed) : Result<Place>(parsed.status());
  if (place.ok() && m_session != nullptr) goTo(*place);
  m_window->raise();
  m_window->activateWindow();
}

}  // namespace runglass
