// SPDX-License-Identifier: Apache-2.0
// NCCL Inspector's JSON lines: one per collective or point-to-point operation that a process has completed. All have duration and bandwidth
// (scalars over the operation's number in its communicator); only verbose ones have a start time (spans). committed_offset counts bytes.
// Invariants:
// 1. A rank is recorded only if the file has it: header.rank counts within its communicator, so it is the process's own rank only in the
//    communicator of all ranks. That is the one with that name, or the only one of the file; the first kDecideBytes decide.
// 2. No time is invented: an operation without an event trace gets the time of its dump, as a scalar, and no span.
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/nccl/inspector_record.h"
#include "collectors/importers/nccl/process_groups.h"
#include "collectors/importers/timeline/span_batches.h"
#include "collectors/text/line_splitter.h"
#include "model/group_kind.h"

namespace runglass {
namespace {

constexpr std::size_t kDecideBytes = 4U << 20, kMaxNames = 16'384, kMaxPoints = 1U << 18, kMaxArgs = 1U << 20;
constexpr std::int64_t kLastUs = 4'100'000'000'000'000;  // before the year 2100
constexpr std::array kMetrics = {"exec_time_us", "msg_size_bytes", "algobw_gbs", "busbw_gbs"};

bool namesAll(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.find("default_pg") != std::string::npos || name.find("world") != std::string::npos;
}

std::optional<TimeNs> timeOf(std::optional<std::int64_t> us) {
  return us && *us > 0 && *us < kLastUs ? std::optional(*us * kNsPerUs) : std::nullopt;
}

// Converts one file.
class InspectorLog {
 public:
  InspectorLog(const ImportTarget& target, Recorder& out) : m_target(target), m_out(out), m_spans(out) {}

  void line(std::string_view text, std::uint64_t offset) {
    if (text.find_first_not_of(" \t") == std::string_view::npos) return;
    if (m_decided) return record(text, offset);
    m_held.emplace_back(text, offset);
    m_held_bytes += text.size();
    if (m_held_bytes > kDecideBytes) decide();
  }

  void finish() {
    if (!m_decided) decide();
    m_spans.flush();
    flushPoints();
    if (m_run && m_newest) {
      m_out.run({.name = m_target.run_name, .start = m_oldest, .end = m_newest});
      m_out.attempt({.run = m_run, .key = m_target.attempt_key, .start = m_oldest, .end = m_newest});
    }
    const auto tell = [this](const char* code, std::int64_t count, const char* detail) {
      if (count > 0) issue(code, count, detail);
    };
    tell("nccl_inspector.broken_line", m_broken, "lines that are no JSON objects");
    tell("nccl_inspector.no_context", m_no_context, "records without a communicator");
    tell("nccl_inspector.no_number", m_no_number, "operations without a number in their communicator");
    tell("nccl_inspector.not_kept", m_other, "records of other kinds (proxy traces)");
    tell("nccl_inspector.dropped", m_dropped, "operations that the plugin lost before it wrote");
    tell("nccl_inspector.too_many_names", m_too_many, "operations beyond the limit");
    tell("trace.too_many_names", m_spans.renamed(), "spans without the numbers of their names");
    tell("nccl_inspector.no_rank", m_no_rank, "operations of processes without a rank");
  }
  void issue(const char* code, std::int64_t count, const std::string& detail) {
    m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }
  RunId run() const { return m_run; }
  std::optional<TimeNs> newest() const { return m_newest; }
  std::int64_t broken() const { return m_broken; }

