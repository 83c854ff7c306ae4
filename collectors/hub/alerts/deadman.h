// SPDX-License-Identifier: Apache-2.0
// Deadman: dead man's switch. While the hub stores data, it touches a file or requests a URL; when that stops, an external monitor alerts.
//
// Threading:  one thread; `alive` is called on it and may block for seconds.
// Ownership:  owns its thread; the destructor ends it at once.
// Units:      ns.
// Errors:     a failed heartbeat is logged once through `say`, and again on recovery; it is not retried before the next period.
// Cost:       one write or request a period.
#pragma once

#include <functional>
#include <string>
#include <thread>

#include "collectors/hub/alerts/alert_rules.h"

namespace runglass {

class Deadman {
 public:
  // `alive`: OK while received data is stored. `say`: logs a change ("" = recovered).
  Deadman(DeadmanOptions options, std::function<Status()> alive, std::function<void(const std::string&)> say);

 private:
  void run(const std::stop_token& stop);

  const DeadmanOptions m_options;
  const std::function<Status()> m_alive;
  const std::function<void(const std::string&)> m_say;
  std::jthread m_thread;
};

}  // namespace runglass
