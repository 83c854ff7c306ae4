// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_disk.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace runglass::test {
namespace {

constexpr std::int64_t kSector = 512;
std::atomic<FaultDisk*> g_current = nullptr;

[[noreturn]] void die(const std::string& why) {
  std::fprintf(stderr, "fault disk: %s\n", why.c_str());
  std::abort();
}

void writeInto(std::string& content, std::int64_t at, std::string_view bytes) {
  const auto end = static_cast<std::size_t>(at) + bytes.size();
  if (content.size() < end) content.resize(end, '\0');
  content.replace(static_cast<std::size_t>(at), bytes.size(), bytes);
}

}  // namespace

// A folder with its files, in the current state and in the state that is certain after a power loss.
struct FaultDisk::Image {
  std::map<FileId, std::string> content, durable;
  std::map<FileId, std::vector<const Operation*>> unsynced;
  std::map<std::string, FileId> names, durable_names;
  std::vector<const Operation*> unsynced_names;

  static void apply(const Operation& operation, std::string& content) {
    if (operation.kind == Operation::Kind::kWrite)
      writeInto(content, operation.at, operation.bytes);
    else
      content.resize(static_cast<std::size_t>(operation.at), '\0');
  }
  static void apply(const Operation& operation, std::map<std::string, FileId>& names) {
    switch (operation.kind) {
      case Operation::Kind::kCreate:
        names[operation.path] = operation.file;
        return;
      case Operation::Kind::kUnlink:
        names.erase(operation.path);
        return;
      default:
        // If a file's creation is lost, there is no name to change.
        if (const auto from = names.find(operation.path); from != names.end()) {
          names[operation.to] = from->second;
          if (operation.kind == Operation::Kind::kRename) names.erase(operation.path);
        }
    }
  }
  void run(const Operation& operation) {
    switch (operation.kind) {
      case Operation::Kind::kWrite:
      case Operation::Kind::kTruncate:
        apply(operation, content[operation.file]);
        unsynced[operation.file].push_back(&operation);
        return;
      case Operation::Kind::kSync:
        for (const Operation* one : unsynced[operation.file]) apply(*one, durable[operation.file]);
        unsynced[operation.file].clear();
        return;
      case Operation::Kind::kSyncFailed:
        unsynced[operation.file].clear();
        return;
      case Operation::Kind::kSyncFolder:
        for (const Operation* one : unsynced_names) apply(*one, durable_names);
        unsynced_names.clear();
        return;
      default:
        apply(operation, names);
        unsynced_names.push_back(&operation);
    }
  }
};

const char* FaultDisk::name(Crash crash) {
  static constexpr const char* kNames[] = {"kill", "power loss, nothing unsynced", "power loss, in order", "power loss, any order"};
  return kNames[static_cast<std::size_t>(crash)];
}

FaultDisk::FaultDisk(std::string folder) : m_folder(std::move(folder)) {
  if (g_current != nullptr) die("one at a time");
  g_current = this;
}
FaultDisk::~FaultDisk() { g_current = nullptr; }
FaultDisk* FaultDisk::current() { return g_current; }

bool FaultDisk::watches(const std::string& path) const {
  return path.starts_with(m_folder + "/") && !path.ends_with("-shm") && !path.ends_with("-lock");
}

FaultDisk::FileId FaultDisk::fileAt(const std::string& path) {
  const auto found = m_names.find(path);
  return found == m_names.end() ? -1 : found->second;
}

void FaultDisk::opened(int fd, const std::string& path, bool created, bool emptied) {
  closed(fd);  // libc closes some descriptors itself, such as that of a directory_iterator
  if (path == m_folder || path == m_folder + "/") {
    m_folder_fds[fd] = true;
    return;
  }
  if (!watches(path)) return;
  FileId file = fileAt(path);
  if (file < 0 || created) {
    if (!created) die("a file that was there before: " + path);
    file = m_names[path] = m_next_file++;
    m_operations.push_back({.kind = Operation::Kind::kCreate, .file = file, .path = path});
  } else if (emptied) {
    truncated(file, 0);
  }
  m_fds[fd] = file;
}

void FaultDisk::closed(int fd) {
  m_fds.erase(fd);
  m_folder_fds.erase(fd);
}

FaultDisk::FileId FaultDisk::fileOf(int fd) const {
  const auto found = m_fds.find(fd);
  return found == m_fds.end() ? -1 : found->second;
}

void FaultDisk::failAt(std::size_t at, std::size_t count, int error, Failing what) {
  const auto held = lock();
  m_fail_at = at, m_fail_count = count, m_error = error, m_failing = what;
  m_seen = 0;
}

