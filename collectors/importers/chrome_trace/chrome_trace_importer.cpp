// SPDX-License-Identifier: Apache-2.0
// Chrome traces other than Kineto's: those of veScale ndtimeline and StragglerAnalysis (ranks and their coordinates in args and in the
// names of rows), of BytePS and Horovod (begins and ends), and of any other writer of Google's Trace Event Format.
//
// Invariants:
// 1. Names of rows may follow all events: the events wait, compressed, until the end of the file or until kMaxHeld of them wait.
// 2. Every event is recorded, or counted in an issue, or of a phase that only assigns names.
// 3. Events before resume_at are used for open slices and names, and not recorded.
#include <algorithm>
#include <limits>
#include <unordered_map>

#include "collectors/importers/chrome_trace/counter_series.h"
#include "collectors/importers/chrome_trace/held_events.h"
#include "collectors/importers/chrome_trace/job_sizes.h"
#include "collectors/importers/chrome_trace/odd_events.h"
#include "collectors/importers/chrome_trace/op_category.h"
#include "collectors/importers/chrome_trace/open_slices.h"
#include "collectors/importers/chrome_trace/parallel_args.h"
#include "collectors/importers/chrome_trace/row_names.h"
#include "collectors/importers/chrome_trace/trace_event.h"
#include "collectors/importers/chrome_trace/trace_reader.h"
#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/timeline/trace_steps.h"
#include "collectors/importers/timeline/track_sorter.h"
#include "collectors/importers/timeline/track_table.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxHeld = 256U << 20;  // compressed: some 3 GB of JSON
constexpr std::int64_t kMaxInstants = 100'000;
constexpr std::size_t kMaxIdBytes = 256, kMaxOpNames = 4'096, kMaxOpBytes = 256;

// Converts one file.
class ChromeTrace {
 public:
  ChromeTrace(const ImportTarget& target, Recorder& out, ImportReport& report)
      : m_target(target), m_out(out), m_report(report), m_sorter(out), m_tracks(out), m_counters(out) {}

  bool event(std::string_view text, std::uint64_t offset) {
    if (!readEvent(text)) return false;
    ++m_events;
    const bool old = offset < m_target.resume_at;
    switch (m_event.phase) {
      case 'M':
        name();
        return true;
      case 'X':
      case 'B':
      case 'E':
      case 'i':
      case 'I':
      case 'C':
        break;
      default:
        if (!old) ++(m_event.phase == 's' || m_event.phase == 't' || m_event.phase == 'f' ? m_counts.flows : m_counts.not_kept);
        return true;
    }
    if (m_event.ts) m_first = std::min(m_first.value_or(*m_event.ts), *m_event.ts);
    if (!m_hold) {
      take(old);
      return true;
    }
    if (old) ++m_old_held;
    m_failure = m_failure.ok() ? m_held.add(text) : m_failure;
    if (m_held.bytes() > kMaxHeld) release();
    return true;
  }

  Status finish() {
    if (m_hold) release();
    RG_TRY(m_failure);
    m_open.takeAll([this](const OpenSlice& slice) { neverEnded(slice); });
    m_sorter.flush();
    if (m_attempt) tellWhole();
    issue("trace.too_many_names", m_sorter.renamed(), "spans without the numbers of their names");
    m_counts.too_many_open = m_open.overflowed();
    m_counts.tell(m_out, m_target.path);
    m_report.run = m_run;
    if (m_newest) m_report.end_time = *m_newest;
    return {};
  }

  void issue(const char* code, std::int64_t count, const std::string& detail) {
    if (count > 0) m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }
  std::int64_t events() const { return m_events; }
  const Status& failure() const { return m_failure; }
  bool holds() const { return m_hold; }

 private:
  bool readEvent(std::string_view text) {
    if (!m_parser.read(text, m_event)) return false;
    m_event.pid = m_event.pid.substr(0, kMaxIdBytes);
    m_event.tid = m_event.tid.substr(0, kMaxIdBytes);
    return true;
  }

  void name() {
    if (m_event.name == "process_name")
      m_names.nameProcess(m_event.pid, m_event.arg_name);
    else if (m_event.name == "thread_name")
      m_names.nameThread(m_event.pid, m_event.tid, m_event.arg_name);
    else
      return;
    if (!m_hold) ++m_counts.late_names;
  }

