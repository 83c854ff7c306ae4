// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A record counts only if its checksum matches; a size is trusted only within the file.
// 2. After a damaged record, reading continues where its size places the next record, if there is a valid one; else at the next marker. The
//    size is tried first because a payload may contain anything, including a marker.
#include "storage/write/journal_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "model/crc32c.h"
#include "storage/codec/bytes.h"

namespace runglass {
namespace {

constexpr std::string_view kMagic = "RGJ2", kMagic1 = "RGJ1";
constexpr std::size_t kWindow = std::size_t{1} << 20;
constexpr std::uint8_t kNaming1 = 0, kBatch1 = 1, kBatch2 = 2, kBatch = 3;

std::uint32_t fixed32(std::string_view bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

// A part of the file in memory. Parts that the disk cannot read are zeros, which are not a valid record.
class Window {
 public:
  Window(int fd, std::int64_t size) : m_fd(fd), m_size(size) {}
  std::int64_t size() const { return m_size; }
  // `bytes` from `at` on, which must be within the file; valid until the next call.
  std::string_view at(std::int64_t at, std::size_t bytes) {
    const auto end = m_begin + static_cast<std::int64_t>(m_bytes.size());
    if (at < m_begin || at + static_cast<std::int64_t>(bytes) > end) load(at, std::max(bytes, kWindow));
    return std::string_view(m_bytes).substr(static_cast<std::size_t>(at - m_begin), bytes);
  }

 private:
  void load(std::int64_t at, std::size_t bytes) {
    constexpr std::int64_t kSector = 4'096;
    m_begin = at;
    m_bytes.assign(static_cast<std::size_t>(std::min(static_cast<std::int64_t>(bytes), m_size - at)), '\0');
    for (std::size_t done = 0; done < m_bytes.size();) {
      const auto from = at + static_cast<std::int64_t>(done);
      const ssize_t got = ::pread(m_fd, m_bytes.data() + done, m_bytes.size() - done, static_cast<off_t>(from));
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) break;
      done += static_cast<std::size_t>(got > 0 ? got : (from / kSector + 1) * kSector - from);
    }
  }

  const int m_fd;
  const std::int64_t m_size;
  std::int64_t m_begin = 0;
  std::string m_bytes;
};

// The layout of the records of one version.
struct RecordLayout {
  std::string_view marker;
  std::uint32_t seed = 0;

  std::size_t head() const { return marker.size() + 8; }
  // The end of the record at `at` according to its size; absent: no record, or beyond the end of the file.
  std::optional<std::int64_t> end(Window& file, std::int64_t at) const {
    if (file.size() - at < static_cast<std::int64_t>(head())) return std::nullopt;
    const std::uint32_t size = fixed32(file.at(at, head()).substr(marker.size()));
    const std::int64_t end = at + static_cast<std::int64_t>(head()) + size;
    return size == 0 || end > file.size() ? std::nullopt : std::optional(end);
  }
  // The body of a complete record.
  std::optional<std::string_view> body(Window& file, std::int64_t at) const {
    const auto until = end(file, at);
    if (!until || !file.at(at, head()).starts_with(marker)) return std::nullopt;
    const std::string_view record = file.at(at, static_cast<std::size_t>(*until - at));
    const std::string_view body = record.substr(head());
    return crc32c(body, seed) == fixed32(record.substr(marker.size() + 4)) ? std::optional(body) : std::nullopt;
  }
  // Where reading continues after a damaged record at `at`; the file's size: nowhere.
  std::int64_t resume(Window& file, std::int64_t at) const {
    const auto next = end(file, at);
    if (next && (*next == file.size() || body(file, *next))) return *next;
    if (marker.empty()) return file.size();
    for (std::int64_t from = at + 1; from + static_cast<std::int64_t>(head()) <= file.size();) {
      const auto bytes = static_cast<std::size_t>(std::min<std::int64_t>(kWindow, file.size() - from));
      const std::size_t found = file.at(from, bytes).find(marker);
      if (found == std::string_view::npos) {
        from += static_cast<std::int64_t>(bytes - marker.size() + 1);
        continue;
      }
      from += static_cast<std::int64_t>(found);
      if (body(file, from)) return from;
      ++from;
    }
    return file.size();
  }
};

StreamKey takeKey(ByteReader& in) {
  StreamKey key;
  key.agent = in.take(in.varint());
  key.session = in.take(in.varint());
  key.stream = static_cast<std::uint32_t>(in.varint());
  return key;
}

// Decodes the bodies of a file in sequence.
class Bodies {
 public:
  // False: an unknown body.
  Result<bool> take(std::string_view body, const JournalFormat::Take& take) {
    ByteReader in(body);
    const std::uint8_t kind = in.byte();
    if (kind == kBatch || kind == kBatch2) {
      m_key = takeKey(in);
      const std::uint64_t seq = in.varint(), skipped = in.varint();
      std::optional<JournalSynced> synced;
      if (kind == kBatch) {
        const std::uint64_t both = in.varint();
        synced = JournalSynced{static_cast<std::int64_t>(both / 2), both % 2 != 0};
      }
      if (!in.ok() || skipped > seq) return false;
      RG_TRY(take({&m_key, seq, seq - skipped, in.take(in.left()), synced}));
      return true;
    }
    const std::uint64_t index = in.varint();
    if (kind == kNaming1) {
      StreamKey key = takeKey(in);
      if (!in.ok() || index != m_named.size()) return false;
      m_named.push_back(std::move(key));
      return true;
    }
    const std::uint64_t seq = in.varint();
    if (kind != kBatch1 || !in.ok() || index >= m_named.size()) return false;
    RG_TRY(take({&m_named[index], seq, std::nullopt, in.take(in.left()), std::nullopt}));
    return true;
  }

