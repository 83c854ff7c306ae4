// SPDX-License-Identifier: Apache-2.0
// Invariant: every reading is within its error of the line through the stored readings around it.
#include "storage/write/clock_thinner.h"

#include <algorithm>
#include <cstdlib>

namespace runglass {
namespace {

constexpr DurNs kIdleSession = 3600 * kNsPerSecond;

__extension__ using Wide = __int128;

bool apart(DurNs a, DurNs b, DurNs error) {
  const Wide distance = Wide{a} - b;
  return distance > error || distance < -Wide{error};
}

}  // namespace

void ClockThinner::store(Session& session, const ClockReading& reading) {
  std::optional<TimeNs> replaced;
  if (session.provisional) replaced = session.provisional->raw;
  if (session.pending) {
    // The previous reading is not committed yet: this one replaces it.
    m_changes[*session.pending].reading = reading;
  } else {
    session.pending = m_changes.size();
    m_changes.push_back({reading, replaced});
  }
  ClockReading& row = m_changes[*session.pending].reading;
  row.session.clear();
  row.source.clear();
  session.provisional = reading;
}

void ClockThinner::add(const ClockReading& reading) {
  NodeState& node = m_nodes[reading.node.value];
  const auto known = std::ranges::find(node.sessions, reading.session, &Session::name);
  if (known == node.sessions.end()) {
    if (node.newest && reading.raw <= *node.newest) {
      m_changes.push_back({reading, {}, true});
      return;
    }
    std::erase_if(node.sessions, [&](const Session& one) { return Wide{one.newest.raw} + kIdleSession < reading.raw; });
    node.newest = reading.raw;
    node.sessions.push_back({.name = reading.session,
                             .corner_raw = reading.raw,
                             .corner_offset = reading.offset,
                             .newest = reading,
                             .provisional = {},
                             .pending = {}});
    m_changes.push_back({reading, {}});
    return;
  }
  Session& session = *known;
  if (reading.raw <= session.newest.raw) {
    if (reading.raw < session.newest.raw) m_changes.push_back({reading, {}, true});
    return;
  }
  node.newest = std::max(node.newest.value_or(reading.raw), reading.raw);
  const auto slopeTo = [&](const ClockReading& to, DurNs more) {
    return (static_cast<long double>(to.offset) + more - session.corner_offset) / (static_cast<long double>(to.raw) - session.corner_raw);
  };
  if (!session.open && (slopeTo(reading, 0) < session.least_slope || slopeTo(reading, 0) > session.most_slope)) {
    // No single line passes through all of them: the previous reading becomes a corner.
    const ClockReading corner = session.newest;
    if (!session.provisional || session.provisional->raw != corner.raw) store(session, corner);
    session.corner_raw = corner.raw;
    session.corner_offset = corner.offset;
    session.provisional.reset();
    session.pending.reset();
    session.open = true;
  }
  const DurNs tolerance = reading.error;
  const long double least = slopeTo(reading, -tolerance), most = slopeTo(reading, tolerance);
  session.least_slope = session.open ? least : std::max(session.least_slope, least);
  session.most_slope = session.open ? most : std::min(session.most_slope, most);
  session.open = false;
  session.newest = reading;
  const DurNs stored = session.provisional ? session.provisional->offset : session.corner_offset;
  const bool better = session.provisional && reading.error < session.provisional->error / 2;
  if (better || apart(reading.offset, stored, reading.error)) store(session, reading);
}

void ClockThinner::committed() {
  m_changes.clear();
  for (auto& [id, node] : m_nodes)
    for (Session& session : node.sessions) session.pending.reset();
}

}  // namespace runglass
