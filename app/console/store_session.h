// SPDX-License-Identifier: GPL-3.0-or-later
// StoreSession: one store as the console holds it: a hub that writes it (live), or readers of what is or was written.
//
// Threading:  GUI thread; the hub starts and stops on a thread of its own, Readers open on query workers and wait for it there.
// Ownership:  owns hub and query service; outlives every window that shows it.
// Units:      as StatusSource.
// Errors:     a store that another process writes is read instead, and a hub that cannot listen is given up for reading: both are told by
//             status().problem. A store that cannot be read is the answer of every query.
// Cost:       the destructor waits for running queries to stop and for the hub to close the store.
#pragma once

#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "collectors/hub/hub.h"
#include "widgets/core/query_service.h"
#include "widgets/frame/status_source.h"

namespace runglass {

struct SessionOptions {
  std::string store;
  std::optional<HubOptions> hub;  // present: write the store and receive agents
};

class StoreSession : public StatusSource {
 public:
  explicit StoreSession(SessionOptions options);
  ~StoreSession() override;

  QueryService& queries() { return *m_queries; }
  SourceStatus status() override;

 private:
  // How to read the store, known once the hub has started or failed.
  struct Access {
    ReaderOptions reader;
    std::shared_ptr<Hub> hub;
    std::string problem;  // why there is no hub although one was wanted
    std::string writer;   // pid of the process that writes the store, where it is another one
  };
  static Access prepare(const SessionOptions& options);
  std::shared_ptr<const Access> ready() const;  // null while it is being prepared
  void noteRates(const HubStats& stats);

  const SessionOptions m_options;
  std::shared_future<std::shared_ptr<const Access>> m_access;
  std::jthread m_preparing;
  std::unique_ptr<QueryService> m_queries;
  // Rate of the newest whole second.
  TimeNs m_rate_begin = 0;
  std::int64_t m_rate_samples = 0;
  std::optional<double> m_samples_per_s;
};

}  // namespace runglass
