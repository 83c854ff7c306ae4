// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. An entry has a consumer exactly from its first successful open on; the consumer has received every byte up to file->offset().
// 2. m_next is a snapshot of flushed data; it is saved at least kSaveLate after it was taken.
#include "collectors/sources/follow/follow_source.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "collectors/importers/input/run_name.h"
#include "model/shared_filesystem.h"

namespace runglass {
namespace {
constexpr DurNs kPollEvery = 200 * kNsPerMs, kExpandEvery = 2 * kNsPerSecond, kSaveLate = 2 * kNsPerSecond;
constexpr std::size_t kFileBytes = 1 << 20, kPollBytes = 32 << 20;  // per poll
constexpr DurNs kListFoldersEvery = 10 * kNsPerSecond;
constexpr std::size_t kMaxFiles = 4096, kMaxFolderEntries = 20'000;
}  // namespace

std::vector<std::string> FollowSource::pathsOf(const toml::table& config) {
  std::vector<std::string> all;
  if (const toml::node* paths = config.get("paths")) {
    if (const auto one = paths->value<std::string>()) all.push_back(*one);
    if (const toml::array* array = paths->as_array())
      for (const auto& item : *array)
        if (const auto path = item.value<std::string>()) all.push_back(*path);
  }
  return all;
}

void FollowSource::claim(const SourceContext& context) {
  if (context.tailed == nullptr) return;
  for (const std::string& path : pathsOf(*context.config)) context.tailed->claim(path, takes());
}

Status FollowSource::start(Recorder& out, const SourceContext& context) {
  m_globs = pathsOf(*context.config);
  if (m_globs.empty()) return {Code::kUnavailable, "source." + std::string(name()) + ": no files to follow: set paths"};
  m_tailed = context.tailed;
  claim(context);
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

void FollowSource::addOnly(const std::string& path, FileId only, std::uint32_t owner) {
  if (m_entries.size() >= kMaxFiles && !m_entries.contains(path)) return;
  Entry& entry = m_entries[path];
  entry.only = only;
  entry.owner = owner;
  if (entry.file)
    entry.file->expect(only, owner);
  else
    entry.file = std::make_unique<FollowedFile>(path, only, owner);
}

void FollowSource::rename(const std::map<std::string, std::string>& renames) {
  std::vector<std::map<std::string, Entry>::node_type> moved;
  for (const auto& [from, to] : renames)
    if (auto node = m_entries.extract(from)) {
      node.key() = to;
      node.mapped().file->renamed(to);
      m_kept.erase(from);
      moved.push_back(std::move(node));
    }
  for (auto& node : moved) m_entries.insert(std::move(node));
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
    if (at.depth() >= TailedFiles::kMaxFolderDepth) at.disable_recursion_pending();
    if (!takes()(at->path().filename().string()) || !at->is_regular_file(error)) continue;
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
    entry.file = std::make_unique<FollowedFile>(path, entry.only, entry.owner);
    entry.at_end = false;
  }
  entry.paused = !held;
  if (held && !entry.consumer) entry.others_read = answer.offset;
  return held;
}

// The state of an open file; of one that a source finds itself under any name, as it may have been renamed while the agent was down.
std::map<std::string, FollowSource::Kept>::const_iterator FollowSource::keptOf(const FollowedFile& file) const {
  const auto named = m_kept.find(file.path());
  if (named != m_kept.end() && file.isSame(named->second.mark)) return named;
  const auto mark = file.mark();
  if (!skipsKnown() || !mark) return m_kept.end();
  return std::ranges::find_if(m_kept, [&](const auto& entry) {
    const FileMark& kept = entry.second.mark;
    return kept.device == mark->device && kept.inode == mark->inode && kept.head_size > 0 && file.isSame(kept);
  });
}

void FollowSource::open(Entry& entry) {
  FollowTarget target{.path = entry.file->path(), .run_name = m_run, .attempt_key = m_attempt, .node = m_node};
  if (target.run_name.empty()) target.run_name = runNameOfFile(target.path);
  const auto kept = keptOf(*entry.file);
  if (kept != m_kept.end()) target.resume_at = kept->second.offset;
  target.resume_at = std::max(target.resume_at, entry.others_read);
  target.shared = entry.shared.value_or(false);
  if (const auto last = lastBytes(target.path); last && kept == m_kept.end() && entry.others_read == 0)
    target.resume_at = entry.file->skipToLast(*last);
  else if (skipsKnown())
    entry.file->skipTo(target.resume_at);
  entry.consumer = consumer(target);
  noteTailed(entry);
}

void FollowSource::noteTailed(Entry& entry) {
  const auto mark = entry.file->mark();
  if (!mark || m_tailed == nullptr) return;
  const FileId id{mark->device, mark->inode};
  if (entry.noted == id) return;
  if (entry.noted) m_tailed->retire(entry.noted->device, entry.noted->inode);
  m_tailed->add(id.device, id.inode);
  entry.noted = id;
}

void FollowSource::report(Entry& entry, const Status& status, TimeNs now, Recorder& out) {
  if (entry.reported || status.code() == Code::kUnavailable) return;
  out.issue({.code = "follow.unreadable", .source = entry.file->path(), .first = now, .last = now, .detail = status.message()});
  entry.reported = true;
}

// True if the file has more data.
bool FollowSource::follow(Entry& entry, std::size_t& budget, TimeNs now, Recorder& out) {
  while (budget > 0) {
    if (!entry.consumer) {
      // read() opens the file as well, and would have bytes for no consumer.
      if (const Status opened = entry.file->open(); !opened.ok()) {
        report(entry, opened, now, out);
        return false;
      }
      open(entry);
    }
    const auto read = entry.file->read(budget);
    if (!read.ok()) {
      report(entry, read.status(), now, out);
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
  // The first file is another one each time, so that files that grow fast do not keep the others waiting.
  auto at = m_entries.upper_bound(m_first);
  for (std::size_t i = 0; i < m_entries.size(); ++i, ++at) {
    if (at == m_entries.end()) at = m_entries.begin();
    if (i == 0) m_first = at->first;
    Entry& entry = at->second;
    if (!mayFollow(entry)) continue;
    std::size_t own = std::min(budget, kFileBytes);
    budget -= own;
    more |= follow(entry, own, now, out);
    budget += own;
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
