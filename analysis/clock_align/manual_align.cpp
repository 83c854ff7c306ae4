// SPDX-License-Identifier: Apache-2.0
#include "analysis/clock_align/manual_align.h"

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/clock_align/clock_align.h"
#include "analysis/clock_align/clock_graph.h"
#include "analysis/statistics/median.h"

namespace runglass {
namespace {

constexpr DurNs kNear = 5 * kNsPerSecond, kFar = 600 * kNsPerSecond;

// The fields that identify two spans as the same operation.
struct Operation {
  SpanCategory category = SpanCategory::kOther;
  std::string name;
  std::int64_t group = kAbsent, seq = kAbsent, step = kAbsent, microbatch = kAbsent;
  bool numbered() const { return group != kAbsent && seq != kAbsent; }

  static Operation of(const SpanColumns& spans, std::size_t i) {
    return {spans.category[i],         spans.names[spans.name[i]], columnValue(spans.group, i),
            columnValue(spans.seq, i), columnValue(spans.step, i), columnValue(spans.microbatch, i)};
  }
  bool is(const SpanColumns& spans, std::size_t i) const {
    if (spans.category[i] != category || columnValue(spans.group, i) != group || columnValue(spans.seq, i) != seq) return false;
    if (numbered() && category == SpanCategory::kComm) return true;  // a send is recorded under another name than its receive
    return columnValue(spans.step, i) == step && columnValue(spans.microbatch, i) == microbatch && spans.names[spans.name[i]] == name;
  }
};

struct Found {
  TimeNs t0 = 0;
  std::optional<TimeNs> t1;
  std::optional<TimeNs> at(AlignEdge edge) const { return edge == AlignEdge::kBegin ? std::optional(t0) : t1; }
};

Found foundAt(const SpanColumns& spans, std::size_t i) {
  Found found{.t0 = spans.start[i], .t1 = std::nullopt};
  if (spans.dur[i] != kAbsent) found.t1 = plusTime(found.t0, std::max<DurNs>(spans.dur[i], 0));
  return found;
}

class ManualAlign {
 public:
  ManualAlign(Reader& reader, const ChosenCall& chosen, AlignEdge edge, std::stop_token stop)
      : m_reader(reader), m_chosen(chosen), m_edge(edge), m_stop(std::move(stop)) {}

  Result<ClockAlignment> align() {
    RG_ASSIGN(const auto tracks, m_reader.tracks(m_chosen.attempt));
    for (const Track& track : tracks)
      if (track.key.rank) m_tracks[*track.key.rank].push_back(track.id);
    RG_TRY(readChosen());
    std::map<std::int32_t, Found> calls;
    for (const auto& [rank, of_rank] : m_tracks) {
      if (rank == m_chosen.rank) continue;
      RG_ASSIGN(const auto found, callOf(of_rank));
      if (found && found->at(m_edge)) calls[rank] = *found;
    }
    RG_TRY(readShifts());
    return shifted(calls);
  }

 private:
  Status readChosen() {
    RG_ASSIGN(SpanColumns spans, m_reader.spans(m_chosen.track, {m_chosen.t0, plusTime(m_chosen.t0, 1)}, m_stop));
    auto at = std::ranges::find(spans.id, m_chosen.id);
    if (at == spans.id.end()) {  // the span moved since it was chosen
      RG_ASSIGN(spans, m_reader.spans(m_chosen.track, {}, m_stop));
      at = std::ranges::find(spans.id, m_chosen.id);
    }
    if (at == spans.id.end()) return {Code::kNotFound, "cannot align to the chosen span: it is no longer in the store"};
    const auto i = static_cast<std::size_t>(at - spans.id.begin());
    m_operation = Operation::of(spans, i);
    m_call = foundAt(spans, i);
    if (!m_call.at(m_edge)) return {Code::kNotFound, "cannot align to the chosen span: it has not ended"};
    if (m_operation.numbered()) return {};
    // The number of spans of the same operation before it on its rank.
    for (const TrackId track : m_tracks[m_chosen.rank]) {
      RG_ASSIGN(const SpanColumns before, m_reader.spans(track, {std::numeric_limits<TimeNs>::min(), m_call.t0}, m_stop));
      for (std::size_t k = 0; k < before.size(); ++k) m_ordinal += before.start[k] < m_call.t0 && m_operation.is(before, k) ? 1 : 0;
    }
    return {};
  }

