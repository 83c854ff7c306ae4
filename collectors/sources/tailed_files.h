// SPDX-License-Identifier: Apache-2.0
// TailedFiles: the files that this agent tails because its configuration names them; they are not tailed again as outputs of trainers.
//
// Threading:  any thread: sources run in threads of their own.
// Ownership:  the agent owns it; its sources share it.
// Cost:       a set of the tailed files.
#pragma once

#include <cstdint>
#include <set>
#include <utility>

#include "model/mutex.h"

namespace runglass {

class TailedFiles {
 public:
  void add(std::uint64_t device, std::uint64_t inode) {
    const MutexLock lock(m_mutex);
    m_files.emplace(device, inode);
  }
  bool contains(std::uint64_t device, std::uint64_t inode) const {
    const MutexLock lock(m_mutex);
    return m_files.contains({device, inode});
  }

 private:
  mutable Mutex m_mutex;
  std::set<std::pair<std::uint64_t, std::uint64_t>> m_files RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