 private:
  void decide() {
    m_decided = true;
    std::map<std::string, std::set<std::int64_t>> ranks;
    std::int64_t n_ranks = 0;
    for (const auto& [text, offset] : m_held) {
      if (!m_parser.read(text, m_record) || !m_record.has_context || m_record.context.comm.empty()) continue;
      const InspectorContext& context = m_record.context;
      if (ranks.size() < kMaxNames || ranks.contains(context.comm)) ranks[context.comm].insert(context.rank.value_or(-1));
      if (!namesAll(context.comm_name)) continue;
      m_world = context.comm;
      n_ranks = context.n_ranks.value_or(0);
    }
    if (m_world.empty() && ranks.size() == 1) m_world = ranks.begin()->first;
    if (const auto world = ranks.find(m_world); world != ranks.end() && world->second.size() == 1 && *world->second.begin() >= 0)
      m_process_rank = static_cast<std::int32_t>(std::min<std::int64_t>(*world->second.begin(), INT32_MAX));
    // The plugin's own file names, host-pid77.log, contain no rank, whatever the host name.
    if (m_target.file_name.find("-pid") == std::string::npos) m_named_rank = rankOfName(m_target.file_name);
    m_n_ranks = static_cast<std::int32_t>(std::clamp<std::int64_t>(n_ranks, 0, INT32_MAX));
    for (const auto& [text, offset] : std::exchange(m_held, {})) record(text, offset);
  }

  void record(std::string_view text, std::uint64_t offset) {
    const bool fresh = offset >= m_target.resume_at;
    if (!m_parser.read(text, m_record)) {
      m_broken += fresh ? 1 : 0;
      return;
    }
    const bool is_dump = m_record.kind == InspectorRecord::Kind::kDump;
    if (is_dump) m_dump = m_record.context, m_has_dump = m_record.has_context;
    if (!fresh) return;
    if (is_dump) {
      m_dropped += m_record.dropped;
      return;
    }
    if (m_record.kind == InspectorRecord::Kind::kOther) {
      ++m_other;
      return;
    }
    if (!m_record.has_context && m_has_dump) m_record.context = m_dump, m_record.has_context = true;
    if (!m_record.has_context || m_record.context.comm.empty()) {
      ++m_no_context;
      return;
    }
    begin();
    operation();
  }

  void begin() {
    if (m_attempt) return;
    m_run = m_out.run({.name = m_target.run_name});
    Attempt attempt{.run = m_run, .key = m_target.attempt_key};
    attempt.layout.world = m_n_ranks;
    m_attempt = m_out.attempt(attempt);
    if (!m_record.context.version.empty())
      m_out.fact({.attempt = m_attempt, .key = "nccl_inspector_format", .value = displayName(m_record.context.version)});
  }

  void operation() {
    const InspectorContext& context = m_record.context;
    const std::optional<std::int32_t> rank = rankOf(context);
    const Place* const place = placeOf(context, rank);
    if (place == nullptr) {
      ++m_too_many;
      return;
    }
    if (!rank) ++m_no_rank;
    const auto dumped = timeOf(context.dump_us), started = timeOf(m_record.start_us);
    for (const auto& time : {dumped, started}) {
      if (!time) continue;
      m_oldest = std::min(m_oldest.value_or(*time), *time);
      m_newest = std::max(m_newest.value_or(*time), *time);
    }
    if (started) span(*place, *started);
    if (m_record.seq)
      points(*place, started ? started : dumped);
    else
      ++m_no_number;
  }

  std::optional<std::int32_t> rankOf(const InspectorContext& context) const {
    if (m_named_rank) return m_named_rank;
    if (context.comm == m_world && context.rank && *context.rank >= 0 && *context.rank <= INT32_MAX)
      return static_cast<std::int32_t>(*context.rank);
    return m_process_rank;
  }

  // Destination of the operations of one rank in one communicator.
  struct Place {
    TrackId track;
    std::int64_t group = 0;
    std::optional<std::int32_t> rank;
    std::string process;  // if the rank is unknown
  };

