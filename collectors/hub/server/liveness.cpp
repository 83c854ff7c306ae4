// SPDX-License-Identifier: Apache-2.0
#include "collectors/hub/server/liveness.h"

namespace runglass {

void Liveness::expect(const Node& node, DurNs now) {
  if (node.state == NodeState::kLeft || node.state == NodeState::kUnknown) return;
  m_nodes[node.uuid] = {node.name, node.state, now};
}

std::vector<Liveness::Change> Liveness::heard(const std::string& uuid, const std::string& name, DurNs now) {
  Entry& entry = m_nodes[uuid];
  const NodeState before = entry.state;
  const DurNs silent = before == NodeState::kUnknown ? 0 : now - entry.heard;
  entry = {name, NodeState::kAlive, now};
  if (before == NodeState::kAlive) return {};
  return {{uuid, name, before, NodeState::kAlive, silent}};
}

std::vector<Liveness::Change> Liveness::left(const std::string& uuid, DurNs now) {
  const auto it = m_nodes.find(uuid);
  if (it == m_nodes.end() || it->second.state == NodeState::kLeft) return {};
  const Change change{uuid, it->second.name, it->second.state, NodeState::kLeft, now - it->second.heard};
  it->second.state = NodeState::kLeft;
  return {change};
}

std::vector<Liveness::Change> Liveness::tick(DurNs now) {
  std::vector<Change> changes;
  for (auto& [uuid, entry] : m_nodes) {
    if (entry.state != NodeState::kAlive && entry.state != NodeState::kStale) continue;
    const DurNs silent = now - entry.heard;
    const NodeState to = silent >= m_limits.lost_after    ? NodeState::kLost
                         : silent >= m_limits.stale_after ? NodeState::kStale
                                                          : entry.state;
    if (to == entry.state) continue;
    changes.push_back({uuid, entry.name, entry.state, to, silent});
    entry.state = to;
  }
  return changes;
}

}  // namespace runglass
