// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_held[a] has exactly the leases whose agent is a.
#include "collectors/hub/server/lease_table.h"

#include <algorithm>

namespace runglass {

LeaseTable::Answer LeaseTable::claim(const std::string& agent, const std::string& file, std::uint64_t offset, DurNs now) {
  if (file.empty() || file.size() > kMaxName) return {};
  auto found = m_leases.find(file);
  if (found == m_leases.end()) {
    if (offset == 0 && now - m_begun < kExpiry) return {};
    if (const auto held = m_held.find(agent); held != m_held.end() && held->second.size() >= kMaxOfAgent) return {};
    if (!makeRoom(file, now)) return {true, offset};
    found = m_leases.emplace(file, Lease{.agent = {}, .offset = offset, .renewed = now}).first;
    m_names += file.size();
  }
  Lease& lease = found->second;
  const bool free = lease.agent.empty() || now - lease.renewed >= kExpiry;
  if (lease.agent != agent && (!free || !give(lease, agent))) return {false, lease.offset};
  // A holder may go back, because its file can be truncated; a successor may not.
  lease.offset = lease.agent == agent ? offset : std::max(lease.offset, offset);
  lease.agent = agent;
  lease.renewed = now;
  return {true, lease.offset};
}

// False: the agent has reached its limit.
bool LeaseTable::give(Lease& lease, const std::string& agent) {
  auto& own = m_held[agent];
  if (own.size() >= kMaxOfAgent) return false;
  own.insert(&lease);
  const auto before = m_held.find(lease.agent);
  if (before == m_held.end()) return true;
  before->second.erase(&lease);
  if (before->second.empty()) m_held.erase(before);
  return true;
}

bool LeaseTable::makeRoom(const std::string& file, DurNs now) {
  const auto has_room = [&] { return m_leases.size() < kMaxFiles && m_names + file.size() <= kMaxNames; };
  if (has_room()) return true;
  if (now - m_swept < kNsPerSecond) return false;
  m_swept = now;
  for (auto at = m_leases.begin(); at != m_leases.end();) {
    if (now - at->second.renewed < kExpiry) {
      ++at;
      continue;
    }
    if (const auto held = m_held.find(at->second.agent); held != m_held.end()) {
      held->second.erase(&at->second);
      if (held->second.empty()) m_held.erase(held);
    }
    m_names -= at->first.size();
    at = m_leases.erase(at);
  }
  return has_room();
}

void LeaseTable::release(const std::string& agent) {
  const auto held = m_held.find(agent);
  if (held == m_held.end()) return;
  for (Lease* lease : held->second) lease->agent.clear();
  m_held.erase(held);
}

}  // namespace runglass