  const Place* placeOf(const InspectorContext& context, std::optional<std::int32_t> rank) {
    const std::string member = std::to_string(context.rank.value_or(-1));
    const std::string key = context.comm + '\n' + member + '\n' + context.hostname + '\n' + std::to_string(context.pid.value_or(0));
    const auto [known, fresh] = m_places.try_emplace(key);
    if (!fresh) return &known->second;
    if (m_places.size() > kMaxNames) {
      m_places.erase(known);
      return nullptr;
    }
    Place& place = known->second;
    place.rank = rank;
    place.group = commGroupId(context.comm, "");
    const std::string name = displayName(context.comm_name.empty() ? context.comm : context.comm + " " + context.comm_name);
    m_out.group({.attempt = m_attempt, .id = place.group, .kind = groupKindOf(context.comm_name), .name = name, .ranks = {}});
    NodeId node;
    const std::string host = displayName(context.hostname);
    if (!host.empty()) node = m_out.node({.uuid = "name:" + host, .name = host});
    if (rank) {
      Rank self{.attempt = m_attempt, .rank = *rank, .node = node};
      if (context.pid && *context.pid > 0 && *context.pid <= INT32_MAX) self.pid = static_cast<std::int32_t>(*context.pid);
      m_out.rank(self);
    } else {
      place.process = host + " pid " + std::to_string(context.pid.value_or(0)) + " rank " + member;
    }
    place.track = m_out.track(
        {.attempt = m_attempt, .rank = rank, .kind = "collective", .name = place.process.empty() ? name : name + " " + place.process});
    return &place;
  }

  void span(const Place& place, TimeNs start) {
    LooseSpan span{.start = start, .dur = 0, .group = place.group, .seq = m_record.seq.value_or(kAbsent), .bytes = bytesOf()};
    const auto stop = timeOf(m_record.stop_us);
    constexpr double kLongestUs = 1e12;
    if (m_record.exec_us && *m_record.exec_us >= 0 && *m_record.exec_us < kLongestUs)
      span.dur = std::llround(*m_record.exec_us * kNsPerUs);
    else if (stop && *stop > start)
      span.dur = *stop - start;
    std::string args;
    if (m_record.raw.size() < kMaxArgs && m_record.raw.size() > 2) {
      args = "{\"comm_rank\":" + std::to_string(m_record.context.rank.value_or(-1)) +
             ",\"n_ranks\":" + std::to_string(m_record.context.n_ranks.value_or(0)) + "," + m_record.raw.substr(1);
    }
    m_spans.add(place.track, span, displayName(m_record.op), std::move(args));
  }
  std::int64_t bytesOf() const { return m_record.bytes && *m_record.bytes >= 0 ? *m_record.bytes : kAbsent; }

  struct Points {
    SeriesId series;
    std::vector<std::int64_t> step;
    std::vector<TimeNs> time;
    std::vector<double> value;
  };
  using OfKind = std::array<Points, kMetrics.size()>;

  // Operations of one kind, algorithm and timing source form a curve for each number.
  void points(const Place& place, std::optional<TimeNs> time) {
    const bool p2p = m_record.kind == InspectorRecord::Kind::kP2p;
    std::string key = std::to_string(place.track.value) + (p2p ? "p" : "c");
    for (const std::string* part : {&m_record.op, &m_record.algo, &m_record.proto, &m_record.timing}) key += '\n' + *part;
    if (m_record.peer) key += '\n' + std::to_string(*m_record.peer);
    const auto [known, fresh] = m_points.try_emplace(key);
    if (fresh && m_points.size() > kMaxNames) {
      m_points.erase(known);
      ++m_too_many;
      return;
    }
    OfKind& of = known->second;
    const std::array<std::optional<double>, kMetrics.size()> values = {
        m_record.exec_us, m_record.bytes ? std::optional(static_cast<double>(*m_record.bytes)) : std::nullopt, m_record.algobw,
        m_record.busbw};
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!values[i]) continue;
      if (!of[i].series) of[i].series = series(place, (p2p ? "p2p_" : "coll_") + std::string(kMetrics[i]));
      // Points passed on together either all have a time or all have none.
      if (time.has_value() == of[i].time.empty()) flushPoints(of[i]);
      if (time) of[i].time.push_back(*time);
      of[i].step.push_back(*m_record.seq);
      of[i].value.push_back(*values[i]);
      ++m_waiting;
    }
    if (m_waiting > kMaxPoints) flushPoints();
  }