  // From now on events are recorded as they are read.
  void release() {
    m_hold = false;
    const Status replayed = m_held.replay([this](std::string_view text) {
      const bool old = m_old_held > 0;
      m_old_held -= old;
      if (readEvent(text)) take(old);
    });
    if (m_failure.ok()) m_failure = replayed;
  }

  void take(bool old) {
    switch (m_event.phase) {
      case 'X':
        if (!old) complete();
        break;
      case 'B':
        m_open.begin(m_event, old);
        break;
      case 'E':
        end(old);
        break;
      case 'C':
        if (!old) counter();
        break;
      default:
        if (!old) instant();
    }
  }

  void complete() {
    if (!m_event.ts) {
      ++m_counts.no_time;
      return;
    }
    record(*m_event.ts, keptDuration(*m_event.ts, m_event.dur));
  }

  void end(bool old) {
    OpenSlice slice;
    switch (m_open.end(m_event, slice)) {
      case OpenSlices::End::kUnmatched:
        if (!old) ++m_counts.unmatched_end;
        return;
      case OpenSlices::End::kOverflowed:
        return;
      case OpenSlices::End::kMatched:
        break;
    }
    if (old) return;
    if (!slice.start || !m_event.ts) {
      ++m_counts.no_time;
      return;
    }
    if (slice.old) ++m_counts.closed_later;
    std::int64_t dur = 0;
    const bool overflows = __builtin_sub_overflow(*m_event.ts, *slice.start, &dur);
    show(slice);
    record(*slice.start, keptDuration(*slice.start, overflows ? std::nullopt : std::optional(dur)));
  }

  void neverEnded(const OpenSlice& slice) {
    if (slice.old) return;
    if (!slice.start) {
      ++m_counts.no_time;
      return;
    }
    ++m_counts.never_ended;
    m_event = {};
    show(slice);
    record(*slice.start, kAbsent);
  }

  // Replaces the fields of the current event, which may be the end of `slice`, by those of `slice`; the args are merged.
  void show(const OpenSlice& slice) {
    m_event.name = slice.name;
    m_event.category = slice.category;
    m_event.pid = slice.pid;
    m_event.tid = slice.tid;
    m_padded_args = joinedArgs(slice.args, m_event.args);
    const std::size_t size = m_padded_args.size();
    m_padded_args.append(EventSlicer::kPadding, '\0');
    m_event.args = std::string_view(m_padded_args).substr(0, size);
  }

  // A span with a negative, unknown or overflowing duration is kept without a duration, since it did occur.
  DurNs keptDuration(TimeNs start, std::optional<DurNs> dur) {
    std::int64_t end = 0;
    if (dur && *dur >= 0 && !__builtin_add_overflow(start, *dur, &end)) return *dur;
    ++m_counts.bad_duration;
    if (dur && *dur < 0 && __builtin_add_overflow(m_counts.negative_ns, *dur, &m_counts.negative_ns))
      m_counts.negative_ns = std::numeric_limits<DurNs>::min();
    return 0;
  }

  void begin() {
    if (m_attempt) return;
    m_epoch = m_first.value_or(0) > kEpochNs;
    m_file_rank = rankOfName(m_target.file_name);
    m_sizes = jobSizesBeside(m_target.path);
    m_run = m_out.run({.name = m_target.run_name, .time_domain = m_epoch ? TimeDomain::kUtc : TimeDomain::kRelative});
    Attempt attempt{.run = m_run, .key = m_target.attempt_key};
    if (m_sizes) attempt.layout = m_sizes->layout;
    m_attempt = m_out.attempt(attempt);
  }

  void readArgs() {
    m_parallel = {};
    if (!m_event.args.empty()) m_args_parser.read(m_event.args, m_parallel);
  }

