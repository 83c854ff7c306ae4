// SPDX-License-Identifier: Apache-2.0
// Files written by an earlier run, another process or a person: journals, spool segments, rings of trainers, access files, alert rules.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

#include "collectors/agent/spool.h"
#include "collectors/hub/access/access_file.h"
#include "collectors/hub/alerts/alert_rules.h"
#include "collectors/sources/client/process_feed.h"
#include "collectors/sources/client/recent_ring_file.h"
#include "model/crc32c.h"
#include "model/null_recorder.h"
#include "storage/write/journal_file.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/temp_folder.h"

namespace {

using namespace runglass;

// The input as a generator reads it: numbers and pieces, zeros and empty pieces after its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : m_rest(reinterpret_cast<const char*>(data), size) {}
  bool done() const { return m_rest.empty(); }
  template <class T>
  T number() {
    T value{};
    const std::string_view bytes = take(sizeof value);
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
  }
  // A piece preceded by its length.
  std::string_view piece() { return take(number<std::uint8_t>()); }
  std::string_view take(std::size_t most) {
    const std::string_view bytes = m_rest.substr(0, most);
    m_rest.remove_prefix(bytes.size());
    return bytes;
  }
  std::string_view rest() { return take(m_rest.size()); }

 private:
  std::string_view m_rest;
};

