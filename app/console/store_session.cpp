// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. Query workers, their Readers, the edits, the scraper, the receivers and the watch are destroyed before the hub stops. 2.
// The GUI thread
//             never waits for m_access: it checks whether it is ready. 3. An unreachable hub never prevents reading. 4. The mirror is
//             destroyed last, after the edits and Readers of its replica.
#include "app/console/store_session.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>
#include <QCoreApplication>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "app/cli/agent_hint.h"
#include "app/cli/hub_problem.h"
#include "app/cli/store_access.h"
#include "app/console/this_host.h"
#include "collectors/hub/replica/followed_reader.h"
#include "storage/open_store.h"
#include "widgets/core/units.h"
#include "widgets/frame/source_words.h"

namespace runglass {
namespace {

struct SessionText {
  Q_DECLARE_TR_FUNCTIONS(SessionText)
};

constexpr int kWorkers = 3;
constexpr DurNs kRatePeriod = kNsPerSecond;
constexpr DurNs kRoundAndWay = 2 * kNsPerSecond;  // normal lag of a working connection
constexpr DurNs kLongCut = 60 * kNsPerSecond;

// As SQLite requires: a writable file in a folder where its -wal can be created.
bool isWritable(const std::string& store) {
  const std::string folder = std::filesystem::path(store).parent_path().string();
  return ::faccessat(AT_FDCWD, store.c_str(), W_OK, AT_EACCESS) == 0 &&
         ::faccessat(AT_FDCWD, folder.empty() ? "." : folder.c_str(), W_OK, AT_EACCESS) == 0;
}

// Replicated data is as private here as at its source.
void makeOwnFolder(const std::string& store) {
  const std::filesystem::path folder = std::filesystem::path(store).parent_path();
  std::error_code failed;  // opening the store reports it
  if (!folder.empty() && std::filesystem::create_directories(folder, failed))
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failed);
}

// The lock is checked only if the process does not exist: checking takes it briefly, which must not collide with a writer that is opening
// the store.
bool hasEnded(const StoreHolder& holder, const std::string& store) {
  const int pid = std::atoi(holder.pid.c_str());
  return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH && !holderOf(store);
}

// An address at which other machines reach a hub that listens on all interfaces.
QString reachable(const QString& address) {
  const qsizetype colon = address.lastIndexOf(u':');
  const QString host = address.left(colon);
  const QStringList names = namesOfThisHost();
  if ((host != QStringLiteral("0.0.0.0") && host != QStringLiteral("[::]")) || names.isEmpty()) return address;
  return names.front() + address.mid(colon);
}

}  // namespace

StoreSession::StoreSession(SessionOptions options)
    : m_options(std::move(options)), m_share(std::make_unique<StoreShare>(m_options.copy ? m_options.copy->path() : m_options.store)) {
  std::promise<std::shared_ptr<const StoreAccess>> promise;
  m_access = promise.get_future().share();
  m_preparing = std::jthread([promise = std::move(promise), options = m_options]() mutable {
    for (const std::shared_future<void>& earlier : options.after) earlier.wait();
    promise.set_value(std::make_shared<const StoreAccess>(prepare(options)));
  });
  const auto open = [access = m_access, store = m_options.store, copy = m_options.copy]() -> Result<std::unique_ptr<Reader>> {
    if (copy) return openCopy(copy->path(), store, copy->repair.page_checksums);
    const std::shared_ptr<const StoreAccess>& way = access.get();
    if (!way->failed.ok()) return way->failed;
    if (way->mirror) {
      RG_ASSIGN(auto copy, openStore(store).reader(way->reader));
      return followedReader(std::move(copy), way->mirror->questions());
    }
    if (way->hub) return openStore(store).reader(way->reader);
    return openForReading(store);
  };
  // While the connection is broken, most views use the data of the replica.
  QueryService::OpenReader copy_alone;
  if (m_options.follow) copy_alone = [access = m_access, store = m_options.store] { return openStore(store).reader(access.get()->reader); };
  m_queries = std::make_unique<QueryService>(open, kWorkers, nullptr, copy_alone);
  m_edits = std::make_unique<StoreEdits>(m_options.store, m_options.follow ? m_options.follow->hub : m_options.control, m_access);
}

StoreSession::~StoreSession() {
  if (m_queries) close()();
}