  Result<std::optional<Found>> callOf(const std::vector<TrackId>& tracks) {
    const TimeRange near{plusTime(m_call.t0, -kNear), plusTime(m_call.t0, kNear)},
        far{plusTime(m_call.t0, -kFar), plusTime(m_call.t0, kFar)};
    std::vector<TimeRange> ranges = {TimeRange{}};
    if (m_operation.numbered()) ranges = {near, far, TimeRange{}};
    for (const TimeRange& range : ranges) {
      std::vector<Found> found;
      for (const TrackId track : tracks) {
        if (m_stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
        RG_ASSIGN(const SpanColumns spans, m_reader.spans(track, range, m_stop));
        for (std::size_t i = 0; i < spans.size(); ++i)
          if (m_operation.is(spans, i)) found.push_back(foundAt(spans, i));
      }
      std::ranges::sort(found, {}, &Found::t0);
      if (m_ordinal < found.size()) return std::optional(found[m_ordinal]);
    }
    return std::optional<Found>();
  }

  Status readShifts() {
    RG_ASSIGN(const Run run, m_reader.run(m_chosen.run));
    RG_ASSIGN(const Attempt attempt, m_reader.attempt(m_chosen.attempt));
    RG_ASSIGN(const auto before, m_reader.alignment(m_chosen.attempt));
    m_out = {.run_uuid = run.uuid, .attempt = attempt.number, .source = "manual", .matches = 1, .residual = {}, .shifts = {}};
    if (before)
      for (const ClockShift& shift : before->shifts) m_before[shift.rank].push_back(shift);
    RG_ASSIGN(const auto ranks, m_reader.ranks(m_chosen.attempt));
    for (const Rank& rank : ranks)
      if (rank.node) m_node[rank.rank] = rank.node;
    for (const auto& [rank, tracks] : m_tracks) m_ranks.push_back(rank);
    for (const auto& [rank, node] : m_node)
      if (!m_tracks.contains(rank)) m_ranks.push_back(rank);
    return {};
  }

  // Ranks with an equal key are shifted together.
  std::pair<std::uint64_t, std::int32_t> clockOf(std::int32_t rank) const {
    const auto node = m_node.find(rank);
    return node == m_node.end() ? std::pair(std::uint64_t{0}, rank) : std::pair(node->second.value, std::int32_t{0});
  }

  Result<ClockAlignment> shifted(const std::map<std::int32_t, Found>& calls) {
    struct Move {
      std::vector<DurNs> by;
      DurNs error = 0;
    };
    std::map<std::pair<std::uint64_t, std::int32_t>, Move> moves;
    const auto length = [](const Found& call) { return call.t1 ? minusTime(*call.t1, call.t0) : std::numeric_limits<DurNs>::max(); };
    for (const auto& [rank, call] : calls) {
      if (clockOf(rank) == clockOf(m_chosen.rank)) continue;
      Move& move = moves[clockOf(rank)];
      move.by.push_back(minusTime(*m_call.at(m_edge), *call.at(m_edge)));
      move.error = std::max({move.error, kMinError, std::min(length(call), length(m_call))});
    }
    if (moves.empty())
      return Status(Code::kNotFound, "cannot align to the chosen span: no rank on another clock recorded the same operation");
    for (const std::int32_t rank : m_ranks) {
      const auto move = moves.find(clockOf(rank));
      auto shifts = m_before[rank];
      if (move != moves.end()) {
        if (shifts.empty()) shifts.push_back({.rank = rank});
        const DurNs by = medianBetween(move->second.by);
        for (ClockShift& shift : shifts) shift.shift = plusTime(shift.shift, by), shift.error = move->second.error;
      }
      m_out.shifts.insert(m_out.shifts.end(), shifts.begin(), shifts.end());
    }
    return std::move(m_out);
  }

  Reader& m_reader;
  const ChosenCall m_chosen;
  const AlignEdge m_edge;
  const std::stop_token m_stop;
  std::map<std::int32_t, std::vector<TrackId>> m_tracks;
  Operation m_operation;
  Found m_call;
  std::size_t m_ordinal = 0;
  ClockAlignment m_out;
  std::map<std::int32_t, std::vector<ClockShift>> m_before;
  std::map<std::int32_t, NodeId> m_node;
  std::vector<std::int32_t> m_ranks;
};

}  // namespace

Result<ClockAlignment> alignToCall(Reader& reader, const ChosenCall& chosen, AlignEdge edge, std::stop_token stop) {
  return ManualAlign(reader, chosen, edge, std::move(stop)).align();
}

}  // namespace runglass
