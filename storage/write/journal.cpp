// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. m_size is the end of the last complete record; a failed append truncates to it, or the next append does. Bytes left after it by a
//    crash are the beginning of one append: if a shorter append overwrote them, the remaining records would show a false gap.
// 2. A file appears under its name with its complete head, or not at all.
// 3. <store>-ingest-next exists only together with <store>-ingest; it is the newer one. The older one is deleted once all of it is
//    committed and a power cut cannot undo the commit: a power cut can only lose the newest batches of a stream, never some in the middle.
// 4. Files are synced in the order in which they were written, and their names before them.
// 5. A power cut may lose any part of the unsynced data and keep data that was written after it. A batch found after such a gap is left
//    out: its sender continues at the stream's mark and sends the missing batches if it still has them. After damage in synced data, all
//    batches count.
// 6. A file is never rewritten from its start: old records after new ones would belong to another content.
// 7. A sync opens no file: a process that has run out of descriptors loses no journal because of it.
#include "storage/write/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "model/time.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

constexpr DurNs kSyncInterval = 200 * kNsPerMs, kGroupedSyncInterval = 2 * kNsPerSecond;
constexpr std::size_t kMaxVectors = 512;
constexpr std::uint64_t kMaxPayload = std::uint64_t{1} << 30;
constexpr std::string_view kKept = ".corrupt-";

std::int64_t sizeOf(const std::string& file) {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 ? status.st_size : 0;
}

// Writes all of `vectors` at `at`; 0 or the errno.
int writeAll(int fd, std::vector<iovec>& vectors, off_t at) {
  for (std::size_t i = 0; i < vectors.size();) {
    const auto count = static_cast<int>(std::min(kMaxVectors, vectors.size() - i));
    ssize_t wrote = ::pwritev(fd, vectors.data() + i, count, at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return wrote == 0 ? ENOSPC : errno;
    at += wrote;
    while (wrote > 0) {
      const auto step = std::min(static_cast<std::size_t>(wrote), vectors[i].iov_len);
      vectors[i].iov_base = static_cast<char*>(vectors[i].iov_base) + step;
      vectors[i].iov_len -= step;
      wrote -= static_cast<ssize_t>(step);
      if (vectors[i].iov_len == 0) ++i;
    }
  }
  return 0;
}

}  // namespace

Status Journal::failed(const char* what, int error) const {
  const Code code = error == ENOSPC || error == EDQUOT || error == EFBIG  ? Code::kResourceExhausted
                    : error == EACCES || error == EROFS || error == EPERM ? Code::kPermissionDenied
                                                                          : Code::kUnavailable;
  return {code, std::string(what) + ": " + m_path + ": " + (code == Code::kResourceExhausted ? "the disk is full" : std::strerror(error))};
}

