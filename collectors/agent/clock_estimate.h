// SPDX-License-Identifier: Apache-2.0
// ClockEstimate: offset of the hub's clock from the local clock, estimated from request and response times as NTP does.
//
// Units:      ns; offset = hub - local.
// Errors:     impossible exchanges (response before request) are ignored.
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
  // Local clock: request sent at `sent`, response received at `received`. Hub's clock: `hub_received` and `hub_sent`.
  void add(TimeNs sent, TimeNs hub_received, TimeNs hub_sent, TimeNs received) {
    const DurNs round_trip = (received - sent) - (hub_sent - hub_received);
    if (received < sent || hub_sent < hub_received || round_trip < 0) return;
    m_window.push_back({((hub_received - sent) + (hub_sent - received)) / 2, round_trip / 2});
    if (m_window.size() > 64) m_window.pop_front();
  }
  // The exchange with the shortest round trip of the last 64: the error of its offset is at most half the round trip.
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