std::function<void()> StoreSession::close() {
  struct Rest {
    std::vector<std::jthread> queries;
    std::unique_ptr<StoreEdits> edits;
    std::unique_ptr<StoreShare> share;
    std::jthread preparing;
    std::shared_future<std::shared_ptr<const StoreAccess>> access;
    std::shared_ptr<const RepairedFile> copy;  // until all of these have ended
  };
  auto rest =
      std::make_shared<Rest>(m_queries->end(), std::move(m_edits), std::move(m_share), std::move(m_preparing), m_access, m_options.copy);
  m_queries.reset();
  return [rest] {
    rest->queries.clear();
    rest->edits.reset();
    rest->share.reset();
    rest->preparing.join();
    const std::shared_ptr<const StoreAccess>& access = rest->access.get();
    Status stopped;
    if (access->scraper) access->scraper->stop();
    if (access->receivers) access->receivers->stop();
    if (access->kube_watch) access->kube_watch->stop();
    if (access->recording) access->recording->stop();
    if (access->hub) {
      access->watch->stop();
      stopped = access->hub->stop();
    }
    if (access->mirror) stopped = access->mirror->stop();
    if (!stopped.ok()) std::fprintf(stderr, "runglass: %s\n", stopped.message().c_str());
  };
}

StoreAccess StoreSession::prepare(const SessionOptions& options) {
  StoreAccess access;
  if (options.hub) {
    auto hub = Hub::start(options.store, *options.hub);
    if (hub.ok()) {
      access.hub = std::move(hub).value();
      access.reader = access.hub->readerOptions();
      access.scraper = startScraper(*access.hub, options.store, options.scrape);
      auto receivers = startReceivers(*access.hub, options.store, options.receive, *options.hub);
      if (receivers.ok())
        access.receivers = std::move(*receivers);
      else
        std::fprintf(stderr, "runglass: %s\n", receivers.status().message().c_str());
      access.kube_watch = startKubeWatch(*access.hub, options.store, options.kubernetes);
      access.recording = startMetricRecording(*access.hub, options.store, options.prometheus);
      access.watch = std::make_shared<Watch>(
          options.store, *access.hub,
          WatchOptions{.on_stall = captureAtStall(*access.hub), .alerts = options.alerts, .desktop = options.desktop});
      std::printf("listening on %s\n%s\n", access.hub->address().c_str(), agentHint(access.hub->address(), *options.hub).c_str());
      std::fflush(stdout);
      return access;
    }
    access.problem = hub.status().message();
    std::fprintf(stderr, "runglass: no hub: %s\n", access.problem.c_str());
  }
  if (options.follow) {
    const auto say = [](const std::string& text) { std::fprintf(stderr, "runglass: %s\n", text.c_str()); };
    makeOwnFolder(options.store);
    const auto words = [hub = options.follow->hub](Code code, const std::string& text) { return hubProblemWords(code, text, hub); };
    auto mirror = Mirror::start({.store = options.store, .hub = options.follow->hub, .say = say, .words = words});
    if (mirror.ok()) {
      access.mirror = std::move(mirror).value();
      access.reader = access.mirror->readerOptions();
      return access;
    }
    // Another process or window already updates this file: read it together with that one.
    if (mirror.status().code() != Code::kAlreadyExists) {
      access.failed = mirror.status();
      access.writable = false;
      return access;
    }
  }
  access.holder = holderOf(options.store);
  access.writable = isWritable(options.store);
  return access;
}

std::string StoreSession::testAlerts(const SessionOptions& options, const std::stop_token& stop) {
  std::string lines;
  for (const TriedTarget& tried : tryTargets(options.alerts, {.uuid = "test", .path = options.store}, stop)) {
    // The reader of this text sees the desktop notification on the screen.
    const bool reported = tried.status.ok() || tried.status.code() == Code::kUnimplemented;
    lines += (lines.empty() ? "" : "\n") + tried.name + ": " +
             (reported ? QCoreApplication::translate("runglass::StoreSession", "sent").toStdString() : tried.status.message());
  }
  return lines;
}