  void record(TimeNs start, DurNs dur) {
    begin();
    readArgs();
    const Lane* const lane = laneOf();
    if (lane == nullptr) {
      ++m_counts.no_track;
      return;
    }
    noteRank(*lane);
    TraceSpan span{.start = start, .dur = dur, .category = category()};
    span.correlation = m_event.correlation.value_or(kAbsent);
    span.external_id = m_event.external_id.value_or(kAbsent);
    span.bytes = m_event.bytes.value_or(kAbsent);
    span.sequence = m_parallel.sequence ? *m_parallel.sequence : m_event.sequence.value_or(kAbsent);
    span.step = m_parallel.step.value_or(kAbsent);
    span.microbatch = m_parallel.microbatch.value_or(kAbsent);
    if (span.step != kAbsent && dur != kAbsent) m_steps.note(lane->rank, span.step, start, start + dur);
    m_sorter.add(lane->track, span, m_event.name, m_event.args);
    m_oldest = std::min(m_oldest.value_or(start), start);
    m_newest = std::max(m_newest.value_or(start), dur == kAbsent ? start : start + dur);
    if (m_sorter.full()) m_sorter.flush();
  }

  SpanCategory category() {
    std::string key(m_event.name);
    key.append(1, '\n').append(m_event.category);
    if (const auto known = m_categories.find(key); known != m_categories.end()) return known->second;
    const SpanCategory category = opCategory(m_event.name, m_event.category);
    if (m_categories.size() < kMaxOpNames && key.size() <= kMaxOpBytes) m_categories.emplace(std::move(key), category);
    return category;
  }

  struct Lane {
    TrackId track;
    std::optional<std::int32_t> rank;
    Coordinates at;
    std::string process;
  };

  // The row of the current event; null beyond TrackTable::kMaxTracks rows. Ranks in args take precedence over those in names.
  const Lane* laneOf() {
    std::string key(m_event.pid);
    key.append(1, '\n').append(m_event.tid);
    if (m_parallel.rank) key.append(1, '\n').append(std::to_string(*m_parallel.rank));
    if (const auto known = m_lanes.find(key); known != m_lanes.end()) return &known->second;
    if (m_lanes.size() >= TrackTable::kMaxTracks) return nullptr;
    Row row = m_names.row(m_event.pid, m_event.tid);
    Lane lane{.rank = m_parallel.rank ? m_parallel.rank : row.rank ? row.rank : m_file_rank, .at = row.at};
    lane.process = m_names.row(m_event.pid, {}).name;
    TrackKey track{.attempt = m_attempt, .rank = lane.rank, .kind = std::move(row.kind), .name = std::move(row.name)};
    TrackTable::Found found = m_tracks.find(track);
    // Two threads with the same name are two rows.
    if (found.id && !found.fresh) {
      track.name += " (" + displayName(m_event.pid) + (m_event.tid.empty() ? "" : "/" + displayName(m_event.tid)) + ")";
      found = m_tracks.find(track);
    }
    if (!found.id) return nullptr;
    lane.track = found.id;
    return &m_lanes.emplace(std::move(key), std::move(lane)).first->second;
  }

  void noteRank(const Lane& lane) {
    if (!lane.rank) return;
    Coordinates at = lane.at;
    for (const auto axis : {&Coordinates::tp, &Coordinates::pp, &Coordinates::dp, &Coordinates::cp, &Coordinates::ep})
      if (m_parallel.at.*axis) at.*axis = m_parallel.at.*axis;
    m_ranks.note(*lane.rank, at);
  }

  void instant() {
    if (m_instants == kMaxInstants) {
      ++m_counts.instants;
      return;
    }
    ++m_instants;
    begin();
    readArgs();
    const Row row = m_names.row(m_event.pid, m_event.tid);
    Event event{.time = m_event.ts, .attempt = m_attempt, .rank = m_parallel.rank ? m_parallel.rank : row.rank ? row.rank : m_file_rank};
    event.step = m_parallel.step;
    event.kind = "instant";
    event.message = displayName(m_event.name);
    m_out.event(event);
  }

  void counter() {
    begin();
    const Row row = m_names.row(m_event.pid, {});
    m_counts.odd_counters += m_counters.put(m_attempt, row.rank ? row.rank : m_file_rank, row.name, m_event);
  }

