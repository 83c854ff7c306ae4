// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. An entry has a consumer exactly from its first successful open on; the consumer has received every byte up to file->offset().
// 2. m_next is a snapshot of flushed data; it is saved at least kSaveLate after it was taken.
#include "collectors/sources/follow/follow_source.h"

#include <glob.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "collectors/importers/input/run_name.h"
#include "model/shared_filesystem.h"

namespace runglass {
namespace {
constexpr DurNs kPollEvery = 200 * kNsPerMs, kExpandEvery = 2 * kNsPerSecond, kSaveLate = 2 * kNsPerSecond;
constexpr std::size_t kReadBytes = 1 << 20, kPollBytes = 32 << 20;
constexpr DurNs kListFoldersEvery = 10 * kNsPerSecond;
constexpr std::size_t kMaxFiles = 4096, kMaxFolderEntries = 20'000;
constexpr int kMaxFolderDepth = 4;  // nesting of folders
}  // namespace

Status FollowSource::start(Recorder& out, const SourceContext& context) {
  if (const toml::node* paths = context.config->get("paths")) {
    if (const auto one = paths->value<std::string>()) m_globs.push_back(*one);
    if (const toml::array* array = paths->as_array())
      for (const auto& item : *array)
        if (const auto path = item.value<std::string>()) m_globs.push_back(*path);
  }
  if (m_globs.empty()) return {Code::kUnavailable, "source." + std::string(name()) + ": no files to follow: set paths"};
  m_tailed = context.tailed;
  return startWithoutPaths(out, context);
}

Status FollowSource::startWithoutPaths(Recorder& out, const SourceContext& context) {
  m_run = (*context.config)["run"].value_or(std::string());
  m_attempt = (*context.config)["attempt"].value_or(std::string("0"));
  const std::string lease = (*context.config)["lease"].value_or(std::string("shared"));
  if (lease != "shared" && lease != "always" && lease != "never")
    return {Code::kInvalidArgument, "source." + std::string(name()) + ": lease = \"" + lease + "\": wants shared, always or never"};
  if (lease != "never") m_leases = context.leases;
  m_lease_all = lease == "always";
  m_node = out.node(context.node);
  if (!context.state_dir.empty()) m_state_path = context.state_dir + "/" + std::string(name()) + ".follow";
  load();
  return {};
}

void FollowSource::add(const std::string& path) {
  if (m_entries.size() >= kMaxFiles) return;
  Entry& entry = m_entries[path];
  if (!entry.file) entry.file = std::make_unique<FollowedFile>(path);
}

void FollowSource::addOnly(const std::string& path, FileId only) {
  if (m_entries.size() >= kMaxFiles && !m_entries.contains(path)) return;
  Entry& entry = m_entries[path];
  entry.only = only;
  if (entry.file)
    entry.file->expect(only);
  else
    entry.file = std::make_unique<FollowedFile>(path, only);
}

void FollowSource::drop(const std::string& path, Recorder& out) {
  const auto entry = m_entries.find(path);
  if (entry == m_entries.end()) return;
  if (entry->second.consumer) {
    entry->second.consumer->finish(out);
    if (m_kept.size() >= kMaxFiles) m_kept.erase(m_kept.begin());
    if (const auto mark = entry->second.file->mark()) m_kept[path] = {*mark, entry->second.consumer->committedOffset()};
  }
  m_entries.erase(entry);
}

FileConsumer* FollowSource::consumerOf(const std::string& path) const {
  const auto entry = m_entries.find(path);
  return entry == m_entries.end() ? nullptr : entry->second.consumer.get();
}

// True if the folder holds a file of this source.
bool FollowSource::addFolder(const std::string& folder) {
  namespace fs = std::filesystem;
  bool any = false;
  std::size_t entries = 0;
  std::error_code error;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error);
  for (; !error && at != fs::recursive_directory_iterator() && entries < kMaxFolderEntries; at.increment(error), ++entries) {
    if (at.depth() >= kMaxFolderDepth) at.disable_recursion_pending();
    if (!takes(at->path().filename().string()) || !at->is_regular_file(error)) continue;
    any = true;
    add(at->path().string());
  }
  return any;
}

