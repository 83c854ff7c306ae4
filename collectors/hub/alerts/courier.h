// SPDX-License-Identifier: Apache-2.0
// Courier: brings messages to targets. Each target has a thread and a bounded queue of its own: one that never answers holds up nobody
// else.
//
// Threading:  send() from any thread, never blocks. `done` and `desktop` are called on the targets' threads, or inside send().
// Ownership:  owns its threads; the destructor breaks off what is being tried. What was not told then gets no `done`.
// Units:      ns.
// Errors:     a target that fails is tried again with exponential backoff and jitter until give_up_after; what another try cannot mend (an
//             address that is none, HTTP 4xx but 408 and 429, a program that is not there) is given up at once. `done` says what came of
//             it.
// Cost:       kMaxQueue messages a target; those beyond are given up at once.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "collectors/hub/alerts/alert_message.h"

namespace runglass {

struct CourierOptions {
  DurNs first_pause = kNsPerSecond;
  DurNs longest_pause = 60 * kNsPerSecond;
  DurNs give_up_after = 3'600 * kNsPerSecond;
  // Shows a message on the screen; empty: there is none, and desktop targets say so.
  std::function<void(const AlertMessage&)> desktop;
  // All targets of a message were notified, or retries ended. `delivery`: "pager: sent; mail: failed after 3 tries: …"; `sent`: at least
  // one was.
  std::function<void(const AlertMessage& message, const std::string& delivery, bool sent)> done;
};

class Courier {
 public:
  static constexpr std::size_t kMaxQueue = 64;

  Courier(const std::vector<AlertTarget>& targets, CourierOptions options);
  ~Courier();
  void send(std::shared_ptr<const AlertMessage> message);
  // Breaks off what is being tried and returns when no `done` comes any more; what is sent later is not told.
  void stop();

 private:
  struct Delivery;
  struct Lane;
  void work(Lane& lane, const std::stop_token& stop);
  void finish(Delivery& delivery, const std::string& target, const Status& status, int tries);

  const CourierOptions m_options;
  std::vector<std::unique_ptr<Lane>> m_lanes;
  std::atomic<bool> m_stopped = false;
};

// One try. UNIMPLEMENTED: a desktop.
Status tellOnce(const AlertTarget& target, const AlertMessage& message, class HttpClient& http, const std::stop_token& stop);

// A message of its own kind to every target, one try each; blocks for their time-outs.
struct TriedTarget {
  std::string name;
  Status status;
};
std::vector<TriedTarget> tryTargets(const AlertOptions& options, const StoreName& store, const std::stop_token& stop = {});

}  // namespace runglass
