// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A segment is "RGSPOOL2" | u64 salt, then records: u32 marker | u32 length of the rest | u32 crc32c of the rest | kind | rest. The
//    first record has the session; definitions precede the batches that need them. Any prefix of whole records is a valid segment. A
//    segment gets its file name only once its session record is written.
// 2. A segment belongs to one session and is self-contained, so that dropping an older one never makes a younger one unreadable.
//    Definitions carry their offset in the dictionary, batches the size of the dictionary that they need: after damage that leaves a gap in
//    the dictionary, these batches are left out.
// 3. m_segments[n].live counts the batches of n that were neither released nor lost; a segment is deleted at 0, the current one too.
#include "collectors/agent/spool.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "collectors/agent/spool_scan.h"
#include "model/crc32c.h"
#include "model/random_uuid.h"

namespace runglass {
namespace {

constexpr std::string_view kCorrupt = ".corrupt";
constexpr std::size_t kMaxCorrupt = 4;

Status failed(const char* what, const std::string& path) {
  return Status(Code::kUnavailable, std::string(what) + ": " + path + ": " + std::strerror(errno));
}

template <class T>
void appendRaw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

bool writeAll(int fd, std::string_view bytes, std::string_view more, std::uint64_t at) {
  while (!bytes.empty() || !more.empty()) {
    const std::array<iovec, 2> parts = {iovec{const_cast<char*>(bytes.data()), bytes.size()},
                                        iovec{const_cast<char*>(more.data()), more.size()}};
    const ssize_t wrote = pwritev(fd, parts.data(), 2, static_cast<off_t>(at));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote == 0) errno = ENOSPC;
    if (wrote <= 0) return false;
    at += static_cast<std::uint64_t>(wrote);
    const std::size_t first = std::min(bytes.size(), static_cast<std::size_t>(wrote));
    bytes.remove_prefix(first);
    more.remove_prefix(static_cast<std::size_t>(wrote) - first);
  }
  return true;
}

bool syncFolder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
  if (fd >= 0) ::close(fd);
  return synced;
}

// Copies to a new file: after a failed sync, the next sync of the same file can succeed without its data being on disk.
bool writeAnew(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(in), {}}, made = path + ".new";
  const int fd = ::open(made.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const bool written = writeAll(fd, content, {}, 0) && fdatasync(fd) == 0;
  ::close(fd);
  if (written && rename(made.c_str(), path.c_str()) == 0) return true;
  unlink(made.c_str());
  return false;
}

}  // namespace

Spool::~Spool() { closeCurrent(); }

std::string Spool::pathOf(std::uint64_t number) const {
  std::string digits = std::to_string(number);
  digits.insert(0, digits.size() < 12 ? 12 - digits.size() : 0, '0');
  return m_directory + "/segment-" + digits + ".rgs";
}

Result<Spool::Recovered> Spool::open(const std::string& directory, std::uint64_t segment_bytes) {
  m_directory = directory;
  m_segment_bytes = segment_bytes;
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all, error);
  std::vector<std::uint64_t> numbers;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    std::uint64_t number = 0;
    if (!name.starts_with("segment-")) continue;
    if (name.ends_with(".new")) unlink(entry.path().c_str());  // unfinished, never renamed
    if (!name.ends_with(".rgs")) continue;
    if (std::from_chars(name.data() + 8, name.data() + name.size() - 4, number).ec == std::errc()) numbers.push_back(number);
  }
  if (error) return Status(Code::kUnavailable, "spool: " + directory + ": " + error.message());
  std::sort(numbers.begin(), numbers.end());
  SpoolScan scan;
  for (const std::uint64_t number : numbers) {
    const std::string path = pathOf(number);
    const SpoolScan::Segment found = scan.read(number, path);
    if (!found.problem.empty()) {
      const std::string kept = found.damaged ? keepDamaged(path) : "";
      scan.issue({.code = "agent.spool_damaged", .source = "spool", .detail = found.problem + (kept.empty() ? "" : "; kept as " + kept)});
    }
    if (found.unreadable) continue;
    m_segments[number] = {.bytes = found.bytes, .live = 0};
    m_bytes += found.bytes;
  }
  Recovered out = scan.finish();
  for (const Session& session : out.sessions)
    for (const Batch& batch : session.batches) ++m_segments[batch.where.segment].live;
  // Batches that an earlier process appended again may be in a segment whose sync failed.
  bool synced = !scan.repeated() || std::ranges::all_of(m_segments, [this](const auto& segment) {
    return segment.second.live == 0 || writeAnew(pathOf(segment.first));
  });
  synced = synced && (!scan.repeated() || syncFolder(m_directory));
  for (const std::uint64_t number : numbers) {
    if (!m_segments.contains(number) || m_segments[number].live > 0) continue;
    if (synced)
      remove(number);
    else
      m_bytes -= std::exchange(m_segments[number].bytes, 0);  // the next start scans it again
  }
  if (!numbers.empty()) m_next = numbers.back() + 1;
  return out;
}

// Keeps the file under a second name (hard link): it is only read from now on, and deleted under the first name.
std::string Spool::keepDamaged(const std::string& path) const {
  std::error_code error;
  std::vector<std::string> kept;
  for (const auto& entry : std::filesystem::directory_iterator(m_directory, error))
    if (entry.path().string().ends_with(kCorrupt)) kept.push_back(entry.path().string());
  const std::string to = path + std::string(kCorrupt);
  if (std::ranges::find(kept, to) != kept.end()) return to;
  std::ranges::sort(kept);  // by number
  for (std::size_t i = 0; i + kMaxCorrupt <= kept.size(); ++i) unlink(kept[i].c_str());
  std::filesystem::create_hard_link(path, to, error);
  return error ? "" : to;
}