std::optional<int> FaultDisk::failure(bool sync) {
  if (m_fail_count == 0 || sync != (m_failing == Failing::kSyncs)) return std::nullopt;
  const std::size_t number = m_seen++;
  if (number < m_fail_at || number >= m_fail_at + m_fail_count) return std::nullopt;
  return m_error;
}

void FaultDisk::wrote(FileId file, std::int64_t at, std::string bytes) {
  m_operations.push_back({.kind = Operation::Kind::kWrite, .file = file, .at = at, .bytes = std::move(bytes)});
}
void FaultDisk::truncated(FileId file, std::int64_t size) {
  m_operations.push_back({.kind = Operation::Kind::kTruncate, .file = file, .at = size});
}
void FaultDisk::synced(FileId file) { m_operations.push_back({.kind = Operation::Kind::kSync, .file = file}); }
void FaultDisk::syncFailed(FileId file) { m_operations.push_back({.kind = Operation::Kind::kSyncFailed, .file = file}); }
void FaultDisk::syncedFolder() { m_operations.push_back({.kind = Operation::Kind::kSyncFolder}); }
void FaultDisk::renamed(const std::string& from, const std::string& to) {
  const FileId file = fileAt(from);
  if (file < 0) return;
  m_names[to] = file;
  m_names.erase(from);
  m_operations.push_back({.kind = Operation::Kind::kRename, .file = file, .path = from, .to = to});
}
void FaultDisk::linked(const std::string& from, const std::string& to) {
  const FileId file = fileAt(from);
  if (file < 0) return;
  m_names[to] = file;
  m_operations.push_back({.kind = Operation::Kind::kLink, .file = file, .path = from, .to = to});
}
void FaultDisk::unlinked(const std::string& path) {
  if (m_names.erase(path) > 0) m_operations.push_back({.kind = Operation::Kind::kUnlink, .path = path});
}

void FaultDisk::crash(std::size_t at, Crash crash, std::uint64_t seed, const std::string& to) const {
  const auto held = lock();
  std::mt19937_64 random(seed);
  Image image;
  for (std::size_t i = 0; i < at; ++i) image.run(m_operations[i]);
  if (at < m_operations.size() && m_operations[at].kind == Operation::Kind::kWrite) {
    // Any part of the data being written.
    Operation part = m_operations[at];
    part.bytes.resize(random() % (part.bytes.size() + 1));
    Image::apply(part, image.content[part.file]);
    // The pointers for a power loss refer to the whole operation: there it may be torn anyway.
    image.unsynced[part.file].push_back(&m_operations[at]);
  }
  if (crash != Crash::kKill) {
    image.content = image.durable;
    image.names = image.durable_names;
    const std::size_t kept_names =
        crash == Crash::kPowerLossOfAll ? 0 : static_cast<std::size_t>(random() % (image.unsynced_names.size() + 1));
    for (std::size_t i = 0; i < kept_names; ++i) Image::apply(*image.unsynced_names[i], image.names);
    if (crash == Crash::kPowerLossInOrder) {
      for (const auto& [file, operations] : image.unsynced) {
        const std::size_t kept = random() % (operations.size() + 1);
        for (std::size_t i = 0; i < kept; ++i) Image::apply(*operations[i], image.content[file]);
      }
    } else if (crash == Crash::kPowerLossAnyOrder) {
      for (const auto& [file, operations] : image.unsynced) {
        std::string& content = image.content[file];
        for (const Operation* one : operations) {
          if (random() % 2 == 0) continue;
          if (one->kind == Operation::Kind::kTruncate) {
            Image::apply(*one, content);
            continue;
          }
          // Sectors of the disk that may or may not have been written.
          const auto end = one->at + static_cast<std::int64_t>(one->bytes.size());
          const bool torn = random() % 3 == 0;
          for (std::int64_t sector = one->at / kSector * kSector; sector < end; sector += kSector) {
            const std::int64_t from = std::max(sector, one->at), until = std::min(sector + kSector, end);
            const std::string_view bytes(one->bytes.data() + (from - one->at), static_cast<std::size_t>(until - from));
            if (!torn || random() % 2 == 0)
              writeInto(content, from, bytes);
            else if (content.size() < static_cast<std::size_t>(until))
              content.resize(static_cast<std::size_t>(until), '\0');
          }
        }
      }
    }
  }
  for (const auto& [path, file] : image.names) {
    std::ofstream out(to + path.substr(m_folder.size()), std::ios::binary);
    out << image.content[file];
    if (!out.flush()) die("cannot write " + path);
  }
}

}  // namespace runglass::test
