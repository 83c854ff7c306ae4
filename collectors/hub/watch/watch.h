// SPDX-License-Identifier: Apache-2.0
// Watch: the hub's periodic work besides storing. Runs every analysis on every live run, detects machine faults outside of runs, stores the
// findings, notifies by the alert rules, and sends the heartbeat. Only the writer of a store has one, so that two replicas of a store never
// notify twice.
//
// Threading:  constructor, stop() and destructor from one thread; the work is done on a separate one. stats() from any.
// Ownership:  borrows the Hub, which outlives it.
// Units:      ns.
// Errors:     an unreadable store is tried again in the next round; failures are ingest issues (watch.*). None of them stops the Watch.
// Cost:       at most half a core: after a round longer than half the period, the pause is as long as the round.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "analysis/engine/analysis.h"
#include "collectors/hub/alerts/deadman.h"
#include "collectors/hub/alerts/notifier.h"
#include "collectors/hub/server/hub.h"
#include "collectors/hub/watch/live_analyses.h"
#include "model/mutex.h"

namespace runglass {

struct WatchOptions {
  std::span<const AnalysisEntry> analyses = runglass::analyses();
  DurNs period = 2 * kNsPerSecond;
  // A run has stopped: called once per new `stall` or `hang` without an end, on the watch's thread, before the finding is stored. For
  // requesting the state of every rank while its node still answers. Must not block.
  std::function<void(const Run& run, const Finding& finding)> on_stall;
  // Alert rules; without targets the history is kept and no notification is sent.
  AlertOptions alerts = defaultAlerts(false);
  std::function<void(const AlertMessage&)> desktop;  // shows a message on the screen; called on the hub's thread, must not block
  std::function<TimeNs()> clock = wallNow;
};

// For on_stall: requests a capture from the run's nodes. The store gets an event per node with the result.
std::function<void(const Run& run, const Finding& finding)> captureAtStall(Hub& hub);

struct WatchStats {
  std::int64_t rounds = 0, failed_rounds = 0;
  std::int64_t findings_new = 0, findings_changed = 0;  // written to the store
  DurNs last_round = 0, busy = 0;                       // time spent in rounds
  DurNs cpu = 0;                                        // of the watch's thread, all its work
  Notifier::Stats alerts;
};

class Watch {
 public:
  Watch(std::string store, Hub& hub, WatchOptions options);
  ~Watch();
  // Ends the current round; returns when the thread has ended. Later calls do nothing.
  void stop();
  WatchStats stats() const;

 private:
  void run(const std::stop_token& stop);
  bool prepare(std::unique_ptr<Reader>& reader);
  void look(Reader& reader, const std::stop_token& stop);
  void store(const LiveRound& round, TimeNs now);
  void lookAtMachines(Reader& reader, TimeNs now, const std::stop_token& stop);
  void tell(Reader& reader);
  void startDeadman();

  const std::string m_store;
  Hub& m_hub;
  const WatchOptions m_options;
  LiveAnalyses m_analyses;
  Notifier m_notifier;
  bool m_notifier_started = false;
  std::vector<Finding> m_untold;                   // not yet passed to the notifier
  std::map<std::string, TimeNs> m_machine_faults;  // passed to the notifier: start of the newest by subject
  std::uint64_t m_reported_generation = 0;
  TimeNs m_reported_at = 0;  // monotonic
  mutable Mutex m_mutex;
  WatchStats m_stats RG_GUARDED_BY(m_mutex);
  std::unique_ptr<Deadman> m_deadman;
  std::jthread m_thread;  // last: it uses all of the above
};

}  // namespace runglass
