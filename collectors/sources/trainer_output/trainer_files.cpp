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
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "collectors/client/foreign_identity.h"
#include "collectors/sources/client/process_identity.h"
#include "collectors/sources/proc/proc_parse.h"
#include "collectors/sources/train_log/log_consumer.h"
#include "model/time.h"

namespace runglass {
namespace {

constexpr int kLooksAtStrangers = 3;    // a launcher's child gets its environment when it executes the trainer
constexpr int kExecEvery = 4;           // looks at the name of a stranger, which may execute a trainer
constexpr int kListEvery = 16;          // looks
constexpr DurNs kOlder = kNsPerSecond;  // a launcher opens the file before it starts the trainer
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
  const ssize_t bytes = ::readlinkat(folder, name.c_str(), link.data(), link.size() - 1);
  return bytes > 0 ? std::string(link.data(), static_cast<std::size_t>(bytes)) : std::string();
}

bool isAt(const std::string& path, FileId id) {
  struct stat named {};
  return ::lstat(path.c_str(), &named) == 0 && FileId{named.st_dev, named.st_ino} == id;
}

// Wall time of a process's start.
TimeNs startTime(std::uint64_t jiffies) {
  timespec up{};
  ::clock_gettime(CLOCK_BOOTTIME, &up);
  const double age = static_cast<double>(up.tv_sec) - static_cast<double>(jiffies) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  return wallNow() - static_cast<TimeNs>(age * 1e9);
}

// Whether the file existed before the process; by its last change where the filesystem has no time of its creation.
bool isOlder(int folder, const std::string& name, std::uint64_t start) {
  struct statx info {};
  if (::statx(folder, ("fd/" + name).c_str(), 0, STATX_BTIME | STATX_MTIME, &info) != 0) return false;
  const auto& time = (info.stx_mask & STATX_BTIME) != 0 ? info.stx_btime : info.stx_mtime;
  return time.tv_sec * kNsPerSecond + kOlder < startTime(start);
}

// The path of a file that the descriptor may write and that belongs to the process's user; empty: it is another kind of thing.
// `any_name`: a log's name is not needed.
std::string outputPath(int folder, const std::string& name, uid_t user, bool any_name, FileId& id) {
  const std::string path = linkOf(folder, "fd/" + name);
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
  process.trainer = false;
  process.input.clear();
  const Descriptor folder(::open((m_proc + std::to_string(pid)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  struct stat info {};
  if (!folder || ::fstat(folder.get(), &info) != 0 || (!m_all_users && info.st_uid != ::geteuid())) return;
  const std::string status = textOf(folder.get(), "status");
  const auto user = userOf(status);
  if (!user || (!m_all_users && *user != ::geteuid())) return;
  const auto stat = proc::parseProcessStat(textOf(folder.get(), "stat"));
  process.readable = true;
  process.user = *user;
  process.start = stat ? stat->start_jiffies : 0;
  process.program = linkOf(folder.get(), "exe");
  process.cmdline = textOf(folder.get(), "cmdline");
  // While a process executes a program, the kernel sets its name after its file; a binary of many programs has only the name.
  const bool tee = process.program.ends_with("/tee") || textOf(folder.get(), "comm") == "tee\n";
  process.input = tee ? linkOf(folder.get(), "fd/0") : std::string();
  if (!process.input.empty()) return;
  std::string environ_text = textOf(folder.get(), "environ");
  if (environ_text.empty() || environ_text.back() != '\0') environ_text += '\0';
  std::optional<Trainer> ring;
  if (m_ranks != nullptr)
    for (Trainer& known : m_ranks->all())
      if (known.pid == pid) ring = std::move(known);
  process.has_ring = ring.has_value();
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

// A process that executes another program has another environment. One that only changes its title (setproctitle) overwrites what /proc has
// of it.
void TrainerFiles::refresh(std::int32_t pid, Process& process, bool new_ring) const {
  ++process.looks;
  bool executed = false;
  if (process.readable && (process.trainer || process.looks % kExecEvery == 0)) {
    const Descriptor folder(::open((m_proc + std::to_string(pid)).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::string program = folder ? linkOf(folder.get(), "exe") : std::string();
    executed = !program.empty() && program != process.program;
  }
  if (executed) process.looks = 1, process.files.clear(), process.pipes.clear();
  if (executed || new_ring || (!process.trainer && process.looks <= kLooksAtStrangers)) examine(pid, process);
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
  const bool moved = std::ranges::any_of(process.files, [](const auto& file) { return !isAt(file.first, file.second.id); });
  const bool all = moved || (process.looks & (process.looks - 1)) == 0 || process.looks % kListEvery == 0;
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
    if (!path.empty() && (process.files.contains(path) || process.files.size() < kMaxFilesOfOne))
      process.files[path] = {id, isOlder(folder.get(), name, process.start)};
  }
  for (const char* name : {"1", "2"})
    if (const std::string link = linkOf(folder.get(), std::string("fd/") + name); link.starts_with("pipe:")) process.pipes.insert(link);
}

// Workers of a data loader have their trainer's environment and files.
bool TrainerFiles::isSame(const OutputWriter& child, const OutputWriter& parent) {
  return std::tie(child.rank, child.world, child.local_world) == std::tie(parent.rank, parent.world, parent.local_world);
}

bool TrainerFiles::isWorker(const Process& child, const Process& parent) {
  return !child.has_ring && (child.cmdline == parent.cmdline || child.cmdline.find("multiprocessing") != std::string::npos);
}

void TrainerFiles::addFiles(const Process& of, const Process& process, Look& look) {
  if (of.user != process.user) return;
  for (const auto& [found_path, found] : of.files) {
    const auto known_path = look.paths.find(found.id);  // hard links
    const std::string& path = known_path != look.paths.end() ? known_path->second : found_path;
    if (look.files.size() >= kMaxFiles && !look.files.contains(path)) {
      m_left_out.insert(path);
      continue;
    }
    OutputFile& file = look.files[path];
    std::uint64_t& start = look.newest[path];
    const auto attempt = [](const OutputWriter& who) { return std::tie(who.run, who.attempt); };
    if (!file.writers.empty() && attempt(file.writers.front()) != attempt(process.who)) {
      if (process.start < start) continue;
      file = {};
    }
    start = std::max(start, process.start);
    look.paths.emplace(found.id, path);
    file.id = found.id;
    file.owner = of.user;
    file.ring = look.rings.contains({process.who.run, process.who.attempt});
    file.appended &= found.appended;
    if (std::ranges::find(file.writers, process.who) == file.writers.end()) file.writers.push_back(process.who);
  }
}

void TrainerFiles::findOwners() {
  std::map<AttemptName, std::set<uid_t>> users;
  std::map<AttemptName, std::pair<bool, std::uint64_t>> first;  // the oldest process, one with a ring before all others
  std::map<AttemptName, uid_t> owners;
  for (const auto& [pid, process] : m_processes) {
    if (!process.trainer) continue;
    const AttemptName attempt(process.who.run, process.who.attempt);
    users[attempt].insert(process.user);
    const std::pair<bool, std::uint64_t> age(!process.has_ring, process.start);
    if (const auto known = first.find(attempt); known != first.end() && known->second <= age) continue;
    first[attempt] = age;
    owners[attempt] = process.user;
  }
  for (auto& [attempt, user] : owners)
    if (const auto known = m_owners.find(attempt);
        first[attempt].first && known != m_owners.end() && users[attempt].contains(known->second))
      user = known->second;
  m_owners = std::move(owners);
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
    refresh(pid, process, with_rings.contains(pid) && !process.has_ring);
    if ((process.trainer || !process.input.empty()) && ++trainers <= kMaxTrainers) list(pid, process);
  }
  Look look;
  if (m_ranks != nullptr)
    for (const Trainer& trainer : m_ranks->all()) look.rings.emplace(trainer.run, trainer.attempt_key);
  // A wrapper (bash, uv) has its trainer's rank; where the trainer has a ring, its run is the wrapper's.
  const auto trainerParent = [&](const Process& process) -> Process* {
    const auto parent = m_processes.find(process.parent);
    return parent != m_processes.end() && parent->second.trainer && isSame(process.who, parent->second.who) ? &parent->second : nullptr;
  };
  for (auto& [pid, process] : m_processes)
    if (process.trainer && process.has_ring)
      if (Process* const parent = trainerParent(process); parent != nullptr && !parent->has_ring) parent->who = process.who;
  findOwners();
  std::vector<const Process*> tees;
  for (const auto& [pid, process] : m_processes)
    if (!process.input.empty()) tees.push_back(&process);
  m_left_out.clear();
  for (const auto& [pid, process] : m_processes) {
    if (!process.trainer || m_owners.at({process.who.run, process.who.attempt}) != process.user) continue;
    if (const Process* const parent = trainerParent(process); parent != nullptr && isWorker(process, *parent)) continue;
    addFiles(process, process, look);
    for (const Process* tee : tees)
      if (process.pipes.contains(tee->input)) addFiles(*tee, process, look);
  }
  for (auto& [path, file] : look.files) std::ranges::sort(file.writers, {}, &OutputWriter::rank);
  return std::move(look.files);
}

}  // namespace runglass
