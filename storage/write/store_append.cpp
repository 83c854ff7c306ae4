// SPDX-License-Identifier: Apache-2.0
// StoreWriter: recording and the journal: checks for refusal and replay, then forwarding to the parts.
#include <sys/statvfs.h>

#include <algorithm>
#include <utility>

#include "storage/write/store_writer.h"

namespace runglass {
namespace {

// Calls `take(from, to)` for each stretch of points that all have times, or all have none.
template <class Take>
void eachStretch(const ScalarColumns& points, const Take& take) {
  const auto timed = [&](std::size_t i) { return !points.time.empty() && points.time[i] != kAbsent; };
  for (std::size_t from = 0, to = 0; from < points.size(); from = to) {
    while (to < points.size() && timed(to) == timed(from)) ++to;
    take(from, to, timed(from));
  }
}

}  // namespace

void StoreWriter::samples(SeriesId series, std::span<const TimeNs> time, std::span<const double> value) {
  if (time.size() != value.size()) {
    return m_failure.note(
        {Code::kInvalidArgument, "cannot record samples: series " + std::to_string(series.value) + ": columns differ in length"});
  }
  appendPoints(series, time.data(), nullptr, value.data(), time.size());
}

void StoreWriter::scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time,
                          std::span<const double> value) {
  if (step.size() != value.size() || (!time.empty() && time.size() != step.size())) {
    return m_failure.note(
        {Code::kInvalidArgument, "cannot record scalars: series " + std::to_string(series.value) + ": columns differ in length"});
  }
  appendPoints(series, step.data(), time.empty() ? nullptr : time.data(), value.data(), step.size());
}

void StoreWriter::appendPoints(SeriesId id, const std::int64_t* x, const std::int64_t* time, const double* value, std::size_t n) {
  atRest();
  if (n == 0 || m_replaying_stored) return;
  if (const auto kind = refusedKind(id)) {
    m_cap.refused[*kind] += static_cast<std::int64_t>(n);
    return;
  }
  m_chunks.append(id, x, time, value, n);
}

void StoreWriter::spans(TrackId id, const SpanColumns& spans) {
  atRest();
  const std::size_t n = spans.size();
  if (n == 0 || m_replaying_stored) return;
  if (m_cap.refusesSamples()) {
    m_cap.refused[SizeCap::kSpans] += static_cast<std::int64_t>(n);
    return;
  }
  const std::int64_t overlaps = m_lanes.append(id, spans);
  if (overlaps > 0) m_log.issue({.code = "spans.overlap", .source = "track " + std::to_string(id.value), .count = overlaps});
}

void StoreWriter::complete(SeriesId id, std::int64_t step0, std::int64_t step1, const ScalarColumns& points) {
  atRest();
  LiveSeries* const series = points.size() == 0 || m_replaying_stored ? nullptr : m_chunks.live(id);
  if (series == nullptr) return;
  Result<ScalarColumns> found = m_replica.lacking(id, *series, step0, step1, points);
  if (!found.ok()) return m_failure.note(found.status());
  const ScalarColumns& lacking = *found;
  eachStretch(lacking, [&](std::size_t from, std::size_t to, bool timed) {
    appendPoints(id, lacking.step.data() + from, timed ? lacking.time.data() + from : nullptr, lacking.value.data() + from, to - from);
  });
}

void StoreWriter::summaries(SeriesId id, const Summaries& reported) {
  atRest();
  if (m_replaying_stored) return;
  const std::string name = "series " + std::to_string(id.value);
  if (!m_catalog.knowsSeries(id))
    return m_failure.note({Code::kInvalidArgument, "cannot record summaries: " + name + ": never declared to this store"});
  // An invalid message of the source becomes an issue: a journal that contains it must still be replayable.
  if (m_catalog.isScalar(id))
    return issue({.code = "mirror.refused",
                  .source = "mirror",
                  .first = wallNow(),
                  .last = wallNow(),
                  .detail = "summaries of " + name + ", which is one of steps"});
  const bool shaped = std::ranges::is_sorted(reported.blocks, {}, &Bin::x0) && std::ranges::all_of(reported.blocks, [&](const Bin& block) {
                        return block.x0 >= reported.from.value_or(block.x0) && block.x1 >= block.x0 && block.count >= 0 &&
                               block.nan_count >= 0 && block.count + block.nan_count <= static_cast<std::int64_t>(kPyramidRadix);
                      });
  if (!shaped) return m_failure.note({Code::kInvalidArgument, "cannot record summaries: " + name + ": blocks that are none"});
  m_summaries.add(id, reported);
}

