// SPDX-License-Identifier: GPL-3.0-or-later
// Invariants:
// 1. What is posted to the hub owns its values: the hub's thread may run it after the Watch is gone.
#include "app/watch/watch.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>

namespace runglass {
namespace {

bool isStandstill(const FindingChange& change) {
  return change.what == FindingChange::What::kNew && !change.finding.end &&
         (change.finding.kind == "stall" || change.finding.kind == "hang");
}

void sleepFor(DurNs pause, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, std::chrono::nanoseconds(pause), [] { return false; });
}

}  // namespace

Watch::Watch(std::string store, Hub& hub, WatchOptions options)
    : m_store(std::move(store)), m_hub(hub), m_options(std::move(options)), m_analyses(m_options.analyses) {
  m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Watch::~Watch() { stop(); }

void Watch::stop() {
  m_thread.request_stop();
  if (m_thread.joinable()) m_thread.join();
}

WatchStats Watch::stats() const {
  const std::lock_guard lock(m_mutex);
  return m_stats;
}

void Watch::run(const std::stop_token& stop) {
  std::unique_ptr<Reader> reader;
  while (!stop.stop_requested()) {
    const TimeNs begin = monotonicNow();
    if (!reader) {
      auto opened = Reader::open(m_store, m_hub.readerOptions());
      if (opened.ok()) reader = std::move(opened).value();
    }
    if (reader) look(*reader, stop);
    const DurNs spent = monotonicNow() - begin;
    {
      const std::lock_guard lock(m_mutex);
      m_stats.last_round = spent;
      m_stats.busy += spent;
    }
    sleepFor(std::max(m_options.period - spent, spent), stop);
  }
}

void Watch::look(Reader& reader, const std::stop_token& stop) {
  const Result<LiveRound> round = m_analyses.round(reader, m_options.clock(), stop);
  {
    const std::lock_guard lock(m_mutex);
    ++m_stats.rounds;
    if (!round.ok()) ++m_stats.failed_rounds;
  }
  if (round.ok()) store(*round);
}

void Watch::store(const LiveRound& round) {
  std::vector<Finding> findings;
  std::int64_t fresh = 0;
  for (const FindingChange& change : round.changes) {
    if (change.what == FindingChange::What::kKnown) continue;
    fresh += change.what == FindingChange::What::kNew ? 1 : 0;
    findings.push_back(change.finding);
    if (!m_options.on_stall || !isStandstill(change)) continue;
    const auto run = std::ranges::find(round.live, change.finding.run, &Run::id);
    if (run != round.live.end()) m_options.on_stall(*run, change.finding);
  }
  {
    const std::lock_guard lock(m_mutex);
    m_stats.findings_new += fresh;
    m_stats.findings_changed += static_cast<std::int64_t>(findings.size()) - fresh;
  }
  if (findings.empty() && round.issues.empty()) return;
  m_hub.post([findings = std::move(findings), issues = round.issues](Writer& writer) {
    for (const Finding& finding : findings) writer.finding(finding);
    for (const Issue& issue : issues) writer.issue(issue);
  });
}

}  // namespace runglass
