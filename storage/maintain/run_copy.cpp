// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Only the Reader and the Writer are used, so any source that a Reader can open can be copied.
// 2. A span that reaches from one range of the slice into the next is copied once: with the range that it begins in or before.
// 3. Times are copied without their alignment, and the alignment is copied separately, so that it can be removed in the new store too. A
//    slice is in aligned time: each rank's part of it is looked up at the rank's own times.
#include "storage/maintain/run_copy.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "model/judgement_fields.h"
#include "model/recorder_fields.h"
#include "storage/clock_map.h"
#include "storage/open_store.h"

namespace runglass {
namespace {

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kPiece = 1 << 16;                         // points recorded between two checks whether a commit is due
constexpr std::int64_t kCaptureBytes = std::int64_t{16} << 20;  // texts read at a time

// The spans that begin at `from` or later.
SpanColumns beginningFrom(const SpanColumns& spans, TimeNs from) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < spans.size(); ++i)
    if (spans.start[i] >= from) kept.push_back(i);
  if (kept.size() == spans.size()) return spans;
  SpanColumns out = spans;
  eachField(out, [&kept]<class Column>(const char*, Column& column, FieldRole role) {
    if (role == FieldRole::kDictionary || column.empty()) return;
    Column picked;
    for (const std::size_t i : kept) picked.push_back(std::move(column[i]));
    column = std::move(picked);
  });
  return out;
}

class RunCopy {
 public:
  // `from` applies no alignments, `aligned` does.
  RunCopy(Reader& from, Reader& aligned, Writer& to, std::string to_path, RunId run, RunSlice slice, const ExportWatch& watch)
      : m_from(from), m_aligned(aligned), m_to(to), m_to_path(std::move(to_path)), m_watch(watch), m_run(run), m_slice(std::move(slice)) {}

  Status copy() {
    RG_TRY(copyRun());
    RG_TRY(readAlignments());
    RG_TRY(copyMachines());
    RG_TRY(copyAttempts());
    RG_TRY(copySeries());
    RG_TRY(copySpans());
    RG_TRY(copyRows());
    RG_TRY(copyNotes());
    RG_TRY(m_to.flush());
    for (const ClockAlignment& alignment : m_alignments) RG_TRY(m_to.edit(alignment));
    return {};
  }
  // `written` reads the new store: findings have other ids there.
  Status copyIncidents(Reader& written) {
    RG_ASSIGN(auto incidents, m_from.incidents(m_run));
    std::erase_if(incidents, [this](const Incident& one) { return !wanted(one); });
    if (incidents.empty()) return {};
    RG_ASSIGN(const auto findings, m_from.findings(m_run));
    RG_ASSIGN(const auto copied, written.findings(m_new_run));
    const auto key = [](const Finding& f) { return std::tuple(f.kind, f.subject, f.first_step); };
    std::map<std::tuple<std::string, std::string, std::optional<std::int64_t>>, std::int64_t> ids;
    for (const Finding& finding : copied) ids[key(finding)] = finding.id;
    std::map<std::int64_t, std::int64_t> renumbered;
    for (const Finding& finding : findings)
      if (const auto found = ids.find(key(finding)); found != ids.end()) renumbered[finding.id] = found->second;
    for (Incident& incident : incidents) {
      toNew(incident);
      std::vector<std::int64_t> its;
      for (const std::int64_t id : incident.findings)
        if (renumbered.contains(id)) its.push_back(renumbered[id]);
      incident.findings = std::move(its);
      RG_TRY(m_to.incident(incident));
    }
    return m_slice.incident ? m_to.setIncident(m_slice.incident->uuid) : Status();
  }

