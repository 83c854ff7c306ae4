// SPDX-License-Identifier: Apache-2.0
// PyTorch profiler (Kineto) traces: Chrome trace JSON of one rank. In newer ones times are relative to baseTimeNanoseconds, which may
// follow the events, as distributedInfo may; then the events wait, compressed, until the end of the file.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "collectors/importers/chrome_trace/counter_series.h"
#include "collectors/importers/chrome_trace/held_events.h"
#include "collectors/importers/chrome_trace/kineto_category.h"
#include "collectors/importers/chrome_trace/memory_series.h"
#include "collectors/importers/chrome_trace/message_bytes.h"
#include "collectors/importers/chrome_trace/row_names.h"
#include "collectors/importers/chrome_trace/trace_event.h"
#include "collectors/importers/chrome_trace/trace_reader.h"
#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/timeline/kernel_category.h"
#include "collectors/importers/timeline/thread_row.h"
#include "collectors/importers/timeline/trace_steps.h"
#include "collectors/importers/timeline/track_sorter.h"
#include "collectors/importers/timeline/track_table.h"
#include "model/group_kind.h"

namespace runglass {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxGroups = 65'536, kMaxTail = 256U << 10;
constexpr std::size_t kMaxMembers = 64U << 20;
constexpr std::int64_t kMaxInstants = 100'000;

// Converts one file.
class KinetoTrace {
 public:
  KinetoTrace(const ImportTarget& target, Recorder& out, ImportReport& report)
      : m_target(target), m_out(out), m_report(report), m_sorter(out), m_counters(out), m_memory(out), m_tracks(out) {}

  void member(std::string_view key, std::string_view value) {
    if (m_member_bytes + value.size() > kMaxMembers) return;
    m_member_bytes += value.size();
    if (key == "baseTimeNanoseconds") {
      std::int64_t base = 0;
      if (std::from_chars(value.data(), value.data() + value.size(), base).ec == std::errc()) m_base = base;
    } else if (key == "distributedInfo") {
      m_distributed = Json::parse(value, nullptr, false);
    } else if (key == "deviceProperties") {
      m_devices = Json::parse(value, nullptr, false);
    } else if (key.find("version") != std::string_view::npos && value.size() < 200) {
      m_facts.emplace(key, value);
    }
  }

  // Reads the part after the last event first, if the end of the file is accessible: then no event has to wait for it.
  void foresee(std::string_view tail) {
    foreseeNames(tail);
    const std::size_t last = tail.rfind("\"ph\"");
    if (last == std::string_view::npos) return;
    tail.remove_prefix(last);
    m_foreseen = true;
    for (const char* key : {"baseTimeNanoseconds", "distributedInfo"}) {
      const std::size_t at = tail.find('"' + std::string(key) + '"');
      const std::size_t colon = at == std::string_view::npos ? at : tail.find(':', at);
      const std::size_t value = colon == std::string_view::npos ? colon : tail.find_first_not_of(" \t\r\n", colon + 1);
      if (value != std::string_view::npos) member(key, valueAt(tail.substr(value)));
    }
  }

  bool event(std::string_view text, std::uint64_t offset) {
    if (!m_parser.read(text, m_event)) return false;
    ++m_events;
    const bool old = offset < m_target.resume_at;
    switch (m_event.phase) {
      case 'X':
      case 'C':
      case 'i':
      case 'I':
        break;
      case 's':
      case 't':
      case 'f':
        m_flows += !old;
        return true;
      case 'M':
        noteName();
        return true;
      case '\0':  // the {} after a last comma
        return true;
      default:
        m_others += !old;
        return true;
    }
    if (!m_decided) decide();
    if (old) return true;
    if (m_hold)
      m_failure = m_failure.ok() ? m_held.add(text) : m_failure;
    else
      record();
    return true;
  }

