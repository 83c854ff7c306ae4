// SPDX-License-Identifier: Apache-2.0
// Invariant: a condition keeps its first cause: after a notification under one cause it never continues under another.
#include "analysis/one_fault/one_fault.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace runglass {
namespace {

constexpr std::string_view kHang = "hang";

bool together(TimeNs a, TimeNs b) { return std::max(a, b) - std::min(a, b) <= OneFault::kTogether; }

}  // namespace

OneFault::Part OneFault::partOf(std::string_view kind) {
  if (kind == kHang || kind == "stall") return Part::kStandstill;
  if (kind == "hardware_fault") return Part::kMachine;
  if (kind == "node_lost" || kind == "node_stale") return Part::kSilence;
  if (kind == "job_failed") return Part::kFailure;
  return Part::kNone;
}

OneFault::Fault* OneFault::sameAs(const FaultSign& sign) {
  const Part part = partOf(sign.kind);
  if (part == Part::kFailure) return standstillOf(sign);
  for (Fault& fault : std::views::reverse(m_faults)) {
    // A standstill or a fault after the failure of a job is of its next attempt.
    if (fault.part == part || fault.part == Part::kFailure || !together(fault.since, sign.since)) continue;
    // A standstill that had ended before did not cause this, and a later fault did not cause the standstill.
    if (fault.part == Part::kStandstill && fault.end && *fault.end < sign.since) continue;
    const bool same_run = fault.run && fault.run == sign.run;
    const bool standstill = part == Part::kStandstill || fault.part == Part::kStandstill;
    if (sign.node && fault.node ? sign.node == fault.node : same_run && standstill) return &fault;
  }
  return nullptr;
}

// Whichever node: a rank that fails ends the wait of the others. A watchdog may take much longer than kTogether.
OneFault::Fault* OneFault::standstillOf(const FaultSign& sign) {
  for (Fault& fault : std::views::reverse(m_faults)) {
    if (fault.part != Part::kStandstill || !fault.run || fault.run != sign.run || fault.since > sign.since) continue;
    if (!fault.end || *fault.end + kUntilFailure >= sign.since) return &fault;
  }
  return nullptr;
}

// A run has one stall at a time: a stall that lasts when the hang begins is the same standstill.
OneFault::Fault* OneFault::stallOf(const FaultSign& sign) {
  if (sign.kind != kHang) return nullptr;
  for (Fault& fault : std::views::reverse(m_faults)) {
    const bool stall = fault.part == Part::kStandstill && !fault.hang;
    if (stall && fault.run && fault.run == sign.run && together(fault.since, sign.since) && fault.end.value_or(sign.since) >= sign.since)
      return &fault;
  }
  return nullptr;
}

JoinedFault OneFault::join(const FaultSign& from) {
  FaultSign sign = from;
  const Part part = partOf(sign.kind);
  if (part == Part::kNone) return {.cause = sign.cause};
  const auto known = m_decided.find(sign.cause);
  for (Fault& fault : m_faults)
    if (sign.end && fault.own == sign.cause && fault.since == sign.since) fault.end = sign.end;
  if (known == m_decided.end() || !together(known->second.since, sign.since)) {
    Fault* stall = stallOf(sign);
    // A stall that is part of another fault, or of another node, had no notification of its own: the rules of that fault decide.
    if (stall != nullptr && (stall->cause != stall->own || (sign.node && stall->node && sign.node != stall->node))) stall = nullptr;
    Fault* const other = stall != nullptr ? stall : sameAs(sign);
    // A standstill without a known node belongs to the first machine that it is joined with, and to no other.
    if (other != nullptr && !sign.node) sign.node = other->node;
    if (other != nullptr && !other->node) other->node = sign.node;
    std::string cause = other != nullptr ? other->cause : sign.cause;
    if (m_faults.size() >= kMaxFaults) m_faults.erase(m_faults.begin());
    if (m_decided.size() >= kMaxFaults) m_decided.clear();
    const bool grown = stall != nullptr;
    m_faults.push_back({cause, sign.cause, part, sign.kind == kHang, sign.since, sign.end, sign.node, sign.run});
    m_decided.insert_or_assign(sign.cause, Decision{std::move(cause), sign.since, grown});
  }
  return recall(sign.cause);
}

JoinedFault OneFault::recall(const std::string& cause) const {
  const auto known = m_decided.find(cause);
  if (known == m_decided.end() || known->second.cause == cause) return {.cause = cause};
  return {.cause = known->second.cause, .joined = true, .grown = known->second.grown};
}

}  // namespace runglass
