// SPDX-License-Identifier: Apache-2.0
#include "collectors/agent/spool_scan.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "model/crc32c.h"

namespace runglass {
namespace {

constexpr std::string_view kMagic1 = "RGSPOOL1";
constexpr std::uint64_t kMaxSegment = std::uint64_t{1} << 30;
constexpr std::size_t kDefinitionsHead = 1 + 8, kBatchHead1 = 1 + 4 + 8 + 8, kBatchHead = kBatchHead1 + 8;

template <class T>
T readRaw(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

// The whole file; sectors that cannot be read are zeros, which are not a record.
std::optional<std::string> contentOf(const std::string& path) {
  constexpr std::uint64_t kSector = 4'096;
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const off_t size = lseek(fd, 0, SEEK_END);
  std::string bytes(std::min(kMaxSegment, static_cast<std::uint64_t>(std::max<off_t>(0, size))), '\0');
  for (std::uint64_t done = 0; done < bytes.size();) {
    const ssize_t got = pread(fd, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) break;
    done = got > 0 ? done + static_cast<std::uint64_t>(got) : (done / kSector + 1) * kSector;
  }
  ::close(fd);
  return bytes;
}

// Records of one segment.
class Records {
 public:
  Records(std::string_view bytes, SpoolMark mark) : m_bytes(bytes), m_mark(std::move(mark)) {}
  std::size_t head() const { return m_mark.marker().size() + 8; }
  // The end of the record at `at` according to its length; absent: beyond the file.
  std::optional<std::size_t> end(std::size_t at) const {
    if (m_bytes.size() - at < head()) return std::nullopt;
    const auto length = readRaw<std::uint32_t>(m_bytes.data() + at + m_mark.marker().size());
    return length == 0 || length > m_bytes.size() - at - head() ? std::nullopt : std::optional(at + head() + length);
  }
  std::optional<std::string_view> body(std::size_t at) const {
    const auto until = end(at);
    if (!until || !m_bytes.substr(at).starts_with(m_mark.marker())) return std::nullopt;
    const std::string_view body = m_bytes.substr(at + head(), *until - at - head());
    const auto crc = readRaw<std::uint32_t>(m_bytes.data() + at + m_mark.marker().size() + 4);
    return crc32c(body, m_mark.seed()) == crc ? std::optional(body) : std::nullopt;
  }
  // Whether a truncated write begins here: the start of a record without its end.
  bool begun(std::size_t at) const {
    return m_bytes.size() - at < head() || (!end(at) && m_bytes.substr(at).starts_with(m_mark.marker()) &&
                                            readRaw<std::uint32_t>(m_bytes.data() + at + m_mark.marker().size()) > 0);
  }
  // Where to continue after a damaged record; the file's size: nowhere.
  std::size_t resume(std::size_t at) const {
    const auto next = end(at);
    if (next && (*next == m_bytes.size() || body(*next))) return *next;
    if (m_mark.marker().empty()) return m_bytes.size();
    for (std::size_t from = at + 1;; ++from) {
      from = m_bytes.find(m_mark.marker(), from);
      if (from == std::string_view::npos) return m_bytes.size();
      if (body(from)) return from;
    }
  }

 private:
  std::string_view m_bytes;
  SpoolMark m_mark;
};

}  // namespace

SpoolMark::SpoolMark(std::string_view salt) : m_seed(crc32c(salt)) {
  const std::uint32_t marker = crc32c("record", m_seed);
  m_marker.assign(reinterpret_cast<const char*>(&marker), sizeof marker);
}

std::string SpoolMark::record(char kind, std::string_view head, std::string_view body) const {
  std::string out = m_marker;
  const auto length = static_cast<std::uint32_t>(1 + head.size() + body.size());
  const std::uint32_t crc = crc32c(body, crc32c(head, crc32c(std::string_view(&kind, 1), m_seed)));
  out.append(reinterpret_cast<const char*>(&length), sizeof length);
  out.append(reinterpret_cast<const char*>(&crc), sizeof crc);
  return out + kind;
}

SpoolScan::Segment SpoolScan::read(std::uint64_t number, const std::string& path) {
  const std::optional<std::string> bytes = contentOf(path);
  if (!bytes) return {.problem = path + ": " + std::strerror(errno), .unreadable = true};
  Place place{.segment = number, .first_version = bytes->starts_with(kMagic1)};
  std::size_t at = place.first_version ? kMagic1.size() : std::min(bytes->size(), kSpoolMagic.size() + kSpoolSaltBytes);
  const Records records(*bytes, place.first_version
                                    ? SpoolMark()
                                    : SpoolMark(std::string_view(*bytes).substr(0, at).substr(std::min(at, kSpoolMagic.size()))));
  std::size_t lost = 0, places = 0, torn = 0;
  if (!place.first_version && !bytes->starts_with(kSpoolMagic)) lost += std::min(at, kSpoolMagic.size()), ++places;
  while (at < bytes->size()) {
    const auto body = records.body(at);
    const std::size_t next = body ? at + records.head() + body->size() : place.first_version ? bytes->size() : records.resume(at);
    place.offset = at + records.head();
    if (!body && next == bytes->size() && records.begun(at)) {
      torn = next - at;
    } else if (!body || !take(*body, place)) {
      lost += next - at;
      ++places;
    }
    at = next;
  }
  Segment found{.bytes = bytes->size(), .problem = {}, .damaged = places > 0};
  if (places > 0)
    found.problem = path + ": " + std::to_string(lost) + " bytes in " + std::to_string(places) + " places were damaged and are lost";
  else if (torn > 0)
    found.problem = path + ": " + std::to_string(torn) + " bytes of an unfinished record at its end were left out";
  return found;
}

bool SpoolScan::take(std::string_view body, Place& place) {
  const char kind = body.front();
  const std::string_view rest = body.substr(1);
  if (kind == 'S') {
    const auto known = std::ranges::find_if(m_sessions_found, [&](const auto& one) { return one->session.name == rest; });
    if (known == m_sessions_found.end()) {
      place.scanned = m_sessions_found.emplace_back(std::make_unique<ScannedSession>()).get();
      place.scanned->session.name = rest;
    } else {
      place.scanned = known->get();
    }
    return true;
  }
  if (place.scanned == nullptr) return false;  // its session's name is lost
  if (kind == 'D' && place.first_version) {
    define(*place.scanned, place.dictionary, rest);
    place.dictionary += rest.size();
    return true;
  }
  if (kind == 'D' && body.size() >= kDefinitionsHead) {
    define(*place.scanned, readRaw<std::uint64_t>(body.data() + 1), body.substr(kDefinitionsHead));
    return true;
  }
  const std::size_t head = place.first_version ? kBatchHead1 : kBatchHead;
  if (kind != 'B' || body.size() < head) return false;
  const std::string_view payload = body.substr(head);
  place.scanned->session.batches.push_back(
      {.stream = readRaw<std::uint32_t>(body.data() + 1),
       .seq = readRaw<std::uint64_t>(body.data() + 5),
       .sealed = readRaw<TimeNs>(body.data() + 13),
       .where = {place.segment, place.offset + head, static_cast<std::uint32_t>(payload.size()), crc32c(payload)}});
  place.scanned->needed.push_back(place.first_version ? place.dictionary : readRaw<std::uint64_t>(body.data() + kBatchHead1));
  return true;
}

// Segments of one session repeat the same dictionary from its start; only the new part is kept.
void SpoolScan::define(ScannedSession& scanned, std::uint64_t offset, std::string_view records) {
  std::string& dictionary = scanned.session.dictionary;
  if (offset > dictionary.size()) {
    scanned.later.emplace(offset, records);
    return;
  }
  const std::size_t known = dictionary.size() - offset;
  if (records.size() > known) dictionary += records.substr(known);
}

Spool::Recovered SpoolScan::finish() {
  Spool::Recovered out;
  for (const auto& scanned : m_sessions_found) {
    for (const auto& [offset, records] : scanned->later)
      if (offset <= scanned->session.dictionary.size()) define(*scanned, offset, records);
    std::vector<Spool::Batch> readable;
    // A batch appended again because the sync of its segment failed may occur twice.
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> places;
    std::size_t lost = 0;
    for (std::size_t i = 0; i < scanned->needed.size(); ++i) {
      const Spool::Batch& batch = scanned->session.batches[i];
      if (scanned->needed[i] > scanned->session.dictionary.size()) {
        ++lost;
        continue;
      }
      const auto [place, first] = places.try_emplace({batch.stream, batch.seq}, readable.size());
      if (first)
        readable.push_back(batch);
      else
        readable[place->second] = batch, m_repeated = true;
    }
    if (lost > 0)
      m_issues.push_back(
          {.code = "agent.spool_damaged",
           .source = "spool",
           .count = static_cast<std::int64_t>(lost),
           .detail = "session " + scanned->session.name + ": the definitions of " + std::to_string(lost) + " batches are lost"});
    scanned->session.batches = std::move(readable);
    out.sessions.push_back(std::move(scanned->session));
  }
  out.issues = std::move(m_issues);
  return out;
}

}  // namespace runglass
