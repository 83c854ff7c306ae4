// SPDX-License-Identifier: Apache-2.0
// LeaseTable: which agent follows a file that several nodes see, and how far it got.
//
// Threading:  one thread (the ingest thread).
// Ownership:  values.
// Units:      bytes; monotonic ns.
// Errors:     a table that is full grants without remembering: a file recorded twice is better than one recorded by nobody. An agent that
//             holds kMaxOfAgent files gets no more.
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
  // An agent that was silent for so long has lost its leases; it stops following on its own a little earlier (LeaseClaims).
  static constexpr DurNs kExpiry = 15 * kNsPerSecond;
  static constexpr std::size_t kMaxFiles = 65'536, kMaxOfAgent = 4'096;
  static constexpr std::size_t kMaxName = 4'352, kMaxNames = 32U << 20;  // a path and an inode

  // `begun`: when the hub started. Agents that were following before it did are heard first.
  explicit LeaseTable(DurNs begun) : m_begun(begun) {}

  struct Answer {
    bool held = false;
    std::uint64_t offset = 0;  // go on from here, if the file is as long: it is only what another agent said
  };
  // `offset`: how far the agent recorded the file; it claims again with every heartbeat.
  Answer claim(const std::string& agent, const std::string& file, std::uint64_t offset, DurNs now);
  // The agent said goodbye: others may go on where it stopped.
  void release(const std::string& agent);
  bool holdsAny(const std::string& agent) const { return m_held.contains(agent); }

 private:
  struct Lease {
    std::string agent;  // empty: nobody's
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
