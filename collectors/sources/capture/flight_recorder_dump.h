// SPDX-License-Identifier: Apache-2.0
// FlightRecorderDump: a rank's NCCL flight recorder. Writes one byte to PyTorch's debug pipe; the dump that the trainer then writes is read
// by the importer for stored dumps, so that its collectives, groups and progress become part of the run.
//
// Threading:  as CapturePiece.
// Ownership:  borrows the state of the rank's earlier dumps.
// Units:      ns of the monotonic clock; bytes.
// Errors:     reported with the cause: a path that is not a pipe, a pipe of another user or without a reader; a dump that is too large, of
//             another user, or has invalid content (issue capture.bad_dump).
// Cost:       a dump of at most kMaxDump in memory while it is read.
#pragma once

#include <map>
#include <string>

#include "collectors/sources/capture/capture_log.h"
#include "collectors/sources/capture/known_dumps.h"
#include "collectors/sources/rank_table.h"

namespace runglass {

// Environment of a trainer at its start.
struct TrainerEnvironment {
  std::map<std::string, std::string> variables;
  std::string get(const std::string& name) const {
    const auto found = variables.find(name);
    return found == variables.end() ? "" : found->second;
  }
  static const std::vector<std::string>& names();
};

class FlightRecorderDump : public CapturePiece {
 public:
  static constexpr DurNs kPatience = 20 * kNsPerSecond;  // PyTorch reads the pipe about once a second
  static constexpr std::int64_t kMaxDump = 64 << 20;

  FlightRecorderDump(std::string root, Trainer trainer, TrainerEnvironment environment, KnownDumps& known)
      : m_root(std::move(root)), m_trainer(std::move(trainer)), m_environment(std::move(environment)), m_known(known) {}
  bool poll(CaptureLog& log, DurNs now) override;
  void giveUp(CaptureLog& log) override;
  const char* kind() const override { return "flight_recorder"; }

 private:
  struct Found {
    std::string path;
    std::int64_t size = -1, modified_ns = 0;
  };
  // The path as the trainer sees it.
  std::string inside(const std::string& path) const;
  std::vector<std::string> dumpPaths() const;
  Found newest() const;
  Status poke() const;
  // OK: recorded. UNAVAILABLE: incomplete.
  Status take(CaptureLog& log, const Found& found);
  CaptureLog::Owner owner() const { return {m_trainer.rank.attempt, m_trainer.rank.rank}; }

  std::string m_root;
  Trainer m_trainer;
  TrainerEnvironment m_environment;
  KnownDumps& m_known;
  std::uint32_t m_uid = 0;
  bool m_begun = false;
  DurNs m_until = 0, m_grown = 0;
  Found m_before, m_seen;
  std::string m_trouble;
};

}  // namespace runglass
