// SPDX-License-Identifier: Apache-2.0
// ClockEstimate: the hub's clock against ours from request/answer times, as NTP does it.
//
// Threading:  plain value.
// Ownership:  none.
// Units:      ns; offset = hub - ours.
// Errors:     exchanges that cannot be (answer before question) are ignored.
// Cost:       64 exchanges.
#pragma once

#include <deque>
#include <optional>

#include "model/time.h"

namespace runglass {

class ClockEstimate {
 public:
  struct Reading {
    DurNs offset, error;
  };
  // We asked at `sent`, the hub got it at `hub_received`, answered at `hub_sent`, we got that at `received`.
  void add(TimeNs sent, TimeNs hub_received, TimeNs hub_sent, TimeNs received) {
    const DurNs round_trip = (received - sent) - (hub_sent - hub_received);
    if (received < sent || hub_sent < hub_received || round_trip < 0) return;
    m_window.push_back({((hub_received - sent) + (hub_sent - received)) / 2, round_trip / 2});
    if (m_window.size() > 64) m_window.pop_front();
  }
  // The exchange with the least round trip of the last 64: its offset is wrong by half the round trip at most.
  std::optional<Reading> best() const {
    std::optional<Reading> best;
    for (const Reading& reading : m_window)
      if (!best || reading.error < best->error) best = reading;
    return best;
  }

 private:
  std::deque<Reading> m_window;
};

}  // namespace runglass
