// SPDX-License-Identifier: Apache-2.0
// FollowSource: a Source that tails files, named by globs and folders or found by the source itself, and feeds each to a consumer of its
// own. train_log, tfevents and trainer_output are three.
//
// Threading:  the agent's thread of this source.
// Ownership:  one FollowedFile and one FileConsumer per path.
// Units:      bytes, ns.
// Errors:     start(): UNAVAILABLE without `paths`. An unreadable file is one follow.unreadable issue, and is tried again; a path that
//             initially matches no file is one follow.no_files issue.
// Cost:       every 200 ms two stats per file; globs are expanded every 2 s, folders every 10 s (at most 20,000 entries, 4 levels deep); at
//             most 32 MiB are read per poll, 1 MiB of each file.
// Config:     paths = ["/logs/*.log", "/runs", ...], run = "name" (default: from the file's name), attempt = "key" (default "0"), lease =
//             "shared" (default: only one agent tails each file on a network filesystem), "always" or "never". <state_dir>/<name>.follow
//             stores the recorded offset of each file; it is written 2 s late, so that after a crash of the agent a few points are recorded
//             twice rather than lost.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectors/sources/follow/followed_file.h"
#include "collectors/sources/source.h"

namespace runglass {

// Receives the bytes of a tailed file, from its first byte on; those before `resume_at` are already recorded.
class FileConsumer {
 public:
  virtual ~FileConsumer() = default;
  // `arrival`: now, if these bytes have just been written; absent while catching up.
  virtual void feed(std::string_view bytes, std::optional<TimeNs> arrival, Recorder& out) = 0;
  virtual void flush(Recorder& out) = 0;
  // The file was replaced or truncated: the next bytes are the first ones of a file.
  virtual void startOver(Recorder& out) = 0;
  virtual void finish(Recorder& out) = 0;
  virtual std::uint64_t committedOffset() const = 0;
};

struct FollowTarget {
  std::string path, run_name, attempt_key;
  std::uint64_t resume_at = 0;
  NodeId node;
  bool shared = false;  // with other nodes
};

class FollowSource : public Source {
 public:
  void claim(const SourceContext& context) override;
  Status start(Recorder& out, const SourceContext& context) override;
  TimeNs poll(Recorder& out, TimeNs now) override;
  void stop(Recorder& out) override;

 protected:
  // start() of a source that finds its files itself.
  Status startWithoutPaths(Recorder& out, const SourceContext& context);
  // Tails the file of this identity, from its start or from where it was left; a tailed path continues with it.
  // `owner`: user that the file must belong to.
  void addOnly(const std::string& path, FileId only, std::uint32_t owner);
  // Old and new paths of tailed files; no tailed file has a new path that is not itself renamed.
  void rename(const std::map<std::string, std::string>& renames);
  void drop(const std::string& path, Recorder& out);
  FileConsumer* consumerOf(const std::string& path) const;
  // True: bytes before resume_at are not read again.
  virtual bool skipsKnown() const { return false; }
  // Of a file without a recorded offset: it is read from so many bytes before its end. Absent: from its start.
  virtual std::optional<std::uint64_t> lastBytes(const std::string&) const { return {}; }

  virtual std::unique_ptr<FileConsumer> consumer(const FollowTarget& target) = 0;
  // Whether a file in a folder of `paths` belongs to this source; files matched by a pattern are always taken.
  virtual TailedFiles::Takes takes() const = 0;
  // Description of takes(): "files named *.log".
  virtual std::string takenNames() const = 0;

 private:
  struct Kept {  // state of a path in the state file
    FileMark mark;
    std::uint64_t offset = 0;
    friend bool operator==(const Kept&, const Kept&) = default;
  };
  struct Entry {
    std::unique_ptr<FollowedFile> file;
    std::optional<FileId> only, noted;  // the file to read; that which TailedFiles has
    std::optional<std::uint32_t> owner;
    std::unique_ptr<FileConsumer> consumer;
    bool at_end = false, reported = false, fresh = false;
    std::optional<bool> shared;     // filesystem shared with other nodes; absent: not determined yet
    std::string canonical;          // path, for the claim
    bool paused = false;            // the lease was not held at the last check
    std::uint64_t others_read = 0;  // recorded up to here by another agent
  };
  void expand(TimeNs now, Recorder& out);
  void add(const std::string& path);
  bool addFolder(const std::string& folder);
  bool mayFollow(Entry& entry);
  bool follow(Entry& entry, std::size_t& budget, TimeNs now, Recorder& out);
  void open(Entry& entry);
  void noteTailed(Entry& entry);
  void report(Entry& entry, const Status& status, TimeNs now, Recorder& out);
  std::map<std::string, Kept>::const_iterator keptOf(const FollowedFile& file) const;
  static std::vector<std::string> pathsOf(const toml::table& config);
  void remember(TimeNs now, bool at_once);
  void load();
  std::map<std::string, Kept> snapshot() const;
  void save(const std::map<std::string, Kept>& state);

  std::vector<std::string> m_globs;
  std::string m_run, m_attempt, m_state_path;
  std::string m_first;  // path of the first file of the last poll
  LeaseClaims* m_leases = nullptr;
  TailedFiles* m_tailed = nullptr;
  bool m_lease_all = false;
  NodeId m_node;
  std::map<std::string, Entry> m_entries;
  std::map<std::string, Kept> m_kept;  // as loaded, and of files that were dropped
  std::map<std::string, Kept> m_next, m_saved;
  TimeNs m_next_at = 0, m_expand_at = 0, m_folders_at = 0;
};

}  // namespace runglass
