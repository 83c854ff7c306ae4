// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A process's user, environment and files are read through one descriptor of its folder: a pid that is used again gives no mixture.
// 2. Every id in Process::files was seen through a descriptor that the process has open for writing, of a file that its user owns.
#include "collectors/sources/trainer_output/trainer_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "collectors/client/foreign_identity.h"
#include "collectors/sources/client/process_identity.h"
#include "collectors/sources/proc/proc_parse.h"
#include "collectors/sources/train_log/log_consumer.h"

namespace runglass {
namespace {

constexpr int kLooksAtStrangers = 3;  // a launcher's child gets its environment when it executes the trainer
constexpr int kListEvery = 16;        // looks
constexpr std::size_t kMaxText = 1 << 20;

class Descriptor {
 public:
  explicit Descriptor(int fd) : m_fd(fd) {}
  ~Descriptor() {
    if (m_fd >= 0) ::close(m_fd);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return m_fd; }
  explicit operator bool() const { return m_fd >= 0; }

 private:
  int m_fd;
};

// Empty: it cannot be read.
std::string textOf(int folder, const char* name) {
  const Descriptor file(::openat(folder, name, O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 16384> piece{};
  for (ssize_t got = 0; file && text.size() < kMaxText && (got = ::read(file.get(), piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(got));
  return text;
}

template <class T>
std::optional<T> number(std::string_view text, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end != text.data() ? std::optional(value) : std::nullopt;
}

// What follows "Name:" in the line of that name; empty: there is none.
std::string_view field(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    std::string_view line = text.substr(at + name.size());
    line = line.substr(0, line.find('\n'));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line;
  }
  return {};
}

// The one user of a process; absent where its real and effective users differ: such a program has files that its user could not open.
std::optional<uid_t> userOf(std::string_view status) {
  std::string_view ids = field(status, "Uid:");
  std::optional<uid_t> user;
  for (int i = 0; i < 4; ++i) {
    const auto id = number<uid_t>(ids);
    if (!id || (user && *user != *id)) return std::nullopt;
    user = id;
    ids.remove_prefix(std::min(ids.find('\t') == std::string_view::npos ? ids.size() : ids.find('\t') + 1, ids.size()));
  }
  return user;
}

std::string linkOf(int folder, const std::string& name) {
  std::array<char, PATH_MAX> link{};
  const ssize_t bytes = ::readlinkat(folder, ("fd/" + name).c_str(), link.data(), link.size() - 1);
  return bytes > 0 ? std::string(link.data(), static_cast<std::size_t>(bytes)) : std::string();
}

// The path of a file that the descriptor may write and that belongs to the process's user; empty: it is another kind of thing.
// `any_name`: a log's name is not needed.
std::string outputPath(int folder, const std::string& name, uid_t user, bool any_name, FileId& id) {
  const std::string path = linkOf(folder, name);
  if (!path.starts_with('/')) return {};  // "pipe:[7]", "socket:[8]"
  if (!any_name && name != "1" && name != "2" && !isLogName(std::filesystem::path(path).filename().string())) return {};
  struct stat opened {
  }, named{};
  if (::fstatat(folder, ("fd/" + name).c_str(), &opened, 0) != 0 || !S_ISREG(opened.st_mode) || opened.st_uid != user ||
      (opened.st_mode & S_IRUSR) == 0)
    return {};
  const auto flags = number<unsigned>(field(textOf(folder, ("fdinfo/" + name).c_str()), "flags:"), 8);
  if (!flags || (*flags & O_ACCMODE) == O_RDONLY) return {};
  // Deleted, replaced, behind a link now, or in another mount namespace.
  if (::lstat(path.c_str(), &named) != 0 || named.st_ino != opened.st_ino || named.st_dev != opened.st_dev) return {};
  id = {opened.st_dev, opened.st_ino};
  return path;
}

}  // namespace

TrainerFiles::TrainerFiles(std::string root, const RankTable* ranks, bool all_users)
    : m_proc(std::move(root) + "proc/"), m_ranks(ranks), m_all_users(all_users) {
  if (const char* rings = std::getenv("RUNGLASS_DIR"); rings != nullptr && !all_users) m_own_rings = rings;
}

// RUNGLASS_DIR in the environment of an agent or a trainer makes both record that directory's run alone.
bool TrainerFiles::isOurs(std::string_view environ_text, bool has_ring) const {
  if (proc::environValue(environ_text, "RUNGLASS") == "off") return false;
  if (has_ring) return true;
  return proc::isTrainer(environ_text) && (m_all_users || proc::environValue(environ_text, "RUNGLASS_DIR").value_or("") == m_own_rings);
}

void TrainerFiles::examine(std::int32_t pid, Process& process) const {
  const Descriptor folder(::open((m_proc + std::to_string(pid)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  if (!folder || ::fstat(folder.get(), &info) != 0 || (!m_all_users && info.st_uid != ::geteuid())) return;
  const std::string status = textOf(folder.get(), "status");
  const auto user = userOf(status);
  if (!user || (!m_all_users && *user != ::geteuid())) return;
  const auto stat = proc::parseProcessStat(textOf(folder.get(), "stat"));
  process.user = *user;
  process.start = stat ? stat->start_jiffies : 0;
  process.input = textOf(folder.get(), "comm") == "tee\n" ? linkOf(folder.get(), "0") : std::string();
  if (!process.input.empty()) return;
  std::string environ_text = textOf(folder.get(), "environ");
  if (environ_text.empty() || environ_text.back() != '\0') environ_text += '\0';
  std::optional<Trainer> ring;
  if (m_ranks != nullptr)
    for (Trainer& known : m_ranks->all())
      if (known.pid == pid) ring = std::move(known);
  process.trainer = isOurs(environ_text, ring.has_value());
  if (!process.trainer) return;
  process.parent = number<std::int32_t>(field(status, "PPid:")).value_or(0);
  rgr_identity identity;
  rg_identity_of(&identity, pid, environ_text.data(), environ_text.size());
  Run run;
  Attempt attempt;
  Rank rank;
  applyIdentity(identity, run, attempt, rank);
  process.who = {run.name, attempt.key, rank.rank, attempt.layout.world, 0, ring.has_value()};
  if (const auto local = proc::environValue(environ_text, "LOCAL_WORLD_SIZE"))
    process.who.local_world = number<std::int32_t>(*local).value_or(0);
  if (ring) process.who.run = ring->run, process.who.attempt = ring->attempt_key, process.who.rank = ring->rank.rank;
}

void TrainerFiles::list(std::int32_t pid, Process& process) const {
  const Descriptor folder(::open((m_proc + std::to_string(pid)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto stat = folder ? proc::parseProcessStat(textOf(folder.get(), "stat")) : std::nullopt;
  if (!stat || stat->state == 'Z' || stat->start_jiffies != process.start) {  // dead, its pid perhaps another's
    process.trainer = false;
    process.input.clear();
    return;
  }
  std::vector<std::string> names = {"1", "2"};
  const bool all = (process.looks & (process.looks - 1)) == 0 || process.looks % kListEvery == 0;
  if (all) {
    process.files.clear();
    std::size_t seen = 0;
    DIR* const open = ::opendir((m_proc + std::to_string(pid) + "/fd").c_str());
    for (const dirent* entry = nullptr; open != nullptr && seen < kMaxDescriptors && (entry = ::readdir(open)) != nullptr; ++seen)
      if (const std::string_view name = entry->d_name; name.front() != '.' && name != "1" && name != "2") names.emplace_back(name);
    if (open != nullptr) ::closedir(open);
  }
  for (const std::string& name : names) {
    FileId id;
    const std::string path = outputPath(folder.get(), name, process.user, !process.input.empty(), id);
    if (!path.empty() && (process.files.contains(path) || process.files.size() < kMaxFilesOfOne)) process.files[path] = id;
  }
  for (const char* name : {"1", "2"})
    if (const std::string link = linkOf(folder.get(), name); link.starts_with("pipe:")) process.pipes.insert(link);
}

// Workers of a data loader have their trainer's environment and files.
bool TrainerFiles::isSame(const OutputWriter& child, const OutputWriter& parent) {
  return std::tie(child.rank, child.world, child.local_world) == std::tie(parent.rank, parent.world, parent.local_world);
}

void TrainerFiles::addFiles(const std::map<std::string, FileId>& of, const Process& process, std::map<std::string, OutputFile>& files,
                            std::map<std::string, std::uint64_t>& newest) {
  for (const auto& [path, id] : of) {
    if (files.size() >= kMaxFiles && !files.contains(path)) {
      m_left_out.insert(path);
      continue;
    }
    OutputFile& file = files[path];
    std::uint64_t& start = newest[path];
    const auto attempt = [](const OutputWriter& who) { return std::tie(who.run, who.attempt); };
    if (!file.writers.empty() && attempt(file.writers.front()) != attempt(process.who)) {
      if (process.start < start) continue;
      file.writers.clear();
    }
    start = std::max(start, process.start);
    file.id = id;
    file.writers.push_back(process.who);
  }
}

std::map<std::string, OutputFile> TrainerFiles::look() {
  std::set<std::int32_t> alive;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(m_proc, error)) {
    const std::string name = entry.path().filename();
    if (const auto pid = number<std::int32_t>(name); pid && *pid != ::getpid()) alive.insert(*pid);
  }
  std::erase_if(m_processes, [&](const auto& entry) { return !alive.contains(entry.first); });
  const std::set<std::int32_t> with_rings = [&] {
    std::set<std::int32_t> pids;
    if (m_ranks != nullptr)
      for (const Trainer& trainer : m_ranks->all()) pids.insert(trainer.pid);
    return pids;
  }();
  std::size_t trainers = 0;
  for (const std::int32_t pid : alive) {
    Process& process = m_processes[pid];
    ++process.looks;
    const bool new_ring = with_rings.contains(pid) && !process.who.ring;
    if (new_ring || (!process.trainer && process.looks <= kLooksAtStrangers)) examine(pid, process);
    if ((process.trainer || !process.input.empty()) && ++trainers <= kMaxTrainers) list(pid, process);
  }
  std::map<std::string, OutputFile> files;
  m_left_out.clear();
  std::map<std::string, std::uint64_t> newest;  // start of the process whose attempt counts
  for (const auto& [pid, process] : m_processes) {
    const auto parent = m_processes.find(process.parent);
    if (!process.trainer || (parent != m_processes.end() && parent->second.trainer && isSame(process.who, parent->second.who))) continue;
    addFiles(process.files, process, files, newest);
    for (const auto& [other, tee] : m_processes)
      if (process.pipes.contains(tee.input)) addFiles(tee.files, process, files, newest);
  }
  for (auto& [path, file] : files) std::ranges::sort(file.writers, {}, &OutputWriter::rank);
  return files;
}

}  // namespace runglass
