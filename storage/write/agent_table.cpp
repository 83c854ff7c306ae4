// SPDX-License-Identifier: Apache-2.0
#include "storage/write/agent_table.h"

#include <algorithm>
#include <iterator>

#include "storage/sqlite/bind_row.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxAgents = 100'000;  // loaded from the file: the most recently seen

}  // namespace

Status AgentTable::load(sqlite::Connection& db) {
  m_agents.clear();
  m_changed.clear();
  RG_TRY(db.exec("DELETE FROM rg_agent WHERE seen_ns < (SELECT seen_ns FROM rg_agent ORDER BY seen_ns DESC LIMIT 1 OFFSET " +
                 std::to_string(kMaxAgents) + ")"));
  RG_ASSIGN(auto rows, db.prepare("SELECT agent, node_uuid, pass, seen_ns FROM rg_agent ORDER BY seen_ns DESC LIMIT ?"));
  rows.bind(1, static_cast<std::int64_t>(kMaxAgents));
  while (true) {
    RG_ASSIGN(const bool row, rows.step());
    if (!row) return {};
    AgentIdentity one{std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2)), rows.int64(3)};
    std::string agent = one.agent;
    m_agents.emplace(std::move(agent), std::move(one));
  }
}

const AgentIdentity* AgentTable::identityOf(const std::string& agent) const {
  const auto found = m_agents.find(agent);
  return found == m_agents.end() ? nullptr : &found->second;
}

// Evicts from memory; the surplus rows of the file are deleted when it is opened next.
void AgentTable::forgetOldest() {
  std::vector<TimeNs> seen;
  for (const auto& [agent, one] : m_agents) seen.push_back(one.seen);
  const auto newest = std::next(seen.begin(), static_cast<std::ptrdiff_t>(seen.size() - kMaxAgents));
  std::nth_element(seen.begin(), newest, seen.end());
  std::erase_if(m_agents, [&](const auto& entry) { return entry.second.seen < *newest && !m_changed.contains(entry.first); });
}

void AgentTable::setIdentity(const AgentIdentity& identity) {
  if (m_agents.size() >= 2 * kMaxAgents) forgetOldest();
  m_agents[identity.agent] = identity;
  m_changed.insert(identity.agent);
}

std::vector<AgentIdentity> AgentTable::takeChanged() {
  std::vector<AgentIdentity> changed;
  for (const std::string& agent : std::exchange(m_changed, {})) changed.push_back(m_agents.at(agent));
  return changed;
}

void AgentTable::putBack(const std::vector<AgentIdentity>& agents) {
  for (const AgentIdentity& one : agents) {
    m_agents.try_emplace(one.agent, one);  // forgetOldest() may have evicted it meanwhile
    m_changed.insert(one.agent);
  }
}

Status AgentTable::save(sqlite::Connection& db, const std::vector<AgentIdentity>& agents) {
  if (agents.empty()) return {};
  RG_ASSIGN(auto statement, db.prepare("INSERT OR REPLACE INTO rg_agent(agent, node_uuid, pass, seen_ns) VALUES(?,?,?,?)"));
  for (const AgentIdentity& one : agents) {
    bindAll(statement, std::string_view(one.agent), std::string_view(one.node_uuid), std::string_view(one.pass), one.seen);
    RG_TRY(statement.run());
  }
  return {};
}

Status AgentTable::forget(sqlite::Connection& db, const AgentForget& forget) const {
  std::vector<AgentIdentity> changed;
  for (const std::string& agent : m_changed) changed.push_back(m_agents.at(agent));
  RG_TRY(save(db, changed));
  RG_ASSIGN(
      auto erase,
      db.prepare("DELETE FROM rg_agent WHERE agent = ?1 OR node_uuid = ?1 OR node_uuid IN (SELECT uuid FROM rg_node WHERE name = ?1)"));
  erase.bind(1, std::string_view(forget.name));
  RG_TRY(erase.run());
  if (db.changes() == 0) return {Code::kNotFound, "agent " + forget.name + ": this store knows no agent of that uuid or node"};
  return {};
}

}  // namespace runglass