void FollowSource::expand(TimeNs now, Recorder& out) {
  if (now < m_expand_at) return;
  const bool first = m_expand_at == 0, folders = now >= m_folders_at;
  m_expand_at = now + kExpandEvery;
  if (folders) m_folders_at = now + kListFoldersEvery;
  for (const std::string& pattern : m_globs) {
    bool any = false, any_folder = false;
    glob_t found{};
    if (::glob(pattern.c_str(), GLOB_TILDE, nullptr, &found) == 0)
      for (std::size_t i = 0; i < found.gl_pathc; ++i) {
        struct stat info {};
        const std::string path = found.gl_pathv[i];
        const bool folder = ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
        any_folder |= folder;
        if (!folder) add(path);
        any |= folder ? folders && addFolder(path) : true;
      }
    globfree(&found);
    if (first && !any)
      out.issue({.code = "follow.no_files",
                 .source = pattern,
                 .first = now,
                 .last = now,
                 .detail = any_folder ? "source." + std::string(name()) + ": no " + takenNames() + " in this folder yet"
                                      : "source." + std::string(name()) + ": no such file or folder yet"});
  }
}

// A file on a shared filesystem is tailed by the agent that holds its lease. An agent that loses the lease drops its state of the file; if
// it gets the lease back, it continues from the other agent's offset.
bool FollowSource::mayFollow(Entry& entry) {
  const std::string& path = entry.file->path();
  struct stat info {};
  if (m_leases == nullptr || ::stat(path.c_str(), &info) != 0) return true;  // the read below reports the cause
  if (!entry.shared) {
    entry.shared = m_lease_all || !sharedFilesystem(path).empty();
    std::error_code error;
    entry.canonical = std::filesystem::weakly_canonical(path, error).string();
  }
  if (!*entry.shared) return true;
  const auto mark = entry.file->mark();
  const std::uint64_t inode = mark ? mark->inode : info.st_ino;
  std::uint64_t recorded = entry.others_read;
  if (const auto saved = m_saved.find(path); saved != m_saved.end() && saved->second.mark.inode == inode)
    recorded = std::max(recorded, saved->second.offset);
  LeaseClaims::Answer answer = m_leases->claim(entry.canonical + '#' + std::to_string(inode), recorded, monotonicNow());
  if (answer.offset > static_cast<std::uint64_t>(info.st_size)) answer.offset = 0;  // truncated since
  const bool held = answer.state == LeaseClaims::State::kHeld;
  const bool overtaken = held && entry.paused && entry.consumer && answer.offset > entry.consumer->committedOffset();
  if (entry.consumer && (overtaken || answer.state == LeaseClaims::State::kElsewhere)) {
    entry.consumer.reset();
    entry.file = std::make_unique<FollowedFile>(path, entry.only);
    entry.at_end = false;
  }
  entry.paused = !held;
  if (held && !entry.consumer) entry.others_read = answer.offset;
  return held;
}

void FollowSource::open(Entry& entry) {
  FollowTarget target{.path = entry.file->path(), .run_name = m_run, .attempt_key = m_attempt, .node = m_node};
  if (target.run_name.empty()) target.run_name = runNameOfFile(target.path);
  const auto kept = m_kept.find(target.path);
  if (kept != m_kept.end() && entry.file->isSame(kept->second.mark)) target.resume_at = kept->second.offset;
  target.resume_at = std::max(target.resume_at, entry.others_read);
  target.shared = entry.shared.value_or(false);
  if (skipsKnown()) entry.file->skipTo(target.resume_at);
  entry.consumer = consumer(target);
  noteTailed(entry);
}

void FollowSource::noteTailed(const Entry& entry) {
  if (const auto mark = entry.file->mark(); mark && m_tailed != nullptr) m_tailed->add(mark->device, mark->inode);
}

