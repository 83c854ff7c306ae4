// SPDX-License-Identifier: Apache-2.0
// A run on two racks of two nodes with eight ranks each, with two attempts, and findings like those of analyses, for tests of incidents.
//
// Threading:  one thread.
// Units:      seconds from kT in, TimeNs out.
#pragma once

#include <string>

#include "analysis/incident/propose.h"

namespace runglass {

inline constexpr TimeNs kT = 1'700'000'000LL * kNsPerSecond;
inline constexpr TimeNs at(std::int64_t seconds) { return kT + seconds * kNsPerSecond; }
inline constexpr AttemptId kFirst{1}, kSecond{2};

// Attempt 0 runs from 0 to 2,000 s and fails, attempt 1 from 2,030 to 10,000 s.
inline RunPlaces twoRacks() {
  RunPlaces places{
      .run_uuid = "run-1", .nodes = {}, .attempts = {}, .rank_nodes = {}, .last_data = at(10'000), .traced = TimeRange{at(0), at(10'000)}};
  for (std::uint64_t n = 1; n <= 4; ++n)
    places.nodes[NodeId{n}] = {
        .id = NodeId{n}, .uuid = "u" + std::to_string(n), .name = "n" + std::to_string(n), .rack = n <= 2 ? "r1" : "r2"};
  places.attempts[kFirst] = {
      .id = kFirst, .run = RunId{1}, .number = 0, .start = at(0), .end = at(2'000), .end_cause = "gone", .planned = false};
  places.attempts[kSecond] = {.id = kSecond, .run = RunId{1}, .number = 1, .start = at(2'030), .end = at(10'000), .planned = true};
  for (const AttemptId attempt : {kFirst, kSecond})
    for (std::int32_t rank = 0; rank < 32; ++rank) places.rank_nodes[attempt][rank] = NodeId{static_cast<std::uint64_t>(rank) / 8 + 1};
  return places;
}

inline Finding finding(std::string kind, std::string subject, std::int64_t start, std::optional<std::int64_t> end,
                       Severity severity = Severity::kWarning, AttemptId attempt = kFirst) {
  static std::int64_t next_id = 1;
  Finding out;
  out.id = next_id++;
  out.run = RunId{1}, out.attempt = attempt;
  out.kind = std::move(kind), out.subject = std::move(subject), out.severity = severity;
  out.start = at(start);
  if (end) out.end = at(*end);
  out.first_step = start / 4;
  out.summary = out.kind + " of " + out.subject;
  out.evidence = "{}";
  return out;
}

inline Finding xid79(std::int64_t start, std::uint64_t node, std::int32_t rank, AttemptId attempt = kFirst) {
  Finding out = finding("hardware_fault", "device:GPU-" + std::to_string(rank) + " xid 79", start, {}, Severity::kCritical, attempt);
  out.node = NodeId{node}, out.rank = rank;
  out.evidence = R"({"cause":"device","root":{"kind":"xid","code":"79"},"meaning":"GPU has fallen off the bus"})";
  return out;
}

inline Finding slowRank(std::int64_t start, std::optional<std::int64_t> end, std::uint64_t node, std::int32_t rank,
                        AttemptId attempt = kFirst) {
  Finding out = finding("slow_rank", "rank:" + std::to_string(rank), start, end, Severity::kWarning, attempt);
  out.node = NodeId{node}, out.rank = rank;
  return out;
}

inline Finding hang(std::int64_t start, std::int64_t end, const std::string& evidence = "{}", AttemptId attempt = kFirst) {
  Finding out = finding("hang", "attempt:0", start, end, Severity::kCritical, attempt);
  out.evidence = evidence;
  return out;
}

}  // namespace runglass
