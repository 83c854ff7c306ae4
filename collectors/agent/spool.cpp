// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A segment is "RGSPOOL1", then records: u32 length of the rest | u32 crc32c of the rest | kind | rest. The first record names the
//    session; definitions come before the batches that need them. Any prefix of whole records is a valid segment.
// 2. A segment belongs to one session and explains itself, so that dropping an older one never makes a younger one unreadable.
// 3. m_segments[n].live counts the batches of n that were neither released nor lost; a segment other than the current one is deleted at 0.
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

#include "model/crc32c.h"

namespace runglass {
namespace {

constexpr std::string_view kMagic = "RGSPOOL1";
constexpr std::size_t kHead = 8;  // length and checksum
constexpr std::size_t kBatchHead = 1 + 4 + 8 + 8;
constexpr std::uint32_t kMaxRecord = 80U << 20;

Status failed(const char* what, const std::string& path) {
  return Status(Code::kUnavailable, std::string(what) + ": " + path + ": " + std::strerror(errno));
}

template <class T>
void appendRaw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}
template <class T>
T readRaw(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

Result<std::string> readAll(int fd, std::uint64_t offset, std::size_t size, const std::string& path) {
  std::string bytes(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t n = pread(fd, bytes.data() + done, size - done, static_cast<off_t>(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed("read spool", path);
    if (n == 0) return Status(Code::kDataLoss, "read spool: " + path + ": ends early");
    done += static_cast<std::size_t>(n);
  }
  return bytes;
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
    if (!name.starts_with("segment-") || !name.ends_with(".rgs")) continue;
    if (std::from_chars(name.data() + 8, name.data() + name.size() - 4, number).ec == std::errc()) numbers.push_back(number);
  }
  if (error) return Status(Code::kUnavailable, "spool: " + directory + ": " + error.message());
  std::sort(numbers.begin(), numbers.end());
  Recovered out;
  for (const std::uint64_t number : numbers) scan(number, out);
  if (!numbers.empty()) m_next = numbers.back() + 1;
  return out;
}

void Spool::scan(std::uint64_t number, Recovered& out) {
  const std::string path = pathOf(number);
  const int fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (fd < 0) {
    out.issues.push_back({.code = "agent.spool_damaged", .source = "spool", .detail = failed("open", path).message()});
    return;
  }
  const auto size = static_cast<std::uint64_t>(std::max<off_t>(0, lseek(fd, 0, SEEK_END)));
  Segment segment;
  Session* session = nullptr;
  std::size_t dictionary = 0;  // bytes of it that this segment has told
  std::uint64_t at = kMagic.size();
  const auto magic = size < kMagic.size() ? Result<std::string>(std::string()) : readAll(fd, 0, kMagic.size(), path);
  bool good = magic.ok() && *magic == kMagic;
  while (good && at + kHead < size) {
    const auto head = readAll(fd, at, kHead, path);
    if (!head.ok()) break;
    const auto length = readRaw<std::uint32_t>(head->data());
    if (length == 0 || length > kMaxRecord || at + kHead + length > size) break;
    const auto body = readAll(fd, at + kHead, length, path);
    if (!body.ok() || crc32c(*body) != readRaw<std::uint32_t>(head->data() + 4)) break;
    const char kind = body->front();
    if (kind == 'S') {
      const std::string name = body->substr(1);
      const auto it = std::find_if(out.sessions.begin(), out.sessions.end(), [&](const Session& s) { return s.name == name; });
      session = it != out.sessions.end() ? &*it : &out.sessions.emplace_back(Session{.name = name});
    } else if (kind == 'D' && session != nullptr) {
      // Segments of one session tell the same dictionary from its start; keep what is new.
      const std::string_view records = std::string_view(*body).substr(1);
      const std::size_t known = session->dictionary.size() > dictionary ? session->dictionary.size() - dictionary : 0;
      if (records.size() > known) session->dictionary += records.substr(known);
      dictionary += records.size();
    } else if (kind == 'B' && session != nullptr && length >= kBatchHead) {
      session->batches.push_back({.stream = readRaw<std::uint32_t>(body->data() + 1),
                                  .seq = readRaw<std::uint64_t>(body->data() + 5),
                                  .sealed = readRaw<TimeNs>(body->data() + 13),
                                  .where = {number, at + kHead + kBatchHead, static_cast<std::uint32_t>(length - kBatchHead)}});
      ++segment.live;
    } else {
      good = false;
      break;
    }
    at += kHead + length;
  }
  if (at < size || !good) {
    out.issues.push_back(
        {.code = "agent.spool_damaged",
         .source = "spool",
         .detail = path + ": " + std::to_string(size - std::min(at, size)) + " bytes after byte " + std::to_string(at) + " were cut off"});
    (void)!ftruncate(fd, static_cast<off_t>(at));  // if it stays, the next start cuts it off again
  }
  ::close(fd);
  if (segment.live == 0) {
    unlink(path.c_str());
    return;
  }
  segment.bytes = at;
  m_bytes += at;
  m_segments[number] = segment;
}

Status Spool::begin(const std::string& session) {
  if (m_fd >= 0 && m_session == session && m_segments[m_current].bytes < m_segment_bytes) return {};
  RG_TRY(sync());
  closeCurrent();
  const std::string path = pathOf(m_next);
  m_fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (m_fd < 0) return failed("create spool segment", path);
  m_current = m_next++;
  m_session = session;
  m_written_dictionary = 0;
  m_segments[m_current] = {};
  if (::write(m_fd, kMagic.data(), kMagic.size()) != static_cast<ssize_t>(kMagic.size())) return failed("write spool", path);
  m_segments[m_current].bytes = kMagic.size();
  m_bytes += kMagic.size();
  return writeRecord('S', {}, session);
}

Status Spool::appendDefinitions(std::string_view records) {
  RG_TRY(writeRecord('D', {}, records));
  m_written_dictionary += records.size();
  return {};
}

Result<Spool::Location> Spool::appendBatch(std::uint32_t stream, std::uint64_t seq, TimeNs sealed, std::string_view payload) {
  std::string head;
  appendRaw(head, stream);
  appendRaw(head, seq);
  appendRaw(head, sealed);
  RG_TRY(writeRecord('B', head, payload));
  Segment& segment = m_segments[m_current];
  ++segment.live;
  return Location{m_current, segment.bytes - payload.size(), static_cast<std::uint32_t>(payload.size())};
}

Status Spool::writeRecord(char kind, std::string_view head, std::string_view body) {
  std::string front;
  appendRaw(front, static_cast<std::uint32_t>(1 + head.size() + body.size()));
  std::string checked(1, kind);
  checked += head;
  appendRaw(front, crc32c(body, crc32c(checked)));
  front += checked;
  std::array<iovec, 2> parts = {iovec{front.data(), front.size()}, iovec{const_cast<char*>(body.data()), body.size()}};
  const auto whole = static_cast<ssize_t>(front.size() + body.size());
  Segment& segment = m_segments[m_current];
  if (pwritev(m_fd, parts.data(), 2, static_cast<off_t>(segment.bytes)) != whole) {
    const Status status = failed("write spool", pathOf(m_current));
    (void)!ftruncate(m_fd, static_cast<off_t>(segment.bytes));
    return status;
  }
  segment.bytes += static_cast<std::uint64_t>(whole);
  m_bytes += static_cast<std::uint64_t>(whole);
  m_dirty = true;
  return {};
}

Result<std::string> Spool::read(const Location& where) {
  const std::string path = pathOf(where.segment);
  const bool current = where.segment == m_current && m_fd >= 0;
  const int fd = current ? m_fd : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return failed("open spool", path);
  Result<std::string> bytes = readAll(fd, where.offset, where.size, path);
  if (!current) ::close(fd);
  return bytes;
}

void Spool::release(const Location& where) {
  const auto it = m_segments.find(where.segment);
  if (it == m_segments.end()) return;
  if (it->second.live > 0) --it->second.live;
  if (it->second.live > 0) return;
  if (where.segment == m_current) closeCurrent();  // the next append opens a fresh one
  unlink(pathOf(where.segment).c_str());
  m_bytes -= it->second.bytes;
  m_segments.erase(it);
}

Status Spool::sync() {
  if (!m_dirty || m_fd < 0) return {};
  m_dirty = false;
  return fdatasync(m_fd) == 0 ? Status() : failed("sync spool", pathOf(m_current));
}

void Spool::closeCurrent() {
  if (m_fd >= 0) ::close(m_fd);
  m_fd = -1;
  m_current = 0;
}

}  // namespace runglass