std::shared_ptr<const StoreAccess> StoreSession::ready() const {
  if (m_access.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return nullptr;
  return m_access.get();
}

std::optional<MirrorStatus> StoreSession::followed() const {
  const std::shared_ptr<const StoreAccess> access = ready();
  return access && access->mirror ? std::optional(access->mirror->status()) : std::nullopt;
}

TimeNs StoreSession::now() const {
  const std::optional<MirrorStatus> status = followed();
  const TimeNs there = wallNow() + (status ? status->hub_ahead.value_or(0) : 0);
  if (!status || !status->complete) return there;
  // After a long absence, the ranks' current activity arrives long before all other data.
  if (status->connected && !status->caught_up && there - *status->complete > kLongCut) return there;
  return std::min(there, *status->complete + kRoundAndWay);
}

// The status of a replicated hub, from the first moment on.
void StoreSession::describeFollowed(const StoreAccess* access, SourceStatus& status) {
  FollowedSource& source = status.followed.emplace();
  source.hub = screenText(m_options.follow->hub.hub, 120);
  source.since_start = monotonicNow() - m_start;
  if (access == nullptr) return;
  const MirrorStatus mirror = access->mirror->status();
  source.connected = mirror.connected;
  source.refused = mirror.refused;
  source.age = mirror.age(wallNow());
  source.silent = mirror.silent;
  source.bytes = mirror.bytes;
  noteRate(mirror.bytes);
  source.bytes_per_s = m_arrived_per_s;
  if (mirror.problem.empty()) return;
  source.why = screenText(hubProblemText(mirror.code, mirror.problem, m_options.follow->hub), 600);
  // A connection that was established and will be again is for the status bar.
  if (mirror.refused || (mirror.connections == 0 && source.since_start > kLate))
    status.problem = mirror.refused ? source.why : SessionText::tr("%1 Trying again.").arg(source.why);
}

SourceStatus StoreSession::status() {
  SourceStatus status;
  const std::shared_ptr<const StoreAccess> access = ready();
  if (m_options.follow && (!access || access->mirror)) {
    describeFollowed(access.get(), status);
    return status;
  }
  if (!access) {
    status.role = SessionText::tr("opening …");
    return status;
  }
  if (!access->failed.ok()) {
    status.role = SessionText::tr("nothing");
    status.problem = screenText(access->failed.message(), 600);
    return status;
  }
  if (access->hub) {
    const HubStats stats = access->hub->stats();
    noteRate(stats.samples);
    status.role = SessionText::tr("hub on %1").arg(screenText(access->hub->address()));
    status.agents = static_cast<int>(stats.agents);
    status.listens = reachable(screenText(access->hub->address()));
    status.paired = !m_options.hub->tls_cert.empty();
    status.received = stats.samples;
    status.samples_per_s = m_arrived_per_s;
    if (stats.batches > 0) status.lag = stats.lag;
    status.dropped = stats.missing_batches + stats.bad_payloads;
    if (!stats.store_error.empty()) status.problem = SessionText::tr("Nothing is stored now: %1").arg(screenText(stats.store_error));
    return status;
  }
  if (m_options.copy) {
    status.role = SessionText::tr("repaired copy");
    status.stored = true;
    return status;
  }
  status.role = access->writable ? SessionText::tr("stored file") : SessionText::tr("stored file, read-only");
  if (access->holder && !m_holder_ended) m_holder_ended = hasEnded(*access->holder, m_options.store);
  if (access->holder && !m_holder_ended) {
    const QString pid = screenText(access->holder->pid, 20);
    status.role = SessionText::tr("reader: process %1 writes").arg(pid);
    status.written = true;
    if (access->holder->contact.empty())
      status.problem = SessionText::tr("Process %1 writes this store and takes no edits; this window reads along.").arg(pid);
  }
  status.stored = !status.written;
  if (!access->problem.empty())
    status.problem = SessionText::tr("No hub: %1. This window reads and receives nothing.").arg(screenText(access->problem));
  return status;
}

void StoreSession::noteRate(std::int64_t arrived) {
  const TimeNs now = monotonicNow();
  if (m_rate_begin != 0 && now - m_rate_begin < kRatePeriod) return;
  if (m_rate_begin != 0) m_arrived_per_s = static_cast<double>(arrived - m_rate_arrived) * 1e9 / static_cast<double>(now - m_rate_begin);
  m_rate_begin = now;
  m_rate_arrived = arrived;
}

}  // namespace runglass
