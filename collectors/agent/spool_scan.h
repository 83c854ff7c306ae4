// SPDX-License-Identifier: Apache-2.0
// Reads the segments of a spool, skipping damage. Format: spool.cpp. Segments of version 1 ("RGSPOOL1": no salt, no markers, no offsets)
// are read up to their first damage.
//
// Threading:  one thread at a time.
// Ownership:  owns its results.
// Units:      bytes.
// Errors:     damage is reported as text, never as an error.
// Cost:       one segment in memory at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collectors/agent/spool.h"

namespace runglass {

class SpoolScan {
 public:
  struct Segment {
    std::uint64_t bytes = 0;
    std::string problem;   // empty: intact
    bool damaged = false;  // not merely unfinished at its end
    bool unreadable = false;
  };
  Segment read(std::uint64_t number, const std::string& path);
  void issue(Issue issue) { m_issues.push_back(std::move(issue)); }
  Spool::Recovered finish();
  // Whether a batch occurred twice; the later one counts.
  bool repeated() const { return m_repeated; }

 private:
  struct ScannedSession {
    Spool::Session session;
    std::map<std::uint64_t, std::string> later;  // definitions after a hole, by their offset
    std::vector<std::uint64_t> needed;           // bytes of the dictionary, per batch
  };
  struct Place {
    std::uint64_t segment = 0, offset = 0;
    std::uint64_t dictionary = 0;  // version 1: bytes of the dictionary scanned in this segment
    ScannedSession* scanned = nullptr;
    bool first_version = false;
  };
  // False: not a known record.
  bool take(std::string_view body, Place& place);
  static void define(ScannedSession& scanned, std::uint64_t offset, std::string_view records);

  std::vector<std::unique_ptr<ScannedSession>> m_sessions_found;  // oldest first
  std::vector<Issue> m_issues;
  bool m_repeated = false;
};

}  // namespace runglass