  SeriesId series(const Place& place, const std::string& metric) {
    nlohmann::json labels = {{"comm", displayName(m_record.context.comm)}, {"op", displayName(m_record.op)}};
    const auto label = [&labels](const char* key, const std::string& value) {
      if (!value.empty()) labels[key] = displayName(value);
    };
    label("algo", m_record.algo);
    label("proto", m_record.proto);
    label("timing", m_record.timing);
    label("process", place.process);
    if (m_record.peer) labels["peer"] = *m_record.peer;
    return m_out.series({.attempt = m_attempt,
                         .rank = place.rank,
                         .metric = metric,
                         .source = m_target.source,
                         .labels = labels.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                         .kind = SeriesKind::kScalar});
  }

  void flushPoints() {
    for (auto& [key, of] : m_points)
      for (Points& points : of) flushPoints(points);
    m_waiting = 0;
  }
  void flushPoints(Points& points) {
    if (points.step.empty()) return;
    m_out.scalars(points.series, points.step, points.time, points.value);
    points.step.clear(), points.time.clear(), points.value.clear();
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  SpanBatches m_spans;
  InspectorParser m_parser;
  InspectorRecord m_record;
  InspectorContext m_dump;
  bool m_has_dump = false, m_decided = false;
  std::vector<std::pair<std::string, std::uint64_t>> m_held;
  std::size_t m_held_bytes = 0;
  std::string m_world;
  std::optional<std::int32_t> m_named_rank, m_process_rank;
  std::int32_t m_n_ranks = 0;
  RunId m_run;
  AttemptId m_attempt;
  std::map<std::string, Place> m_places;
  std::map<std::string, OfKind> m_points;
  std::size_t m_waiting = 0;
  std::optional<TimeNs> m_oldest, m_newest;
  std::int64_t m_broken = 0, m_no_context = 0, m_no_number = 0, m_other = 0, m_dropped = 0, m_too_many = 0, m_no_rank = 0;
};

class NcclInspectorImporter : public Importer {
 public:
  std::string_view kind() const override { return "nccl_inspector"; }
  Grouping grouping() const override { return Grouping::kRankDumps; }

  int recognise(const ImportProbe& probe) const override {
    const std::string_view first = probe.head.substr(0, probe.head.find('\n'));
    const auto has = [&](std::string_view text) { return first.find(text) != std::string_view::npos; };
    if (!first.starts_with('{') || !has("\"header\"") || !has("\"inspector_output_format_version\"")) return 0;
    return has("\"coll_perf\"") || has("\"p2p_perf\"") || has("\"dump_stats\"") ? 95 : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    InspectorLog log(target, out);
    train_log::LineSplitter lines;
    std::string damaged;
    Status stopped;
    while (true) {
      if (stop.stop_requested()) {
        stopped = {Code::kCancelled, target.path + ": stopped"};
        break;
      }
      const auto bytes = in.next();
      if (!bytes.ok()) {
        damaged = bytes.status().message();
        break;
      }
      if (bytes->empty()) break;
      lines.push(*bytes, [&](std::string_view line, std::uint64_t offset) { log.line(line, offset); });
    }
    log.finish();
    report.committed_offset = lines.lineStart();
    report.run = log.run();
    report.end_time = log.newest();
    if (stopped.ok() && damaged.empty() && target.final && !lines.partial().empty()) {
      report.partial_reason = "the last line has no end; it is not imported";
      log.issue("import.truncated", 1, report.partial_reason);
    }
    if (!damaged.empty()) report.partial_reason = damaged;
    if (!report.run && target.resume_at == 0) report.skipped_reason = "no operation in it";
    return stopped;
  }
};

}  // namespace

std::unique_ptr<Importer> makeNcclInspectorImporter() { return std::make_unique<NcclInspectorImporter>(); }

}  // namespace runglass
