// SPDX-License-Identifier: Apache-2.0
// Watch: what a hub does beside storing. Asks every analysis about every live run, looks for faults of machines without one, stores what
// the analyses find, notifies by the alert rules, and sends the heartbeat. Only the one who writes a store has one, so that two who
// follow a store never notify twice.
//
// Threading:  constructor, stop() and destructor from one thread; the work is done on a thread of its own. stats() from any.
// Ownership:  borrows the Hub, which outlives it.
// Units:      ns.
// Errors:     a store that cannot be read is tried again at the next round; what fails is an ingest issue (watch.*). Nothing stops it.
// Cost:       at most half a core: a round that took longer than half the period is followed by a pause as long as itself.
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
  // A run came to a stand: called once per `stall` or `hang` that is new and has no end, on the watch's thread, before the finding is
  // stored. For asking the run's nodes what every rank is doing, while they still can be asked. Must not block.
  std::function<void(const Run& run, const Finding& finding)> on_stall;
  // Of what people are told; without targets the history is kept and nobody is told.
  AlertOptions alerts = defaultAlerts(false);
  std::function<void(const AlertMessage&)> desktop;  // shows a message on the screen; called on the hub's thread, must not block
  std::function<TimeNs()> clock = wallNow;
};

// For on_stall: asks the run's nodes for a capture. What came of it stands in the store, an event per node.
std::function<void(const Run& run, const Finding& finding)> captureAtStall(Hub& hub);

struct WatchStats {
  std::int64_t rounds = 0, failed_rounds = 0;
  std::int64_t findings_new = 0, findings_changed = 0;  // written into the store
  DurNs last_round = 0, busy = 0;                       // time spent in rounds
  DurNs cpu = 0;                                        // of the watch's thread, all that it did
  Notifier::Stats alerts;
};

class Watch {
 public:
  Watch(std::string store, Hub& hub, WatchOptions options);
  ~Watch();
  // Ends the round that is going on; returns when its thread has ended. Later calls do nothing.
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
  std::vector<Finding> m_untold;                   // found, not yet seen by the notifier
  std::map<std::string, TimeNs> m_machine_faults;  // that the notifier has seen: begin of the newest by subject
  std::uint64_t m_reported_generation = 0;
  TimeNs m_reported_at = 0;  // monotonic
  mutable Mutex m_mutex;
  WatchStats m_stats RG_GUARDED_BY(m_mutex);
  std::unique_ptr<Deadman> m_deadman;
  std::jthread m_thread;  // last: it uses all of the above
};

}  // namespace runglass
