// SPDX-License-Identifier: Apache-2.0
// PyTorch's NCCL flight recorder (and torch_npu's for HCCL, which has the same format): the collectives in one rank's ring buffer, and its
// progress in each process group. A pickle on disk, JSON over the worker's HTTP handler.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "collectors/importers/importer_registry.h"
#include "collectors/importers/input/python_json.h"
#include "collectors/importers/input/run_name.h"
#include "collectors/importers/nccl/document_readers.h"
#include "collectors/importers/nccl/process_groups.h"
#include "collectors/importers/timeline/span_batches.h"
#include "model/crc32c.h"
#include "model/group_kind.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxArgs = 1U << 20, kMaxFact = 1U << 20;

// Number of elements times their size, over all buffers of a side; absent if a type is unknown.
std::int64_t bytesOf(PlainValue sizes, PlainValue types) {
  if (!sizes.isList() || (types.size() != sizes.size() && types.size() != 1)) return kAbsent;
  std::int64_t total = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    std::int64_t bytes = bytesOfDtype(types.at(types.size() == 1 ? 0 : i).text());
    if (bytes == 0 || !sizes.at(i).isList()) return kAbsent;
    for (std::size_t d = 0; d < sizes.at(i).size(); ++d) {
      const auto extent = sizes.at(i).at(d).integer();
      if (!extent || *extent < 0 || __builtin_mul_overflow(bytes, *extent, &bytes)) return kAbsent;
    }
    if (__builtin_add_overflow(total, bytes, &total)) return kAbsent;
  }
  return total;
}

// The larger side: the output of a gather, the input of a scatter, as everywhere.
std::int64_t bytesOfCall(PlainValue entry) {
  const std::int64_t in = bytesOf(entry.find("input_sizes"), entry.find("input_dtypes"));
  return in == kAbsent ? kAbsent : std::max(in, bytesOf(entry.find("output_sizes"), entry.find("output_dtypes")));
}

// In JSON dumps 0 means an absent time.
std::optional<TimeNs> timeOf(PlainValue entry, std::string_view key) {
  const auto time = entry.find(key).integer();
  return time && *time > 0 ? time : std::nullopt;
}

// "_dump_3", "nccl_trace_rank_3.json", "prefix3": PyTorch appends the rank to a prefix that the user can choose.
std::optional<std::int32_t> numberAtEnd(std::string_view name) {
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view suffix : {".zst", ".gz", ".bz2", ".xz", ".json", ".pickle", ".pkl", ".bin"})
      if (name.ends_with(suffix)) name.remove_suffix(suffix.size()), again = true;
  }
  std::size_t begin = name.size();
  while (begin > 0 && name[begin - 1] >= '0' && name[begin - 1] <= '9') --begin;
  std::int32_t rank = 0;
  const auto parsed = std::from_chars(name.data() + begin, name.data() + name.size(), rank);
  return begin < name.size() && parsed.ec == std::errc() ? std::optional(rank) : std::nullopt;
}

// Converts one dump.
class Dump {
 public:
  Dump(PlainValue document, const ImportTarget& target, Recorder& out)
      : m_document(document), m_target(target), m_out(out), m_groups(document), m_spans(out) {}

  void record() {
    begin();
    const PlainValue entries = m_document.find("entries");
    for (std::size_t i = 0; i < entries.size(); ++i) entry(entries.at(i));
    m_spans.flush();
    for (const auto& [name, group] : m_groups.all())
      m_out.group({.attempt = m_attempt,
                   .id = group.id,
                   .kind = groupKindOf(group.desc),
                   .name = group.desc.empty() ? group.name : group.name + " " + group.desc,
                   .ranks = group.ranks});
    statuses();
    facts();
    progress();
    if (m_newest) {
      m_out.run({.name = m_target.run_name, .start = m_oldest, .end = m_newest});
      m_out.attempt({.run = m_run, .key = m_target.attempt_key, .start = m_oldest, .end = m_newest});
    }
    if (m_document.find("entries").size() == 0) issue("nccl_flight_recorder.no_entries", 1, "the list of entries is empty");
    if (m_no_entry > 0) issue("nccl_flight_recorder.bad_entry", m_no_entry, "entries that are no dictionaries");
    if (m_no_time > 0) issue("nccl_flight_recorder.no_time", m_no_time, "entries without a time");
    if (m_odd_end > 0) issue("nccl_flight_recorder.odd_end", m_odd_end, "completed entries without an end after their begin");
    if (m_no_track > 0) issue("nccl_flight_recorder.too_many_groups", m_no_track, "entries of groups beyond the limit");
    if (m_spans.renamed() > 0) issue("trace.too_many_names", m_spans.renamed(), "spans without the numbers of their names");
    if (m_large > 0) issue("nccl_flight_recorder.large_part", m_large, "arguments or facts of more than 1 MiB");
  }
  void issue(const char* code, std::int64_t count, const std::string& detail) {
    m_out.issue({.code = code, .source = m_target.path, .count = count, .detail = detail});
  }
  RunId run() const { return m_run; }
  std::optional<TimeNs> newest() const { return m_newest; }

