// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Paths come from the trainer's environment: links are not followed, and only the trainer's own files are read or written.
// 2. A dump never ends a live run.
#include "collectors/sources/capture/flight_recorder_dump.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/session/counting_recorder.h"
#include "collectors/sources/capture/process_look.h"

namespace runglass {
namespace {

constexpr DurNs kQuiet = 300 * kNsPerMs;  // a dump that has not grown for this long is parsed
constexpr DurNs kRecent = 15 * 60 * kNsPerSecond;

class Bytes : public ByteStream {
 public:
  explicit Bytes(std::string bytes) : m_bytes(std::move(bytes)) {}
  Result<std::string_view> next(std::size_t max) override {
    const std::string_view rest = std::string_view(m_bytes).substr(m_at, max);
    m_at += rest.size();
    return rest;
  }
  std::uint64_t offset() const override { return m_at; }

 private:
  std::string m_bytes;
  std::size_t m_at = 0;
};

// Records a dump as evidence of a known run: fields of the run itself are left to the trainer's own records, collectives of earlier dumps
// are not recorded again, and unfinished ones not yet: progress shows them, and a later dump has their end.
class EvidenceRecorder : public CountingRecorder {
 public:
  EvidenceRecorder(Recorder& next, const Trainer& trainer, const KnownDumps& known)
      : CountingRecorder(next), m_next(next), m_trainer(trainer), m_known(known) {}
  RunId run(const Run&) override { return m_next.run({.name = m_trainer.run}); }
  AttemptId attempt(const Attempt& value) override { return m_next.attempt({.run = value.run, .key = m_trainer.attempt_key}); }
  void fact(const Fact& value) override {
    if (value.key == "nccl_pg_status") status = value.value;
    CountingRecorder::fact(value);
  }
  void spans(TrackId id, const SpanColumns& columns) override {
    std::vector<std::size_t> fresh;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns.dur[i] == kAbsent) continue;
      const KnownDumps::Collective one{columns.group.empty() ? kAbsent : columns.group[i], columns.seq.empty() ? kAbsent : columns.seq[i],
                                       columns.start[i]};
      seen.insert(one);
      if (!m_known.collectives.contains(one)) fresh.push_back(i);
    }
    if (fresh.size() == columns.size()) return CountingRecorder::spans(id, columns);
    SpanColumns some;
    some.names = columns.names;
    const auto pick = [&fresh](const auto& from, auto& to) {
      if (!from.empty())
        for (const std::size_t i : fresh) to.push_back(from[i]);
    };
    pick(columns.start, some.start), pick(columns.dur, some.dur), pick(columns.name, some.name), pick(columns.category, some.category);
    pick(columns.depth, some.depth), pick(columns.step, some.step), pick(columns.microbatch, some.microbatch);
    pick(columns.group, some.group), pick(columns.seq, some.seq), pick(columns.bytes, some.bytes);
    pick(columns.correlation, some.correlation), pick(columns.external_id, some.external_id), pick(columns.args, some.args);
    if (some.size() > 0) CountingRecorder::spans(id, some);
  }
  std::string status;
  decltype(KnownDumps::collectives) seen;

 private:
  Recorder& m_next;
  const Trainer& m_trainer;
  const KnownDumps& m_known;
};

}  // namespace

const std::vector<std::string>& TrainerEnvironment::names() {
  static const std::vector<std::string> kNames = {"TORCH_NCCL_DEBUG_INFO_PIPE_FILE",
                                                  "TORCH_FR_DEBUG_INFO_PIPE_FILE",
                                                  "TORCH_NCCL_DEBUG_INFO_TEMP_FILE",
                                                  "TORCH_FR_DUMP_TEMP_FILE",
                                                  "XDG_CACHE_HOME",
                                                  "HOME",
                                                  "NCCL_RAS_ADDR"};
  return kNames;
}

std::string FlightRecorderDump::inside(const std::string& path) const {
  const std::string seen = m_root + "proc/" + std::to_string(m_trainer.pid) + "/root" + path;
  struct stat info {};
  const std::string folder = std::filesystem::path(seen).parent_path();
  return ::stat(folder.c_str(), &info) == 0 ? seen : path;
}

std::vector<std::string> FlightRecorderDump::dumpPaths() const {
  const std::string rank = std::to_string(m_trainer.rank.rank);
  for (const char* name : {"TORCH_FR_DUMP_TEMP_FILE", "TORCH_NCCL_DEBUG_INFO_TEMP_FILE"})
    if (const std::string prefix = m_environment.get(name); prefix.starts_with('/')) return {prefix + rank};
  std::vector<std::string> paths = {"/tmp/nccl_trace_rank_" + rank};
  std::string cache = m_environment.get("XDG_CACHE_HOME");
  if (cache.empty() && !m_environment.get("HOME").empty()) cache = m_environment.get("HOME") + "/.cache";
  if (cache.starts_with('/')) paths.push_back(cache + "/torch/comm_lib_trace_rank_" + rank);
  return paths;
}

