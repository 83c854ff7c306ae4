// SPDX-License-Identifier: Apache-2.0
// AgentTable: the node that each agent's uuid belongs to. Internal to storage.
// Invariants:
// 1. Only the writer's thread changes it, also while a commit runs: a commit saves the copy that takeChanged() returned.
// 2. An unsaved agent is never evicted from memory; of the others, the most recently seen ones stay.
//
// Threading:  the writer's thread; save(): the commit's.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/edits.h"
#include "storage/ingest.h"
#include "storage/sqlite/connection.h"

namespace runglass {

class AgentTable {
 public:
  // Replaces the content with that of the file.
  Status load(sqlite::Connection& db);
  const AgentIdentity* identityOf(const std::string& agent) const;
  void setIdentity(const AgentIdentity& identity);
  bool anyChanged() const { return !m_changed.empty(); }
  std::vector<AgentIdentity> takeChanged();
  void putBack(const std::vector<AgentIdentity>& agents);
  // Inside the caller's transaction.
  static Status save(sqlite::Connection& db, const std::vector<AgentIdentity>& agents);
  // Inside the caller's transaction; call load() after its commit. NOT_FOUND: no agent of that uuid or node.
  Status forget(sqlite::Connection& db, const AgentForget& forget) const;

 private:
  void forgetOldest();

  std::map<std::string, AgentIdentity> m_agents;
  std::set<std::string> m_changed;
};

}  // namespace runglass
