// SPDX-License-Identifier: Apache-2.0
// Invariant: a condition keeps its first cause: after a notification under one cause it never continues under another.
#include "collectors/hub/alerts/one_fault.h"

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
  return Part::kNone;
}

OneFault::Fault* OneFault::sameAs(const Trouble& trouble, Part part, NodeId node) {
  for (Fault& fault : std::views::reverse(m_faults)) {
    if (fault.part == part || !together(fault.since, trouble.since)) continue;
    // A standstill that had ended before did not cause this, and a later fault did not cause the standstill.
    if (fault.part == Part::kStandstill && fault.end && *fault.end < trouble.since) continue;
    const bool same_run = fault.run && fault.run == trouble.run;
    const bool standstill = part == Part::kStandstill || fault.part == Part::kStandstill;
    if (node && fault.node ? node == fault.node : same_run && standstill) return &fault;
  }
  return nullptr;
}

// A run has one stall at a time: a stall that lasts when the hang begins is the same standstill.
OneFault::Fault* OneFault::stallOf(const Trouble& trouble) {
  if (trouble.kind != kHang) return nullptr;
  for (Fault& fault : std::views::reverse(m_faults)) {
    const bool stall = fault.part == Part::kStandstill && !fault.hang;
    if (stall && fault.run && fault.run == trouble.run && together(fault.since, trouble.since) &&
        fault.end.value_or(trouble.since) >= trouble.since)
      return &fault;
  }
  return nullptr;
}

void OneFault::join(Trouble& trouble, Part part, NodeId node) {
  if (part == Part::kNone) return;
  const std::string own = trouble.cause;
  const auto known = m_decided.find(own);
  for (Fault& fault : m_faults)
    if (trouble.end && fault.own == own && fault.since == trouble.since) fault.end = trouble.end;
  if (known == m_decided.end() || !together(known->second.since, trouble.since)) {
    Fault* stall = stallOf(trouble);
    // A stall that is part of another fault, or of another node, had no notification of its own: the rules of that fault decide.
    if (stall != nullptr && (stall->cause != stall->own || (node && stall->node && node != stall->node))) stall = nullptr;
    Fault* const other = stall != nullptr ? stall : sameAs(trouble, part, node);
    // A standstill without a known node belongs to the first machine that it is joined with, and to no other.
    if (other != nullptr && !node) node = other->node;
    if (other != nullptr && !other->node) other->node = node;
    std::string cause = other != nullptr ? other->cause : own;
    if (m_faults.size() >= kMaxFaults) m_faults.erase(m_faults.begin());
    if (m_decided.size() >= kMaxFaults) m_decided.clear();
    const bool grown = stall != nullptr;
    m_faults.push_back({cause, own, part, trouble.kind == kHang, trouble.since, trouble.end, node, trouble.run});
    m_decided.insert_or_assign(own, Decision{std::move(cause), trouble.since, grown});
  }
  recall(trouble);
}

void OneFault::recall(Trouble& trouble) const {
  const auto known = m_decided.find(trouble.cause);
  if (known == m_decided.end() || known->second.cause == trouble.cause) return;
  trouble.part = std::exchange(trouble.cause, known->second.cause);
  trouble.joined = true;
  trouble.grown = known->second.grown;
}

}  // namespace runglass