  Status finish() {
    RG_TRY(m_failure);
    if (m_hold) {
      m_hold = false;
      RG_TRY(m_held.replay([this](std::string_view text) {
        if (m_parser.read(text, m_event)) record();
      }));
    }
    m_sorter.flush();
    if (m_attempt) tellWhole();
    if (m_steps.overflowed() > 0)
      issue("trace.too_many_steps", m_steps.overflowed(), "beyond " + std::to_string(TraceSteps::kMaxSteps) + " steps");
    if (m_no_time > 0) issue("kineto.no_time", m_no_time, "events without a usable ts or dur");
    if (m_no_track > 0) issue("kineto.too_many_tracks", m_no_track, "spans beyond " + std::to_string(TrackTable::kMaxTracks) + " tracks");
    if (m_sorter.renamed() > 0) issue("trace.too_many_names", m_sorter.renamed(), "spans without the numbers of their names");
    if (m_flows > 0 && m_run) issue("kineto.flow", m_flows, "ends of arrows (s, t, f)");
    if (m_others > 0 && m_run) issue("kineto.not_kept", m_others, "events of other phases");
    if (m_odd_counters > 0) issue("kineto.odd_counter", m_odd_counters, "values of counters (C) and sizes of [memory] that cannot be read");
    if (m_instants > kMaxInstants) issue("kineto.too_many_instants", m_instants - kMaxInstants, "instant events (i) beyond the limit");
    m_report.run = m_run;
    if (m_newest) m_report.end_time = *m_newest;
    return {};
  }
  void issue(const char* code, std::int64_t count, const std::string& detail) {
    m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }
  std::int64_t events() const { return m_events; }
  const Status& failure() const { return m_failure; }
  bool holds() const { return m_hold; }

 private:
  // Names of rows follow the spans, whose rows are declared at their first one.
  void foreseeNames(std::string_view tail) {
    const std::size_t name = std::min(tail.find("\"process_name\""), tail.find("\"thread_name\""));
    const std::size_t first = name == std::string_view::npos ? name : tail.rfind('{', name);
    if (first == std::string_view::npos) return;
    EventSlicer slicer;
    slicer.event = [this](std::string_view text) {
      if (!m_parser.read(text, m_event)) return false;
      if (m_event.phase == 'M') noteName();
      return true;
    };
    slicer.feed("[");
    slicer.feed(tail.substr(first));
    slicer.finish();
  }
  void noteName() {
    if (m_event.name == "thread_name") m_names.nameThread(m_event.pid, m_event.tid, m_event.arg_name);
  }

  // A JSON value without the text after it.
  static std::string_view valueAt(std::string_view text) {
    if (text.empty() || text[0] != '{') return text.substr(0, text.find_first_of(",}] \t\r\n"));
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (quoted && text[i] == '\\')
        ++i;
      else if (text[i] == '"')
        quoted = !quoted;
      else if (!quoted && text[i] == '{')
        ++depth;
      else if (!quoted && text[i] == '}' && --depth == 0)
        return text.substr(0, i + 1);
    }
    return {};
  }

  // At the first span: decides whether spans can be recorded now, or the time base or the rank may still follow in the file.
  void decide() {
    m_decided = true;
    const bool absolute = m_base.has_value() || m_event.ts.value_or(0) > kEpochNs;
    m_hold = !m_foreseen && (!absolute || !m_distributed.is_object());
  }

  void begin() {
    if (m_attempt) return;
    m_epoch = m_base.has_value() || m_event.ts.value_or(0) > kEpochNs;
    m_run =
        m_out.run({.name = m_target.run_name, .time_domain = m_epoch ? TimeDomain::kUtc : TimeDomain::kRelative, .framework = "pytorch"});
    Attempt attempt{.run = m_run, .key = m_target.attempt_key};
    if (m_distributed.is_object()) {
      if (const auto rank = m_distributed.find("rank"); rank != m_distributed.end() && rank->is_number_integer())
        m_rank = rank->get<std::int32_t>();
      if (const auto world = m_distributed.find("world_size"); world != m_distributed.end() && world->is_number_integer())
        attempt.layout.world = world->get<std::int32_t>();
    }
    if (!m_rank) m_rank = rankOfName(m_target.file_name);
    m_attempt = m_out.attempt(attempt);
    if (m_rank) m_out.rank({.attempt = m_attempt, .rank = *m_rank});
  }

