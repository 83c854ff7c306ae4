// SPDX-License-Identifier: Apache-2.0
// Ranks are read one at a time; only the intervals of their spans and their collective calls are kept, until all are matched.
#include "analysis/steps/span_parts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <unordered_map>

#include "analysis/collectives/clock_gaps.h"
#include "analysis/steps/host_activity.h"

namespace runglass {
namespace {

constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
constexpr DurNs kFromAfar = std::numeric_limits<DurNs>::max() / 4;  // so wide a pixel that summaries suffice

TimeRange extentOf(const std::vector<StepWindow>& windows) {
  TimeRange range{kHighest, std::numeric_limits<TimeNs>::min()};
  for (const StepWindow& window : windows) range = {std::min(range.t0, window.range.t0), std::max(range.t1, window.range.t1)};
  return range;
}

// By name and category: profilers identify data loaders, collections and saves only by name.
std::vector<std::array<SpanCategory, kSpanCategoryCount>> categoriesOf(const std::vector<std::string>& names) {
  std::vector<std::array<SpanCategory, kSpanCategoryCount>> out(names.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    for (int c = 0; c < kSpanCategoryCount; ++c) {
      const auto category = static_cast<SpanCategory>(c);
      out[i][static_cast<std::size_t>(c)] = categoryOfActivity(hostActivity(category, names[i]), category);
    }
  return out;
}

class PartsReader {
 public:
  PartsReader(Reader& reader, AttemptId attempt, std::stop_token stop) : m_reader(reader), m_attempt(attempt), m_stop(std::move(stop)) {}

  Result<SpanPartsAnswer> read(const std::vector<Rank>& ranks, const std::map<std::int32_t, std::vector<StepWindow>>& windows) {
    RG_ASSIGN(const auto tracks, m_reader.tracks(m_attempt));
    for (const Track& track : tracks)
      if (track.key.rank && windows.contains(*track.key.rank)) m_tracks[*track.key.rank].push_back(track.id);
    m_windows = windows;
    // Without sequence numbers calls can be matched only if all of them are known, including those outside the steps.
    RG_ASSIGN(const std::size_t all, countSpans(true));
    m_all = all <= kMaxPartSpans;
    if (!m_all) RG_TRY(keepWhatCanBeRead());
    std::vector<CollectiveCall> calls;
    for (const auto& [rank, of_rank] : m_windows) RG_TRY(readRank(rank, rangeOf(of_rank), calls));
    if (m_spans.empty()) return std::move(m_answer);
    RG_TRY(tellWaits(ranks, std::move(calls)));
    for (const auto& [rank, spans] : m_spans) share(rank, spans);
    if (m_comm_ns > 0) m_answer.waits_known = m_known_ns / m_comm_ns;
    return std::move(m_answer);
  }

 private:
  struct Kept {
    PartSpan span;
    std::int64_t id;  // of a communication span
  };

  TimeRange rangeOf(const std::vector<StepWindow>& windows) const { return m_all ? TimeRange{} : extentOf(windows); }

  // Of the run, or of the steps.
  Result<std::size_t> countSpans(bool all) {
    std::size_t spans = 0;
    for (const auto& [rank, windows] : m_windows) {
      const auto tracks = m_tracks.find(rank);
      if (tracks == m_tracks.end() || windows.empty()) continue;
      if (m_stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
      RG_ASSIGN(const SpanPicture coarse, m_reader.spanPicture(tracks->second, all ? TimeRange{} : extentOf(windows), kFromAfar, m_stop));
      for (const auto& lane : coarse.lanes)
        for (const SpanBar& bar : lane.bars) spans += bar.count;
    }
    return spans;
  }

  // Drops older steps until the rest is within kMaxPartSpans.
  Status keepWhatCanBeRead() {
    RG_ASSIGN(const std::size_t spans, countSpans(false));
    if (spans <= kMaxPartSpans) return {};
    std::set<std::int64_t> steps;
    for (const auto& [rank, windows] : m_windows)
      for (const StepWindow& window : windows) steps.insert(window.step);
    const std::size_t kept = std::max<std::size_t>(steps.size() * kMaxPartSpans / spans, 1);
    m_answer.left_out = steps.size() - std::min(kept, steps.size());
    const std::int64_t first = *std::next(steps.begin(), static_cast<std::ptrdiff_t>(m_answer.left_out));
    for (auto& [rank, of_rank] : m_windows) std::erase_if(of_rank, [&](const StepWindow& window) { return window.step < first; });
    return {};
  }

  Status readRank(std::int32_t rank, TimeRange range, std::vector<CollectiveCall>& calls) {
    const auto tracks = m_tracks.find(rank);
    if (tracks == m_tracks.end() || range.t0 >= range.t1) return {};
    for (const TrackId track : tracks->second) {
      if (m_stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
      RG_ASSIGN(const SpanColumns spans, m_reader.spans(track, range, m_stop));
      if (spans.size() == 0) continue;
      auto& kept = m_spans[rank];
      const std::vector<std::array<SpanCategory, kSpanCategoryCount>> meant = categoriesOf(spans.names);
      for (std::size_t i = 0; i < spans.size(); ++i) {
        TimeNs end = kHighest;
        if (spans.dur[i] == kAbsent || __builtin_add_overflow(spans.start[i], spans.dur[i], &end)) end = kHighest;
        const std::int64_t id = spans.category[i] == SpanCategory::kComm ? spans.id[i] : 0;
        const SpanCategory category = meant[spans.name[i]][static_cast<std::size_t>(spans.category[i])];
        kept.push_back({{.t0 = spans.start[i], .t1 = end, .category = category, .until = spans.start[i]}, id});
      }
      std::ranges::move(callsOf(rank, track, spans), std::back_inserter(calls));
    }
    return {};
  }

  Status tellWaits(const std::vector<Rank>& ranks, std::vector<CollectiveCall> calls) {
    GroupMembers members;
    RG_ASSIGN(const auto groups, m_reader.groups(m_attempt));
    for (const CommGroup& group : groups)
      if (!group.ranks.empty()) members[group.id] = group.ranks;
    RG_ASSIGN(const ClockGapOf gap, readClockGaps(m_reader, m_attempt, ranks, calls.empty() ? 0 : calls.back().t0));
    const auto sets = matchCalls(std::move(calls), members, m_all, m_stop);
    if (m_stop.stop_requested()) return {Code::kCancelled, "cancelled"};
    for (const CollectiveSet& set : sets) {
      for (std::size_t i = 0; i < set.calls.size(); ++i) {
        const WaitPart wait = waitOf(set, i, gap);
        const bool alone = set.match == CollectiveSet::Match::kAlone && set.members == 1;  // no other member to wait for
        if (alone || (wait.kind != WaitPart::Kind::kUnmatched && wait.kind != WaitPart::Kind::kNotClocked))
          m_waited_until[set.calls[i].id] = wait.until;
      }
    }
    return {};
  }

  void share(std::int32_t rank, const std::vector<Kept>& kept) {
    const TimeRange extent = extentOf(m_windows[rank]);
    std::vector<PartSpan> spans;
    spans.reserve(kept.size());
    for (const Kept& one : kept) {
      PartSpan span = one.span;
      if (one.span.category == SpanCategory::kComm && span.t1 != kHighest) {
        const auto until = m_waited_until.find(one.id);
        const double of_steps = std::max<double>(0, static_cast<double>(std::min(span.t1, extent.t1) - std::max(span.t0, extent.t0)));
        m_comm_ns += of_steps;
        if (until != m_waited_until.end()) {
          span.until = until->second;
          m_known_ns += of_steps;
        }
      }
      spans.push_back(span);
    }
    const std::vector<StepWindow>& windows = m_windows[rank];
    std::vector<TimeRange> ranges;
    for (const StepWindow& window : windows) ranges.push_back(window.range);
    const std::vector<StepParts> parts = partsOfSteps(spans, ranges);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i][StepPart::kIdle] < windows[i].range.t1 - windows[i].range.t0)
        m_answer.ranks[rank].push_back({windows[i].step, parts[i]});
  }

  Reader& m_reader;
  const AttemptId m_attempt;
  const std::stop_token m_stop;
  std::map<std::int32_t, std::vector<StepWindow>> m_windows;
  std::map<std::int32_t, std::vector<TrackId>> m_tracks;
  std::map<std::int32_t, std::vector<Kept>> m_spans;
  std::unordered_map<std::int64_t, TimeNs> m_waited_until;  // by span
  bool m_all = false;                                       // every span of the run is read
  double m_comm_ns = 0, m_known_ns = 0;
  SpanPartsAnswer m_answer;
};

}  // namespace

Result<SpanPartsAnswer> readSpanParts(Reader& reader, AttemptId attempt, const std::vector<Rank>& ranks,
                                      const std::map<std::int32_t, std::vector<StepWindow>>& windows, std::stop_token stop) {
  return PartsReader(reader, attempt, std::move(stop)).read(ranks, windows);
}

}  // namespace runglass
