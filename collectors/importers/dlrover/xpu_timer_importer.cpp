// SPDX-License-Identifier: Apache-2.0
// Timelines of DLRover's xpu_timer: one protobuf message with a rank's traced kernels and host calls, and next to it, as NAME.meta, the
// names of its kernels by their codes. Codes differ from rank to rank: the names of another rank are not used.
#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "collectors/importers/dlrover/kernel_trace.h"
#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/python_json.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/timeline/span_batches.h"
#include "collectors/wire/wire_reader.h"
#include "model/crc32c.h"

namespace runglass {
namespace {

using xpu_timer::HostTrace;
using xpu_timer::KernelTrace;

constexpr std::size_t kMaxMeta = 8U << 20, kMaxStreams = 4'096, kMaxGroups = 65'536;
// In µs: between 2001 and 2100.
constexpr std::uint64_t kFirstTime = 1'000'000'000'000'000, kLastTime = 4'100'000'000'000'000;

// "00003-00064.timeline": rank and number of ranks.
struct FileName {
  std::optional<std::int32_t> rank, world;
};
FileName parseName(std::string_view name) {
  FileName parts;
  const std::size_t dash = name.find('-'), dot = name.find(".timeline");
  if (dash == std::string_view::npos || dot == std::string_view::npos || dash > dot) return parts;
  const auto number = [](std::string_view digits) {
    std::int32_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value >= 0 ? std::optional(value) : std::nullopt;
  };
  parts.rank = number(name.substr(0, dash));
  parts.world = number(name.substr(dash + 1, dot - dash - 1));
  if (!parts.rank || !parts.world) return {};
  return parts;
}

// code -> name, from the file next to it; empty without such a file.
std::map<std::uint32_t, std::string> readNames(const std::string& path) {
  std::map<std::uint32_t, std::string> names;
  const std::size_t dot = path.rfind(".timeline");
  if (dot == std::string::npos) return names;
  const std::filesystem::path meta = path.substr(0, dot) + ".timeline.meta";
  std::error_code error;
  if (!std::filesystem::is_regular_file(meta, error) || std::filesystem::file_size(meta, error) > kMaxMeta) return names;
  std::ifstream file(meta, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    std::uint32_t code = 0;
    const auto [end, failed] = std::from_chars(line.data(), line.data() + line.size(), code);
    if (failed != std::errc() || end == line.data() + line.size() || *end != ',') continue;  // such as "xpu_timer_host_trace,NAME"
    std::string name = displayName(std::string_view(end + 1, line.data() + line.size()));
    if (name.ends_with('_')) name.pop_back();
    if (constexpr std::string_view kPrefix = "xpu_timer_"; name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
    names.emplace(code, std::move(name));
  }
  return names;
}

std::string hexOf(std::uint64_t value) {
  std::array<char, 20> digits{};
  return "0x" + std::string(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value, 16).ptr);
}

SpanCategory categoryOf(const KernelTrace& trace) {
  if (trace.is_host) return SpanCategory::kRuntime;
  return trace.kind == KernelTrace::kMatmul       ? SpanCategory::kCompute
         : trace.kind == KernelTrace::kCollective ? SpanCategory::kComm
         : trace.kind == KernelTrace::kMemory     ? SpanCategory::kMemcpy
                                                  : SpanCategory::kOther;
}

SpanCategory categoryOf(const HostTrace& trace) {
  const auto has = [&](std::string_view word) { return trace.name.find(word) != std::string::npos; };
  return trace.name == "GC"                       ? SpanCategory::kGc
         : has("dataloader")                      ? SpanCategory::kDataload
         : has("synchronize") || has("@wait")     ? SpanCategory::kSync
         : has("checkpoint") && !has("recompute") ? SpanCategory::kCheckpoint
                                                  : SpanCategory::kAnnotation;
}

std::int64_t columnOf(const std::optional<std::uint64_t>& value) {
  return value && *value <= static_cast<std::uint64_t>(INT64_MAX) ? static_cast<std::int64_t>(*value) : kAbsent;
}

class Timeline {
 public:
  Timeline(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out), m_spans(out) {}

  // The rank comes after the traces, so it is read first.
  bool readWho(std::string_view bytes) {
    WireReader in(bytes);
    while (in.next()) {
      if (in.wireType() == 0 && (in.field() == 3 || in.field() == 4)) {
        const std::uint64_t value = in.varint();
        if (value <= INT32_MAX) (in.field() == 3 ? m_pid : m_rank) = static_cast<std::int32_t>(value);
      } else {
        in.skip();
      }
    }
    m_whole = in.ok();
    return m_whole;
  }

