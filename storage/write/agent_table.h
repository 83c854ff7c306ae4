// SPDX-License-Identifier: Apache-2.0
// AgentTable: which node each agent's uuid belongs to. Internal to storage.
// Invariants:
// 1. It changes on the writer's thread alone, also while a commit runs: what a commit saves is the copy that takeChanged() gave.
// 2. An agent that is not saved yet never leaves memory; of the others those seen last stay.
//
// Threading:  the writer's thread; save() is the commit's.
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
  // What the file has; nothing else.
  Status load(sqlite::Connection& db);
  const AgentIdentity* identityOf(const std::string& agent) const;
  void setIdentity(const AgentIdentity& identity);
  bool anyChanged() const { return !m_changed.empty(); }
  std::vector<AgentIdentity> takeChanged();
  void putBack(const std::vector<AgentIdentity>& agents);
  // Inside the caller's transaction.
  static Status save(sqlite::Connection& db, const std::vector<AgentIdentity>& agents);
  // The same; load() once that is committed. NOT_FOUND: no agent of that uuid or node.
  Status forget(sqlite::Connection& db, const AgentForget& forget) const;

 private:
  void forgetOldest();

  std::map<std::string, AgentIdentity> m_agents;
  std::set<std::string> m_changed;
};

}  // namespace runglass