void StoreWriter::total(const Issue& issue) {
  atRest();
  if (m_replaying_stored) return;
  const Result<std::int64_t> have = m_replica.counted(issue);
  if (!have.ok()) return m_failure.note(have.status());
  if (issue.count <= *have) return;
  Issue more = issue;
  more.count = issue.count - *have;
  m_log.issue(more);
}

void StoreWriter::judge(const Judgements& judgements) {
  atRest();
  if (!m_replaying_stored) m_replica.judge(judgements);
}

void StoreWriter::mark(const MirrorMark& mark) {
  atRest();
  if (!m_replaying_stored) m_replica.mark(mark);
}

void StoreWriter::event(const Event& event) {
  atRest();
  if (!m_replaying_stored) m_log.event(event);
}

void StoreWriter::log(const LogLine& line) {
  atRest();
  if (m_replaying_stored) return;
  if (m_cap.refusesSamples() && line.severity < Severity::kWarning) {
    ++m_cap.refused[SizeCap::kLogLines];
    return;
  }
  m_log.log(line);
}

void StoreWriter::label(const Label& label) {
  atRest();
  if (!m_replaying_stored) m_log.label(label);
}

void StoreWriter::issue(const Issue& issue) {
  atRest();
  if (!m_replaying_stored) m_log.issue(issue);
}

void StoreWriter::capture(const Capture& capture) {
  atRest();
  if (m_replaying_stored) return;
  if (m_cap.refusesSamples()) {
    ++m_cap.refused[SizeCap::kCaptures];
    return;
  }
  m_log.capture(capture);
}

Result<Arrival> StoreWriter::journal(const StreamKey& stream, std::uint64_t seq, std::string_view payload) {
  const JournalEntry entry{&stream, seq, payload};
  RG_ASSIGN(const auto arrivals, journal(std::span(&entry, 1)));
  return arrivals[0];
}

Result<std::vector<Arrival>> StoreWriter::journal(std::span<const JournalEntry> entries) {
  // The new marks are determined before anything is written; they take effect only after that.
  std::vector<Arrival> arrivals;
  std::vector<JournalEntry> fresh;
  std::vector<std::uint64_t> skipped;
  std::map<StreamKey, std::uint64_t> next;
  for (const JournalEntry& entry : entries) {
    const auto known = next.find(*entry.stream);
    std::uint64_t wanted = 0;
    if (known != next.end()) {
      wanted = known->second;
    } else {
      RG_ASSIGN(wanted, m_streams.next(*entry.stream));
    }
    arrivals.push_back(entry.seq < wanted ? Arrival::kDuplicate : entry.seq == wanted ? Arrival::kNew : Arrival::kAfterGap);
    if (entry.seq < wanted) continue;
    next[*entry.stream] = entry.seq + 1;
    fresh.push_back(entry);
    skipped.push_back(entry.seq - wanted);
  }
  if (!fresh.empty()) {
    std::int64_t bytes = 0;
    for (const JournalEntry& entry : fresh) bytes += static_cast<std::int64_t>(entry.payload.size());
    if (const auto room = roomOnDisk(m_journal.bytes()); room && *room < bytes)
      return Status(Code::kResourceExhausted, "cannot take more data: " + m_path + ": its disk is full");
    RG_TRY(m_journal.append(fresh, skipped));
  }
  for (const auto& [stream, seq] : next) m_streams.set(stream, seq);
  return arrivals;
}

// Free space beyond a reserve and the space that storing this much journal may need: once for the -wal, once for the store.
std::optional<std::int64_t> StoreWriter::roomOnDisk(std::int64_t journal_bytes) const {
  constexpr std::int64_t kMaxReserve = std::int64_t{64} << 20, kReserveShare = 16;
  std::optional<DiskSpace> space;
  if (m_options.disk_space) {
    space = m_options.disk_space(m_path);
  } else if (struct statvfs info{}; statvfs(m_path.c_str(), &info) == 0) {
    const auto block = static_cast<std::int64_t>(info.f_frsize);
    space = {static_cast<std::int64_t>(info.f_bavail) * block, static_cast<std::int64_t>(info.f_blocks) * block};
  }
  if (!space) return std::nullopt;
  return space->free_bytes - 2 * journal_bytes - std::min(kMaxReserve, space->total_bytes / kReserveShare);
}

std::uint64_t StoreWriter::resumeFrom(const StreamKey& stream) {
  // If the mark cannot be read, journal() refuses the batches.
  const auto next = m_streams.next(stream);
  return next.ok() ? *next : 0;
}

}  // namespace runglass