FlightRecorderDump::Found FlightRecorderDump::newest() const {
  Found found;
  for (const std::string& path : dumpPaths()) {
    struct stat info {};
    if (::lstat(inside(path).c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_uid != m_uid) continue;
    const std::int64_t modified = info.st_mtim.tv_sec * kNsPerSecond + info.st_mtim.tv_nsec;
    if (modified >= found.modified_ns) found = {path, info.st_size, modified};
  }
  return found;
}

Status FlightRecorderDump::poke() const {
  std::string path = m_environment.get("TORCH_FR_DEBUG_INFO_PIPE_FILE");
  if (path.empty()) path = m_environment.get("TORCH_NCCL_DEBUG_INFO_PIPE_FILE");
  if (path.empty()) return {Code::kNotFound, "no debug pipe: TORCH_NCCL_DEBUG_INFO_PIPE_FILE was not set"};
  path += std::to_string(m_trainer.rank.rank) + ".pipe";
  if (!path.starts_with('/')) return {Code::kInvalidArgument, path + ": is no absolute path"};
  const std::string seen = inside(path);
  struct stat info {};
  if (::lstat(seen.c_str(), &info) != 0) return {Code::kNotFound, path + ": " + std::strerror(errno)};
  if (!S_ISFIFO(info.st_mode)) return {Code::kPermissionDenied, path + ": is no pipe"};
  const int fd = ::open(seen.c_str(), O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return {Code::kUnavailable, path + ": " + (errno == ENXIO ? "no process reads it" : std::strerror(errno))};
  Status status;
  if (::fstat(fd, &info) != 0 || !S_ISFIFO(info.st_mode) || info.st_uid != m_uid)
    status = {Code::kPermissionDenied, path + ": is not the trainer's own pipe"};
  else if (::write(fd, "1", 1) != 1)
    status = {Code::kUnavailable, path + ": " + std::strerror(errno)};
  ::close(fd);
  return status;
}

bool FlightRecorderDump::poll(CaptureLog& log, DurNs now) {
  if (!m_begun) {
    m_begun = true;
    m_until = now + kPatience;
    const auto look = lookAt(m_root, m_trainer.pid);
    if (!look.ok()) {
      log.absent(owner(), kind(), look.status().message());
      return true;
    }
    m_uid = look->uid;
    m_before = newest();
    // The watchdog may have written one already, at its timeout.
    const bool unread = m_before.size > 0 && m_before.modified_ns > m_known.modified_ns && log.now() - m_before.modified_ns < kRecent;
    const Status poked = poke();
    if (poked.ok()) return false;
    if (poked.code() == Code::kPermissionDenied) log.refused(owner(), kind(), poked.message());
    if (unread && take(log, m_before).ok()) return true;
    if (poked.code() != Code::kPermissionDenied) log.absent(owner(), kind(), m_trouble.empty() ? poked.message() : m_trouble);
    return true;
  }
  const Found found = newest();
  if (found.path != m_seen.path || found.size != m_seen.size || found.modified_ns != m_seen.modified_ns) {
    m_seen = found;
    m_grown = now;
  }
  const bool fresh = found.size > 0 && (found.path != m_before.path || found.modified_ns != m_before.modified_ns);
  if (fresh && now - m_grown >= kQuiet) {
    m_grown = now;  // tried again after the same time
    const Status taken = take(log, found);
    if (taken.ok() || taken.code() == Code::kPermissionDenied) return true;
  }
  if (now < m_until) return false;
  giveUp(log);
  return true;
}

Status FlightRecorderDump::take(CaptureLog& log, const Found& found) {
  const auto refuse = [&](const std::string& why) {
    log.refused(owner(), kind(), why);
    log.out().issue({.code = "capture.bad_dump", .source = found.path, .first = log.now(), .last = log.now(), .detail = why});
    m_known.modified_ns = found.modified_ns;
    return Status(Code::kPermissionDenied, why);
  };
  if (found.size > kMaxDump) return refuse("the dump of " + std::to_string(found.size) + " bytes is larger than 64 MiB");
  const int fd = ::open(inside(found.path).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat info {};
  if (fd < 0) return {Code::kUnavailable, std::strerror(errno)};
  std::string bytes;
  if (::fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == m_uid) {
    bytes.resize(static_cast<std::size_t>(std::min<std::int64_t>(info.st_size, kMaxDump)));
    std::size_t size = 0;
    for (ssize_t got = 1; got > 0 && size < bytes.size(); size += static_cast<std::size_t>(std::max<ssize_t>(got, 0)))
      got = ::read(fd, bytes.data() + size, bytes.size() - size);
    bytes.resize(size);
  }
  ::close(fd);
  const std::size_t size = bytes.size();
  Bytes stream(std::move(bytes));
  EvidenceRecorder evidence(log.out(), m_trainer, m_known);
  ImportReport report;
  const ImportTarget target{.run_name = m_trainer.run,
                            .file_name = "nccl_trace_rank_" + std::to_string(m_trainer.rank.rank),
                            .path = found.path,
                            .attempt_key = m_trainer.attempt_key};
  const Status read = makeFlightRecorderImporter()->run(stream, target, evidence, report, {});
  if (!read.ok()) {
    m_trouble = read.message();
    // A rejected file does not improve; any other may still be written to.
    const bool hostile = read.message().find("the file is refused") != std::string::npos || read.code() == Code::kResourceExhausted;
    return hostile ? refuse(read.message()) : Status(Code::kUnavailable, read.message());
  }
  m_known.collectives = std::move(evidence.seen);
  m_known.modified_ns = found.modified_ns;
  std::string text = found.path + ", " + std::to_string(size) + " bytes: " + std::to_string(evidence.span_count) +
                     " collectives that were not recorded before\n";
  if (!evidence.status.empty()) text += "groups: " + evidence.status + "\n";
  log.got(owner(), kind(), "flight recorder", std::move(text));
  return {};
}

void FlightRecorderDump::giveUp(CaptureLog& log) {
  if (!m_trouble.empty()) {
    log.out().issue({.code = "capture.bad_dump", .source = m_seen.path, .first = log.now(), .last = log.now(), .detail = m_trouble});
    return log.refused(owner(), kind(), m_trouble);
  }
  log.absent(owner(), kind(), "no dump was written within the time");
}

}  // namespace runglass