  // Reads up to the first damaged byte; false if there is one.
  bool read(std::string_view bytes) {
    begin();
    WireReader in(bytes);
    while (in.next()) {
      if (in.wireType() != 2 || in.field() > 2) {
        in.skip();
        continue;
      }
      const std::uint32_t field = in.field();
      const std::string_view message = in.bytes();
      if (!in.ok()) break;
      if (!(field == 1 ? kernel(message) : host(message))) ++m_broken;
    }
    m_spans.flush();
    tellWhole();
    return in.ok();
  }
  void issue(const char* code, std::int64_t count, const std::string& detail) {
    m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }
  RunId run() const { return m_run; }
  std::optional<TimeNs> newest() const { return m_newest; }

 private:
  void begin() {
    const FileName name = parseName(m_target.file_name);
    // proto3 omits a rank of 0; for a truncated file only the name has it.
    const std::int32_t written = m_rank.value_or(0);
    if (m_whole && name.rank && *name.rank != written)
      issue("xpu_timer.other_rank", 1,
            "the file's name says rank " + std::to_string(*name.rank) + ", its content rank " + std::to_string(written));
    if (!m_rank) m_rank = m_whole ? 0 : name.rank;
    m_run = m_out.run({.name = m_target.run_name});
    Attempt attempt{.run = m_run, .key = m_target.attempt_key};
    attempt.layout.world = name.world.value_or(0);
    m_attempt = m_out.attempt(attempt);
    if (m_rank) m_out.rank({.attempt = m_attempt, .rank = *m_rank, .pid = m_pid});
    m_names = readNames(m_target.path);
  }

  bool kernel(std::string_view message) {
    KernelTrace trace;
    if (!xpu_timer::readKernelTrace(message, trace)) return false;
    LooseSpan span{
        .category = categoryOf(trace), .seq = columnOf(trace.details.seq), .bytes = columnOf(trace.details.bytes), .correlation = kAbsent};
    if (!place(trace.start_us, trace.dur_us, span)) return true;
    std::string args = "{\"delay_us\":" + std::to_string(trace.delay_us) + ",\"count\":" + std::to_string(trace.count);
    if (trace.details.comm_hash) {
      const std::string hash = hexOf(*trace.details.comm_hash);
      span.group = groupOf(hash);
      args += ",\"comm_hash\":\"" + hash + "\"";
    }
    args += (trace.details.json.empty() ? "" : ",") + trace.details.json + "}";
    const auto named = m_names.find(trace.code);
    if (named == m_names.end()) ++m_no_name;
    m_spans.add(kernelTrack(trace), span, named != m_names.end() ? named->second : nameless(trace), std::move(args));
    return true;
  }

  static std::string nameless(const KernelTrace& trace) {
    const char* const kind = trace.is_host                            ? "host call "
                             : trace.kind == KernelTrace::kMatmul     ? "matmul "
                             : trace.kind == KernelTrace::kCollective ? "collective "
                             : trace.kind == KernelTrace::kMemory     ? "memory "
                                                                      : "kernel ";
    return kind + std::to_string(trace.code);
  }

  bool host(std::string_view message) {
    HostTrace trace;
    if (!xpu_timer::readHostTrace(message, trace)) return false;
    LooseSpan span{.category = categoryOf(trace)};
    if (!place(trace.start_us, trace.dur_us, span)) return true;
    std::string args = "{\"count\":" + std::to_string(trace.count);
    if (trace.collected)
      args +=
          ",\"collected\":" + std::to_string(*trace.collected) + ",\"uncollectable\":" + std::to_string(trace.uncollectable.value_or(0));
    std::string name = displayName(trace.name);
    std::ranges::replace(name, '@', '.');
    m_spans.add(track("thread", "host"), span, name, args + "}");
    return true;
  }

  bool place(std::uint64_t start_us, std::uint64_t dur_us, LooseSpan& span) {
    if (start_us < kFirstTime || start_us > kLastTime || dur_us > UINT32_MAX) {
      ++m_no_time;
      return false;
    }
    span.start = static_cast<TimeNs>(start_us) * kNsPerUs;
    span.dur = static_cast<DurNs>(dur_us) * kNsPerUs;
    m_oldest = std::min(m_oldest.value_or(span.start), span.start);
    m_newest = std::max(m_newest.value_or(span.start), span.start + span.dur);
    return true;
  }

  TrackId kernelTrack(const KernelTrace& trace) {
    if (trace.is_host) return track("thread", "host memory");
    if (trace.details.stream && m_tracks.size() < kMaxStreams)
      return track("gpu_stream", "stream " + std::to_string(*trace.details.stream));
    return track("gpu_stream", trace.kind == KernelTrace::kMatmul       ? "compute"
                               : trace.kind == KernelTrace::kCollective ? "collectives"
                                                                        : "memory");
  }
  TrackId track(const char* kind, const std::string& name) {
    const auto [known, fresh] = m_tracks.try_emplace(name);
    if (fresh) known->second = m_out.track({.attempt = m_attempt, .rank = m_rank, .kind = kind, .name = name});
    return known->second;
  }

