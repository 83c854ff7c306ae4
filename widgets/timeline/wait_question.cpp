// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/wait_question.h"

#include <algorithm>
#include <limits>
#include <set>

#include "model/time.h"
#include "widgets/core/units.h"
#include "widgets/timeline/timeline_data.h"

namespace runglass {
namespace {

constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max(), kLowest = std::numeric_limits<TimeNs>::min();
constexpr DurNs kSlack = kNsPerMs;

// From the start of the step before to the end of the step after: contains the calls of these steps on every rank.
Result<std::optional<TimeRange>> rangeOfSteps(Reader& reader, const TimelineCatalog& catalog, std::int32_t rank, std::int64_t first,
                                              std::int64_t last, const std::stop_token& stop) {
  const std::string sql = "SELECT step, start_ns, dur_ns FROM step WHERE run_id = " + std::to_string(catalog.run.id.value) +
                          " AND attempt = " + std::to_string(catalog.attempt.number) + " AND rank = " + std::to_string(rank) +
                          " AND step BETWEEN " + std::to_string(plusTime(first, -1)) + " AND " + std::to_string(plusTime(last, 1));
  std::optional<TimeRange> range;
  bool begins = false, ends = false;
  DurNs longest = 0;
  Reader::SqlSink sink;
  sink.columns = [](const std::vector<std::string>&) {};
  sink.row = [&](const std::vector<SqlValue>& row) {
    const auto *step = std::get_if<std::int64_t>(&row[0]), *start = std::get_if<std::int64_t>(&row[1]),
               *dur = std::get_if<std::int64_t>(&row[2]);
    if (step == nullptr || start == nullptr || dur == nullptr || *dur < 0) return true;
    if (!range) range = TimeRange{*start, plusTime(*start, *dur)};
    range->t0 = std::min(range->t0, *start), range->t1 = std::max(range->t1, plusTime(*start, *dur));
    begins |= *step<first, ends |= *step> last;
    longest = std::max(longest, *dur);
    return true;
  };
  RG_TRY(reader.query(sql, sink, stop));
  if (!range) return range;
  if (!begins) range->t0 = plusTime(range->t0, -longest);
  if (!ends) range->t1 = plusTime(range->t1, longest);
  return range;
}

TimeNs endOf(TimeNs start, DurNs dur) { return dur == kAbsent ? kHighest : plusTime(start, std::max<DurNs>(dur, 1)); }

QString tooMany(std::size_t spans, std::size_t tracks) {
  return TimelineText::tr("waiting not separated: %1 spans on %2 tracks would have to be read, zoom in")
      .arg(formatCount(static_cast<std::int64_t>(spans)))
      .arg(tracks);
}

struct Wanted {
  std::set<std::int64_t> groups, steps;
  std::set<std::pair<std::int64_t, std::int64_t>> numbers;
  bool counts = false, all_of_run = false;  // calls without numbers; those of the whole run, else of `steps`
  std::int32_t rank = -1;                   // one that has such calls
  TimeRange range{kHighest, kLowest};
  bool has(const CollectiveCall& call) const {
    if (call.seq != kAbsent) return numbers.contains({call.group, call.seq});
    return counts && groups.contains(call.group) && (all_of_run || steps.contains(call.step));
  }
};

Wanted wantedBy(const TimelineCatalog& catalog, const std::vector<CollectiveCall>& own) {
  Wanted wanted;
  for (const CollectiveCall& call : own) {
    wanted.groups.insert(call.group);
    if (call.seq != kAbsent) {
      wanted.numbers.emplace(call.group, call.seq);
    } else {
      wanted.counts = true, wanted.rank = call.rank;
      if (call.step != kAbsent) wanted.steps.insert(call.step);
    }
    wanted.range.t0 = std::min(wanted.range.t0, call.t0);
    // A peer of a call that is still open may start at any time after it.
    wanted.range.t1 = std::max(wanted.range.t1, call.t1);
  }
  DurNs error = 0;
  for (const TimelineRank& rank : catalog.ranks) error = std::max(error, rank.clock_error.value_or(0));
  wanted.range = {plusTime(wanted.range.t0, -kSlack - error), plusTime(wanted.range.t1, kSlack + error)};
  return wanted;
}

void widen(TimeRange& range, const TimeRange& by) { range = {std::min(range.t0, by.t0), std::max(range.t1, by.t1)}; }

// Tracks of the ranks that may have such calls: queues of devices, or threads if there are none.
std::vector<std::pair<std::int32_t, TrackId>> candidates(const TimelineCatalog& catalog, const std::set<std::int32_t>& ranks) {
  std::vector<std::pair<std::int32_t, TrackId>> tracks;
  for (const TimelineRank& rank : catalog.ranks) {
    if (!rank.rank || !ranks.contains(*rank.rank)) continue;
    for (const Track& track : rank.tracks)
      if (!rank.has_device || isDeviceTrack(track.key)) tracks.emplace_back(*rank.rank, track.id);
  }
  return tracks;
}

// Keeps only the tracks that communicate in the range, by their summaries; returns the number of their spans there.
Result<std::size_t> keepCommunicating(Reader& reader, std::vector<std::pair<std::int32_t, TrackId>>& tracks, TimeRange range,
                                      const std::stop_token& stop) {
  std::vector<TrackId> ids;
  for (const auto& [rank, track] : tracks) ids.push_back(track);
  std::ranges::sort(ids);
  // One pixel: summaries answer, no chunk is read. A call that is still open makes the range unbounded.
  DurNs pixel = 0;
  if (__builtin_sub_overflow(range.t1, range.t0, &pixel)) pixel = kHighest;
  RG_ASSIGN(const SpanPicture coarse, reader.spanPicture(ids, range, std::max<DurNs>(pixel, kNsPerMs), stop));
  std::size_t spans = 0;
  std::map<TrackId, std::pair<std::size_t, bool>> known;
  for (const auto& lane : coarse.lanes) {
    auto& [count, communicates] = known[lane.track];
    for (const SpanBar& bar : lane.bars) {
      count += bar.count;
      communicates |= bar.busy[static_cast<std::size_t>(SpanClass::kComm)] > 0;
    }
  }
  std::erase_if(tracks, [&](const auto& track) { return !known[track.second].second; });
  for (const auto& [rank, track] : tracks) spans += known[track].first;
  return spans;
}

// The tracks to read for these calls, in `wanted.range`; empty, with a note, if that were too much. Without numbers the whole run is
// counted if it can be read, else the steps of the calls.
Result<std::vector<std::pair<std::int32_t, TrackId>>> tracksFor(Reader& reader, const TimelineCatalog& catalog, Wanted& wanted,
                                                                const std::set<std::int32_t>& ranks, QString& note,
                                                                const std::stop_token& stop) {
  const auto all = candidates(catalog, ranks);
  const TimeRange calls = wanted.range;
  if (wanted.counts && catalog.extent) {
    auto tracks = all;
    wanted.all_of_run = true;
    widen(wanted.range, *catalog.extent);
    RG_ASSIGN(const std::size_t spans, keepCommunicating(reader, tracks, wanted.range, stop));
    if (spans <= kMaxWaitSpans) return tracks;
    wanted.all_of_run = false;
    wanted.range = calls;
  }
  if (wanted.counts && !wanted.steps.empty()) {
    RG_ASSIGN(const auto steps, rangeOfSteps(reader, catalog, wanted.rank, *wanted.steps.begin(), *wanted.steps.rbegin(), stop));
    if (steps) widen(wanted.range, *steps);
    if (!steps) wanted.steps.clear();
  }
  auto tracks = all;
  RG_ASSIGN(const std::size_t spans, keepCommunicating(reader, tracks, wanted.range, stop));
  if (spans <= kMaxWaitSpans) return tracks;
  note = tooMany(spans, tracks.size());
  return std::vector<std::pair<std::int32_t, TrackId>>();
}

Result<std::vector<CollectiveSet>> readSets(Reader& reader, const TimelineCatalog& catalog, const std::vector<CollectiveCall>& own,
                                            QString& note, const std::stop_token& stop) {
  Wanted wanted = wantedBy(catalog, own);
  GroupMembers members;
  RG_ASSIGN(const auto groups, reader.groups(catalog.attempt.id));
  std::set<std::int32_t> ranks;
  for (const CommGroup& group : groups)
    if (wanted.groups.contains(group.id) && !group.ranks.empty()) members[group.id] = group.ranks;
  for (const auto& [group, of_group] : members) ranks.insert(of_group.begin(), of_group.end());
  if (members.size() < wanted.groups.size())
    for (const TimelineRank& rank : catalog.ranks)
      if (rank.rank) ranks.insert(*rank.rank);
  RG_ASSIGN(const auto tracks, tracksFor(reader, catalog, wanted, ranks, note, stop));
  std::vector<CollectiveCall> calls;
  for (const auto& [rank, track] : tracks) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    RG_ASSIGN(const SpanColumns of_track, reader.spans(track, wanted.range, stop));
    for (CollectiveCall& call : callsOf(rank, track, of_track))
      if (wanted.has(call)) calls.push_back(std::move(call));
  }
  auto sets = matchCalls(std::move(calls), members, wanted.all_of_run, stop);
  if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
  return sets;
}

}  // namespace

