// SPDX-License-Identifier: GPL-3.0-or-later
// ServiceNotify: status messages of a service to systemd over $NOTIFY_SOCKET (sd_notify(3)).
//
// Threading:  one thread.
// Units:      ns.
// Errors:     without the socket, or if it does not accept a message, nothing is sent.
// Cost:       one datagram per message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/time.h"

namespace runglass {

class ServiceNotify {
 public:
  // From the environment; if $WATCHDOG_PID is another process, there is no watchdog for this one.
  ServiceNotify();

  // "READY=1", "STOPPING=1", "STATUS=…".
  bool send(std::string_view state) const;
  // Sends WATCHDOG=1 twice per watchdog interval, but only if `progress` has changed since the last one.
  void alive(std::int64_t progress, DurNs now);

 private:
  std::string m_socket;
  DurNs m_every = 0, m_sent = 0;  // 0: no watchdog
  std::optional<std::int64_t> m_progress;
};

}  // namespace runglass
