// SPDX-License-Identifier: Apache-2.0
// StoreWriter: whose each agent's uuid is.
// Invariants:
// 1. m_agents changes on the writer's thread alone, also while a commit runs: what a commit saves is the copy in Begun.
#include <algorithm>

#include "storage/sqlite/bind_row.h"
#include "storage/write/store_writer.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxAgents = 100'000;  // kept of earlier lives, those seen last

}  // namespace

Status StoreWriter::loadAgents() {
  m_agents.clear();
  m_changed_agents.clear();
  RG_TRY(m_db.exec("DELETE FROM rg_agent WHERE seen_ns < (SELECT seen_ns FROM rg_agent ORDER BY seen_ns DESC LIMIT 1 OFFSET " +
                   std::to_string(kMaxAgents) + ")"));
  RG_ASSIGN(auto rows, m_db.prepare("SELECT agent, node_uuid, pass, seen_ns FROM rg_agent ORDER BY seen_ns DESC LIMIT ?"));
  rows.bind(1, static_cast<std::int64_t>(kMaxAgents));
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return {};
    AgentIdentity one{std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2)), rows.int64(3)};
    std::string agent = one.agent;
    m_agents.emplace(std::move(agent), std::move(one));
  }
}

const AgentIdentity* StoreWriter::identityOf(const std::string& agent) const {
  const auto found = m_agents.find(agent);
  return found == m_agents.end() ? nullptr : &found->second;
}

// Of memory; of the file when it is opened next.
void StoreWriter::forgetOldAgents() {
  std::vector<TimeNs> seen;
  for (const auto& [agent, one] : m_agents) seen.push_back(one.seen);
  const auto newest = std::next(seen.begin(), static_cast<std::ptrdiff_t>(seen.size() - kMaxAgents));
  std::nth_element(seen.begin(), newest, seen.end());
  std::erase_if(m_agents, [&](const auto& entry) { return entry.second.seen < *newest && !m_changed_agents.contains(entry.first); });
}

void StoreWriter::setIdentity(const AgentIdentity& identity) {
  if (m_agents.size() >= 2 * kMaxAgents) forgetOldAgents();
  m_agents[identity.agent] = identity;
  m_changed_agents.insert(identity.agent);
}

Status StoreWriter::saveAgents(const std::vector<AgentIdentity>& agents) {
  if (agents.empty()) return {};
  RG_ASSIGN(auto statement, m_db.prepare("INSERT OR REPLACE INTO rg_agent(agent, node_uuid, pass, seen_ns) VALUES(?,?,?,?)"));
  for (const AgentIdentity& one : agents) {
    bindAll(statement, std::string_view(one.agent), std::string_view(one.node_uuid), std::string_view(one.pass), one.seen);
    RG_TRY(statement.run());
  }
  return {};
}

// Of rows alone: what is in memory is read anew once they are committed.
Status StoreWriter::saveEdit(const AgentForget& forget) {
  std::vector<AgentIdentity> changed;
  for (const std::string& agent : m_changed_agents) changed.push_back(m_agents.at(agent));
  RG_TRY(saveAgents(changed));
  RG_ASSIGN(
      auto erase,
      m_db.prepare("DELETE FROM rg_agent WHERE agent = ?1 OR node_uuid = ?1 OR node_uuid IN (SELECT uuid FROM rg_node WHERE name = ?1)"));
  erase.bind(1, std::string_view(forget.name));
  RG_TRY(erase.run());
  if (m_db.changes() == 0) return {Code::kNotFound, "agent " + forget.name + ": this store knows no agent of that uuid or node"};
  return {};
}

}  // namespace runglass
