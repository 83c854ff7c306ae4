// SPDX-License-Identifier: GPL-3.0-or-later
// ServiceNotify: what a service reports to systemd over $NOTIFY_SOCKET (sd_notify(3)).
//
// Threading:  one thread.
// Units:      ns.
// Errors:     none: without the socket, or when it does not take a message, nothing is sent.
// Cost:       one datagram per message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

namespace runglass {

class ServiceNotify {
 public:
  // From the environment; another process's $WATCHDOG_PID means that no watchdog waits for this one.
  ServiceNotify();

  // "READY=1", "STOPPING=1", "STATUS=…".
  bool send(std::string_view state) const;
  // Sends WATCHDOG=1 twice per watchdog interval, but only if `progress` moved since the last one.
  void alive(std::int64_t progress, DurNs now);

 private:
  std::string m_socket;
  DurNs m_every = 0, m_sent = 0;  // 0: there is no watchdog
  std::optional<std::int64_t> m_progress;
};

}  // namespace runglass
