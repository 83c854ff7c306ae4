// SPDX-License-Identifier: Apache-2.0
// TailedFiles: the files that this agent tails because its configuration names them; they are not tailed again as outputs of trainers.
//
// Threading:  any thread: sources run in threads of their own.
// Ownership:  the agent owns it; its sources share it.
// Cost:       a set of the tailed files; names(): an fnmatch per pattern and folder level.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/mutex.h"
#include "model/time.h"

namespace runglass {

class TailedFiles {
 public:
  using Takes = bool (*)(std::string_view file_name);
  static constexpr int kMaxFolderDepth = 4;                    // nesting of folders
  static constexpr DurNs kFormerAfterUse = 60 * kNsPerSecond;  // of a file that was renamed and is read to its end

  // Files that match the glob, and those in matching folders whose names `takes` accepts, are tailed, or will be.
  void claim(const std::string& pattern, Takes takes);
  bool names(const std::string& path) const;

  void add(std::uint64_t device, std::uint64_t inode) {
    const MutexLock lock(m_mutex);
    m_files.emplace(device, inode);
  }
  // The file has another name now: it counts as tailed while trainers have it open, that is while contains() is called for it.
  void retire(std::uint64_t device, std::uint64_t inode, DurNs now = monotonicNow()) {
    const MutexLock lock(m_mutex);
    if (const auto file = m_files.find({device, inode}); file != m_files.end()) m_files.erase(file);
    std::erase_if(m_former, [&](const auto& entry) { return now - entry.second > kFormerAfterUse; });
    m_former[{device, inode}] = now;
  }
  bool contains(std::uint64_t device, std::uint64_t inode, DurNs now = monotonicNow()) {
    const MutexLock lock(m_mutex);
    if (m_files.contains({device, inode})) return true;
    const auto former = m_former.find({device, inode});
    if (former == m_former.end() || now - former->second > kFormerAfterUse) return false;
    former->second = now;
    return true;
  }

 private:
  using Id = std::pair<std::uint64_t, std::uint64_t>;
  mutable Mutex m_mutex;
  std::multiset<Id> m_files RG_GUARDED_BY(m_mutex);
  std::map<Id, DurNs> m_former RG_GUARDED_BY(m_mutex);  // when it was last asked for
  std::set<std::pair<std::string, Takes>> m_claims RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
