// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/lease_table.h"

#include <algorithm>

namespace runglass {

LeaseTable::Answer LeaseTable::claim(const std::string& agent, const std::string& file, std::uint64_t offset, DurNs now) {
  auto found = m_leases.find(file);
  if (found == m_leases.end()) {
    if (offset == 0 && now - m_begun < kExpiry) return {};
    if (m_leases.size() >= kMaxFiles) std::erase_if(m_leases, [&](const auto& entry) { return now - entry.second.renewed >= kExpiry; });
    if (m_leases.size() >= kMaxFiles) return {true, offset};
    found = m_leases.emplace(file, Lease{agent, offset, now}).first;
  }
  Lease& lease = found->second;
  const bool free = lease.agent.empty() || now - lease.renewed >= kExpiry;
  if (lease.agent != agent && !free) return {false, lease.offset};
  // A holder may go back: its file was cut. A successor may not.
  lease.offset = lease.agent == agent ? offset : std::max(lease.offset, offset);
  lease.agent = agent;
  lease.renewed = now;
  return {true, lease.offset};
}

void LeaseTable::release(const std::string& agent) {
  for (auto& [file, lease] : m_leases)
    if (lease.agent == agent) lease.agent.clear();
}

}  // namespace runglass