 private:
  // Called between two pieces of the work.
  Status goOn() {
    if (m_watch.stop.stop_requested()) return {Code::kCancelled, "export: was cancelled"};
    RG_TRY(m_to.flushIfDue());
    if (!m_watch.written) return {};
    std::int64_t bytes = 0;
    for (const std::string& file : {m_to_path, m_to_path + "-wal"}) {
      std::error_code absent;
      const auto size = std::filesystem::file_size(file, absent);
      if (!absent) bytes += static_cast<std::int64_t>(size);
    }
    m_watch.written(bytes);
    return {};
  }
  bool inSlice(std::optional<TimeNs> time, const TimeRanges& ranges) const { return m_slice.whole() || within(ranges, time); }
  // The ranges of the slice in the rank's time without its alignment.
  TimeRanges rangesOf(const TimeRanges& ranges, AttemptId attempt, const std::optional<std::int32_t>& rank) const {
    const auto found = rank ? m_shifts.find({attempt, *rank}) : m_shifts.end();
    if (found == m_shifts.end()) return ranges;
    TimeRanges shifted;
    for (const TimeRange& range : ranges) shifted.push_back({found->second.rawFrom(range.t0), found->second.rawFrom(range.t1)});
    return shifted;
  }
  bool wanted(const Incident& incident) const {
    if (m_slice.incident) return incident.uuid == m_slice.incident->uuid;
    const auto here = [this](const std::optional<TimeRange>& range) { return range && overlaps(m_slice.rows, *range); };
    const auto& cards = incident.evidence;
    const bool timed = incident.range || std::ranges::any_of(cards, [](const auto& card) { return card.range.has_value(); });
    return !timed || here(incident.range) || std::ranges::any_of(cards, [&](const auto& card) { return here(card.range); });
  }

  Status readAlignments() {
    std::int32_t number = 0;  // attempts are renumbered in the same order
    for (const Attempt& attempt : m_attempts) {
      RG_ASSIGN(auto alignment, m_aligned.alignment(attempt.id));
      const std::int32_t renumbered = number++;
      if (!alignment) continue;
      for (const ClockShift& shift : alignment->shifts) m_shifts[{attempt.id, shift.rank}].add(shift.at, shift.shift);
      alignment->attempt = renumbered;
      m_alignments.push_back(std::move(*alignment));
    }
    return {};
  }

  // Events or log lines of the slice, newest first.
  template <class Row>
  Result<std::vector<Row>> rowsOf(Result<std::vector<Row>> (Reader::*read)(const EventFilter&)) {
    // With shifts, whether a row is in the slice depends on its rank.
    const TimeRange asked = m_shifts.empty() ? hull(m_slice.rows) : TimeRange{};
    RG_ASSIGN(auto rows, (m_from.*read)({.range = asked, .run = m_run, .limit = std::numeric_limits<std::int32_t>::max()}));
    std::erase_if(rows, [this](const Row& row) { return !inSlice(row.time, rangesOf(m_slice.rows, row.attempt, row.rank)); });
    return rows;
  }

  // Captures of the slice within `range`, which is of corrected time.
  Result<std::vector<Capture>> capturesOf(TimeRange range, CaptureTexts texts) {
    RG_ASSIGN(auto captures, m_from.captures(m_run, range, texts));
    std::erase_if(captures, [this](const Capture& one) { return !inSlice(one.time, rangesOf(m_slice.rows, one.attempt, one.rank)); });
    return captures;
  }

  // The texts may not fit into memory: they are copied a part at a time.
  Status copyCaptures() {
    for (auto next = m_capture_bytes.begin(); next != m_capture_bytes.end();) {
      const TimeNs begin = next->first;
      TimeNs last = begin;
      for (std::int64_t bytes = 0; next != m_capture_bytes.end() && bytes < kCaptureBytes; ++next)
        last = next->first, bytes += next->second;
      RG_ASSIGN(auto captures, capturesOf({begin, last == kHighest ? last : last + 1}, CaptureTexts::kWith));
      for (Capture& capture : captures) {
        m_to.capture(toNew(capture));
      }
      RG_TRY(goOn());
    }
    return {};
  }

  template <class Id>
  std::map<Id, Id>& idsOf(Id) {
    return std::get<std::map<Id, Id>>(m_ids);
  }
  // Replaces ids with those of the new store; references to rows that were not copied become null.
  template <class Record>
  Record& toNew(Record& record) {
    mapIds(record, [this]<class Id>(Id id, FieldRole) {
      auto& ids = this->idsOf(id);
      const auto found = ids.find(id);
      return found == ids.end() ? Id{} : found->second;
    });
    return record;
  }

