// SPDX-License-Identifier: Apache-2.0
// Deadman: a sign of life for a watcher outside: while the hub really stores, a file is touched or an address is asked; when it stops,
// somebody else rings.
//
// Threading:  a thread of its own; `alive` is called on it and may block for seconds.
// Ownership:  owns its thread; the destructor ends it at once.
// Units:      ns.
// Errors:     a sign that cannot be given is said once through `say`, and again when it can be given: it is not retried before its time.
// Cost:       one write or request a period.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "collectors/hub/alerts/alert_rules.h"

namespace runglass {

class Deadman {
 public:
  // `alive`: OK while what is received is stored. `say`: a change, for people ("" = all is well again).
  Deadman(DeadmanOptions options, std::function<Status()> alive, std::function<void(const std::string&)> say);

 private:
  void run(const std::stop_token& stop);

  const DeadmanOptions m_options;
  const std::function<Status()> m_alive;
  const std::function<void(const std::string&)> m_say;
  std::jthread m_thread;
};

}  // namespace runglass