  void record() {
    TimeNs time = 0;
    if (!m_event.ts || __builtin_add_overflow(*m_event.ts, m_base.value_or(0), &time)) {
      ++m_no_time;
      return;
    }
    begin();
    if (m_event.phase == 'X') {
      span(time);
    } else if (m_event.phase == 'C') {
      m_event.ts = time;
      m_odd_counters += m_counters.put(m_attempt, m_rank, displayName(m_event.pid), m_event);
    } else {
      instant(time);
    }
  }

  void instant(TimeNs time) {
    if (m_event.name == "[memory]") {
      m_odd_counters += !m_memory.put(m_attempt, m_rank, time, m_event.args);
    } else if (++m_instants <= kMaxInstants) {
      m_out.event({.time = time, .attempt = m_attempt, .rank = m_rank, .kind = "instant", .message = displayName(m_event.name)});
    }
  }

  void span(TimeNs start) {
    const DurNs dur = m_event.dur.value_or(0);
    std::int64_t end = 0;
    if (dur < 0 || __builtin_add_overflow(start, dur, &end)) {
      ++m_no_time;
      return;
    }
    const KinetoCategory& rule = kinetoCategory(m_event.category);
    const TrackId track = trackOf(rule);
    if (!track) {
      ++m_no_track;
      return;
    }
    TraceSpan span{.start = start, .dur = dur, .category = rule.span};
    if (rule.span == SpanCategory::kCompute) span.category = m_categories.of(m_event.name);
    span.correlation = m_event.correlation.value_or(kAbsent);
    span.external_id = m_event.external_id.value_or(kAbsent);
    span.bytes = m_event.bytes ? *m_event.bytes : messageBytes(m_event).value_or(kAbsent);
    span.sequence = m_event.sequence.value_or(kAbsent);
    span.group = groupOf(m_event.group);
    noteStep(start, dur);
    m_sorter.add(track, span, m_event.name, m_event.args);
    m_oldest = std::min(m_oldest.value_or(start), start);
    m_newest = std::max(m_newest.value_or(end), end);
    if (m_sorter.full()) m_sorter.flush();
  }

  // Process groups are identified by name and members: equal names with other members are different groups.
  std::int64_t groupOf(std::string_view name) {
    if (name.empty()) return kAbsent;
    const auto known = m_groups.find(name);
    if (known != m_groups.end()) return known->second;
    if (m_groups.size() == kMaxGroups) return kAbsent;
    const Json* said = groupConfig(name);
    // A trace without a list of its groups has their members in each call.
    const Json of_event = said == nullptr ? Json::parse(m_event.args, nullptr, false) : Json();
    const auto part = [&](const char* of_list, const char* of_call) {
      if (said != nullptr) return said->value(of_list, Json());
      return of_event.is_object() ? of_event.value(of_call, Json()) : Json();
    };
    return declareGroup(name, part("pg_desc", "Process Group Description"), part("ranks", "Process Group Ranks"));
  }

  std::int64_t declareGroup(std::string_view name, const Json& desc, const Json& ranks) {
    CommGroup group{.attempt = m_attempt, .name = displayName(name)};
    std::string members;
    // PyTorch truncates long lists in the arguments of a call ("[0, 1, ...]"): such a list is not valid JSON and is ignored.
    const Json list = ranks.is_string() ? Json::parse(ranks.get<std::string>(), nullptr, false) : ranks;
    if (list.is_array()) {
      for (const Json& rank : list)
        if (rank.is_number_integer()) group.ranks.push_back(rank.get<std::int32_t>());
      members = list.dump();
    }
    if (desc.is_string()) {
      const std::string text = desc.get<std::string>();
      group.name += " " + displayName(text);
      group.kind = groupKindOf(text);
    }
    group.id = commGroupId(name, members);
    m_out.group(group);
    return m_groups.emplace(name, group.id).first->second;
  }

