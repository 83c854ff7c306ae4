// SPDX-License-Identifier: Apache-2.0
// The operations of a hub's writer thread on a store, at random: batches of some agents are journaled in groups, acknowledged, recorded and
// committed, journaled while a commit runs, checkpointed; the store is closed and opened. Or over time, in the ticks of a hub.
//
// Threading:  one thread; equal seeds make equal calls.
// Errors:     those of the store are counted, and failed operations are retried, as a hub does.
#pragma once

#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "storage/writer.h"
#include "tests/faults/fault_clock.h"
#include "tests/faults/fault_disk.h"

namespace runglass::test {

class StoreWorkload {
 public:
  struct Acknowledged {
    std::size_t operations;  // operations of the disk when it was acknowledged
    StreamKey stream;
    std::uint64_t next;
    TimeNs time;  // monotonic
  };

  StoreWorkload(FaultDisk& disk, std::string path, bool power_safe, std::uint64_t seed)
      : m_disk(disk), m_path(std::move(path)), m_power_safe(power_safe), m_random(seed) {}

  void run(int steps);
  // Ticks of 50 ms of a clock: batches arrive or pause for seconds, and commits take up to a few ticks and happen when the writer finds
  // them due.
  void runInTime(FaultClock& clock, int ticks);
  // Stores the remaining data on a working disk.
  Status finish();
  // The next sequence number of each stream, up to which an agent may have deleted its batches at a crash during that operation.
  std::map<StreamKey, std::uint64_t> acknowledgedAt(std::size_t operation) const;
  // The same for runInTime(), and only for batches acknowledged at least `before` earlier than that operation.
  std::map<StreamKey, std::uint64_t> acknowledgedBefore(std::size_t operation, DurNs before) const;
  std::size_t failures() const { return m_failures; }

  static WriterOptions options(bool power_safe);
  // Empty if the store at `path` holds each batch once, from each stream's first up to a last one at or after `acknowledged`; with
  // `may_lose` the last one may be earlier, and the next batch is then reported as coming after a gap. Otherwise the error.
  static std::string check(const std::string& path, bool power_safe, const std::map<StreamKey, std::uint64_t>& acknowledged, bool may_lose);
  // Empty if the store at `path` has every batch before `durable`.
  static std::string checkDurable(const std::string& path, bool power_safe, const std::map<StreamKey, std::uint64_t>& durable);

 private:
  struct Said {
    StreamKey stream;
    std::uint64_t seq;
  };
  std::size_t below(std::size_t n) { return m_random() % n; }
  bool open();
  void journal();
  void acknowledge();
  void record();
  void tick(FaultClock& clock);
  void noted(const Status& status) { m_failures += status.ok() ? 0 : 1; }

  FaultDisk& m_disk;
  const std::string m_path;
  const bool m_power_safe;
  std::mt19937_64 m_random;
  std::unique_ptr<Writer> m_writer;
  std::vector<Said> m_unrecorded;
  std::map<StreamKey, std::uint64_t> m_journaled;  // not acknowledged yet
  std::vector<Acknowledged> m_acknowledged;
  std::vector<std::pair<std::size_t, TimeNs>> m_ticks;  // number of operations before each, and its time
  std::int64_t m_room = 0;
  std::size_t m_failures = 0;
};

}  // namespace runglass::test