// True if the file has more data.
bool FollowSource::follow(Entry& entry, std::size_t& budget, TimeNs now, Recorder& out) {
  while (budget > 0) {
    if (!entry.consumer && entry.file->open().ok()) open(entry);
    const auto read = entry.file->read(std::min(budget, kReadBytes));
    if (!read.ok()) {
      if (!entry.reported && read.status().code() != Code::kUnavailable)
        out.issue(
            {.code = "follow.unreadable", .source = entry.file->path(), .first = now, .last = now, .detail = read.status().message()});
      entry.reported = true;
      return false;
    }
    using enum FollowedFile::News;
    if (read->news == kReplaced || read->news == kCut) {
      noteTailed(entry);
      entry.others_read = 0;
      entry.consumer->startOver(out);
      out.issue({.code = read->news == kCut ? "follow.truncated" : "follow.replaced",
                 .source = entry.file->path(),
                 .first = now,
                 .last = now,
                 .detail = "read again from its start"});
    } else if (read->news == kBytes) {
      // Bytes read after the end was reached once have been written since the last poll.
      entry.consumer->feed(read->bytes, entry.at_end ? std::optional<TimeNs>(now) : std::nullopt, out);
      budget -= std::min(budget, read->bytes.size());
      entry.fresh = true;
    }
    if (!read->more) {
      entry.at_end = true;
      return false;
    }
  }
  entry.at_end = false;
  return true;
}

TimeNs FollowSource::poll(Recorder& out, TimeNs now) {
  expand(now, out);
  std::size_t budget = kPollBytes;
  bool more = false;
  for (auto& [path, entry] : m_entries) {
    if (!mayFollow(entry)) continue;
    more |= follow(entry, budget, now, out);
    if (entry.fresh) entry.consumer->flush(out);
    entry.fresh = false;
  }
  remember(now, false);
  return more ? now : now + kPollEvery;
}

void FollowSource::stop(Recorder& out) {
  for (auto& [path, entry] : m_entries)
    if (entry.consumer) entry.consumer->finish(out);
  remember(0, true);
  for (auto& [path, entry] : m_entries) mayFollow(entry);  // the last claim has the final offset
}

std::map<std::string, FollowSource::Kept> FollowSource::snapshot() const {
  std::map<std::string, Kept> state = m_kept;
  for (const auto& [path, entry] : m_entries)
    if (entry.consumer)
      if (const auto mark = entry.file->mark()) state[path] = {*mark, entry.consumer->committedOffset()};
  return state;
}

void FollowSource::remember(TimeNs now, bool at_once) {
  if (at_once) return save(snapshot());
  if (now < m_next_at) return;
  if (m_next_at != 0 && m_next != m_saved) save(m_next);
  m_next = snapshot();
  m_next_at = now + kSaveLate;
}

// One line per file: device inode head_size head_crc offset path.
void FollowSource::save(const std::map<std::string, Kept>& state) {
  m_saved = state;
  if (m_state_path.empty()) return;
  const std::string draft = m_state_path + ".new";
  {
    std::ofstream file(draft, std::ios::binary | std::ios::trunc);
    for (const auto& [path, kept] : state)
      if (path.find('\n') == std::string::npos)
        file << kept.mark.device << ' ' << kept.mark.inode << ' ' << kept.mark.head_size << ' ' << kept.mark.head_crc << ' ' << kept.offset
             << ' ' << path << '\n';
    if (!file.flush()) return;  // a full disk: the previous state stays
  }
  std::error_code error;
  std::filesystem::rename(draft, m_state_path, error);
}

void FollowSource::load() {
  std::ifstream file(m_state_path, std::ios::binary);
  for (std::string line; m_kept.size() < kMaxFiles && std::getline(file, line);) {
    std::istringstream fields(line);
    Kept kept;
    std::string path;
    fields >> kept.mark.device >> kept.mark.inode >> kept.mark.head_size >> kept.mark.head_crc >> kept.offset;
    fields.ignore(1);
    if (fields && std::getline(fields, path) && !path.empty()) m_kept[path] = kept;
  }
  m_saved = m_kept;
}

}  // namespace runglass