  // Groups without a call in the trace are declared too: they show the ranks' positions in the layout.
  void declareOtherGroups() {
    if (!m_distributed.is_object()) return;
    const auto configs = m_distributed.find("pg_config");
    if (configs == m_distributed.end() || !configs->is_array()) return;
    for (const Json& config : *configs) {
      if (m_groups.size() == kMaxGroups) return;
      if (!config.is_object()) continue;
      const Json name = config.value("pg_name", Json());
      if (!name.is_string() || m_groups.contains(name.get<std::string>())) continue;
      const Json desc = config.value("pg_desc", Json());
      // Without a purpose and without a call it has no information.
      if (desc.is_string() && groupRoleOf(desc.get<std::string>()) != GroupRole::kNone)
        declareGroup(name.get<std::string>(), desc, config.value("ranks", Json()));
    }
  }
  const Json* groupConfig(std::string_view name) const {
    if (!m_distributed.is_object()) return nullptr;
    const auto configs = m_distributed.find("pg_config");
    if (configs == m_distributed.end() || !configs->is_array()) return nullptr;
    for (const Json& config : *configs)
      if (config.is_object() && config.value("pg_name", Json()) == name) return &config;
    return nullptr;
  }

  void noteStep(TimeNs start, DurNs dur) {
    constexpr std::string_view kStep = "ProfilerStep#";
    std::int64_t step = 0;
    if (!m_event.name.starts_with(kStep) || m_event.category == "gpu_user_annotation") return;
    const std::string_view digits = m_event.name.substr(kStep.size());
    if (std::from_chars(digits.data(), digits.data() + digits.size(), step).ec != std::errc()) return;
    m_sorter.addStep(step, start, dur);
    m_steps.note(m_rank, step, start, start + dur);
  }

  // Keyed by fields of the event itself if they are all present: most events are on rows already seen.
  TrackId trackOf(const KinetoCategory& rule) {
    if (m_event.pid.empty() || m_event.tid.empty()) return declaredTrack(rule);
    m_row.assign(1, static_cast<char>('0' + rule.where)).append(m_event.pid).append(1, '\n').append(m_event.tid);
    if (const auto known = m_rows.find(m_row); known != m_rows.end()) return known->second;
    const TrackId track = declaredTrack(rule);
    if (track && m_rows.size() < TrackTable::kMaxTracks) m_rows.emplace(m_row, track);
    return track;
  }

  TrackId declaredTrack(const KinetoCategory& rule) {
    const auto number = [](std::string_view text, const std::optional<std::int64_t>& argument) {
      return text.empty() && argument ? std::to_string(*argument) : displayName(text);
    };
    std::string kind = "thread", name;
    if (rule.where == KinetoCategory::kHost) {
      name = threadRow(displayName(m_event.pid), displayName(m_event.tid), m_names.threadName(m_event.pid, m_event.tid));
    } else {
      kind = rule.where == KinetoCategory::kGpu ? "gpu_stream" : "accel_queue";
      name = "GPU " + number(m_event.pid, m_event.device) + " stream " + number(m_event.tid, m_event.stream);
    }
    return m_tracks.find({.attempt = m_attempt, .rank = m_rank, .kind = kind, .name = name}).id;
  }

