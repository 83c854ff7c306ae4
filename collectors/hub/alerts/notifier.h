// SPDX-License-Identifier: Apache-2.0
// Notifier: applies the rules to findings, events and metrics, keeps the history of alerts in the store, and sends notifications.
//
// Threading:  start() and step() on one thread, which may wait for the Reader; notifications are sent on the Courier's threads.
// Ownership:  owns state and courier; the destructor cancels pending notifications, which the next hub sends again.
// Units:      TimeNs.
// Errors:     those of the Reader; the next step continues. An alert that cannot be stored is sent all the same. Notifications that reached
//             no target are issue alert.not_reported, those withheld by a limit alert.held_back.
// Cost:       step(): O(changes + events of the last kNews of sufficient severity + causes).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analysis/one_fault/one_fault.h"
#include "collectors/hub/alerts/alert_message.h"
#include "collectors/hub/alerts/alert_state.h"
#include "collectors/hub/alerts/courier.h"
#include "collectors/hub/alerts/metric_watch.h"
#include "storage/reader.h"

namespace runglass {

// Passes rows and issues to the store's writer. Thread-safe, never blocks; `stored` is called on the writer's thread, or never if the hub
// ended.
using SaveAlerts = std::function<void(std::vector<Alert> rows, std::vector<Issue> issues, std::function<void(const Status&)> stored)>;

class Notifier {
 public:
  Notifier(AlertOptions options, CourierOptions courier, SaveAlerts save);
  ~Notifier();
  // `reader` is of `store`. Reads the alerts of an earlier hub. To be called again until it is OK, before the first step().
  Status start(Reader& reader, const std::string& store, TimeNs now);
  // `findings`: new or changed since the last step, or stored earlier and seen for the first time.
  Status step(Reader& reader, std::span<const Finding> findings, TimeNs now);
  // Stops sending while the store still accepts the results; later steps notify no target.
  void stop();

  // For metrics and tests.
  struct Stats {
    std::int64_t notifications = 0, held_back = 0, unkept = 0, not_reported = 0;
    std::size_t causes = 0;
  };
  Stats stats() const;

 private:
  struct Shared;
  void seeFinding(const Finding& finding, TimeNs now);
  Status seeEvents(Reader& reader, TimeNs now);
  Status readNames(Reader& reader);
  // Whether the names of its node, device, run and attempt have been read.
  bool isNamed(const Event& event) const;
  // Without the faults that it follows from.
  Trouble troubleOf(const Event& event) const;
  void send(std::vector<Notification> notifications, TimeNs now);

  const std::shared_ptr<Shared> m_shared;  // shared with the courier's threads and the store's writer
  const SaveAlerts m_save;
  StoreName m_store;
  MetricWatch m_metrics;
  TimeNs m_metrics_looked = 0, m_names_read = 0;
  std::optional<Severity> m_events_from;  // minimum severity over all rules for events
  std::uint64_t m_events_generation = 0;
  std::map<RunId, Run> m_runs;
  std::map<AttemptId, Attempt> m_attempts;
  std::map<NodeId, Node> m_nodes;
  std::map<DeviceId, Device> m_devices;
  OneFault m_one_fault;
  std::int64_t m_reported_unkept = 0;
  TimeNs m_reported_held_back = 0;
  std::int64_t m_held_back = 0;
  std::shared_ptr<Courier> m_courier;  // shared: during destruction the store's writer may still pass it messages
};

}  // namespace runglass
