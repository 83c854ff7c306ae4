// SPDX-License-Identifier: GPL-3.0-or-later
// StatusSource: the frame's information about the source of the data; the application fills it from the hub.
//
// Threading:  GUI thread.
// Ownership:  owned by the application; outlives the window.
// Units:      samples per second, ns, counts since start.
// Errors:     none; an unknown value is absent.
// Cost:       called at 5 Hz; must not block.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "model/time.h"

namespace runglass {

// A remote hub whose store is replicated here.
struct FollowedSource {
  QString hub;  // its address
  bool connected = false;
  bool refused = false;         // permanently
  std::optional<DurNs> age;     // of the replica, by the hub's clock; absent: the first replication is not complete
  std::optional<DurNs> silent;  // since a connection last received data; absent: none has
  DurNs since_start = 0;        // since the first connection attempt
  std::optional<double> bytes_per_s;
  std::int64_t bytes = 0;  // on the wire, since start
  QString why;             // reason why no data arrives; empty: data arrives
};

struct SourceStatus {
  QString role;                         // "stored file", "hub on 127.0.0.1:4460", "reader: process 4711 writes"
  std::optional<int> agents;            // connected now
  QString listens;                      // the address at which agents reach the hub of this process; empty: no hub
  bool paired = false;                  // agents need the certificates of runglassctl pair
  std::int64_t received = 0;            // samples, since start
  std::optional<double> samples_per_s;  // accepted by the hub; absent: the frame derives it from the store
  std::optional<DurNs> lag;             // from the agent's read to storage, newest batch
  std::optional<std::int64_t> dropped;  // known losses in transit
  bool written = false;                 // by another process
  bool stored = false;                  // a file that no process writes
  std::optional<FollowedSource> followed;
  std::optional<QString> problem;  // one line to show as a banner: port in use, disk full, ...
};

class StatusSource {
 public:
  virtual ~StatusSource() = default;
  virtual SourceStatus status() = 0;
};

}  // namespace runglass