  Status copyRun() {
    RG_ASSIGN(m_source_run, m_from.run(m_run));
    m_new_run = m_to.run(m_source_run);
    idsOf(m_run)[m_run] = m_new_run;
    RG_ASSIGN(m_attempts, m_from.attempts(m_run));
    for (Attempt attempt : m_attempts) {
      const AttemptId old = attempt.id;
      idsOf(old)[old] = m_to.attempt(toNew(attempt));
      RG_ASSIGN(m_ranks[old], m_from.ranks(old));
      RG_ASSIGN(m_facts[old], m_from.facts(old));
    }
    return {};
  }

  // The nodes that the run's ranks, facts and events name, with all their devices.
  Status copyMachines() {
    std::set<NodeId> wanted;
    std::set<DeviceId> wanted_devices;
    for (const auto& [attempt, ranks] : m_ranks)
      for (const Rank& rank : ranks) wanted.insert(rank.node), wanted_devices.insert(rank.device);
    for (const auto& [attempt, facts] : m_facts)
      for (const Fact& fact : facts) wanted.insert(fact.node);
    RG_ASSIGN(m_events, rowsOf<Event>(&Reader::events));
    RG_ASSIGN(m_logs, rowsOf<LogLine>(&Reader::logs));
    RG_ASSIGN(m_series, m_from.series({.run = m_run}));
    RG_ASSIGN(const auto captures, capturesOf(m_shifts.empty() ? hull(m_slice.rows) : TimeRange{}, CaptureTexts::kWithout));
    for (const Capture& capture : captures) {
      wanted.insert(capture.node);
      m_capture_bytes[capture.time] += capture.bytes;
    }
    for (const Event& event : m_events) wanted.insert(event.node), wanted_devices.insert(event.device);
    for (const LogLine& line : m_logs) wanted.insert(line.node);
    for (const Series& series : m_series) wanted.insert(series.key.node), wanted_devices.insert(series.key.device);
    RG_ASSIGN(const auto devices, m_from.devices());
    for (const Device& device : devices)
      if (wanted_devices.contains(device.id)) wanted.insert(device.node);
    RG_ASSIGN(const auto nodes, m_from.nodes());
    for (const Node& node : nodes)
      if (wanted.contains(node.id)) idsOf(node.id)[node.id] = m_to.node(node);
    for (Device device : devices) {
      if (!wanted_devices.contains(device.id) && !idsOf(device.node).contains(device.node)) continue;
      const DeviceId old = device.id;
      idsOf(old)[old] = m_to.device(toNew(device));
    }
    return {};
  }

  Status copyAttempts() {
    for (auto& [attempt, ranks] : m_ranks) {
      for (Rank& rank : ranks) m_to.rank(toNew(rank));
      for (Fact& fact : m_facts[attempt]) m_to.fact(toNew(fact));
    }
    for (const Attempt& attempt : m_attempts) {
      RG_ASSIGN(auto groups, m_from.groups(attempt.id));
      for (CommGroup& group : groups) m_to.group(toNew(group));
    }
    RG_ASSIGN(auto checkpoints, m_from.checkpoints(m_run));
    for (Checkpoint& checkpoint : checkpoints) m_to.checkpoint(toNew(checkpoint));
    return {};
  }

  // The time range of the run's own data, for the machines' series of a whole run.
  TimeRange runRange() const {
    TimeRange range{kHighest, kLowest};
    for (const Series& series : m_series) {
      if (series.first_time) range.t0 = std::min(range.t0, *series.first_time);
      if (series.last_time) range.t1 = std::max(range.t1, *series.last_time + 1);
    }
    if (m_source_run.start) range.t0 = std::min(range.t0, *m_source_run.start);
    if (m_source_run.end) range.t1 = std::max(range.t1, *m_source_run.end + 1);
    for (const Attempt& attempt : m_attempts) {
      if (attempt.start) range.t0 = std::min(range.t0, *attempt.start);
      if (attempt.end) range.t1 = std::max(range.t1, *attempt.end + 1);
    }
    for (const Event& event : m_events) {
      if (event.time && event.attempt) range.t0 = std::min(range.t0, *event.time), range.t1 = std::max(range.t1, *event.time + 1);
    }
    return range;
  }

