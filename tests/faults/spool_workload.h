// SPDX-License-Identifier: Apache-2.0
// An agent's operations on its spool, at random: appends, syncs, releases acknowledged batches, restarts.
//
// Threading:  one thread; equal seeds make equal calls.
// Errors:     failed operations are not counted as held.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "collectors/agent/spool.h"
#include "tests/faults/fault_disk.h"

namespace runglass::test {

class SpoolWorkload {
 public:
  using Key = std::tuple<std::string, std::uint32_t, std::uint64_t>;  // session, stream, seq

  SpoolWorkload(FaultDisk& disk, std::string folder, std::uint64_t seed) : m_disk(disk), m_folder(std::move(folder)), m_random(seed) {}

  void run(int steps);
  void sync();
  // Batches that must exist after a crash during that operation: appended, or synced, and not released.
  std::set<Key> heldAt(std::size_t operation, bool synced_only) const;
  // Batches that may exist: a write that failed can have put all of its bytes into the file. The agent keeps such a batch and appends it
  // again, under the same number.
  const std::set<Key>& appended() const { return m_appended; }

  // Empty if the spool in `folder` holds `wanted`, each batch at most once and unchanged, and accepts more. Otherwise the error.
  static std::string check(const std::string& folder, const std::set<Key>& wanted, const std::set<Key>& appended);

 private:
  enum class What : std::uint8_t { kAppended, kSynced, kReleased };
  struct Entry {
    std::size_t operations;
    Key key;
    What what;
  };

  bool open();
  Result<Spool::Location> appendBatch(const Key& key);
  void append();
  void moveUnsynced();
  void release(std::size_t count);

  FaultDisk& m_disk;
  const std::string m_folder;
  std::mt19937_64 m_random;
  std::unique_ptr<Spool> m_spool;
  std::string m_session;
  int m_lives = 0;
  std::map<std::uint32_t, std::uint64_t> m_next;
  std::vector<std::pair<Key, Spool::Location>> m_held;
  std::set<Key> m_appended, m_synced;
  std::set<std::uint64_t> m_unsynced;  // segments whose sync failed
  std::vector<Entry> m_log;
};

}  // namespace runglass::test