// Created under another name first: an incomplete or missing head is never mistaken for a journal.
Result<std::shared_ptr<OpenFile>> Journal::create(const std::string& path) const {
  const std::string made = path + ".new";
  if (::unlink(made.c_str()) != 0 && errno != ENOENT) return failed("cannot open journal", errno);
  const int fd = ::open(made.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return failed("cannot open journal", errno);
  auto file = std::make_shared<OpenFile>(fd);
  std::string head = m_format.head();
  std::vector<iovec> vectors = {{head.data(), head.size()}};
  int error = writeAll(fd, vectors, 0);
  if (error == 0 && m_power_safe) error = syncFile(fd);
  if (error == 0 && ::rename(made.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return file;
  ::unlink(made.c_str());
  return failed("cannot write journal", error);
}

Status Journal::open(const std::string& store, const std::string& store_uuid, bool power_safe) {
  m_path = journalPath(store);
  m_next_path = nextJournalPath(store);
  m_format = JournalFormat(store_uuid);
  m_power_safe = power_safe;
  m_folder = folderOf(m_path);
  if (m_folder->fd() < 0) return failed("cannot open the folder of journal", errno);
  // A file that ends within its head, or right after it, contains no records.
  if (sizeOf(m_next_path) <= JournalFormat::kHeadBytes) {
    if (::unlink(m_next_path.c_str()) != 0 && errno != ENOENT) return failed("cannot open journal", errno);
  } else if (sizeOf(m_path) <= JournalFormat::kHeadBytes) {
    if (::rename(m_next_path.c_str(), m_path.c_str()) != 0) return failed("cannot open journal", errno);
  } else {
    m_older_size = sizeOf(m_path);
  }
  const std::string& newest = m_older_size > 0 ? m_next_path : m_path;
  m_size = sizeOf(newest);
  if (m_size <= JournalFormat::kHeadBytes) {
    RG_ASSIGN(m_file, create(newest));
    m_size = JournalFormat::kHeadBytes;
  } else {
    const int fd = ::open(newest.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0) return failed("cannot open journal", errno);
    m_file = std::make_shared<OpenFile>(fd);
  }
  m_unnamed = true;
  if (!m_power_safe) return {};
  if (const int error = syncFolder(*m_folder); error != 0) return failed("cannot sync the folder of journal", error);
  m_unnamed = false;
  return {};
}

Status Journal::rotate() {
  // Data that a failed sync did not write is still in memory, and about to be stored.
  if (m_broken == 0 && m_power_safe) RG_TRY(sync());
  RG_ASSIGN(auto next, create(m_next_path));
  if (m_power_safe) {
    if (const int error = syncFolder(*m_folder); error != 0) {
      ::unlink(m_next_path.c_str());
      return failed("cannot sync the folder of journal", error);
    }
  }
  m_unnamed = !m_power_safe;
  m_synced = {.bytes = 0, .older = m_broken == 0 && m_synced.bytes >= m_size};
  m_older = std::exchange(m_file, std::move(next));
  m_older_size = std::exchange(m_size, JournalFormat::kHeadBytes);
  m_older_unsynced = std::exchange(m_unsynced, false) && m_broken == 0;
  m_older_broken = std::exchange(m_broken, 0);
  m_remains = false;
  return {};
}

void Journal::setApart() {
  if (m_replaying) return;
  if (m_older_size == 0 && (m_size > JournalFormat::kHeadBytes || m_broken != 0)) static_cast<void>(rotate());
  m_apart_size = m_size;
}

Status Journal::settle(bool durable) {
  if (m_replaying) return {};
  m_stored = m_older_size + m_apart_size;
  if (!durable) return {};
  if (m_older_size > 0) {
    if (::rename(m_next_path.c_str(), m_path.c_str()) != 0) return failed("cannot rename journal", errno);
    m_unnamed = true;
    m_stored -= m_older_size;
    m_older_size = 0;
    m_older.reset();
    m_synced.older = true;
    m_older_unsynced = false;
    m_older_broken = 0;
  }
  // Batches that arrived since then are after the stored ones.
  if (m_size > m_apart_size || m_size <= JournalFormat::kHeadBytes) return {};
  RG_ASSIGN(m_file, create(m_path));
  m_unnamed = true;
  m_synced.bytes = 0;
  m_size = m_apart_size = JournalFormat::kHeadBytes;
  m_stored = 0;
  return {};
}

// Gives the file a second name: the journal continues in another file, so that this one does not change.
void Journal::keep(const std::string& path, JournalLoss& loss) const {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::hard_link_count(path, error) > 1) return;  // by an earlier run of the writer, which ended before everything was stored
  const std::string prefix = m_path + std::string(kKept);
  std::vector<std::string> others;
  for (const auto& entry : fs::directory_iterator(fs::path(m_path).parent_path(), error))
    if (entry.path().string().starts_with(prefix)) others.push_back(entry.path().string());
  std::ranges::sort(others);  // by time
  while (others.size() >= kMaxKept) {
    fs::remove(others.front(), error);
    others.erase(others.begin());
  }
  std::string to = prefix + std::to_string(wallNow() / kNsPerSecond);
  for (int i = 1; fs::exists(to, error); ++i) to = prefix + std::to_string(wallNow() / kNsPerSecond) + "-" + std::to_string(i);
  fs::create_hard_link(path, to, error);
  if (error) fs::copy_file(path, to, error);
  if (!error) loss.kept.push_back(to);
}

Result<JournalLoss> Journal::replay(const Take& take, const Mark& mark) {
  m_replaying = true;
  struct File {
    int fd;
    std::string path;
    std::int64_t size;
    std::optional<JournalSynced> synced;  // absent: no record contains it
  };
  std::vector<File> files;
  if (m_older_size > 0) {
    const int fd = ::open(m_path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) return failed("cannot open journal", errno);
    m_older = std::make_shared<OpenFile>(fd);
    files.push_back({fd, m_path, m_older_size, {}});
  }
  files.push_back({m_file->fd(), m_older_size > 0 ? m_next_path : m_path, m_size, {}});
  for (File& file : files) {
    JournalDamage ignored;
    const auto look = [&](const JournalRecord& found) -> Status {
      if (!found.synced) return {};
      if (!file.synced) file.synced = *found.synced;
      file.synced->bytes = std::max(file.synced->bytes, found.synced->bytes);
      file.synced->older = file.synced->older || found.synced->older;
      return {};
    };
    RG_TRY(m_format.read(file.fd, file.size, look, ignored));
  }
  JournalLoss loss;
  std::map<StreamKey, std::uint64_t> next;
  const bool older_torn = files.back().synced && !files.back().synced->older;  // or even missing
  for (const File& file : files) {
    JournalDamage damage;
    const auto record = [&](const JournalRecord& found) -> Status {
      auto known = next.find(*found.stream);
      if (known == next.end()) known = next.emplace(*found.stream, mark(*found.stream)).first;
      if (found.wanted && *found.wanted > known->second) {
        const bool power_cut = (file.synced && damage.end > file.synced->bytes) || (older_torn && &file == &files.back());
        if (power_cut) {
          ++loss.left_out;
          return {};
        }
        loss.batches += *found.wanted - known->second;
        loss.streams[*found.stream] += *found.wanted - known->second;
      }
      known->second = std::max(known->second, found.seq + 1);
      return take(*found.stream, found.seq, found.payload);
    };
    RG_TRY(m_format.read(file.fd, file.size, record, damage));
    if (damage.places > 0 || damage.foreign) keep(file.path, loss);
    loss.damage.bytes += damage.bytes;
    loss.damage.places += damage.places;
    loss.damage.torn_bytes += damage.torn_bytes;
    loss.damage.foreign = loss.damage.foreign || damage.foreign;
  }
  m_replaying = false;
  return loss;
}

Status Journal::append(std::span<const Writer::JournalEntry> entries, std::span<const std::uint64_t> skipped) {
  if (m_broken != 0) return failed("cannot write journal", m_broken);
  if (m_remains && ::ftruncate(m_file->fd(), static_cast<off_t>(m_size)) != 0) return failed("cannot write journal", errno);
  m_remains = false;
  // The heads of all records in one string; the vectors point into it and to the payloads.
  std::string heads;
  std::vector<std::size_t> ends;
  ends.reserve(entries.size());
  std::int64_t total = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const Writer::JournalEntry& entry = entries[i];
    if (entry.payload.size() > kMaxPayload)
      return {Code::kInvalidArgument, "cannot journal a batch: " + m_path + ": it is larger than 1 GiB"};
    m_format.appendRecord(heads, *entry.stream, entry.seq, entry.seq - skipped[i], m_synced, entry.payload);
    ends.push_back(heads.size());
    total += static_cast<std::int64_t>(entry.payload.size());
  }
  total += static_cast<std::int64_t>(heads.size());
  std::vector<iovec> vectors;
  vectors.reserve(2 * entries.size());
  for (std::size_t i = 0, begin = 0; i < entries.size(); begin = ends[i++]) {
    vectors.push_back({heads.data() + begin, ends[i] - begin});
    if (!entries[i].payload.empty()) vectors.push_back({const_cast<char*>(entries[i].payload.data()), entries[i].payload.size()});
  }
  if (int error = writeAll(m_file->fd(), vectors, static_cast<off_t>(m_size)); error != 0) {
    if (::ftruncate(m_file->fd(), static_cast<off_t>(m_size)) != 0) error = errno, m_remains = true;
    return failed("cannot write journal", error);
  }
  m_size += total;
  m_unsynced = true;
  return syncIfDue();
}

Status Journal::syncIfDue() {
  const DurNs interval = m_power_safe ? kSyncInterval : kGroupedSyncInterval;
  return m_broken == 0 && monotonicNow() - m_synced_at < interval ? Status() : sync();
}

// After a successful sync; the files may have been rotated meanwhile.
void Journal::noteSynced() {
  if (m_syncing == m_file) {
    m_synced.bytes = m_syncing_size;
    m_synced.older = m_synced.older || m_syncing_older;
  } else if (m_syncing == m_older) {
    m_synced.older = m_synced.older || m_syncing_size >= m_older_size;
  }
  m_syncing.reset();
}

Status Journal::sync() {
  if (m_broken != 0) return failed("cannot sync journal", m_broken);
  if (m_power_safe) {
    // Data that its sync lost is safe once it is stored.
    if (m_older_broken != 0) return failed("cannot sync journal", m_older_broken);
    if (!m_unsynced) return {};
    m_broken = syncFile(m_file->fd());
    if (m_broken == 0 && m_unnamed) m_broken = syncFolder(*m_folder);
    m_synced_at = monotonicNow();
    m_unsynced = m_broken != 0;
    if (m_broken != 0) return failed("cannot sync journal", m_broken);
    m_unnamed = false;
    m_synced.bytes = m_size;
    return {};
  }
  if (const auto ended = m_sync.take()) {
    m_broken = *ended;
    if (m_broken != 0) return failed("cannot sync journal", m_broken);
    noteSynced();
  }
  if ((!m_unsynced && !m_older_unsynced) || monotonicNow() - m_synced_at < kGroupedSyncInterval || m_sync.busy()) return {};
  std::vector<std::shared_ptr<OpenFile>> files;
  m_syncing = m_file;
  m_syncing_size = m_size;
  m_syncing_older = m_older_unsynced;
  if (std::exchange(m_older_unsynced, false)) files.push_back(m_older);
  if (std::exchange(m_unsynced, false)) files.push_back(m_file);
  m_sync.start(std::exchange(m_unnamed, false) ? m_folder : nullptr, std::move(files));
  m_synced_at = monotonicNow();
  return {};
}

Status Journal::remove() {
  if (!m_file) return {};
  m_file.reset();
  m_older.reset();
  m_syncing.reset();
  for (const std::string& file : {m_path, m_next_path})
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) return failed("cannot delete journal", errno);
  return {};
}

}  // namespace runglass
