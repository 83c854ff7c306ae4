// SPDX-License-Identifier: Apache-2.0
// LeaseTable: which agent follows a file that several nodes see, and how far it got.
//
// Threading:  one thread (the ingest thread).
// Ownership:  values.
// Units:      bytes; monotonic ns.
// Errors:     a table that is full grants without remembering: a file recorded twice is better than one recorded by nobody.
// Cost:       one map lookup per claim; at most kMaxFiles entries.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/time.h"

namespace runglass {

class LeaseTable {
 public:
  // An agent that was silent for so long has lost its leases; it stops following on its own a little earlier (LeaseBook).
  static constexpr DurNs kExpiry = 15 * kNsPerSecond;
  static constexpr std::size_t kMaxFiles = 65'536;

  // `begun`: when the hub started. Agents that were following before it did are heard first.
  explicit LeaseTable(DurNs begun) : m_begun(begun) {}

  struct Answer {
    bool held = false;
    std::uint64_t offset = 0;  // go on from here
  };
  // `offset`: how far the agent recorded the file; it claims again with every heartbeat.
  Answer claim(const std::string& agent, const std::string& file, std::uint64_t offset, DurNs now);
  // The agent said goodbye: others may go on where it stopped.
  void release(const std::string& agent);

 private:
  struct Lease {
    std::string agent;  // empty: nobody's
    std::uint64_t offset = 0;
    DurNs renewed = 0;
  };
  DurNs m_begun;
  std::map<std::string, Lease> m_leases;
};

}  // namespace runglass