  void tellWhole() {
    declareOtherGroups();
    m_steps.tell(m_out, m_attempt);
    if (m_epoch) {
      m_out.run({.name = m_target.run_name, .start = m_oldest, .end = m_newest});
      m_out.attempt({.run = m_run, .key = m_target.attempt_key, .start = m_oldest, .end = m_newest});
    }
    const auto fact = [&](const std::string& key, const std::string& value) {
      if (!value.empty()) m_out.fact({.attempt = m_attempt, .rank = m_rank, .key = key, .value = printable(value)});
    };
    for (const auto& [key, value] : m_facts) fact(key, value);
    if (m_devices.is_array() && !m_devices.empty() && m_devices.front().is_object()) fact("gpu_model", m_devices.front().value("name", ""));
    if (m_distributed.is_object())
      for (const char* key : {"backend", "nccl_version"})
        if (m_distributed.contains(key) && m_distributed[key].is_string()) fact(key, m_distributed[key].get<std::string>());
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  ImportReport& m_report;
  TrackSorter m_sorter;
  KernelCategories m_categories;
  CounterSeries m_counters;
  MemorySeries m_memory;
  TraceEventParser m_parser;
  TraceEvent m_event;
  RowNames m_names;
  HeldEvents m_held;
  Status m_failure;
  bool m_foreseen = false, m_decided = false, m_hold = false, m_epoch = false;
  std::optional<std::int64_t> m_base;
  Json m_distributed, m_devices;
  std::map<std::string, std::string, std::less<>> m_facts;
  std::map<std::string, std::int64_t, std::less<>> m_groups;  // by name
  TraceSteps m_steps;
  std::size_t m_member_bytes = 0;
  RunId m_run;
  AttemptId m_attempt;
  std::optional<std::int32_t> m_rank;
  TrackTable m_tracks;
  std::unordered_map<std::string, TrackId> m_rows;  // by place, pid and tid as written
  std::string m_row;
  std::optional<TimeNs> m_oldest, m_newest;
  std::int64_t m_events = 0, m_flows = 0, m_others = 0, m_instants = 0, m_odd_counters = 0, m_no_time = 0, m_no_track = 0;
};

class KinetoImporter : public Importer {
 public:
  std::string_view kind() const override { return "kineto"; }
  Grouping grouping() const override { return Grouping::kRankFiles; }

  // "traceEvents" may come after megabytes of properties: these are sufficient too.
  int recognise(const ImportProbe& probe) const override {
    const auto has = [&](std::string_view text) { return probe.head.find(text) != std::string_view::npos; };
    const std::size_t first = probe.head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || probe.head[first] != '{') return 0;
    if (has("\"schemaVersion\"") && (has("\"traceEvents\"") || has("\"deviceProperties\"") || has("\"distributedInfo\""))) return 95;
    constexpr std::array kCategories = {"\"cpu_op\"", "\"python_function\"", "\"cuda_runtime\"", "\"user_annotation\"", "\"Operator\""};
    return has("\"traceEvents\"") && std::ranges::any_of(kCategories, has) ? 90 : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    KinetoTrace trace(target, out, report);
    trace.foresee(in.tail(kMaxTail));
    EventSlicer slicer;
    slicer.member = [&](std::string_view key, std::string_view value) { trace.member(key, value); };
    slicer.event = [&](std::string_view text) { return trace.event(text, slicer.offset()); };
    RG_ASSIGN(const TraceEnd end, readTrace(in, target.path, slicer, stop, [&] { return trace.failure(); }));
    // Events that wait for the end of the file are not recorded yet: after a stop none of them is stored.
    if (end.stopped && trace.holds()) return {Code::kCancelled, target.path + ": stopped"};
    RG_TRY(trace.finish());
    report.committed_offset = slicer.offset();
    if (slicer.broken() > 0) trace.issue("kineto.broken_event", slicer.broken(), "text that is no event was left out");
    if (end.stopped) return {Code::kCancelled, target.path + ": stopped"};
    report.partial_reason = end.partial_reason;
    if (!report.run && target.resume_at == 0) report.skipped_reason = "no span in " + std::to_string(trace.events()) + " events";
    return {};
  }
};

}  // namespace

std::unique_ptr<Importer> makeKinetoImporter() { return std::make_unique<KinetoImporter>(); }

}  // namespace runglass