  Status copySeries() {
    for (const Series& series : m_series) {
      const TimeRanges& ranges = series.key.kind == SeriesKind::kScalar ? m_slice.scalars : m_slice.samples;
      RG_TRY(copyOne(series, rangesOf(ranges, series.key.attempt, series.key.rank)));
    }
    const TimeRanges range = m_slice.whole() ? TimeRanges{runRange()} : m_slice.samples;
    if (m_slice.whole() && range[0].t0 >= range[0].t1) return {};
    for (const auto& [old, fresh] : idsOf(NodeId())) {
      RG_ASSIGN(const auto of_node, m_from.series({.node = old}));
      for (const Series& series : of_node)
        if (!series.key.attempt && !series.key.device) RG_TRY(copyOne(series, range));
    }
    for (const auto& [old, fresh] : idsOf(DeviceId())) {
      RG_ASSIGN(const auto of_device, m_from.series({.device = old}));
      for (const Series& series : of_device)
        if (!series.key.attempt) RG_TRY(copyOne(series, range));
    }
    return {};
  }

  Status copyOne(const Series& series, const TimeRanges& ranges) {
    SeriesKey key = series.key;
    const SeriesId fresh = m_to.series(toNew(key));
    if (key.kind == SeriesKind::kScalar) return copyScalars(series.id, fresh, ranges);
    for (const TimeRange& range : ranges) {
      RG_ASSIGN(const auto samples, m_from.samples(series.id, range, m_watch.stop));
      for (std::size_t at = 0; at < samples.size(); at += kPiece) {
        const std::size_t n = std::min(kPiece, samples.size() - at);
        m_to.samples(fresh, {samples.time.data() + at, n}, {samples.value.data() + at, n});
        RG_TRY(goOn());
      }
      RG_TRY(copySummaries(series.id, fresh, range));
    }
    return {};
  }

  // Where the source has no samples either. A block that overlaps two ranges belongs to the one that it begins in, or to the first.
  Status copySummaries(SeriesId from, SeriesId to, TimeRange range) {
    Summaries alone;
    RG_ASSIGN(alone.blocks, m_from.summaries(from, range));
    std::int64_t& reported = m_summarised.try_emplace(to, kLowest).first->second;
    std::erase_if(alone.blocks, [&](const Bin& block) { return block.x0 <= reported; });
    if (alone.blocks.empty()) return {};
    reported = alone.blocks.back().x0;
    m_to.summaries(to, alone);
    return goOn();
  }

