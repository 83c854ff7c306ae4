// SPDX-License-Identifier: GPL-3.0-or-later
// StoreSession: one store as the console holds it: a hub that writes it (live), a copy of what a hub elsewhere has, or readers of what is
// or was written.
//
// Threading:  GUI thread; the hub starts and stops on a thread of its own, Readers open on query workers and wait for it there.
// Ownership:  owns hub and query service; outlives every window that shows it.
// Units:      as StatusSource.
// Errors:     a store that another process writes is read instead, and a hub that cannot listen is given up for reading: both are told by
//             status().problem. A store that cannot be read, or that is no copy of the hub's, is the answer of every query. A hub that
//             cannot be had is asked again, for as long as the session lives.
// Cost:       the destructor waits for running queries to stop and for the hub to close the store; close() leaves that to another thread.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/scraping.h"
#include "app/console/store_edits.h"
#include "app/console/store_share.h"
#include "collectors/hub/replica/mirror.h"
#include "collectors/hub/server/hub.h"
#include "collectors/hub/watch/watch.h"
#include "collectors/wire/control_client.h"
#include "storage/store_files.h"
#include "widgets/core/query_service.h"
#include "widgets/frame/status_source.h"
#include "widgets/welcome/hub_address.h"

namespace runglass {

// A hub elsewhere whose store is copied into this one.
struct Following {
  ControlTarget hub;
  HubAddress entered;     // the same, as paths
  bool any_copy = false;  // nobody named the file: of another store of that hub it is left alone, and another one is taken
};

struct SessionOptions {
  std::string store;
  std::optional<HubOptions> hub = std::nullopt;           // present: write the store and receive agents
  std::vector<ScrapeTarget> scrape = {};                  // by that hub
  AlertOptions alerts = defaultAlerts(true);              // of that hub
  std::function<void(const AlertMessage&)> desktop = {};  // shows a message; called on the hub's thread
  ControlTarget control = {};                             // how to ask the hub of another process; its address is in the store's lock
  std::optional<Following> follow = std::nullopt;         // not together with `hub`
  std::vector<std::shared_future<void>> after = {};       // the store is opened once these are done: sessions that use it still
};

// How to read and edit the store, known once the hub has started or failed.
struct StoreAccess {
  ReaderOptions reader;
  std::shared_ptr<Hub> hub;
  std::shared_ptr<Scraper> scraper;  // into the hub; null where there is nothing to scrape
  std::shared_ptr<Watch> watch;      // of the hub; after it, because it borrows it
  std::shared_ptr<Mirror> mirror;    // of the hub that is followed, where this process does it
  Status failed;                     // not OK: this store is not to be read
  bool writable = true;
  std::string problem;                // why there is no hub although one was wanted
  std::optional<StoreHolder> holder;  // the process that writes the store, where it is another one
};

class StoreSession : public StatusSource {
 public:
  explicit StoreSession(SessionOptions options);
  ~StoreSession() override;
  // Ends the session for the GUI thread: nothing comes back from then on, and it may only be destroyed. The function that it returns waits
  // for running work and for the hub to close the store, on whichever thread calls it.
  [[nodiscard]] std::function<void()> close();

  QueryService& queries() { return *m_queries; }
  EditPort& edits() { return *m_edits; }
  OrderPort& orders() { return *m_edits; }
  SharePort& share() { return *m_share; }
  SourceStatus status() override;
  const std::string& store() const { return m_options.store; }
  bool writes() const { return m_options.hub.has_value(); }
  const std::optional<Following>& follows() const { return m_options.follow; }
  // How that goes; absent: nothing is followed, another process does it, or it has not begun.
  std::optional<MirrorStatus> followed() const;
  // The hub's time where one is followed. It stands still while the line is cut: what was not heard because of that is not silent.
  TimeNs now() const;
  // Blocks for the targets' timeouts: on a thread of its own. Lines for people.
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
  bool m_holder_ended = false;  // of the access
  const TimeNs m_start = monotonicNow();
  // Rate of the newest whole second: of the own hub samples, of one that is followed bytes.
  TimeNs m_rate_begin = 0;
  std::int64_t m_rate_arrived = 0;
  std::optional<double> m_arrived_per_s;
};

}  // namespace runglass
