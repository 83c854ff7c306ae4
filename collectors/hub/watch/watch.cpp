// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Actions posted to the hub own their values: the hub's thread may run them after the Watch is destroyed.
#include "collectors/hub/watch/watch.h"

#include <time.h>

#include <algorithm>
#include <chrono>
#include <future>

#include "analysis/hardware_faults/machine_faults.h"
#include "model/captures.h"
#include "model/orders.h"
#include "storage/open_store.h"

namespace runglass {
namespace {

bool isStandstill(const FindingChange& change) {
  return change.what == FindingChange::What::kNew && !change.finding.end &&
         (change.finding.kind == "stall" || change.finding.kind == "hang");
}

constexpr DurNs kTick = 200 * kNsPerMs;       // latency until an event is noticed
constexpr DurNs kTellAtLeast = kNsPerSecond;  // "for", snoozes and repeats end without a new event
constexpr auto kWriterPatience = std::chrono::seconds(5);
constexpr std::size_t kMaxUntold = 200'000;

DurNs threadTime() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<DurNs>(time.tv_sec) * kNsPerSecond + time.tv_nsec;
}

SaveAlerts saveThrough(Hub& hub) {
  return [&hub](std::vector<Alert> rows, std::vector<Issue> issues, std::function<void(const Status&)> stored) {
    hub.post([rows = std::move(rows), issues = std::move(issues), stored = std::move(stored)](Writer& writer) {
      for (const Issue& issue : issues) writer.issue(issue);
      stored(writer.alerts(rows));
    });
  };
}

}  // namespace

std::function<void(const Run&, const Finding&)> captureAtStall(Hub& hub) {
  return [&hub](const Run& run, const Finding&) {
    const auto why = static_cast<std::int64_t>(CaptureReason::kStall);
    hub.order({.kind = OrderKind::kCapture, .run = run.name, .ranks = {}, .number = why, .filter = {}}, [](const Result<OrderOutcome>&) {});
  };
}

Watch::Watch(std::string store, Hub& hub, WatchOptions options)
    : m_store(std::move(store)),
      m_hub(hub),
      m_options(std::move(options)),
      m_analyses(m_options.analyses),
      m_notifier(m_options.alerts, {.desktop = m_options.desktop, .done = {}}, saveThrough(hub)) {
  if (m_options.alerts.deadman) startDeadman();
  m_thread = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

Watch::~Watch() { stop(); }

void Watch::stop() {
  m_deadman.reset();
  m_thread.request_stop();
  if (m_thread.joinable()) m_thread.join();
  // Before the hub: notifications sent but not stored as sent would be sent again.
  m_notifier.stop();
}

WatchStats Watch::stats() const {
  const MutexLock lock(m_mutex);
  WatchStats stats = m_stats;
  stats.alerts = m_notifier.stats();
  return stats;
}

void Watch::startDeadman() {
  const auto alive = [&hub = m_hub]() -> Status {
    if (const std::string error = hub.stats().store_error; !error.empty()) return {Code::kUnavailable, "nothing is stored: " + error};
    // The writer's thread must answer too: a hanging disk gives no error.
    const auto answered = std::make_shared<std::promise<void>>();
    hub.post([answered](Writer&) { answered->set_value(); });
    if (answered->get_future().wait_for(kWriterPatience) == std::future_status::ready) return {};
    return {Code::kUnavailable, "nothing is stored: the store's writer does not answer"};
  };
  const auto say = [&hub = m_hub](const std::string& line) {
    if (line.empty()) return;
    hub.post([line](Writer& writer) {
      writer.issue({.code = "alert.deadman", .source = "hub", .first = wallNow(), .last = wallNow(), .detail = line});
    });
  };
  m_deadman = std::make_unique<Deadman>(*m_options.alerts.deadman, alive, say);
}

bool Watch::prepare(std::unique_ptr<Reader>& reader) {
  if (!reader) {
    auto opened = openStore(m_store).reader(m_hub.readerOptions());
    if (!opened.ok()) return false;
    reader = std::move(opened).value();
  }
  if (!m_notifier_started) m_notifier_started = m_notifier.start(*reader, m_store, m_options.clock()).ok();
  return true;
}

void Watch::run(const std::stop_token& stop) {
  std::unique_ptr<Reader> reader;
  TimeNs next_round = monotonicNow();
  while (!stop.stop_requested()) {
    const TimeNs begin = monotonicNow();
    const bool ready = prepare(reader);
    if (ready && begin >= next_round) {
      look(*reader, stop);
      const DurNs spent = monotonicNow() - begin;
      next_round = monotonicNow() + std::max(m_options.period - spent, spent);
      const MutexLock lock(m_mutex);
      m_stats.last_round = spent;
      m_stats.busy += spent;
    }
    if (ready && m_notifier_started && !stop.stop_requested()) tell(*reader);
    const DurNs spent = monotonicNow() - begin;
    {
      const MutexLock lock(m_mutex);
      m_stats.cpu = threadTime();
    }
    sleepUnlessStopped(stop, std::max(std::min(kTick, m_options.period) - spent, spent));
  }
}

void Watch::tell(Reader& reader) {
  const std::uint64_t generation = reader.generation();
  const TimeNs now = monotonicNow();
  if (m_untold.empty() && generation == m_reported_generation && now - m_reported_at < kTellAtLeast) return;
  m_reported_generation = generation;
  m_reported_at = now;
  // On failure the findings stay for the next attempt.
  if (m_notifier.step(reader, m_untold, m_options.clock()).ok()) m_untold.clear();
}

void Watch::look(Reader& reader, const std::stop_token& stop) {
  const TimeNs now = m_options.clock();
  const Result<LiveRound> round = m_analyses.round(reader, now, stop);
  {
    const MutexLock lock(m_mutex);
    ++m_stats.rounds;
    if (!round.ok()) ++m_stats.failed_rounds;
  }
  if (round.ok()) store(*round, now);
  lookAtMachines(reader, now, stop);
}

// After the runs: if a run reports the same fault, its finding has more evidence.
void Watch::lookAtMachines(Reader& reader, TimeNs now, const std::stop_token& stop) {
  const TimeNs from = now - AlertState::kNews;
  auto faults = machineFaults(reader, {.t0 = from}, stop);
  if (!faults.ok()) return;  // the next round tries again
  std::erase_if(m_machine_faults, [&](const auto& seen) { return seen.second < from; });
  for (Finding& fault : *faults) {
    TimeNs& seen = m_machine_faults.try_emplace(fault.subject, from).first->second;
    if (*fault.start <= seen || m_untold.size() >= kMaxUntold) continue;
    seen = *fault.start;
    m_untold.push_back(std::move(fault));
  }
}

void Watch::store(const LiveRound& round, TimeNs now) {
  std::vector<Finding> findings;
  std::int64_t fresh = 0;
  for (const FindingChange& change : round.changes) {
    if (m_untold.size() < kMaxUntold) m_untold.push_back(change.finding);
    if (change.what == FindingChange::What::kKnown) continue;
    fresh += change.what == FindingChange::What::kNew ? 1 : 0;
    findings.push_back(change.finding);
    findings.back().published = now;
    if (!m_options.on_stall || !isStandstill(change)) continue;
    const auto run = std::ranges::find(round.live, change.finding.run, &Run::id);
    if (run != round.live.end()) m_options.on_stall(*run, change.finding);
  }
  {
    const MutexLock lock(m_mutex);
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
