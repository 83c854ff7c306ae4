// SPDX-License-Identifier: GPL-3.0-or-later
// StoreSession: one store in the console: with a hub that writes it (live), as a replica of a remote hub's store, or with Readers only, for
// a store that another process writes or wrote.
//
// Threading:  GUI thread; the hub starts and stops on a separate thread, Readers open on query workers and wait for it there.
// Ownership:  owns hub and query service; outlives every window that shows it.
// Units:      as StatusSource.
// Errors:     a store that another process writes is opened for reading instead, and so is one whose hub cannot listen: status().problem
//             reports both. If a store cannot be read, or is not a replica of the hub's, every query returns that error. An unreachable hub
//             is retried as long as the session lives.
// Cost:       the destructor waits for running queries to stop and for the hub to close the store; close() leaves that to another thread.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/kubernetes_watching.h"
#include "app/cli/prometheus_recording.h"
#include "app/cli/receiving.h"
#include "app/cli/scraping.h"
#include "app/console/store_edits.h"
#include "app/console/store_repair.h"
#include "app/console/store_share.h"
#include "collectors/hub/replica/mirror.h"
#include "collectors/hub/server/hub.h"
#include "collectors/hub/watch/watch.h"
#include "collectors/wire/control_client.h"
#include "storage/store_files.h"
#include "widgets/core/query_service.h"
#include "widgets/frame/status_source.h"
#include "widgets/welcome/hub_address.h"
#include "widgets/welcome/store_maker.h"

namespace runglass {

// A remote hub whose store is replicated into this one.
struct Following {
  ControlTarget hub;
  HubAddress entered;     // the same, as entered (paths)
  bool any_copy = false;  // the user named no file: if it is a replica of another store, it is left unchanged and another file is used
};

struct SessionOptions {
  std::string store;
  std::optional<MetricsQuestion> metrics = std::nullopt;         // without a store: one is made of these and opened
  std::optional<HubOptions> hub = std::nullopt;                  // set: write the store and receive agents
  std::vector<ScrapeTarget> scrape = {};                         // for that hub
  std::optional<KubeSelection> kubernetes = std::nullopt;        // for that hub
  std::optional<PrometheusSelection> prometheus = std::nullopt;  // for that hub
  ReceiverAddresses receive = {};                                // of its receivers
  AlertOptions alerts = defaultAlerts(true);                     // for that hub
  std::function<void(const AlertMessage&)> desktop = {};         // shows a message; called on the hub's thread
  ControlTarget control = {};                          // how to reach the hub of another process; its address is in the store's lock
  std::optional<Following> follow = std::nullopt;      // not together with `hub`
  std::shared_ptr<const RepairedFile> copy = nullptr;  // of `store`, read in its place; it is removed when the session has closed
  std::vector<std::shared_future<void>> after = {};    // the store is opened after these sessions have closed: they still use it
};

// How to read and edit the store, determined once the hub has started or failed.
struct StoreAccess {
  ReaderOptions reader;
  std::shared_ptr<Hub> hub;
  std::shared_ptr<Scraper> scraper;            // into the hub; null without targets
  std::shared_ptr<Receivers> receivers;        // into the hub; null without an address
  std::shared_ptr<KubeWatch> kube_watch;       // into the hub; null without a cluster
  std::shared_ptr<MetricRecording> recording;  // into the hub; null without a Prometheus
  std::shared_ptr<Watch> watch;                // of the hub; declared after it, because it borrows it
  std::shared_ptr<Mirror> mirror;              // of the source hub, if this process replicates it
  Status failed;                               // not OK: this store cannot be read
  bool writable = true;
  std::string problem;                // why there is no hub although one was requested
  std::optional<StoreHolder> holder;  // the process that writes the store, if it is another one
};

class StoreSession : public StatusSource {
 public:
  explicit StoreSession(SessionOptions options);
  ~StoreSession() override;
  // Ends the session for the GUI thread: it sends no more results, and may only be destroyed. The returned function waits for running work
  // and for the hub to close the store, on the thread that calls it.
  [[nodiscard]] std::function<void()> close();

  QueryService& queries() { return *m_queries; }
  EditPort& edits() { return *m_edits; }
  OrderPort& orders() { return *m_edits; }
  SharePort& share() { return *m_share; }
  SourceStatus status() override;
  const std::string& store() const { return m_options.store; }
  bool writes() const { return m_options.hub.has_value(); }
  const std::optional<Following>& follows() const { return m_options.follow; }
  // State of replication; absent: not used, done by another process, or not started yet.
  std::optional<MirrorStatus> followed() const;
  // The source hub's time, if there is one. It stops while the connection is broken, so that nodes do not look silent because of that.
  TimeNs now() const;
  // Blocks for the targets' timeouts: call it on a separate thread. Returns lines of text.
  static std::string testAlerts(const SessionOptions& options, const std::stop_token& stop);

 private:
  static StoreAccess prepare(const SessionOptions& options);
  std::shared_ptr<const StoreAccess> ready() const;  // null while it is being prepared
  void describeFollowed(const StoreAccess* access, SourceStatus& status);
  void noteRate(std::int64_t arrived);

  const SessionOptions m_options;
  std::shared_future<std::shared_ptr<const StoreAccess>> m_access;
  std::jthread m_preparing;
  std::unique_ptr<QueryService> m_queries;
  std::unique_ptr<StoreEdits> m_edits;
  std::unique_ptr<StoreShare> m_share;
  bool m_holder_ended = false;  // state of the access
  const TimeNs m_start = monotonicNow();
  // Rate of the newest full second: samples for the own hub, bytes for a replica.
  TimeNs m_rate_begin = 0;
  std::int64_t m_rate_arrived = 0;
  std::optional<double> m_arrived_per_s;
};

}  // namespace runglass