  void tellWhole() {
    if (m_epoch) {
      m_out.run({.name = m_target.run_name, .start = m_oldest, .end = m_newest});
      m_out.attempt({.run = m_run, .key = m_target.attempt_key, .start = m_oldest, .end = m_newest});
    }
    const Layout layout = m_sizes ? m_sizes->layout : Layout{};
    m_ranks.declare(m_out, m_attempt, layout);
    m_steps.tell(m_out, m_attempt);
    issue("trace.too_many_steps", m_steps.overflowed(), "beyond " + std::to_string(TraceSteps::kMaxSteps) + " steps of all ranks");
    if (m_sizes) {
      if (!m_sizes->trial.empty()) m_out.fact({.attempt = m_attempt, .key = "trial_name", .value = m_sizes->trial});
      issue("chrome_trace.odd_sizes", m_sizes->odd_lines, "lines of " + printable(m_sizes->path) + " without known content");
      const std::int64_t outside = m_ranks.outside(layout) + (productFits(layout) ? 0 : 1);
      issue("chrome_trace.sizes_disagree", outside, "ranks or sizes that do not fit " + printable(m_sizes->path));
    }
    issue("chrome_trace.coordinates_disagree", m_ranks.disagreements(), "the first coordinate is kept");
  }

  const ImportTarget& m_target;
  Recorder& m_out;
  ImportReport& m_report;
  TrackSorter m_sorter;
  TrackTable m_tracks;
  CounterSeries m_counters;
  TraceEventParser m_parser;
  ParallelArgsParser m_args_parser;
  TraceEvent m_event;
  ParallelArgs m_parallel;
  std::string m_padded_args;
  HeldEvents m_held;
  RowNames m_names;
  OpenSlices m_open;
  TraceRanks m_ranks;
  TraceSteps m_steps;
  Status m_failure;
  bool m_hold = true, m_epoch = false;
  std::int64_t m_old_held = 0, m_events = 0, m_instants = 0;
  std::optional<JobSizes> m_sizes;
  std::optional<std::int32_t> m_file_rank;
  RunId m_run;
  AttemptId m_attempt;
  std::unordered_map<std::string, Lane> m_lanes;
  std::unordered_map<std::string, SpanCategory> m_categories;
  std::optional<TimeNs> m_first, m_oldest, m_newest;
  OddEvents m_counts;
};

class ChromeTraceImporter : public Importer {
 public:
  std::string_view kind() const override { return "chrome_trace"; }
  Grouping grouping() const override { return Grouping::kRankFiles; }

  // Less certain than Kineto's importer for Kineto's traces.
  int recognise(const ImportProbe& probe) const override {
    const auto has = [&](std::string_view text) { return probe.head.find(text) != std::string_view::npos; };
    const std::size_t first = probe.head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return 0;
    if (probe.head[first] == '{') return has("\"traceEvents\"") ? 60 : 0;
    if (probe.head[first] != '[') return 0;
    const std::size_t second = probe.head.find_first_not_of(" \t\r\n", first + 1);
    if (second == std::string_view::npos || probe.head[second] != '{') return 0;
    return has("\"ph\"") && (has("\"pid\"") || has("\"ts\"")) ? 60 : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    ChromeTrace trace(target, out, report);
    EventSlicer slicer;
    slicer.event = [&](std::string_view text) { return trace.event(text, slicer.offset()); };
    RG_ASSIGN(const TraceEnd end, readTrace(in, target.path, slicer, stop, [&] { return trace.failure(); }));
    // Events that wait for the end of the file are not recorded yet: after a stop none of them is stored.
    if (end.stopped && trace.holds()) return {Code::kCancelled, target.path + ": stopped"};
    RG_TRY(trace.finish());
    report.committed_offset = slicer.offset();
    trace.issue("chrome_trace.broken_event", slicer.broken(), "text that is no event was left out");
    if (end.stopped) return {Code::kCancelled, target.path + ": stopped"};
    if (target.final) report.partial_reason = end.partial_reason;
    if (!report.run && target.resume_at == 0) report.skipped_reason = "no span in " + std::to_string(trace.events()) + " events";
    return {};
  }
};

}  // namespace

std::unique_ptr<Importer> makeChromeTraceImporter() { return std::make_unique<ChromeTraceImporter>(); }

}  // namespace runglass
