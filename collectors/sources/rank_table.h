// SPDX-License-Identifier: Apache-2.0
// RankTable: the ranks of this node's processes, as recorded by the client source, for sources that see processes (NVML, capture).
//
// Threading:  any thread: sources run in threads of their own.
// Ownership:  the agent owns it; all sources share it.
// Units:      pids of the agent's PID namespace.
// Cost:       a map of the node's trainers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/mutex.h"
#include "model/topology.h"

namespace runglass {

struct Trainer {
  std::int32_t pid = 0;
  Rank rank;
  std::string run, attempt_key, ring;  // the ring's path
};

class RankTable {
 public:
  // Adds a trainer. Returns the pid of another live process with the same rank of the same attempt, if any.
  std::optional<std::int32_t> put(const Trainer& trainer) {
    const MutexLock lock(m_mutex);
    std::optional<std::int32_t> twin;
    for (const auto& [other, known] : m_ranks)
      if (other != trainer.pid && known.rank.attempt == trainer.rank.attempt && known.rank.rank == trainer.rank.rank) twin = other;
    if (m_ranks.insert_or_assign(trainer.pid, trainer).second) ++m_generation;
    return twin;
  }
  void drop(std::int32_t pid) {
    const MutexLock lock(m_mutex);
    if (m_ranks.erase(pid) > 0) ++m_generation;
  }
  std::optional<Rank> find(std::int32_t pid) const {
    const MutexLock lock(m_mutex);
    const auto found = m_ranks.find(pid);
    return found == m_ranks.end() ? std::nullopt : std::optional(found->second.rank);
  }
  std::vector<Trainer> all() const {
    const MutexLock lock(m_mutex);
    std::vector<Trainer> all;
    for (const auto& [pid, trainer] : m_ranks) all.push_back(trainer);
    return all;
  }

  // Changes whenever a process starts or ends; absent without processes.
  std::optional<std::uint64_t> generation() const {
    const MutexLock lock(m_mutex);
    return m_ranks.empty() ? std::nullopt : std::optional(m_generation);
  }

 private:
  mutable Mutex m_mutex;
  std::uint64_t m_generation RG_GUARDED_BY(m_mutex) = 0;
  std::map<std::int32_t, Trainer> m_ranks RG_GUARDED_BY(m_mutex);
};

}  // namespace runglass
