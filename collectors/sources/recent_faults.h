// SPDX-License-Identifier: Apache-2.0
// RecentFaults: faults recently recorded by the sources of one agent, so that a fault seen by two of them is one event: an Xid is reported
// by NVML and by the kernel's log, a lost link by the adapter's state and by its driver.
//
// Threading:  any thread.
// Ownership:  the agent owns it; its sources share it.
// Units:      ns of the agent's clock.
// Errors:     beyond kMax different faults within a window, new ones are not deduplicated.
// Cost:       a lock and a map of the last seconds' faults.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/mutex.h"
#include "model/time.h"

namespace runglass {

class RecentFaults {
 public:
  static constexpr DurNs kWindow = 2 * kNsPerSecond;
  static constexpr std::size_t kMax = 4096;

  // The kernel's log is being read: its record has more details, so that other sources wait kWindow for it.
  void readKernel() {
    const MutexLock lock(m_mutex);
    m_kernel = true;
  }
  bool kernelIsRead() const {
    const MutexLock lock(m_mutex);
    return m_kernel;
  }
  // True: `teller` may record the fault, since no other source has within kWindow. The same source may always record it again.
  bool mayTell(std::string_view teller, std::string_view kind, std::string_view code, std::string_view device, TimeNs time) {
    const MutexLock lock(m_mutex);
    std::string key = std::string(kind) + '\0' + std::string(code) + '\0' + std::string(device);
    const auto near = [&](const Reported& reported) { return reported.time - time <= kWindow && time - reported.time <= kWindow; };
    if (const auto known = m_reported.find(key); known != m_reported.end() && known->second.teller != teller && near(known->second))
      return false;
    if (m_reported.size() >= kMax) std::erase_if(m_reported, [&](const auto& entry) { return !near(entry.second); });
    if (m_reported.size() < kMax) m_reported.insert_or_assign(std::move(key), Reported{std::string(teller), time});
    return true;
  }

 private:
  struct Reported {
    std::string teller;
    TimeNs time = 0;
  };
  mutable Mutex m_mutex;
  bool m_kernel RG_GUARDED_BY(m_mutex) = false;
  std::map<std::string, Reported> m_reported RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
