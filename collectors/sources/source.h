// SPDX-License-Identifier: Apache-2.0
// Source: reads data on an agent's node periodically into a Recorder.
//
// Threading:  the agent gives every Source a thread and a Recorder; start() and poll() run on that thread and may block it.
// Ownership:  context and Recorder outlive the Source.
// Units:      ns. Stamp with context.now(), never with wall time: context.now() does not step.
// Errors:     start(): UNAVAILABLE "not on this machine" is normal: the agent records the message once as an ingest issue and drops the
//             source; any other error likewise, as a warning. poll() records anomalies as issues and continues.
// Cost:       documented by each source, per poll.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "collectors/sources/lease_claims.h"
#include "collectors/sources/order_queue.h"
#include "collectors/sources/rank_table.h"
#include "collectors/sources/recent_faults.h"
#include "collectors/sources/tailed_files.h"
#include "model/recorder.h"

namespace runglass {

struct SourceContext {
  Node node;                       // this machine, as declared
  std::function<TimeNs()> now;     // session anchor + CLOCK_MONOTONIC
  const toml::table* config;       // the source's own table, e.g. [source.nvml]; never null
  std::string state_dir;           // for data that must survive a restart of the agent
  std::string root = "/";          // prefix of /proc and /sys, so that tests replay recorded trees
  RankTable* ranks = nullptr;      // of this agent; null: sources do not share ranks
  OrderQueue* orders = nullptr;    // of this agent; null: it gets no commands
  RecentFaults* faults = nullptr;  // of this agent; null: each source records all faults that it sees
  LeaseClaims* leases = nullptr;   // of this agent; null: it tails files on shared filesystems like local ones
  TailedFiles* tailed = nullptr;   // of this agent; null: sources do not know which files others tail
};

class Source {
 public:
  virtual ~Source() = default;
  virtual std::string_view name() const = 0;
  // Registers the files that the configuration names, before any source starts; on the agent's thread.
  virtual void claim(const SourceContext&) {}
  virtual Status start(Recorder& out, const SourceContext& context) = 0;
  // Reads due data; returns the context.now() time of the next call.
  virtual TimeNs poll(Recorder& out, TimeNs now) = 0;
  virtual void stop(Recorder&) {}  // final records at a graceful stop
};

// Every source, one line each in registry.cpp; names are the config's [source.NAME] tables.
struct SourceEntry {
  std::string_view name;
  std::unique_ptr<Source> (*make)();
  bool on_by_default;
};
const std::vector<SourceEntry>& sources();

}  // namespace runglass
