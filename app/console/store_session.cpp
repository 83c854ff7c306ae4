// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants: 1. Query workers and their Readers are gone before the hub stops. 2. The GUI thread never waits for m_access: it looks
// whether it is there. 3. A hub that cannot be had never prevents reading.
#include "app/console/store_session.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>

#include "app/ctl/store_access.h"
#include "storage/store_files.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr DurNs kRatePeriod = kNsPerSecond;

// The pid that holds the store's lock; empty: nobody does.
std::string writerOf(const std::string& store) {
  const int lock = ::open(lockPath(store).c_str(), O_RDONLY | O_CLOEXEC);
  if (lock < 0) return {};
  std::string pid;
  if (::flock(lock, LOCK_SH | LOCK_NB) != 0) {
    std::array<char, 16> text{};
    const ssize_t got = ::pread(lock, text.data(), text.size() - 1, 0);
    pid = got > 0 ? std::string(text.data()) : "unknown";
  }
  ::close(lock);  // gives the lock back
  return pid;
}

}  // namespace

StoreSession::StoreSession(SessionOptions options) : m_options(std::move(options)) {
  std::promise<std::shared_ptr<const Access>> promise;
  m_access = promise.get_future().share();
  m_preparing = std::jthread([promise = std::move(promise), options = m_options]() mutable {
    promise.set_value(std::make_shared<const Access>(prepare(options)));
  });
  m_queries = std::make_unique<QueryService>([access = m_access, store = m_options.store]() -> Result<std::unique_ptr<Reader>> {
    const std::shared_ptr<const Access>& way = access.get();
    if (way->hub) return Reader::open(store, way->reader);
    return ctl::openForReading(store);
  });
}

StoreSession::~StoreSession() {
  m_queries.reset();
  m_preparing.join();
  if (const auto access = m_access.get(); access->hub) {
    if (const Status stopped = access->hub->stop(); !stopped.ok()) std::fprintf(stderr, "runglass: %s\n", stopped.message().c_str());
  }
}

StoreSession::Access StoreSession::prepare(const SessionOptions& options) {
  Access access;
  if (options.hub) {
    auto hub = Hub::start(options.store, *options.hub);
    if (hub.ok()) {
      access.hub = std::move(hub).value();
      access.reader = access.hub->readerOptions();
      std::printf("listening on %s\n", access.hub->address().c_str());
      std::fflush(stdout);
      return access;
    }
    access.problem = hub.status().message();
    std::fprintf(stderr, "runglass: no hub: %s\n", access.problem.c_str());
  }
  access.writer = writerOf(options.store);
  return access;
}

std::shared_ptr<const StoreSession::Access> StoreSession::ready() const {
  if (m_access.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return nullptr;
  return m_access.get();
}

SourceStatus StoreSession::status() {
  SourceStatus status;
  const std::shared_ptr<const Access> access = ready();
  if (!access) {
    status.role = QStringLiteral("opening …");
    return status;
  }
  if (access->hub) {
    const HubStats stats = access->hub->stats();
    noteRates(stats);
    status.role = QStringLiteral("hub on %1").arg(screenText(access->hub->address()));
    status.agents = static_cast<int>(stats.agents);
    status.samples_per_s = m_samples_per_s;
    if (stats.batches > 0) status.lag = stats.lag;
    status.dropped = stats.missing_batches + stats.bad_payloads;
    if (!stats.store_error.empty()) status.problem = QStringLiteral("Nothing is stored now: %1").arg(screenText(stats.store_error));
    return status;
  }
  status.role = QStringLiteral("stored file");
  if (!access->writer.empty()) {
    const QString pid = screenText(access->writer, 20);
    status.role = QStringLiteral("reader: process %1 writes").arg(pid);
    status.problem = QStringLiteral("Process %1 writes this store; this window reads along and cannot change it.").arg(pid);
  }
  if (!access->problem.empty()) {
    const QString reading = access->writer.empty() ? QStringLiteral("No hub: %1. This window only reads.")
                                                   : QStringLiteral("No hub: %1. This window reads along and cannot change the store.");
    status.problem = reading.arg(screenText(access->problem));
  }
  return status;
}

void StoreSession::noteRates(const HubStats& stats) {
  const TimeNs now = monotonicNow();
  if (m_rate_begin != 0 && now - m_rate_begin < kRatePeriod) return;
  if (m_rate_begin != 0)
    m_samples_per_s = static_cast<double>(stats.samples - m_rate_samples) * 1e9 / static_cast<double>(now - m_rate_begin);
  m_rate_begin = now;
  m_rate_samples = stats.samples;
}

}  // namespace runglass
