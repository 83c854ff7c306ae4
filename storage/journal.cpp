// SPDX-License-Identifier: Apache-2.0
// File = "RGJ1" | u32 uuid size | uuid | records. Record = u32 size | u32 crc32c of the body | body.
// Body = 0 | varint index | varint size, agent | varint size, session | varint stream   names a stream
//      | 1 | varint index | varint seq | payload                                         a batch of it
// Invariants:
// 1. m_size is the end of the last whole record; a failed append truncates back to it.
// 2. A stream is named in the file before its first batch.
// 3. <store>-ingest-next exists beside <store>-ingest only while the latter is being stored, or after that failed; it is the younger one.
#include "storage/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "model/crc32c.h"
#include "storage/codec/bytes.h"
#include "storage/store_files.h"

namespace runglass {
namespace {

constexpr std::string_view kMagic = "RGJ1";
constexpr DurNs kSyncInterval = 200 * kNsPerMs;
constexpr std::size_t kMaxVectors = 512;
constexpr std::uint64_t kMaxRecord = std::uint64_t{1} << 30;

std::string namingRecord(std::uint32_t index, const StreamKey& stream) {
  std::string body(1, '\0');
  appendVarint(body, index);
  appendVarint(body, stream.agent.size());
  body += stream.agent;
  appendVarint(body, stream.session.size());
  body += stream.session;
  appendVarint(body, stream.stream);
  std::string record;
  appendFixed(record, static_cast<std::uint32_t>(body.size()));
  appendFixed(record, crc32c(body));
  return record + body;
}

}  // namespace

Journal::~Journal() {
  if (m_fd >= 0) ::close(m_fd);
}

Status Journal::failed(const char* what, int error) const {
  const Code code = error == ENOSPC || error == EDQUOT || error == EFBIG  ? Code::kResourceExhausted
                    : error == EACCES || error == EROFS || error == EPERM ? Code::kPermissionDenied
                                                                          : Code::kUnavailable;
  return {code, std::string(what) + ": " + m_path + ": " + (code == Code::kResourceExhausted ? "the disk is full" : std::strerror(error))};
}

Status Journal::open(const std::string& store, const std::string& store_uuid, bool power_safe) {
  m_path = journalPath(store);
  m_next_path = nextJournalPath(store);
  m_store_uuid = store_uuid;
  m_power_safe = power_safe;
  m_head_size = static_cast<std::int64_t>(kMagic.size() + 4 + store_uuid.size());
  const auto size_of = [&](const std::string& file) -> std::int64_t {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 ? status.st_size : 0;
  };
  // A file that ends inside its head, or with it, was never written to.
  if (size_of(m_next_path) <= m_head_size) {
    if (::unlink(m_next_path.c_str()) != 0 && errno != ENOENT) return failed("cannot open journal", errno);
  } else if (size_of(m_path) <= m_head_size) {
    if (::rename(m_next_path.c_str(), m_path.c_str()) != 0) return failed("cannot open journal", errno);
  } else {
    m_older_size = size_of(m_path);
  }
  const std::string& newest = m_older_size > 0 ? m_next_path : m_path;
  m_fd = ::open(newest.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (m_fd < 0) return failed("cannot open journal", errno);
  m_size = size_of(newest);
  if (m_size < m_head_size) return writeHead();
  return {};
}

Status Journal::rotate() {
  RG_TRY(sync());
  const int fd = ::open(m_next_path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return failed("cannot open journal", errno);
  const int full_fd = std::exchange(m_fd, fd);
  const std::int64_t full_size = m_size;
  auto streams = std::move(m_streams);
  Status made = writeHead();
  if (made.ok()) made = syncFolder();
  if (!made.ok()) {
    ::close(m_fd);
    ::unlink(m_next_path.c_str());
    m_fd = full_fd;
    m_size = full_size;
    m_streams = std::move(streams);
    return made;
  }
  ::close(full_fd);
  m_older_size = full_size;
  return {};
}

void Journal::setApart() {
  if (m_older_size == 0 && m_size > m_head_size) static_cast<void>(rotate());
  m_apart_size = m_size;
}

Status Journal::settle() {
  if (m_older_size > 0) {
    if (::rename(m_next_path.c_str(), m_path.c_str()) != 0) return failed("cannot rename journal", errno);
    m_older_size = 0;
  }
  // Whatever came since stands behind what is stored.
  if (m_size > m_apart_size || m_size <= m_head_size) return {};
  if (::ftruncate(m_fd, static_cast<off_t>(m_head_size)) != 0) return failed("cannot truncate journal", errno);
  m_size = m_head_size;
  m_streams.clear();
  return {};
}

// A file whose name a power cut takes is lost with all that was synced into it.
Status Journal::syncFolder() const {
  if (!m_power_safe) return {};
  const std::size_t slash = m_path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : m_path.substr(0, slash + 1);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int error = errno;
  if (fd >= 0) ::close(fd);
  return synced ? Status() : failed("cannot sync the folder of journal", error);
}

Status Journal::writeHead() {
  std::string head(kMagic);
  appendFixed(head, static_cast<std::uint32_t>(m_store_uuid.size()));
  head += m_store_uuid;
  if (::ftruncate(m_fd, 0) != 0) return failed("cannot truncate journal", errno);
  if (::pwrite(m_fd, head.data(), head.size(), 0) != static_cast<ssize_t>(head.size())) return failed("cannot write journal", errno);
  m_size = m_head_size;
  m_streams.clear();
  return {};
}

Status Journal::replay(const Take& take) {
  if (m_older_size > 0) {
    const int older = ::open(m_path.c_str(), O_RDWR | O_CLOEXEC);
    if (older < 0) return failed("cannot open journal", errno);
    std::map<StreamKey, std::uint32_t> named;
    const Status replayed = replayFile(older, m_older_size, take, named);
    ::close(older);
    RG_TRY(replayed);
  }
  return replayFile(m_fd, m_size, take, m_streams);
}

Status Journal::replayFile(int fd, std::int64_t& size, const Take& take, std::map<StreamKey, std::uint32_t>& named) {
  std::string bytes(static_cast<std::size_t>(size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t got = ::pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return failed("cannot read journal", got == 0 ? EIO : errno);
    done += static_cast<std::size_t>(got);
  }
  ByteReader in(bytes);
  const std::string_view magic = in.take(kMagic.size());
  const std::string_view uuid = in.take(in.fixed<std::uint32_t>());
  if (!in.ok() || magic != kMagic) return {Code::kDataLoss, "cannot replay journal: " + m_path + ": this is not a journal"};
  if (uuid != m_store_uuid) return {Code::kFailedPrecondition, "cannot replay journal: " + m_path + ": it belongs to another store"};
  std::vector<StreamKey> streams;
  while (in.left() > 0) {
    const auto at = static_cast<std::int64_t>(bytes.size() - in.left());
    const auto length = in.fixed<std::uint32_t>();
    const auto crc = in.fixed<std::uint32_t>();
    const std::string_view body = in.take(length);
    if (!in.ok() || body.empty() || crc32c(body) != crc) {
      m_truncated += size - at;
      size = at;
      if (::ftruncate(fd, at) != 0) return failed("cannot truncate journal", errno);
      break;
    }
    ByteReader r(body);
    const std::uint8_t kind = r.byte();
    const std::uint64_t index = r.varint();
    if (kind == 0) {
      StreamKey key;
      key.agent = r.take(r.varint());
      key.session = r.take(r.varint());
      key.stream = static_cast<std::uint32_t>(r.varint());
      if (!r.ok() || index != streams.size()) return {Code::kDataLoss, "cannot replay journal: " + m_path + ": stream names out of order"};
      named.emplace(key, static_cast<std::uint32_t>(index));
      streams.push_back(std::move(key));
      continue;
    }
    const std::uint64_t seq = r.varint();
    if (kind != 1 || !r.ok() || index >= streams.size()) return {Code::kDataLoss, "cannot replay journal: " + m_path + ": unknown record"};
    RG_TRY(take(streams[index], seq, r.take(r.left())));
  }
  return {};
}

Status Journal::append(std::span<const Writer::JournalEntry> entries) {
  // Heads of all records in one string; the vectors point into it and to the payloads.
  std::string heads;
  struct Piece {
    std::size_t head_begin, head_end;
    std::string_view payload;
  };
  std::vector<Piece> pieces;
  pieces.reserve(entries.size());
  std::vector<const StreamKey*> named;
  std::uint64_t total = 0;
  for (const Writer::JournalEntry& entry : entries) {
    const std::size_t begin = heads.size();
    auto stream = m_streams.find(*entry.stream);
    if (stream == m_streams.end()) {
      const auto index = static_cast<std::uint32_t>(m_streams.size());
      stream = m_streams.emplace(*entry.stream, index).first;
      named.push_back(&stream->first);
      heads += namingRecord(index, *entry.stream);
    }
    std::string body_head(1, '\1');
    appendVarint(body_head, stream->second);
    appendVarint(body_head, entry.seq);
    const std::uint64_t size = body_head.size() + entry.payload.size();
    if (size > kMaxRecord) return {Code::kInvalidArgument, "cannot journal a batch: " + m_path + ": it is larger than 1 GiB"};
    appendFixed(heads, static_cast<std::uint32_t>(size));
    appendFixed(heads, crc32c(entry.payload, crc32c(body_head)));
    heads += body_head;
    pieces.push_back({begin, heads.size(), entry.payload});
    total += heads.size() - begin + entry.payload.size();
  }
  std::vector<iovec> vectors;
  for (const Piece& piece : pieces) {
    vectors.push_back({heads.data() + piece.head_begin, piece.head_end - piece.head_begin});
    if (!piece.payload.empty()) vectors.push_back({const_cast<char*>(piece.payload.data()), piece.payload.size()});
  }
  auto at = static_cast<off_t>(m_size);
  int error = 0;
  for (std::size_t i = 0; i < vectors.size() && error == 0;) {
    const auto count = static_cast<int>(std::min(kMaxVectors, vectors.size() - i));
    ssize_t wrote = ::pwritev(m_fd, vectors.data() + i, count, at);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      error = wrote == 0 ? ENOSPC : errno;
      break;
    }
    at += wrote;
    while (wrote > 0) {
      const auto step = std::min(static_cast<std::size_t>(wrote), vectors[i].iov_len);
      vectors[i].iov_base = static_cast<char*>(vectors[i].iov_base) + step;
      vectors[i].iov_len -= step;
      wrote -= static_cast<ssize_t>(step);
      if (vectors[i].iov_len == 0) ++i;
    }
  }
  if (error != 0) {
    if (::ftruncate(m_fd, static_cast<off_t>(m_size)) != 0) error = errno;
    for (const StreamKey* key : named) m_streams.erase(StreamKey(*key));
    return failed("cannot write journal", error);
  }
  m_size += static_cast<std::int64_t>(total);
  m_unsynced = true;
  return syncIfDue();
}

Status Journal::syncIfDue() { return monotonicNow() - m_synced_at < kSyncInterval ? Status() : sync(); }

Status Journal::sync() {
  if (!m_power_safe || !m_unsynced) return {};
  if (::fdatasync(m_fd) != 0) return failed("cannot sync journal", errno);
  m_synced_at = monotonicNow();
  m_unsynced = false;
  return {};
}

Status Journal::remove() {
  if (m_fd < 0) return {};
  ::close(m_fd);
  m_fd = -1;
  for (const std::string& file : {m_path, m_next_path})
    if (::unlink(file.c_str()) != 0 && errno != ENOENT) return failed("cannot delete journal", errno);
  return {};
}

}  // namespace runglass
