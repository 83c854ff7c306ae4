// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. Either all calls of an operation are kept or none: thinning uses a hash of the operation, which is equal on every rank.
//  2. Calls without a sequence number are numbered by their order in a rank's track; such a communicator counts only where all its ranks
//     recorded the same operations, with the same names and sizes.
#include "analysis/clock_align/clock_matches.h"

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "analysis/clock_align/clock_graph.h"

namespace runglass {
namespace {

constexpr std::size_t kStretchSpans = 100'000;
constexpr DurNs kFirstStretch = 10 * kNsPerSecond;
constexpr TimeNs kLowest = std::numeric_limits<TimeNs>::min(), kHighest = std::numeric_limits<TimeNs>::max();

std::uint64_t mixed(std::uint64_t value) {  // splitmix64
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

struct Call {
  std::int64_t seq = 0;
  TimeNs end = 0;
  std::uint32_t rank = 0;  // index
  CallKind kind = CallKind::kOther;
  bool message() const { return kind != CallKind::kTogether; }
};

// A communicator; its messages and its collectives are two entries, numbered separately.
struct Communicator {
  std::vector<Call> calls;
  int level = 0;  // keeps operations whose hash ends in this many zero bits
  bool keeps(std::int64_t seq) const { return (mixed(static_cast<std::uint64_t>(seq)) & ((std::uint64_t{1} << level) - 1)) == 0; }
};

struct CommunicatorKey {
  std::int64_t group = 0;
  bool by_order = false, message = false;
  friend auto operator<=>(const CommunicatorKey&, const CommunicatorKey&) = default;
};

// The calls that a rank recorded on a communicator without sequence numbers.
struct Reported {
  TrackId track;
  std::int64_t count = 0;
  std::uint64_t hash = 0;
  bool two_tracks = false;
};

class MatchReader {
 public:
  MatchReader(Reader& reader, AttemptId attempt, std::stop_token stop) : m_reader(reader), m_attempt(attempt), m_stop(std::move(stop)) {}

  Result<ClockProposal> read(std::optional<TimeRange> extent) {
    RG_TRY(readOwners());
    if (extent) {
      m_extent = *extent;
      RG_ASSIGN(const auto tracks, m_reader.tracks(m_attempt));
      std::map<std::int32_t, std::vector<const Track*>> by_rank;
      for (const Track& track : tracks)
        if (track.key.rank) by_rank[*track.key.rank].push_back(&track);
      for (const auto& [rank, of_rank] : by_rank) RG_TRY(readRank(rank, of_rank));
    }
    match();
    std::vector<std::string> names;
    std::vector<std::optional<DurNs>> errors;
    for (const ClockOwner& owner : m_out.owners) names.push_back(owner.name), errors.push_back(owner.own_error);
    m_out.result = alignClocks(m_ops, names, errors);
    if (m_ops.size() == 0) m_out.result.words = nothingMatched();
    return std::move(m_out);
  }

 private:
  Status readOwners() {
    RG_ASSIGN(const auto ranks, m_reader.ranks(m_attempt));
    RG_ASSIGN(const auto nodes, m_reader.nodes());
    std::map<NodeId, std::uint32_t> of_node;
    for (const Rank& rank : ranks) {
      if (!rank.node) continue;
      const auto [known, fresh] = of_node.try_emplace(rank.node, static_cast<std::uint32_t>(m_out.owners.size()));
      if (fresh) {
        ClockOwner owner;
        const auto node = std::ranges::find(nodes, rank.node, &Node::id);
        owner.name = node != nodes.end() ? node->name : "node " + std::to_string(rank.node.value);
        RG_ASSIGN(owner.own_error, m_reader.clockError(rank.node, kHighest));
        m_out.owners.push_back(std::move(owner));
      }
      m_owner_of[rank.rank] = known->second;
      m_out.owners[known->second].ranks.push_back(rank.rank);
    }
    return {};
  }

  std::uint32_t ownerOf(std::int32_t rank) {
    const auto [known, fresh] = m_owner_of.try_emplace(rank, static_cast<std::uint32_t>(m_out.owners.size()));
    if (fresh) m_out.owners.push_back({.name = "rank " + std::to_string(rank), .ranks = {rank}, .own_error = {}});
    return known->second;
  }

  Status readRank(std::int32_t rank, const std::vector<const Track*>& tracks) {
    const auto index = static_cast<std::uint32_t>(m_rank_owner.size());
    m_rank_owner.push_back(ownerOf(rank));
    // Where a device recorded communication, the host's calls are only launches and are not read.
    for (const bool device : {true, false}) {
      const std::int64_t before = m_out.calls;
      for (const Track* track : tracks)
        if (isDeviceTrack(track->key) == device) RG_TRY(readTrack(index, track->id));
      if (m_out.calls > before) break;
    }
    return {};
  }

  // In ranges sized for about the same number of spans each. A span belongs to the range in which it begins.
  Status readTrack(std::uint32_t rank, TrackId track) {
    DurNs length = kFirstStretch;
    for (TimeNs from = kLowest; from != kHighest;) {
      const TimeNs to = from == kLowest ? plusTime(m_extent.t0, length) : plusTime(from, length);
      // The last range is open-ended: live data may lie beyond the recorded extent.
      const TimeRange stretch{from, to >= m_extent.t1 ? kHighest : to};
      RG_ASSIGN(const SpanColumns spans, m_reader.spans(track, stretch, m_stop));
      if (m_stop.stop_requested()) return {Code::kCancelled, "cancelled"};
      addCalls(rank, track, spans, stretch);
      if (spans.size() > kStretchSpans) length = std::max<DurNs>(length / 2, kNsPerMs);
      if (spans.size() < kStretchSpans / 4) length = plusTime(length, length);
      from = stretch.t1;
    }
    return {};
  }

  void addCalls(std::uint32_t rank, TrackId track, const SpanColumns& spans, const TimeRange& stretch) {
    std::vector<std::optional<CallKind>> kinds(spans.names.size());
    for (std::size_t i = 0; i < spans.size(); ++i) {
      if (spans.start[i] < stretch.t0) continue;
      ++m_out.spans;
      const std::int64_t group = columnValue(spans.group, i);
      if (spans.category[i] != SpanCategory::kComm || group == kAbsent || spans.dur[i] == kAbsent) continue;
      auto& kind = kinds[spans.name[i]];
      if (!kind) kind = callKind(spans.names[spans.name[i]]);
      ++m_out.calls;
      Call call{
          .seq = columnValue(spans.seq, i), .end = plusTime(spans.start[i], std::max<DurNs>(spans.dur[i], 0)), .rank = rank, .kind = *kind};
      const bool by_order = call.seq == kAbsent;
      if (by_order) call.seq = numberInOrder(rank, track, group, spans, i);
      if (*kind != CallKind::kOther) keep({group, by_order, call.message()}, call);
    }
  }

  std::int64_t numberInOrder(std::uint32_t rank, TrackId track, std::int64_t group, const SpanColumns& spans, std::size_t i) {
    Reported& reported = m_reported[group][rank];
    if (reported.count == 0) reported.track = track;
    reported.two_tracks |= reported.track != track;
    reported.hash = mixed(reported.hash ^ mixed(std::hash<std::string>()(spans.names[spans.name[i]])) ^
                          static_cast<std::uint64_t>(columnValue(spans.bytes, i)));
    return reported.count++;
  }

  void keep(const CommunicatorKey& key, const Call& call) {
    Communicator& communicator = m_communicators[key];
    if (!communicator.keeps(call.seq)) {
      ++m_out.thinned;
      return;
    }
    communicator.calls.push_back(call);
    if (++m_kept <= kMaxCalls) return;
    auto largest = std::ranges::max_element(m_communicators, {}, [](const auto& entry) { return entry.second.calls.size(); });
    Communicator& thin = largest->second;
    ++thin.level;
    const std::size_t gone = std::erase_if(thin.calls, [&](const Call& c) { return !thin.keeps(c.seq); });
    m_kept -= gone;
    m_out.thinned += static_cast<std::int64_t>(gone);
  }

  bool reportedAlike(std::int64_t group) const {
    const auto found = m_reported.find(group);
    if (found == m_reported.end()) return false;
    const Reported& first = found->second.begin()->second;
    return std::ranges::all_of(found->second, [&](const auto& entry) {
      const Reported& reported = entry.second;
      return !reported.two_tracks && reported.count == first.count && reported.hash == first.hash;
    });
  }

  void match() {
    for (auto& [key, communicator] : m_communicators) {
      auto& calls = communicator.calls;
      if (key.by_order && !reportedAlike(key.group)) {
        m_out.odd += static_cast<std::int64_t>(calls.size());
        continue;
      }
      std::ranges::sort(calls, {}, [](const Call& c) { return std::tuple(c.seq, c.rank, c.end); });
      for (std::size_t from = 0, to = 0; from < calls.size(); from = to) {
        while (to < calls.size() && calls[to].seq == calls[from].seq) ++to;
        const std::size_t before = m_ops.size();
        addOperation(std::span(calls).subspan(from, to - from));
        if (key.by_order && m_ops.size() > before) ++m_out.by_order;
      }
      calls = {};
    }
  }

  void addOperation(std::span<const Call> calls) {
    // A number that a rank used twice identifies neither call.
    m_calls.clear();
    for (std::size_t from = 0, to = 0; from < calls.size(); from = to) {
      while (to < calls.size() && calls[to].rank == calls[from].rank) ++to;
      if (to - from == 1)
        m_calls.push_back(calls[from]);
      else
        m_out.odd += static_cast<std::int64_t>(to - from);
    }
    if (m_calls.size() < 2) return;
    m_op.clear();
    if (m_calls.front().message()) {
      if (m_calls.size() != 2 || m_calls[0].kind == m_calls[1].kind) {
        m_out.odd += static_cast<std::int64_t>(m_calls.size());
        return;
      }
      if (m_calls[0].kind == CallKind::kReceive) std::swap(m_calls[0], m_calls[1]);
      for (const Call& call : m_calls) m_op.push_back({m_rank_owner[call.rank], call.end});
      if (m_op[0].clock != m_op[1].clock) m_ops.add(m_op, true);
      return;
    }
    // Ranks that share a clock count as one sample.
    std::ranges::sort(m_calls, {}, [this](const Call& c) { return std::pair(m_rank_owner[c.rank], c.end); });
    for (std::size_t from = 0, to = 0; from < m_calls.size(); from = to) {
      const std::uint32_t owner = m_rank_owner[m_calls[from].rank];
      while (to < m_calls.size() && m_rank_owner[m_calls[to].rank] == owner) ++to;
      m_op.push_back({owner, m_calls[from + (to - from - 1) / 2].end});
    }
    m_ops.add(m_op, false);
  }

  std::string nothingMatched() const {
    if (m_out.calls == 0) return "no span that has ended names a communicator: there is nothing to match between ranks";
    if (m_out.owners.size() < 2) return "all ranks share one clock";
    return "of " + std::to_string(m_out.calls) + " calls of communicators, no two on different clocks can be matched";
  }

  Reader& m_reader;
  const AttemptId m_attempt;
  const std::stop_token m_stop;
  TimeRange m_extent;
  ClockProposal m_out;
  std::map<std::int32_t, std::uint32_t> m_owner_of;
  std::vector<std::uint32_t> m_rank_owner;  // by index of a rank
  std::map<CommunicatorKey, Communicator> m_communicators;
  std::unordered_map<std::int64_t, std::map<std::uint32_t, Reported>> m_reported;  // by group, by rank
  std::size_t m_kept = 0;
  MatchedOps m_ops;
  std::vector<Call> m_calls;
  std::vector<MatchedOps::End> m_op;
};

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

// Every rank of a clock gets its shifts; a clock that agrees gets its error, so that the order of events is judged by it.
ClockAlignment editOf(const Run& run, const Attempt& attempt, const ClockProposal& proposal) {
  ClockAlignment edit{.run_uuid = run.uuid,
                      .attempt = attempt.number,
                      .source = "collectives",
                      .matches = proposal.result.matches,
                      .residual = proposal.result.after,
                      .shifts = {}};
  for (std::size_t c = 0; c < proposal.owners.size(); ++c) {
    const AlignedClock& clock = proposal.result.clocks[c];
    if (!clock.aligned) continue;
    for (const std::int32_t rank : proposal.owners[c].ranks) {
      for (const AlignKnot& knot : clock.knots) edit.shifts.push_back({rank, knot.at, knot.shift, clock.error});
      if (clock.knots.empty()) edit.shifts.push_back({rank, 0, 0, clock.error});
    }
  }
  return edit;
}

}  // namespace

CallKind callKind(std::string_view name) {
  std::string plain;  // ncclDevKernel_AllReduce_Sum_f32_RING_LL, "all_reduce dp", c10d::allreduce_
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ') plain.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  for (const char* part : {"allreduce", "allgather", "reducescatter", "alltoall", "barrier", "gradssync", "paramssync"})
    if (has(plain, part)) return CallKind::kTogether;
  const bool sends = has(plain, "send"), receives = has(plain, "recv") || has(plain, "receive");
  return sends == receives ? CallKind::kOther : sends ? CallKind::kSend : CallKind::kReceive;
}

Result<ClockProposal> proposeAlignment(Reader& reader, RunId run, AttemptId attempt, std::stop_token stop) {
  RG_ASSIGN(const auto unaligned, reader.unaligned());
  RG_ASSIGN(const Run of_run, unaligned->run(run));
  RG_ASSIGN(const Attempt of_attempt, unaligned->attempt(attempt));
  RG_ASSIGN(const auto extent, unaligned->spanExtent(run));
  RG_ASSIGN(ClockProposal proposal, MatchReader(*unaligned, attempt, std::move(stop)).read(extent));
  proposal.edit = {.run_uuid = of_run.uuid, .attempt = of_attempt.number, .source = {}, .shifts = {}};
  if (proposal.result.verdict == ClockAlignVerdict::kShift) proposal.edit = editOf(of_run, of_attempt, proposal);
  return proposal;
}

}  // namespace runglass