 private:
  StreamKey m_key;
  std::vector<StreamKey> m_named;
};

}  // namespace

JournalFormat::JournalFormat(std::string store_uuid) : m_uuid(std::move(store_uuid)), m_seed(crc32c(m_uuid)) {
  appendFixed(m_marker, crc32c("record", m_seed));
}

std::string JournalFormat::head() const {
  std::string head(kMagic);
  appendFixed(head, static_cast<std::uint32_t>(m_uuid.size()));
  return head + m_uuid;
}

void JournalFormat::appendRecord(std::string& out, const StreamKey& stream, std::uint64_t seq, std::uint64_t wanted, JournalSynced synced,
                                 std::string_view payload) const {
  const std::size_t begin = out.size();
  out += m_marker;
  out.append(8, '\0');
  const std::size_t body = out.size();
  out += static_cast<char>(kBatch);
  appendVarint(out, stream.agent.size());
  out += stream.agent;
  appendVarint(out, stream.session.size());
  out += stream.session;
  appendVarint(out, stream.stream);
  appendVarint(out, seq);
  appendVarint(out, seq - wanted);
  appendVarint(out, 2 * static_cast<std::uint64_t>(synced.bytes) + (synced.older ? 1 : 0));
  const auto size = static_cast<std::uint32_t>(out.size() - body + payload.size());
  const std::uint32_t crc = crc32c(payload, crc32c(std::string_view(out).substr(body), m_seed));
  std::memcpy(out.data() + begin + m_marker.size(), &size, sizeof size);
  std::memcpy(out.data() + begin + m_marker.size() + sizeof size, &crc, sizeof crc);
}

Status JournalFormat::read(int fd, std::int64_t size, const Take& take, JournalDamage& damage) const {
  Window file(fd, size);
  const std::string start(file.at(0, static_cast<std::size_t>(std::min(size, kHeadBytes))));
  const bool first_version = start.starts_with(kMagic1);
  const RecordLayout layout = first_version ? RecordLayout{} : RecordLayout{m_marker, m_seed};
  const auto lost = [&](std::int64_t bytes, std::int64_t end) {
    damage.bytes += bytes;
    ++damage.places;
    damage.end = end;
  };
  const bool ours = start == head() || start == std::string(kMagic1) + head().substr(kMagic.size());
  if (!ours) lost(std::min(size, kHeadBytes), 0);
  const auto uuid = std::string_view(start).substr(std::min<std::size_t>(start.size(), 8));
  const bool named = (first_version || start.starts_with(kMagic)) && uuid.size() == m_uuid.size();
  // Records of version 1 do not identify their store. Uuids are random: if half of the uuid matches, the rest is damage.
  std::ptrdiff_t same = 0;
  for (std::size_t i = 0; i < std::min(uuid.size(), m_uuid.size()); ++i) same += uuid[i] == m_uuid[i] ? 1 : 0;
  const bool others = named && same < static_cast<std::ptrdiff_t>(m_uuid.size()) / 2;
  if (first_version && others) {
    damage.foreign = true;
    return {};
  }
  Bodies bodies;
  std::int64_t records = 0;
  for (std::int64_t at = kHeadBytes; at < size;) {
    if (const auto body = layout.body(file, at)) {
      const std::int64_t next = at + static_cast<std::int64_t>(layout.head() + body->size());
      RG_ASSIGN(const bool known, bodies.take(*body, take));
      if (!known) lost(next - at, next);
      ++records;
      at = next;
      continue;
    }
    const std::int64_t next = layout.resume(file, at);
    // A truncated write: it begins like a record and extends beyond the end of the file.
    const bool begun = size - at < static_cast<std::int64_t>(layout.head()) ||
                       (!layout.end(file, at) && file.at(at, layout.head()).starts_with(layout.marker) &&
                        fixed32(file.at(at, layout.head()).substr(layout.marker.size())) > 0);
    if (next == size && begun) {
      damage.torn_bytes += size - at;
    } else {
      lost(next - at, next);
    }
    at = next;
  }
  damage.foreign = others && records == 0;
  return {};
}

}  // namespace runglass