  // A communicator's hash is equal on all of its ranks.
  std::int64_t groupOf(const std::string& hash) {
    const std::int64_t id = commGroupId(hash, "");
    if (m_groups.size() < kMaxGroups && m_groups.insert(id).second)
      m_out.group({.attempt = m_attempt, .id = id, .kind = "", .name = hash, .ranks = {}});
    return id;
  }

  void tellWhole() {
    if (m_newest) {
      m_out.run({.name = m_target.run_name, .start = m_oldest, .end = m_newest});
      m_out.attempt({.run = m_run, .key = m_target.attempt_key, .start = m_oldest, .end = m_newest});
    }
    if (m_broken > 0) issue("xpu_timer.broken_trace", m_broken, "traces that cannot be decoded");
    if (m_no_time > 0) issue("xpu_timer.no_time", m_no_time, "traces without a time between 2001 and 2100");
    if (m_spans.renamed() > 0) issue("trace.too_many_names", m_spans.renamed(), "spans without the numbers of their names");
    if (m_no_name > 0) issue("xpu_timer.no_names", m_no_name, "kernels whose codes have no name in the .timeline.meta beside the file");
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  SpanBatches m_spans;
  RunId m_run;
  AttemptId m_attempt;
  std::optional<std::int32_t> m_rank, m_pid;
  bool m_whole = false;
  std::map<std::uint32_t, std::string> m_names;
  std::map<std::string, TrackId> m_tracks;
  std::set<std::int64_t> m_groups;
  std::optional<TimeNs> m_oldest, m_newest;
  std::int64_t m_broken = 0, m_no_time = 0, m_no_name = 0;
};

class XpuTimerImporter : public Importer {
 public:
  std::string_view kind() const override { return "xpu_timer"; }
  Grouping grouping() const override { return Grouping::kRankDumps; }
  // Written once as a whole: its complete head identifies it.
  std::string identity(const ImportProbe& probe) const override { return "xpu_timer:" + std::to_string(crc32c(probe.head)); }

  int recognise(const ImportProbe& probe) const override {
    if (isMeta(probe)) return 95;
    WireReader in(probe.head);
    if (!in.next() || in.wireType() != 2 || in.field() > 2) return 0;
    const bool is_kernel = in.field() == 1;
    const std::string_view message = in.bytes();
    KernelTrace kernel;
    HostTrace host;
    if (!in.ok() || !(is_kernel ? xpu_timer::readKernelTrace(message, kernel) : xpu_timer::readHostTrace(message, host))) return 0;
    const std::uint64_t start = is_kernel ? kernel.start_us : host.start_us;
    if (start < kFirstTime || start > kLastTime) return 0;
    return probe.path.find(".timeline") != std::string::npos ? 95 : 60;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RG_ASSIGN(const std::string bytes, readAll(in, target.path, stop));
    report.committed_offset = in.offset();
    if (target.resume_at >= in.offset()) return {};
    if (isMeta({target.file_name, std::string_view(bytes).substr(0, 64U << 10)})) {
      report.skipped_reason = "the names of the kernels in the .timeline file beside it";
      return {};
    }
    Timeline timeline(target, out);
    timeline.readWho(bytes);
    const bool whole = timeline.read(bytes);
    if (!whole) {
      if (!timeline.newest()) return {Code::kInvalidArgument, target.path + ": byte 0: no xpu_timer timeline"};
      report.partial_reason = "the file is cut or damaged: only the traces before that place were read";
      timeline.issue("import.truncated", 1, report.partial_reason);
    }
    report.run = timeline.run();
    report.end_time = timeline.newest();
    return {};
  }

 private:
  // "12,xpu_timer_..." and "xpu_timer_host_trace,..." line by line.
  static bool isMeta(const ImportProbe& probe) {
    if (probe.path.find(".timeline.meta") == std::string::npos) return false;
    const std::string_view first = probe.head.substr(0, probe.head.find('\n'));
    const std::string_view code = first.substr(0, first.find(','));
    return first.size() > code.size() &&
           (code == "xpu_timer_host_trace" || (!code.empty() && code.find_first_not_of("0123456789") == std::string_view::npos));
  }
};

}  // namespace

std::unique_ptr<Importer> makeXpuTimerImporter() { return std::make_unique<XpuTimerImporter>(); }

}  // namespace runglass
