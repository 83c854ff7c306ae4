// SPDX-License-Identifier: Apache-2.0
// Courier: sends messages to targets. Each target has its own thread and bounded queue, so that an unresponsive one does not delay the
// others.
//
// Threading:  send() from any thread, never blocks. `done` and `desktop` are called on the targets' threads, or inside send().
// Ownership:  owns its threads; the destructor cancels pending attempts, whose messages get no `done`.
// Units:      ns.
// Errors:     a failing target is retried with exponential backoff and jitter until give_up_after; a permanent error (an invalid address,
//             HTTP 4xx other than 408 and 429, a missing program) is not retried. `done` has the result.
// Cost:       kMaxQueue messages a target; further ones fail at once.
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
  // Shows a message on the screen; empty: there is no screen, and desktop targets fail with that cause.
  std::function<void(const AlertMessage&)> desktop;
  // All targets of a message were notified, or retries ended. `delivery`: "pager: sent; mail: failed after 3 tries: …"; `sent`: at least
  // one was notified.
  std::function<void(const AlertMessage& message, const std::string& delivery, bool sent)> done;
};

class Courier {
 public:
  static constexpr std::size_t kMaxQueue = 64;

  Courier(const std::vector<AlertTarget>& targets, CourierOptions options);
  ~Courier();
  void send(std::shared_ptr<const AlertMessage> message);
  // Cancels pending attempts and returns after the last `done`; later messages are not sent.
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

// One attempt. UNIMPLEMENTED: a desktop.
Status tellOnce(const AlertTarget& target, const AlertMessage& message, class HttpClient& http, const std::stop_token& stop);

// A test message to every target, one attempt each; blocks for their time-outs.
struct TriedTarget {
  std::string name;
  Status status;
};
std::vector<TriedTarget> tryTargets(const AlertOptions& options, const StoreName& store, const std::stop_token& stop = {});

}  // namespace runglass
