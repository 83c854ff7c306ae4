// SPDX-License-Identifier: Apache-2.0
// TrainerFiles: the output files of this node's trainers, found by the files that their processes have open.
//
// A trainer is a process whose environment names RANK and WORLD_SIZE, or one that reports through a ring. Its outputs are the regular
// files behind its standard output and error, and files named like logs that it has open for writing, or the files of a tee that reads its
// output. A file must belong to the user of the process, so that no process makes an agent of another user (root) read what it could not
// read itself; an attempt is that of the user of its ring, or of its oldest process, and no other user's process writes for it.
//
// Threading:  one thread.
// Ownership:  borrows the RankTable.
// Errors:     none: processes come and go while they are looked at, and what cannot be read is left out.
// Cost:       look(): a listing of /proc, the environment of new processes, two links for each trainer; all of a trainer's files (at most
//             kMaxDescriptors) at its 1st, 2nd, 4th, 8th and each further 16th look.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collectors/sources/follow/followed_file.h"
#include "collectors/sources/rank_table.h"

namespace runglass {

// Who a process is, as its ring or its environment says.
struct OutputWriter {
  std::string run, attempt;
  std::int32_t rank = 0, world = 0, local_world = 0;  // sizes 0: not known
  bool ring = false;
  friend bool operator==(const OutputWriter&, const OutputWriter&) = default;
};

struct OutputFile {
  FileId id;
  uid_t owner = 0;
  bool ring = false;                  // some process of the attempt has one
  bool appended = true;               // the file existed before all its writers
  std::vector<OutputWriter> writers;  // by rank, the newest attempt's
  friend bool operator==(const OutputFile&, const OutputFile&) = default;
};

class TrainerFiles {
 public:
  static constexpr std::size_t kMaxFiles = 256, kMaxFilesOfOne = 8, kMaxDescriptors = 256, kMaxTrainers = 1024;

  // `ranks` may be null. `all_users`: trainers of every user; else those of this process's user.
  TrainerFiles(std::string root, const RankTable* ranks, bool all_users);
  // By path; each file has one path.
  std::map<std::string, OutputFile> look();
  // Files beyond kMaxFiles, in the last look().
  std::size_t leftOut() const { return m_left_out.size(); }

 private:
  using AttemptName = std::pair<std::string, std::string>;
  struct Found {
    FileId id;
    bool appended = false;  // it is older than the process
  };
  struct Process {
    bool trainer = false;
    bool has_ring = false;  // of its own
    bool readable = false;  // of a user whose trainers count
    int looks = 0;
    uid_t user = 0;
    std::string program, cmdline;
    std::int32_t parent = 0;
    std::uint64_t start = 0;
    OutputWriter who;             // of a wrapper: who its child with a ring is, or was
    std::set<std::string> pipes;  // a trainer's standard output and error
    std::string input;            // of tee: the pipe that it reads; else empty
    std::map<std::string, Found> files;
  };
  void refresh(std::int32_t pid, Process& process, bool new_ring) const;
  void examine(std::int32_t pid, Process& process) const;
  void list(std::int32_t pid, Process& process) const;
  static bool isSame(const OutputWriter& child, const OutputWriter& parent);
  static bool isWorker(const Process& child, const Process& parent);
  struct Look {
    std::map<std::string, OutputFile> files;
    std::map<FileId, std::string> paths;
    std::map<std::string, std::uint64_t> newest;  // start of the process whose attempt counts
    std::set<AttemptName> rings;
  };
  void addFiles(const Process& of, const Process& process, Look& look);
  void findOwners();
  bool isOurs(std::string_view environ_text, bool has_ring) const;

  const std::string m_proc;
  const RankTable* m_ranks;
  const bool m_all_users;
  std::string m_own_rings;  // RUNGLASS_DIR of this agent
  std::map<std::int32_t, Process> m_processes;
  std::map<AttemptName, uid_t> m_owners;  // the user whose processes are of the attempt, while one lives
  std::set<std::string> m_left_out;
};

}  // namespace runglass