 private:
  // The oldest incomplete entry.
  struct Current {
    const ProcessGroup* group = nullptr;
    std::int64_t seq = kAbsent;
    std::string op;
    TimeNs since = 0;
  };

  void begin() {
    m_run = m_out.run({.name = m_target.run_name, .framework = "pytorch"});
    Attempt attempt{.run = m_run, .key = m_target.attempt_key};
    attempt.layout.world = m_groups.world();
    m_attempt = m_out.attempt(attempt);
    m_rank = rankOfName(m_target.file_name);
    // A number on its own can also be something else, such as a date.
    if (const auto number = numberAtEnd(m_target.file_name); !m_rank && number && m_groups.couldBe(*number)) m_rank = number;
    const auto only = m_groups.onlyMember();
    if (m_rank && only && *only != *m_rank) {
      issue("nccl_flight_recorder.other_rank", 1,
            "the file's name says rank " + std::to_string(*m_rank) + ", its groups have rank " + std::to_string(*only) + " in common");
      m_rank = only;
    }
    if (!m_rank) m_rank = only;
    if (m_rank)
      m_out.rank({.attempt = m_attempt, .rank = *m_rank});
    else
      issue("nccl_flight_recorder.no_rank", 1, "neither the file's name nor its groups contain the rank");
  }

  void entry(PlainValue entry) {
    if (!entry.isObject()) {
      ++m_no_entry;
      return;
    }
    const auto created = timeOf(entry, "time_created_ns"), started = timeOf(entry, "time_discovered_started_ns");
    const auto completed = timeOf(entry, "time_discovered_completed_ns");
    if (!created && !started) {
      ++m_no_time;
      return;
    }
    const TimeNs start = started.value_or(created.value_or(0));
    for (const auto& time : {created, started, completed}) {
      if (!time) continue;
      m_oldest = std::min(m_oldest.value_or(*time), *time);
      m_newest = std::max(m_newest.value_or(*time), *time);
    }
    const ProcessGroup* const group = m_groups.of(entry);
    const TrackId track = trackOf(group);
    if (!track) {
      ++m_no_track;
      return;
    }
    const bool is_p2p = entry.find("is_p2p").isTrue();
    auto seq = entry.find(is_p2p ? "p2p_seq_id" : "collective_seq_id").integer();
    if (!seq) seq = entry.find("seq_id").integer();  // before version 2
    const bool done = completed || entry.find("state").text() == "completed";
    const DurNs dur = done ? durationOf(entry, start, completed) : kAbsent;
    const std::string name = displayName(entry.find("profiling_name").text());
    noteCurrent({group, seq.value_or(kAbsent), name, created.value_or(start)}, done);
    m_spans.add(track, {.start = start, .dur = dur, .group = group->id, .seq = seq.value_or(kAbsent), .bytes = bytesOfCall(entry)}, name,
                argsOf(entry));
  }

  // The device's own time if timing was enabled; else until the watchdog saw the end.
  DurNs durationOf(PlainValue entry, TimeNs start, std::optional<TimeNs> completed) {
    constexpr double kLongestMs = 1e12;
    if (const auto ms = entry.find("duration_ms").number(); ms && *ms >= 0 && *ms < kLongestMs)
      return static_cast<DurNs>(std::llround(*ms * kNsPerMs));
    if (completed && *completed >= start) return *completed - start;
    ++m_odd_end;
    return 0;
  }

  void noteCurrent(const Current& current, bool done) {
    if (!done && (m_pending.group == nullptr || current.since < m_pending.since)) m_pending = current;
  }

  TrackId trackOf(const ProcessGroup* group) {
    if (group == nullptr) return {};
    const auto [known, fresh] = m_tracks.try_emplace(group);
    if (fresh)
      known->second = m_out.track({.attempt = m_attempt,
                                   .rank = m_rank,
                                   .kind = "collective",
                                   .name = group->desc.empty() ? group->name : group->name + " " + group->desc});
    return known->second;
  }

  std::string argsOf(PlainValue entry) {
    std::string args;
    if (entry.bytes() <= kMaxArgs)
      entry.writeJson(args, "profiling_name");
    else
      ++m_large;
    return args;
  }

  // The state of all groups, which one Progress cannot hold, as one JSON list.
  void statuses() {
    if (m_groups.statuses().empty()) return;
    std::string all;
    const auto number = [&all](const char* key, const std::optional<std::int64_t>& value) {
      if (value) all += std::string(",\"") + key + "\":" + std::to_string(*value);
    };
    for (const GroupStatus& status : m_groups.statuses()) {
      all += all.empty() ? "[" : ",";
      const auto text = [&all](const char* key, const std::string& value) { writeJsonText(value, all += key); };
      text("{\"pg_id\":", status.pg_id);
      if (status.group != nullptr) {
        text(",\"name\":", status.group->name);
        text(",\"desc\":", status.group->desc);
        number("group_id", status.group->id);
        all += status.by_order ? ",\"named_by\":\"order\"" : ",\"named_by\":\"entry\"";
      }
      number("last_enqueued_collective", status.enqueued);
      number("last_started_collective", status.started);
      number("last_completed_collective", status.completed);
      all += "}";
    }
    fact("nccl_pg_status", all + "]");
  }