template <class T>
void appendRaw(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// In memory, with descriptors and paths like on disk.
class MemoryFile {
 public:
  MemoryFile() : m_fd(::memfd_create("fuzz", MFD_CLOEXEC)) { RG_CHECK(m_fd >= 0); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(m_fd); }
  int fd() const { return m_fd; }
  void hold(std::string_view bytes) const {
    RG_CHECK(::ftruncate(m_fd, 0) == 0 && ::pwrite(m_fd, bytes.data(), bytes.size(), 0) == static_cast<ssize_t>(bytes.size()));
  }

 private:
  int m_fd;
};

void writeFile(const std::string& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  RG_CHECK(fd >= 0 && ::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  ::close(fd);
}

// Pieces of a journal, each selected by its first byte: any bytes, a record with the right checksum, a body of version 1 with the right
// checksum. Every byte must be part of a record or counted as damage, and all adjacent records must be found.
RG_FUZZ(journal) {
  static const JournalFormat format("01234567-89ab-cdef-0123-456789abcdef");
  static const MemoryFile file;
  Input in(data, size);
  const bool first_version = in.number<std::uint8_t>() % 4 == 1;
  std::string bytes = format.head();
  if (first_version) bytes[3] = '1';
  std::vector<std::uint64_t> whole;
  bool only_records = !first_version;
  while (!in.done()) {
    switch (in.number<std::uint8_t>() % 4) {
      case 0:
        bytes += in.piece();
        only_records = false;
        break;
      case 1: {
        const std::string_view body = in.piece();
        appendRaw(bytes, static_cast<std::uint32_t>(body.size()));
        appendRaw(bytes, crc32c(body));
        bytes += body;
        only_records = false;
        break;
      }
      case 2: {
        const std::uint64_t at = in.number<std::uint16_t>();
        if (const std::string_view over = in.piece(); at + over.size() <= bytes.size()) {
          bytes.replace(at, over.size(), over);
          only_records = false;
        }
        break;
      }
      default: {
        const StreamKey key{std::string(in.piece()), std::string(in.piece()), in.number<std::uint32_t>()};
        const auto seq = in.number<std::uint64_t>();
        const std::uint64_t skipped = std::min<std::uint64_t>(in.number<std::uint8_t>(), seq);
        const JournalSynced synced{.bytes = in.number<std::int64_t>(), .older = in.number<std::uint8_t>() % 2 == 1};
        const std::string_view payload = in.piece();
        format.appendRecord(bytes, key, seq, seq - skipped, synced, payload);
        bytes += payload;
        whole.push_back(seq);
      }
    }
  }
  file.hold(bytes);
  JournalDamage damage;
  std::vector<std::uint64_t> found;
  std::int64_t payloads = 0;
  const Status read = format.read(
      file.fd(), static_cast<std::int64_t>(bytes.size()),
      [&](const JournalRecord& record) -> Status {
        found.push_back(record.seq);
        payloads += static_cast<std::int64_t>(record.payload.size());
        return {};
      },
      damage);
  RG_CHECK(read.ok() && damage.bytes >= 0 && damage.torn_bytes >= 0);
  RG_CHECK(payloads + damage.bytes + damage.torn_bytes <= static_cast<std::int64_t>(bytes.size()));
  if (only_records) RG_CHECK(found == whole && damage.bytes == 0 && damage.torn_bytes == 0);
}

// Segments of a spool: recovered data is readable, and data appended afterwards exists at the next start.
RG_FUZZ(spool) {
  static const test::TempFolder folder;
  const std::string directory = folder.file("spool");
  std::filesystem::remove_all(directory);
  RG_CHECK(::mkdir(directory.c_str(), 0700) == 0);
  Input in(data, size);
  for (int number = 1; number <= 2 && !in.done(); ++number) {
    std::string bytes(kSpoolMagic);
    std::string salt(in.take(kSpoolSaltBytes));
    salt.resize(kSpoolSaltBytes);
    bytes += salt;
    const SpoolMark mark(salt);
    for (std::uint8_t kind = 1; kind != 0 && !in.done();) {
      kind = in.number<std::uint8_t>();
      if (kind == 1) {
        bytes += in.piece();  // damage
      } else if (kind == 2) {
        const std::uint64_t at = in.number<std::uint16_t>();
        if (const std::string_view over = in.piece(); at + over.size() <= bytes.size()) bytes.replace(at, over.size(), over);
      } else if (kind != 0) {
        const std::string_view head = in.piece(), body = in.piece();
        bytes += mark.record(static_cast<char>(kind), head, body);
        bytes += head;
        bytes += body;
      }
    }
    char name[32];
    std::snprintf(name, sizeof name, "/segment-%012d.rgs", number);
    writeFile(directory + name, bytes);
  }
  const std::string own(600, 's');  // longer than any text in the input
  const auto definitions = [](std::size_t offset) { return std::string("definitions").substr(std::min<std::size_t>(offset, 11)); };
  {
    Spool spool;
    auto recovered = spool.open(directory);
    RG_CHECK(recovered.ok());
    for (const Spool::Session& session : recovered->sessions)
      for (const Spool::Batch& batch : session.batches) RG_CHECK(spool.read(batch.where).ok());
    RG_CHECK(spool.append(own, definitions, 4, 7, 1'000, "payload").ok());
  }
  Spool again;
  auto recovered = again.open(directory);
  RG_CHECK(recovered.ok() && !recovered->sessions.empty());
  const Spool::Session& newest = recovered->sessions.back();
  RG_CHECK(newest.name == own && newest.dictionary == "definitions" && newest.batches.size() == 1);
  RG_CHECK(*again.read(newest.batches[0].where) == "payload");
}

// A ring file of the smallest size: a valid one, partly overwritten by the input. It is reused for the next input; overwritten parts are
// restored.
class RingFile {
 public:
  explicit RingFile(std::uint64_t magic) {
    m_sound.resize(RGR_SLOTS_AT + RGR_MIN_SLOTS * RGR_SLOT_BYTES);
    rgr_header header{};
    header.magic = magic;
    header.version = RGR_VERSION, header.header_bytes = RGR_HEADER_BYTES;
    header.slots = RGR_MIN_SLOTS, header.max_strings = RGR_MAX_STRINGS, header.string_bytes = RGR_STRING_BYTES;
    header.recent_seconds = 60;
    header.pid = 4711, header.uid = ::getuid();
    header.anchor_mono = kNsPerSecond, header.anchor_wall = 1'700'000'000 * kNsPerSecond;
    header.tail_check = ~header.tail;
    header.string_count = 2, header.identity_version = 2, header.progress_version = 2;
    std::strcpy(header.identity.run, "run");
    std::strcpy(header.identity.attempt, "0");
    std::memcpy(m_sound.data(), &header, sizeof header);
    const rgr_string name{0, 4};
    std::memcpy(m_sound.data() + RGR_STRINGS_AT + sizeof name, &name, sizeof name);
    std::memcpy(m_sound.data() + RGR_STRING_DATA_AT, "name", 4);
    writeFile(m_path, m_sound);
    m_fd = ::open(m_path.c_str(), O_RDWR | O_CLOEXEC);
    RG_CHECK(m_fd >= 0);
  }
  const std::string& path() const { return m_path; }
  void put(std::uint64_t at, std::string_view bytes) {
    if (at >= m_sound.size()) return;
    bytes = bytes.substr(0, m_sound.size() - at);
    RG_CHECK(::pwrite(m_fd, bytes.data(), bytes.size(), static_cast<off_t>(at)) == static_cast<ssize_t>(bytes.size()));
    m_changed.emplace_back(at, bytes.size());
  }
  // Consecutive records with the stamps required at their positions, and the head after them.
  void record(std::uint8_t type, std::uint8_t a, std::uint8_t b, std::string_view payload) {
    const auto slots = static_cast<std::uint8_t>(std::max<std::size_t>(1, (payload.size() + RGR_SLOT_PAYLOAD - 1) / RGR_SLOT_PAYLOAD));
    for (std::uint8_t i = 0; i < slots; ++i, ++m_head) {
      const rgr_commit commit{static_cast<std::uint32_t>(m_head + 1), i == 0 ? type : std::uint8_t{RGR_CONT},
                              i == 0 ? slots : std::uint8_t{0}, a, b};
      std::string slot(reinterpret_cast<const char*>(&commit), sizeof commit);
      slot += payload.substr(0, RGR_SLOT_PAYLOAD);
      payload.remove_prefix(std::min<std::size_t>(payload.size(), RGR_SLOT_PAYLOAD));
      put(RGR_SLOTS_AT + (m_head & (RGR_MIN_SLOTS - 1)) * RGR_SLOT_BYTES, slot);
    }
    std::string head;
    appendRaw(head, m_head);
    put(offsetof(rgr_header, head), head);
  }
  void fill(Input& in) {
    while (!in.done()) {
      const auto what = in.number<std::uint8_t>();
      if (what < RGR_TYPE_COUNT + 2) {
        const auto a = in.number<std::uint8_t>(), b = in.number<std::uint8_t>();
        record(what, a, b, in.piece());
      } else if (what % 4 == 0) {
        const std::uint64_t at = in.number<std::uint16_t>() % (RGR_STRINGS_AT + 64);  // the header and the first strings
        put(at, in.piece());
      } else if (what % 4 == 1) {
        const std::uint64_t at = RGR_SLOTS_AT + in.number<std::uint16_t>() % (RGR_MIN_SLOTS * RGR_SLOT_BYTES);
        put(at, in.piece());
      } else if (what % 4 == 2) {
        put(RGR_STRING_DATA_AT + in.number<std::uint16_t>(), in.piece());
      } else {
        return;  // the rest is written while the ring is open
      }
    }
  }
  // Whether a running process seems to hold it.
  void own(bool living) const {
    struct flock lock {};
    lock.l_type = living ? F_WRLCK : F_UNLCK;
    lock.l_whence = SEEK_SET;
    RG_CHECK(::fcntl(m_fd, F_OFD_SETLK, &lock) == 0);
  }
  void restore() {
    const std::uint64_t size = m_sound.size();
    RG_CHECK(::ftruncate(m_fd, static_cast<off_t>(size)) == 0);
    for (const auto& [at, bytes] : m_changed)
      RG_CHECK(::pwrite(m_fd, m_sound.data() + at, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes));
    // The fields written by a reader.
    RG_CHECK(::pwrite(m_fd, m_sound.data() + offsetof(rgr_header, tail), 16, offsetof(rgr_header, tail)) == 16);
    m_changed.clear();
    m_head = 0;
  }

 private:
  const test::TempFolder m_folder;
  const std::string m_path = m_folder.file("t.ring");
  std::string m_sound;
  std::vector<std::pair<std::uint64_t, std::size_t>> m_changed;
  std::uint64_t m_head = 0;
  int m_fd = -1;
};

SourceContext contextOf(const toml::table& config) {
  SourceContext context;
  context.node.uuid = "node-uuid";
  context.node.name = "n0";
  context.now = [] { return TimeNs{1'700'000'100} * kNsPerSecond; };
  context.config = &config;
  return context;
}

// A trainer's ring read by its agent while the trainer keeps writing.
RG_FUZZ(ring) {
  static const toml::table config;
  static const SourceContext context = contextOf(config);
  static RingFile file(RGR_MAGIC);
  Input in(data, size);
  file.own(in.number<std::uint8_t>() % 2 != 0);
  file.fill(in);
  NullRecorder out;
  AttemptEnd end;
  if (auto ring = RingReader::open(file.path()); ring.ok()) {
    (void)(*ring)->tracer();
    (void)(*ring)->orders();
    (void)(*ring)->string(in.number<std::uint32_t>());
    ProcessFeed feed(std::move(*ring), context);
    for (int round = 0; round < 3; ++round) {
      const Result<bool> more = feed.pump(out, context.now());
      (void)feed.capture(out, context.now(), CaptureReason::kStall);
      (void)feed.step();
      if (!more.ok()) break;
      file.fill(in);
      file.own(in.number<std::uint8_t>() % 2 != 0);
    }
    feed.finish(out, end);
  }
  file.restore();
}

// The last seconds kept by a dead or living trainer.
RG_FUZZ(recent_ring) {
  static const toml::table config;
  static const SourceContext context = contextOf(config);
  static RingFile file(RGR_RECENT_MAGIC);
  Input in(data, size);
  const auto last = in.number<std::int64_t>();
  file.own(in.number<std::uint8_t>() % 2 != 0);
  file.fill(in);
  NullRecorder out;
  if (auto ring = RecentRing::open(file.path()); ring.ok()) {
    (void)(*ring)->age();
    for (int round = 0; round < 2; ++round) {
      const auto shipped = (*ring)->ship(out, context, last);
      if (!shipped.ok()) break;
      RG_CHECK(shipped->spans >= 0 && shipped->spans <= RGR_MIN_SLOTS);
      file.fill(in);
    }
  }
  file.restore();
}

// Parsed content can be written, and parses to the same.
RG_FUZZ(access_file) {
  static const test::TempFolder folder;
  const std::string path = folder.file("access"), copy = folder.file("copy");
  writeFile(path, {reinterpret_cast<const char*>(data), size});
  const Result<AccessFile> file = readAccessFile(path);
  if (!file.ok()) return;
  RG_CHECK(!file->entries.empty());
  for (const AccessEntry& entry : file->entries) (void)opens(entry, {reinterpret_cast<const char*>(data), size});
  if (!writeAccessFile(copy, *file).ok()) return;
  const Result<AccessFile> again = readAccessFile(copy);
  RG_CHECK(again.ok() && again->entries.size() == file->entries.size());
  for (std::size_t i = 0; i < again->entries.size(); ++i) {
    const AccessEntry &one = file->entries[i], &other = again->entries[i];
    const bool token = one.kind == AccessEntry::Kind::kToken;
    RG_CHECK(one.kind == other.kind && one.id == other.id && (!token || (one.digest == other.digest && one.salt == other.salt)) &&
             one.pass.name == other.pass.name && one.pass.node == other.pass.node && one.pass.scopes == other.pass.scopes &&
             one.expires == other.expires && one.revoked == other.revoked);
  }
}

RG_FUZZ(alert_rules) {
  const Result<AlertOptions> rules = parseAlertRules({reinterpret_cast<const char*>(data), size}, "alerts.toml");
  if (!rules.ok()) return;
  for (const AlertRule& rule : rules->rules)
    for (const std::string& to : rule.to)
      RG_CHECK(std::ranges::any_of(rules->targets, [&](const AlertTarget& target) { return target.name == to; }));
}

}  // namespace
