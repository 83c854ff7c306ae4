// SPDX-License-Identifier: Apache-2.0
// LeaseClaims: this agent's files on filesystems shared with other nodes; the hub lets one agent tail each. Sources make claims, the link
// sends them with its heartbeats.
//
// Threading:  any thread.
// Ownership:  the agent owns it; its tailing sources and its link share it.
// Units:      bytes; monotonic ns.
// Errors:     without a hub no agent holds a lease: the lines stay in the file until there is one.
// Cost:       a map of the files on shared filesystems.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/mutex.h"
#include "model/time.h"

namespace runglass {

class LeaseClaims {
 public:
  enum class State : std::uint8_t { kUnknown, kHeld, kElsewhere };
  struct Answer {
    State state = State::kUnknown;
    std::uint64_t offset = 0;  // of kHeld: the file is recorded up to here by other agents
  };
  struct Claim {
    std::string file;
    std::uint64_t offset = 0;
  };

  // Claims `file` for this agent, which has recorded it up to `offset`; returns the hub's last answer.
  Answer claim(const std::string& file, std::uint64_t offset, DurNs now) {
    const MutexLock lock(m_mutex);
    Entry& entry = m_entries[file];
    entry.offset = offset;
    entry.wanted = now;
    if (entry.answered == 0 || now - entry.answered > kConfirmedFor) return {};
    return entry.answer;
  }
  // The claims to send; drops those not renewed by a source.
  std::vector<Claim> claims(DurNs now) {
    const MutexLock lock(m_mutex);
    std::erase_if(m_entries, [now](const auto& entry) { return now - entry.second.wanted > kWantedFor; });
    std::vector<Claim> all;
    for (const auto& [file, entry] : m_entries) all.push_back({file, entry.offset});
    return all;
  }
  void answered(const std::string& file, bool held, std::uint64_t offset, DurNs now) {
    const MutexLock lock(m_mutex);
    const auto found = m_entries.find(file);
    if (found == m_entries.end()) return;
    found->second.answer = {held ? State::kHeld : State::kElsewhere, offset};
    found->second.answered = now;
  }

 private:
  static constexpr DurNs kConfirmedFor = 10 * kNsPerSecond;  // below LeaseTable::kExpiry: two agents never tail at once
  static constexpr DurNs kWantedFor = 60 * kNsPerSecond;
  struct Entry {
    std::uint64_t offset = 0;
    DurNs wanted = 0, answered = 0;
    Answer answer;
  };
  Mutex m_mutex;
  std::map<std::string, Entry> m_entries RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