// Created under another name first, so that a segment always has its session record.
Status Spool::create(const std::string& session) {
  const std::string path = pathOf(m_next), made = path + ".new";
  const int fd = ::open(made.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return failed("create spool segment", path);
  const std::string salt = randomUuid().substr(0, kSpoolSaltBytes);
  const SpoolMark mark(salt);
  std::string head = std::string(kSpoolMagic) + salt;
  head += mark.record('S', session, {}) + session;
  if (!writeAll(fd, head, {}, 0) || rename(made.c_str(), path.c_str()) != 0) {
    const Status status = failed("create spool segment", path);
    ::close(fd);
    unlink(made.c_str());
    return status;
  }
  (void)syncFolder(m_directory);  // segments count as on disk only after sync(), which syncs the folder again
  m_fd = fd;
  m_current = m_next++;
  m_session = session;
  m_mark = mark;
  m_written_dictionary = 0;
  m_segments[m_current] = {.bytes = head.size(), .live = 0};
  m_bytes += head.size();
  m_dirty = true;
  return {};
}

Status Spool::begin(const std::string& session) {
  if (m_fd >= 0 && m_session == session && m_segments[m_current].bytes < m_segment_bytes) return {};
  (void)sync();  // reported by takeUnsynced()
  closeCurrent();
  return create(session);
}

Status Spool::appendDefinitions(std::string_view records) {
  std::string head;
  appendRaw(head, static_cast<std::uint64_t>(m_written_dictionary));
  RG_TRY(writeRecord('D', head, records));
  m_written_dictionary += records.size();
  return {};
}

Result<Spool::Location> Spool::appendBatch(std::uint32_t stream, std::uint64_t seq, TimeNs sealed, std::string_view payload) {
  std::string head;
  appendRaw(head, stream);
  appendRaw(head, seq);
  appendRaw(head, sealed);
  appendRaw(head, static_cast<std::uint64_t>(m_written_dictionary));
  RG_TRY(writeRecord('B', head, payload));
  Segment& segment = m_segments[m_current];
  ++segment.live;
  return Location{m_current, segment.bytes - payload.size(), static_cast<std::uint32_t>(payload.size()), crc32c(payload)};
}

Status Spool::writeRecord(char kind, std::string_view head, std::string_view body) {
  const std::string front = m_mark.record(kind, head, body) + std::string(head);
  Segment& segment = m_segments[m_current];
  if (!writeAll(m_fd, front, body, segment.bytes)) {
    const Status status = failed("write spool", pathOf(m_current));
    (void)!ftruncate(m_fd, static_cast<off_t>(segment.bytes));  // if this fails, the reader skips the remainder
    return status;
  }
  segment.bytes += front.size() + body.size();
  m_bytes += front.size() + body.size();
  m_dirty = true;
  return {};
}

Result<std::string> Spool::read(const Location& where) {
  const std::string path = pathOf(where.segment);
  const bool current = where.segment == m_current && m_fd >= 0;
  const int fd = current ? m_fd : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed("open spool", path);
  std::string bytes(where.size, '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t n = pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(where.offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) break;
    done += static_cast<std::size_t>(n);
  }
  if (!current) ::close(fd);
  if (done < bytes.size() || crc32c(bytes) != where.crc)
    return Status(Code::kDataLoss, "read spool: " + path + ": a batch in it is damaged");
  return bytes;
}

void Spool::release(const Location& where) {
  const auto it = m_segments.find(where.segment);
  if (it == m_segments.end()) return;
  if (it->second.live > 0) --it->second.live;
  if (it->second.live > 0) return;
  if (where.segment == m_current) return closeCurrent();  // the next append opens a new one
  if (!m_failed.contains(where.segment)) return remove(where.segment);
  m_bytes -= std::exchange(it->second.bytes, 0);
}

// After a sync: the batches appended again are on disk elsewhere. Segments are deleted once none of them holds a batch.
void Spool::removeFailed() {
  const auto holds = [this](std::uint64_t number) { return m_segments.contains(number) && m_segments[number].live > 0; };
  if (std::ranges::any_of(m_failed, holds)) return;
  for (const std::uint64_t number : std::exchange(m_failed, {}))
    if (m_segments.contains(number)) remove(number);
}

void Spool::remove(std::uint64_t number) {
  unlink(pathOf(number).c_str());
  m_bytes -= m_segments[number].bytes;
  m_segments.erase(number);
}

Status Spool::sync() {
  if (!m_dirty || m_fd < 0) return {};
  m_dirty = false;
  if (fdatasync(m_fd) == 0 && syncFolder(m_directory)) {
    removeFailed();
    return {};
  }
  const Status status = failed("sync spool", pathOf(m_current));
  m_unsynced.push_back(m_current);
  m_failed.insert(m_current);
  closeCurrent();
  return status;
}

void Spool::closeCurrent() {
  if (m_fd < 0) return;
  ::close(m_fd);
  m_fd = -1;
  const std::uint64_t number = std::exchange(m_current, 0);
  if (m_segments[number].live == 0) remove(number);
}

}  // namespace runglass
