// SPDX-License-Identifier: Apache-2.0
// RepeatedFaults: a fault that repeats in a live source is recorded at once, and then once a minute with its count.
//
// Threading:  one thread.
// Ownership:  copies.
// Units:      ns of the agent's clock.
// Errors:     beyond kMax different faults at a time, new ones are recorded individually.
// Cost:       a map look-up per fault.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/events.h"

namespace runglass::kernel_log {

class RepeatedFaults {
 public:
  static constexpr DurNs kTellEvery = 60 * kNsPerSecond;
  static constexpr std::size_t kMax = 1024;

  // True: record it now. False: it is counted. `key`: identifies equal faults, e.g. code, device and process.
  bool isNew(const std::string& key, const Event& event, TimeNs now) {
    const auto known = m_faults.find(key);
    if (known == m_faults.end()) {
      if (m_faults.size() < kMax) m_faults[key] = {event, now, 0};
      return true;
    }
    known->second.event.time = event.time;
    ++known->second.count;
    return false;
  }
  // Faults counted for a minute, or all; those that did not repeat are dropped.
  std::vector<Event> due(TimeNs now, bool all) {
    std::vector<Event> events;
    for (auto it = m_faults.begin(); it != m_faults.end();) {
      Fault& fault = it->second;
      if (!all && now - fault.reported < kTellEvery) {
        ++it;
      } else if (fault.count == 0) {
        it = m_faults.erase(it);
      } else {
        events.push_back(fault.event);
        events.back().message += " (" + std::to_string(fault.count) + " more)";
        fault.count = 0;
        fault.reported = now;
        ++it;
      }
    }
    return events;
  }

 private:
  struct Fault {
    Event event;  // as first recorded; with the time of the last occurrence
    TimeNs reported = 0;
    std::int64_t count = 0;
  };
  std::map<std::string, Fault> m_faults;
};

}  // namespace runglass::kernel_log