ClockGapOf clockGaps(const TimelineCatalog& catalog) {
  std::vector<RankClock> clocks;
  for (const TimelineRank& rank : catalog.ranks)
    if (rank.rank) clocks.push_back({*rank.rank, rank.place.node, rank.clock_error});
  return clockGaps(clocks);
}

bool WaitParts::answers(const WaitQuestion& question) const {
  return note.isEmpty() && question.range.t0 >= range.t0 && question.range.t1 <= range.t1 &&
         std::ranges::all_of(question.tracks, [this](const auto& track) { return tracks.contains(track); });
}

Result<WaitParts> readWaits(Reader& reader, const TimelineCatalog& catalog, const WaitQuestion& question, std::stop_token stop) {
  WaitParts out;
  auto tracks = question.tracks;
  RG_ASSIGN(const std::size_t spans, keepCommunicating(reader, tracks, question.range, stop));
  if (spans > kMaxWaitSpans) {
    out.note = tooMany(spans, tracks.size());
    return out;
  }
  std::vector<CollectiveCall> own;
  std::set<TrackId> asked;
  std::map<std::int32_t, Intervals> transfer, waiting;
  for (const auto& [rank, track] : tracks) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    asked.insert(track);
    RG_ASSIGN(const SpanColumns of_track, reader.spans(track, question.range, stop));
    std::ranges::move(callsOf(rank, track, of_track), std::back_inserter(own));
    for (std::size_t i = 0; i < of_track.size(); ++i)
      if (of_track.category[i] == SpanCategory::kComm)
        transfer[rank].emplace_back(of_track.start[i], endOf(of_track.start[i], of_track.dur[i]));
  }
  out.tracks.insert(question.tracks.begin(), question.tracks.end());
  out.range = question.range;
  if (own.empty()) return out;
  RG_ASSIGN(const auto sets, readSets(reader, catalog, own, out.note, stop));
  const ClockGapOf gap = clockGaps(catalog);
  std::map<std::pair<std::int32_t, TimeNs>, TimeNs> until;
  for (const CollectiveSet& set : sets) {
    for (std::size_t i = 0; i < set.calls.size(); ++i) {
      const CollectiveCall& call = set.calls[i];
      if (!asked.contains(call.track)) continue;
      const auto [part, fresh] = out.of_span.emplace(call.id, waitOf(set, i, gap));
      if (part->second.kind == WaitPart::Kind::kLast) waiting[call.rank];
      if (part->second.kind != WaitPart::Kind::kWaited) continue;
      waiting[call.rank].emplace_back(call.t0, part->second.until);
      until[{call.rank, call.t0}] = part->second.until;
    }
  }
  for (auto& [rank, waits] : waiting) {
    for (auto& [from, to] : transfer[rank])
      if (const auto split = until.find({rank, from}); split != until.end()) from = std::min(split->second, to);
    unite(waits), unite(transfer[rank]);
    out.of_rank[rank] = without(waits, transfer[rank]);
  }
  return out;
}

Result<std::optional<CollectiveSet>> readCollective(Reader& reader, const TimelineCatalog& catalog, const CollectiveCall& call,
                                                    QString& note, std::stop_token stop) {
  RG_ASSIGN(auto sets, readSets(reader, catalog, {call}, note, stop));
  for (CollectiveSet& set : sets)
    if (std::ranges::find(set.calls, call.id, &CollectiveCall::id) != set.calls.end()) return std::optional(std::move(set));
  return std::optional<CollectiveSet>();
}

}  // namespace runglass