  void facts() {
    for (std::size_t i = 0; i < m_document.size(); ++i) {
      const std::string_view key = m_document.key(i);
      const PlainValue value = m_document.at(i);
      if (key == "entries" || key == "pg_config" || key == "pg_status") continue;
      if (value.bytes() > kMaxFact) {
        ++m_large;
        continue;
      }
      std::string text(value.text());
      if (text.empty()) value.writeJson(text);
      fact(key == "version" ? "flight_recorder_version" : displayName(key), text);
    }
  }
  void fact(const std::string& key, const std::string& value) {
    m_out.fact({.attempt = m_attempt, .rank = m_rank, .key = key, .value = printable(value)});
  }

  // Position of this rank: the operation for which it has waited longest. With nothing pending it is in no collective, whatever it
  // completed last.
  void progress() {
    if (!m_rank || !m_newest) return;
    Progress now{.attempt = m_attempt, .rank = *m_rank, .time = *m_newest};
    std::int64_t most = 0;
    const GroupStatus* behind = nullptr;
    for (const GroupStatus& status : m_groups.statuses())
      if (const std::int64_t gap = status.enqueued.value_or(0) - status.completed.value_or(0); status.group != nullptr && gap > most)
        most = gap, behind = &status;
    if (m_pending.group == nullptr && behind != nullptr) {  // the entry is no longer in the ring
      now.group = behind->group->id;
      now.seq = behind->completed.value_or(0) + 1;
    } else if (m_pending.group != nullptr) {
      now.group = m_pending.group->id;
      if (m_pending.seq != kAbsent) now.seq = m_pending.seq;
      now.op = m_pending.op;
      now.since = m_pending.since;
    }
    m_out.progress(now);
  }

  PlainValue m_document;
  const ImportTarget& m_target;
  Recorder& m_out;
  ProcessGroups m_groups;
  RunId m_run;
  AttemptId m_attempt;
  std::optional<std::int32_t> m_rank;
  std::map<const ProcessGroup*, TrackId> m_tracks;
  SpanBatches m_spans;
  Current m_pending;
  std::optional<TimeNs> m_oldest, m_newest;
  std::int64_t m_no_entry = 0, m_no_time = 0, m_odd_end = 0, m_no_track = 0, m_large = 0;
};

class FlightRecorderImporter : public Importer {
 public:
  std::string_view kind() const override { return "nccl_flight_recorder"; }
  Grouping grouping() const override { return Grouping::kRankDumps; }
  // Written once as a whole: its complete head identifies it.
  std::string identity(const ImportProbe& probe) const override { return "flight_recorder:" + std::to_string(crc32c(probe.head)); }

  int recognise(const ImportProbe& probe) const override {
    const auto has = [&](std::string_view text) { return probe.head.find(text) != std::string_view::npos; };
    // Any protocol: the reader reports an unsupported one.
    if (probe.head.starts_with('\x80')) return has("pg_config") || (has("entries") && has("collective_seq_id")) ? 95 : 0;
    const std::size_t first = probe.head.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || probe.head[first] != '{') return 0;
    // When sorted by key, the entries come first and can fill the head.
    const bool entries = has("\"entries\"") && (has("\"pg_config\"") || (has("\"profiling_name\"") && has("\"record_id\"")));
    return entries ? 95 : 0;
  }

  Status run(ByteStream& in, const ImportTarget& target, Recorder& out, ImportReport& report, std::stop_token stop) override {
    RG_ASSIGN(std::string bytes, readAll(in, target.path, stop));
    report.committed_offset = in.offset();
    if (target.resume_at >= in.offset() && in.offset() > 0) return {};
    PlainDocument document;
    PickleEnd end;
    Status read;
    if (bytes.starts_with('\x80')) {
      const auto pickle = readPickle(std::move(bytes), document, stop);
      read = pickle.status();
      if (pickle.ok()) end = *pickle;
    } else {
      read = readJson(bytes, document);
    }
    if (!read.ok()) return {read.code(), target.path + ": " + read.message()};
    if (!document.root().find("entries").isList())
      return {Code::kInvalidArgument, target.path + ": byte 0: no flight recorder dump: there is no list of entries"};
    Dump dump(document.root(), target, out);
    dump.record();
    if (end.trailing_bytes > 0)
      dump.issue("nccl_flight_recorder.trailing_bytes", 1, std::to_string(end.trailing_bytes) + " bytes behind the end of the pickle");
    report.run = dump.run();
    report.end_time = dump.newest();
    return {};
  }
};

}  // namespace

std::unique_ptr<Importer> makeFlightRecorderImporter() { return std::make_unique<FlightRecorderImporter>(); }

}  // namespace runglass
