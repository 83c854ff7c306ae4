// SPDX-License-Identifier: Apache-2.0
// Arrows between spans, derived from keys of the spans: a correlation joins a launch with the kernels it started on its rank's device,
// (group, seq) one operation of a communicator on all its ranks, and PyTorch's sequence number a forward operator with its backward one.
// Flows are not stored: there are too many kernels.
// Invariant: m_flows are those of the rank before m_at, or, at the end of an attempt, of its communicators; m_row is the current one.
#include <sqlite3.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>
#include <utility>

#include "model/pair_group.h"
#include "storage/sql/tables.h"

namespace runglass::sql {
namespace {

// The integer value of "key" in the text of a flat JSON object.
std::optional<std::int64_t> integerIn(std::string_view args, std::string_view quoted_key) {
  const std::size_t key = args.find(quoted_key);
  if (key == std::string_view::npos) return std::nullopt;
  const std::size_t at = args.find_first_not_of(": \t\r\n\"", key + quoted_key.size());
  std::int64_t number = 0;
  if (at == std::string_view::npos || std::from_chars(args.data() + at, args.data() + args.size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

enum FlowColumn : int { kFrom, kTo, kKind, kRun, kAttempt };

class FlowCursor : public Cursor {
 public:
  explicit FlowCursor(Catalogue& catalogue) : m_catalogue(catalogue) {}

  Status filter(const Constraints& constraints) override {
    m_ranks.clear();
    m_flows.clear();
    m_calls.clear();
    m_at = m_row = 0;
    if (constraints.impossible()) return {};
    RG_ASSIGN(const auto* all, m_catalogue.tracks());
    std::map<std::pair<AttemptId, std::int32_t>, std::vector<TrackId>> ranks;
    for (const Track& track : *all) {
      RG_ASSIGN(const AttemptRow* attempt, m_catalogue.attempt(track.key.attempt));
      if (constraints.admits(kRun, static_cast<std::int64_t>(attempt->run.value)) && constraints.admits(kAttempt, attempt->number))
        ranks[{track.key.attempt, track.key.rank ? *track.key.rank : -1}].push_back(track.id);
    }
    for (auto& [key, tracks] : ranks) {
      RG_ASSIGN(const AttemptRow* attempt, m_catalogue.attempt(key.first));
      m_ranks.push_back({attempt, key.first, key.second, std::move(tracks)});
    }
    return settle();
  }
  bool done() const override { return m_row >= m_flows.size(); }
  Status next() override {
    ++m_row;
    return settle();
  }
  void column(sqlite3_context* out, int column) const override {
    const Flow& flow = m_flows[m_row];
    switch (column) {
      case kFrom:
        return sqlite3_result_int64(out, flow.from);
      case kTo:
        return sqlite3_result_int64(out, flow.to);
      case kKind:
        return resultText(out, flow.kind);
      case kRun:
        return sqlite3_result_int64(out, static_cast<sqlite3_int64>(m_ranks[m_at - 1].attempt->run.value));
      default:
        return sqlite3_result_int64(out, m_ranks[m_at - 1].attempt->number);
    }
  }

 private:
  struct Flow {
    std::int64_t from, to;
    const char* kind;
  };
  struct RankTracks {
    const AttemptRow* attempt;
    AttemptId id;
    std::int32_t rank;  // -1: no rank
    std::vector<TrackId> tracks;
  };
  struct Call {  // of a communicator on one rank
    TimeNs start;
    std::int64_t span;
    bool sends;
  };

  struct Operator {  // an operator with a sequence number
    TimeNs start, end;
    TrackId track;
    std::int64_t span;
  };
  struct Operators {
    std::vector<Operator> forward, backward;
  };

  static bool isHost(SpanCategory category) { return category == SpanCategory::kRuntime || category == SpanCategory::kCpuOp; }

  Status settle() {
    while (m_row >= m_flows.size() && m_at < m_ranks.size()) {
      m_flows.clear();
      m_row = 0;
      RG_TRY(loadRank(m_ranks[m_at]));
      ++m_at;
      if (m_at == m_ranks.size() || m_ranks[m_at].id != m_ranks[m_at - 1].id) joinCalls();
    }
    return {};
  }

  Status loadRank(const RankTracks& rank) {
    std::unordered_map<std::int64_t, std::int64_t> launches;      // correlation -> span
    std::vector<std::pair<std::int64_t, std::int64_t>> launched;  // correlation, span
    std::map<std::int64_t, Operators> operators;                  // by sequence number
    for (const TrackId track : rank.tracks) {
      if (m_catalogue.stop().stop_requested()) return {Code::kCancelled, "query cancelled"};
      RG_ASSIGN(const SpanColumns spans, m_catalogue.reader().spans(track, {}, m_catalogue.stop()));
      for (std::size_t i = 0; i < spans.size(); ++i) {
        if (!spans.correlation.empty() && spans.correlation[i] != kAbsent) {
          // Runtime and driver may both report a launch; the outer one comes first.
          if (isHost(spans.category[i]))
            launches.try_emplace(spans.correlation[i], spans.id[i]);
          else
            launched.emplace_back(spans.correlation[i], spans.id[i]);
        }
        if (spans.category[i] == SpanCategory::kCpuOp && !spans.args.empty()) noteOperator(spans, i, track, operators);
        if (!spans.group.empty() && !spans.seq.empty() && spans.group[i] != kAbsent && spans.seq[i] != kAbsent &&
            spans.category[i] == SpanCategory::kComm) {
          const auto pair = pairOf(spans.group[i]);
          const bool sends = pair ? pair->from == rank.rank : spans.names[spans.name[i]].find("send") != std::string::npos;
          m_calls[{spans.group[i], spans.seq[i]}].push_back({spans.start[i], spans.id[i], sends});
        }
      }
    }
    for (const auto& [correlation, span] : launched)
      if (const auto launch = launches.find(correlation); launch != launches.end()) m_flows.push_back({launch->second, span, "launch"});
    for (auto& [sequence, both] : operators) joinOperators(both);
    return {};
  }

  // A backward operator has the number of the forward one and the id of the thread that ran that; other operators have thread 0.
  static void noteOperator(const SpanColumns& spans, std::size_t i, TrackId track, std::map<std::int64_t, Operators>& operators) {
    const auto sequence = integerIn(spans.args[i], "\"Sequence number\"");
    if (!sequence || *sequence < 0 || spans.dur[i] == kAbsent) return;
    const bool backward = integerIn(spans.args[i], "\"Fwd thread id\"").value_or(0) != 0;
    Operators& both = operators[*sequence];
    (backward ? both.backward : both.forward).push_back({spans.start[i], spans.start[i] + spans.dur[i], track, spans.id[i]});
  }

  // Operators that only prepare another one have its number too: of those before a backward operator, the last to begin is the right one.
  // An operator of the engine with the same number may enclose a backward operator.
  void joinOperators(Operators& both) {
    if (both.forward.empty() || both.backward.empty()) return;
    const auto by_start = [](const Operator& a, const Operator& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; };
    std::ranges::stable_sort(both.forward, by_start);
    std::ranges::stable_sort(both.backward, by_start);
    for (std::size_t i = 0; i < both.backward.size(); ++i) {
      const Operator& to = both.backward[i];
      const Operator* const inner = i + 1 < both.backward.size() ? &both.backward[i + 1] : nullptr;
      if (inner != nullptr && inner->track == to.track && inner->start < to.end) continue;
      auto from = std::ranges::upper_bound(both.forward, to.start, {}, &Operator::start);
      if (from != both.forward.begin()) m_flows.push_back({(--from)->span, to.span, "fwd_bwd"});
    }
  }

  // From the first call to the others; from sender to receiver where there are two.
  void joinCalls() {
    for (auto& [key, calls] : m_calls) {
      if (calls.size() < 2) continue;
      std::ranges::stable_sort(calls, {}, &Call::start);
      const bool p2p = calls.size() == 2 && calls[0].sends != calls[1].sends;
      if (p2p && calls[1].sends) std::swap(calls[0], calls[1]);
      for (std::size_t i = 1; i < calls.size(); ++i) m_flows.push_back({calls[0].span, calls[i].span, p2p ? "p2p" : "collective"});
    }
    m_calls.clear();
  }

  Catalogue& m_catalogue;
  std::vector<RankTracks> m_ranks;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Call>> m_calls;  // by group and seq, of the current attempt
  std::vector<Flow> m_flows;
  std::size_t m_at = 0, m_row = 0;
};

constexpr TableSpec::Pushed kFlowPushed[] = {{kRun, Push::kInteger}, {kAttempt, Push::kInteger}};

}  // namespace

const TableSpec kFlowTable = {"flow", "CREATE TABLE x(from_span INTEGER, to_span INTEGER, kind TEXT, run_id INTEGER, attempt INTEGER)", "",
                              kFlowPushed, makeCursor<FlowCursor>};

}  // namespace runglass::sql