  Status copyScalars(SeriesId from, SeriesId to, const TimeRanges& ranges) {
    RG_ASSIGN(const auto points, m_from.scalars(from, kLowest, kHighest, m_watch.stop));
    // Points without a time are in no slice, and are recorded separately: in a batch, either all points have times or none.
    ScalarColumns timed, untimed;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const bool has_time = !points.time.empty() && points.time[i] != kAbsent;
      if (!inSlice(has_time ? std::optional(points.time[i]) : std::nullopt, ranges)) continue;
      ScalarColumns& to_columns = has_time ? timed : untimed;
      to_columns.step.push_back(points.step[i]);
      if (has_time) to_columns.time.push_back(points.time[i]);
      to_columns.value.push_back(points.value[i]);
    }
    RG_TRY(recordScalars(to, timed));
    return recordScalars(to, untimed);
  }

  Status recordScalars(SeriesId to, const ScalarColumns& points) {
    for (std::size_t at = 0; at < points.size(); at += kPiece) {
      const std::size_t n = std::min(kPiece, points.size() - at);
      const std::span<const TimeNs> time = points.time.empty() ? std::span<const TimeNs>() : std::span(points.time).subspan(at, n);
      m_to.scalars(to, {points.step.data() + at, n}, time, {points.value.data() + at, n});
      RG_TRY(goOn());
    }
    return {};
  }

  Status copySpans() {
    for (const auto& [old, fresh] : idsOf(AttemptId())) {
      RG_ASSIGN(const auto tracks, m_from.tracks(old));
      for (const Track& track : tracks) {
        TrackKey key = track.key;
        const TrackId to = m_to.track(toNew(key));
        TimeNs copied = kLowest;
        const TimeRanges ranges = rangesOf(m_slice.spans, old, track.key.rank);
        for (const TimeRange& range : ranges) {
          RG_ASSIGN(auto spans, m_from.spans(track.id, range, m_watch.stop));
          if (copied > kLowest) spans = beginningFrom(spans, copied);
          if (spans.size() > 0) m_to.spans(to, spans);
          copied = range.t1;
          RG_TRY(goOn());
        }
      }
    }
    return {};
  }

  // Notes on the run as a whole are in every slice.
  Status copyNotes() {
    RG_ASSIGN(auto notes, m_from.notes(m_run));
    for (Note& note : notes) {
      if (note.time && !inSlice(note.time, m_slice.rows)) continue;
      note.id = 0;
      RG_TRY(m_to.edit(note));
    }
    return {};
  }

  Status copyRows() {
    // Readers return the newest first; ids should grow with time in the new store too.
    for (auto event = m_events.rbegin(); event != m_events.rend(); ++event) m_to.event(toNew(*event));
    for (auto line = m_logs.rbegin(); line != m_logs.rend(); ++line) m_to.log(toNew(*line));
    RG_TRY(copyCaptures());
    RG_ASSIGN(auto labels, m_from.labels(m_run));
    for (Label& label : labels) m_to.label(toNew(label));
    // What they said before comes first, so that it is kept as that.
    RG_ASSIGN(auto findings, m_from.publishedFindings(m_run));
    RG_ASSIGN(auto known, m_from.findings(m_run));
    std::ranges::move(known, std::back_inserter(findings));
    for (Finding& finding : findings) {
      if (m_slice.incident && std::ranges::find(m_slice.incident->findings, finding.id) == m_slice.incident->findings.end()) continue;
      m_to.finding(toNew(finding));
    }
    RG_ASSIGN(auto progress, m_from.progress(m_run));
    for (Progress& one : progress) m_to.progress(toNew(one));
    RG_ASSIGN(const auto issues, m_from.issues());
    for (Issue issue : issues) {
      // Data damaged in the source is missing here, while this file itself is intact.
      if (issue.code == "store.damaged_chunk") issue.code = "export.gap", issue.source = "the store that this one was exported from";
      m_to.issue(issue);
    }
    return {};
  }

  Reader &m_from, &m_aligned;
  Writer& m_to;
  std::unordered_map<SeriesId, std::int64_t> m_summarised;  // of the new store: x0 of the newest block
  const std::string m_to_path;
  const ExportWatch& m_watch;
  RunId m_run, m_new_run;
  Run m_source_run;
  RunSlice m_slice;
  std::vector<Attempt> m_attempts;
  std::vector<ClockAlignment> m_alignments;  // with the new store's attempt numbers
  std::map<std::pair<AttemptId, std::int32_t>, ClockMap> m_shifts;
  std::map<AttemptId, std::vector<Rank>> m_ranks;
  std::map<AttemptId, std::vector<Fact>> m_facts;
  std::vector<Event> m_events;
  std::vector<LogLine> m_logs;
  std::map<TimeNs, std::int64_t> m_capture_bytes;  // size of the texts of that time
  std::vector<Series> m_series;
  std::tuple<std::map<RunId, RunId>, std::map<AttemptId, AttemptId>, std::map<NodeId, NodeId>, std::map<DeviceId, DeviceId>> m_ids;
};

}  // namespace

Status copyRun(Reader& from, RunId run, RunSlice slice, Writer& to, const std::string& to_path, const ExportWatch& watch) {
  RG_ASSIGN(const auto unaligned, from.unaligned());
  RunCopy copy(*unaligned, from, to, to_path, run, std::move(slice), watch);
  RG_TRY(copy.copy());
  RG_ASSIGN(const auto written, openStore(to_path).reader());
  return copy.copyIncidents(*written);
}

}  // namespace runglass
