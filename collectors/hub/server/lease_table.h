// SPDX-License-Identifier: Apache-2.0
// LeaseTable: which agent tails a file that several nodes see, and up to which offset it is recorded.
//
// Threading:  one thread (the ingest thread).
// Units:      bytes; monotonic ns.
// Errors:     a full table grants claims without storing them: a file recorded twice is better than one not recorded. An agent with
//             kMaxOfAgent files gets no further ones.
// Cost:       one map lookup per claim; a full table is swept at most once a second. At most kMaxFiles entries, kMaxNames bytes of names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "model/time.h"

namespace runglass {

class LeaseTable {
 public:
  // An agent loses its leases after this silence; it stops tailing on its own a little earlier (LeaseClaims).
  static constexpr DurNs kExpiry = 15 * kNsPerSecond;
  static constexpr std::size_t kMaxFiles = 65'536, kMaxOfAgent = 4'096;
  static constexpr std::size_t kMaxName = 4'352, kMaxNames = 32U << 20;  // a path and an inode

  // `begun`: when the hub started. Agents that were tailing before have kExpiry to claim their files again.
  explicit LeaseTable(DurNs begun) : m_begun(begun) {}

  struct Answer {
    bool held = false;
    std::uint64_t offset = 0;  // where to continue, if the file is that long: reported by another agent, not verified
  };
  // `offset`: end of the data that the agent has recorded; it repeats the claim with every heartbeat.
  Answer claim(const std::string& agent, const std::string& file, std::uint64_t offset, DurNs now);
  // The agent ended its session: others can continue where it stopped.
  void release(const std::string& agent);
  bool holdsAny(const std::string& agent) const { return m_held.contains(agent); }

 private:
  struct Lease {
    std::string agent;  // empty: not held
    std::uint64_t offset = 0;
    DurNs renewed = 0;
  };
  using Leases = std::map<std::string, Lease>;
  bool makeRoom(const std::string& file, DurNs now);
  bool give(Lease& lease, const std::string& agent);

  DurNs m_begun, m_swept = 0;
  std::size_t m_names = 0;  // bytes
  Leases m_leases;
  std::unordered_map<std::string, std::unordered_set<Lease*>> m_held;  // by agent; no empty sets
};

}  // namespace runglass
