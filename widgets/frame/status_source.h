// SPDX-License-Identifier: GPL-3.0-or-later
// StatusSource: what the frame shows about where data comes from; the application fills it from the hub.
//
// Threading:  GUI thread.
// Ownership:  the application's; outlives the window.
// Units:      samples per second, ns, counts since start.
// Errors:     none; what is not known is absent.
// Cost:       called at 5 Hz; must not wait.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "model/time.h"

namespace runglass {

// A hub elsewhere whose store is copied here.
struct FollowedSource {
  QString hub;  // its address
  bool connected = false;
  bool refused = false;         // it will not change its mind
  std::optional<DurNs> age;     // of what is here, by the hub's clock; absent: not all of it has come yet
  std::optional<DurNs> silent;  // since a connection last brought something; absent: none has
  DurNs since_start = 0;        // since we first asked
  std::optional<double> bytes_per_s;
  std::int64_t bytes = 0;  // on the wire, since start
  QString why;             // nothing comes; empty: something does
};

struct SourceStatus {
  QString role;                         // "stored file", "hub on 127.0.0.1:4460", "reader: process 4711 writes"
  std::optional<int> agents;            // connected now
  QString listens;                      // the address at which agents reach the hub of this process; empty: there is none
  bool paired = false;                  // agents need the certificates of runglassctl pair
  std::int64_t received = 0;            // samples, since start
  std::optional<double> samples_per_s;  // accepted by the hub; absent: the frame derives it from the store
  std::optional<DurNs> lag;             // agent's read to stored, newest batch
  std::optional<std::int64_t> dropped;  // lost on the way, as far as anyone knows
  bool written = false;                 // by another process
  std::optional<FollowedSource> followed;
  std::optional<QString> problem;  // one line to show as a banner: port in use, disk full, ...
};

class StatusSource {
 public:
  virtual ~StatusSource() = default;
  virtual SourceStatus status() = 0;
};

}  // namespace runglass
