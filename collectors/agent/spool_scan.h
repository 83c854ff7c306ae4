// SPDX-License-Identifier: Apache-2.0
// How the segments of a spool are read back past damage. Format: spool.cpp. Segments of version 1 ("RGSPOOL1": no salt, no markers, no
// offsets) are read up to their first damage.
//
// Threading:  one thread at a time.
// Ownership:  owns what it found.
// Units:      bytes.
// Errors:     damage is a text, never an error.
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
    std::string problem;   // empty: it is whole
    bool damaged = false;  // and not merely unfinished at its end
    bool unreadable = false;
  };
  Segment read(std::uint64_t number, const std::string& path);
  void issue(Issue issue) { m_issues.push_back(std::move(issue)); }
  Spool::Recovered finish();
  // Whether a batch was there twice: the later one counts.
  bool repeated() const { return m_repeated; }

 private:
  struct ScannedSession {
    Spool::Session session;
    std::map<std::uint64_t, std::string> later;  // definitions behind a hole, by their offset
    std::vector<std::uint64_t> needed;           // of the dictionary, per batch
  };
  struct Place {
    std::uint64_t segment = 0, offset = 0;
    std::uint64_t dictionary = 0;  // of version 1: bytes of it that this segment has scanned
    ScannedSession* scanned = nullptr;
    bool first_version = false;
  };
  // False: it is no record that is known.
  bool take(std::string_view body, Place& place);
  static void define(ScannedSession& scanned, std::uint64_t offset, std::string_view records);

  std::vector<std::unique_ptr<ScannedSession>> m_sessions_found;  // oldest first
  std::vector<Issue> m_issues;
  bool m_repeated = false;
};

}  // namespace runglass
