// SPDX-License-Identifier: Apache-2.0
// Tracks are read one at a time; of a span only the fields that the graph needs are kept.
#include "analysis/what_if/what_if_data.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/layout/layout_reading.h"
#include "analysis/steps/stalled_steps.h"

namespace runglass {
namespace {

constexpr double kLongest = 9.0e18;                                 // ns
constexpr DurNs kFromAfar = std::numeric_limits<DurNs>::max() / 4;  // so wide a pixel that summaries suffice

class WhatIfReader {
 public:
  WhatIfReader(Reader& reader, const Attempt& attempt, std::stop_token stop) : m_reader(reader), m_stop(std::move(stop)) {
    m_out.attempt = attempt;
  }

  Result<WhatIfData> read() {
    RG_ASSIGN(m_out.ranks, placedRanks(m_reader, m_out.attempt.id));
    const Layout& layout = m_out.attempt.layout;
    m_out.gpus = layout.world > 0 ? layout.world : static_cast<std::int32_t>(m_out.ranks.size());
    if (layout.dp > 0 && layout.pp > 0)
      m_out.coverage.workers_expected = static_cast<std::size_t>(layout.dp) * static_cast<std::size_t>(layout.pp);
    if (!place()) return insufficient("neither ranks nor the layout have dp and pp coordinates");
    RG_TRY(readTracks());
    if (m_ops.size() == 0)
      return insufficient(m_out.coverage.spans_read == 0 ? "no spans of ranks were recorded"
                                                         : "no span names a forward or backward pass in a step");
    answer();
    return std::move(m_out);
  }

 private:
  WhatIfData insufficient(std::string reason) {
    m_out.what_if.reason = std::move(reason);
    return std::move(m_out);
  }

  // False: the pipeline stage of a rank is unknown.
  bool place() {
    const Layout& layout = m_out.attempt.layout;
    const bool flat = m_out.ranks.size() <= 1 || (layout.pp == 1 && layout.tp <= 1 && layout.cp <= 1);
    for (const Rank& rank : m_out.ranks) {
      const bool one_stage = layout.pp == 1, one_replica = layout.dp == 1;
      const auto pp = rank.pp ? rank.pp : one_stage || flat ? std::optional(0) : std::nullopt;
      const auto dp = rank.dp ? rank.dp : one_replica ? std::optional(0) : flat ? std::optional(rank.rank) : std::nullopt;
      if (!pp || !dp) continue;
      m_index[rank.rank] = static_cast<std::uint32_t>(m_places.size());
      m_places.push_back({.rank = rank.rank, .dp = *dp, .pp = *pp});
    }
    return !m_places.empty() || m_out.ranks.empty();
  }

  Status readTracks() {
    RG_ASSIGN(auto tracks, m_reader.tracks(m_out.attempt.id));
    std::erase_if(tracks, [&](const Track& track) { return !track.key.rank || !m_index.contains(*track.key.rank); });
    if (tracks.empty()) return {};
    RG_ASSIGN(const TimeRange range, newest(tracks));
    for (const Track& track : tracks) {
      if (m_stop.stop_requested()) return {Code::kCancelled, "cancelled"};
      RG_ASSIGN(const SpanColumns spans, m_reader.spans(track.id, range, m_stop));
      keep(spans, m_index[*track.key.rank]);
    }
    return {};
  }

  Result<std::size_t> countSpans(const std::vector<TrackId>& tracks, TimeRange range, TimeRange* extent = nullptr) {
    std::size_t spans = 0;
    RG_ASSIGN(const SpanPicture coarse, m_reader.spanPicture(tracks, range, kFromAfar, m_stop));
    for (const auto& lane : coarse.lanes)
      for (const SpanBar& bar : lane.bars) {
        spans += bar.count;
        if (extent == nullptr) continue;
        extent->t0 = std::min(extent->t0, bar.t0);
        if (bar.t1 != std::numeric_limits<TimeNs>::max()) extent->t1 = std::max(extent->t1, bar.t1);
      }
    return spans;
  }

  // The whole extent, or its newest part with few enough spans.
  Result<TimeRange> newest(const std::vector<Track>& tracks) {
    std::vector<TrackId> ids;
    for (const Track& track : tracks) ids.push_back(track.id);
    TimeRange extent{std::numeric_limits<TimeNs>::max(), std::numeric_limits<TimeNs>::min()};
    RG_ASSIGN(const std::size_t all, countSpans(ids, TimeRange{}, &extent));
    if (all <= kMaxWhatIfSpans || extent.t0 >= extent.t1) return TimeRange{};
    TimeRange range{extent.t0, std::numeric_limits<TimeNs>::max()};
    std::size_t in_range = all;
    for (int tries = 0; tries < 24 && in_range > kMaxWhatIfSpans; ++tries) {
      const double share = static_cast<double>(kMaxWhatIfSpans) / static_cast<double>(in_range);
      // In doubles: the ends may be at the limits of int64.
      const double length = static_cast<double>(extent.t1) - static_cast<double>(range.t0);
      const auto kept = static_cast<DurNs>(std::min(length * std::min(share, 0.9), kLongest));
      if (__builtin_sub_overflow(extent.t1, kept, &range.t0)) range.t0 = std::numeric_limits<TimeNs>::min();
      RG_ASSIGN(in_range, countSpans(ids, range));
    }
    m_out.coverage.spans_left_out = all - std::min(in_range, all);
    return range;
  }

  void keep(const SpanColumns& spans, std::uint32_t rank) {
    std::vector<StepOps> ops;
    for (const std::string& name : spans.names) ops.push_back(stepOpsOf(name));
    m_out.coverage.spans_read += spans.size();
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const StepOps& what = ops[spans.name[i]];
      if (what.count == 0 || spans.step.empty() || spans.step[i] == kAbsent) continue;
      if (spans.dur[i] == kAbsent) {
        ++m_out.coverage.open_spans;
        continue;
      }
      const std::int64_t batch = spans.microbatch.empty() || spans.microbatch[i] == kAbsent ? -1 : spans.microbatch[i];
      const std::int32_t chunk = spans.args.empty() ? -1 : modelChunkIn(spans.args[i]);
      ++m_out.coverage.spans_used;
      for (int k = 0; k < what.count; ++k)
        m_ops.add(rank, spans.step[i], what.ops[static_cast<std::size_t>(k)], chunk, batch, spans.start[i], spans.dur[i],
                  spans.id.empty() ? 0 : spans.id[i]);
    }
  }

  // A stalled step does not show which worker makes a normal step long.
  void leaveStalledOut() {
    std::map<std::int64_t, TimeRange> steps;
    for (std::size_t i = 0; i < m_ops.size(); ++i) {
      TimeNs end = 0;
      if (__builtin_add_overflow(m_ops.start[i], m_ops.dur[i], &end)) continue;
      const auto [at, added] = steps.try_emplace(m_ops.step[i], TimeRange{m_ops.start[i], end});
      if (!added) at->second = {std::min(at->second.t0, m_ops.start[i]), std::max(at->second.t1, end)};
    }
    std::map<std::int64_t, DurNs> length;
    std::vector<DurNs> lengths;
    for (const auto& [step, range] : steps) {
      DurNs own = 0;
      if (__builtin_sub_overflow(range.t1, range.t0, &own)) continue;
      length[step] = own, lengths.push_back(own);
    }
    const UsualLength usual = usualLength(std::move(lengths));
    std::erase_if(length, [&](const auto& one) { return !usual.isStalled(one.second); });
    if (length.empty()) return;
    StepOpColumns kept;
    for (std::size_t i = 0; i < m_ops.size(); ++i)
      if (!length.contains(m_ops.step[i]))
        kept.add(m_ops.rank[i], m_ops.step[i], m_ops.op[i], m_ops.chunk[i], m_ops.microbatch[i], m_ops.start[i], m_ops.dur[i],
                 m_ops.span_id[i]);
    m_ops = std::move(kept);
  }

  void answer() {
    leaveStalledOut();
    m_out.graph = std::make_shared<const StepGraph>(buildStepGraph(m_places, m_ops));
    m_ops = {};
    const StepGraph& graph = *m_out.graph;
    WhatIfCoverage& coverage = m_out.coverage;
    coverage.gaps = graph.gaps;
    coverage.steps = graph.steps.size();
    coverage.workers = graph.workers.size();
    for (const StepWorker& worker : graph.workers) coverage.ranks += worker.rank_count;
    if (graph.steps.empty()) {
      m_out.what_if.reason = whyNoStep(graph);
      return;
    }
    coverage.first_step = graph.steps.front().step, coverage.last_step = graph.steps.back().step;
    m_out.transfers_known = graph.has_transfers || graph.stages.size() == 1;
    m_out.replay = std::make_shared<const Replay>(m_out.graph);
    m_out.what_if = askWhatIf(*m_out.replay, m_stop);
  }

  std::string whyNoStep(const StepGraph& graph) const {
    if (graph.workers.empty()) {
      if (graph.gaps.replicas_left_out > 0) return "no replica has all of its pipeline stages recorded";
      return "no forward or backward pass was recorded";
    }
    std::string why = "none of the steps that were read is whole:";
    const auto add = [&](std::size_t count, const char* what) {
      if (count > 0) why += (why.back() == ':' ? " " : ", ") + std::to_string(count) + what;
    };
    add(graph.gaps.partial_steps, " with operations missing");
    add(graph.gaps.unmatched_steps, " whose sends, receives or micro-batches do not match");
    add(graph.gaps.circular_steps, " whose operations wait for each other");
    if (m_out.coverage.open_spans > 0) why += "; " + std::to_string(m_out.coverage.open_spans) + " spans have not ended";
    return why;
  }

  Reader& m_reader;
  const std::stop_token m_stop;
  WhatIfData m_out;
  std::vector<StepRank> m_places;
  std::map<std::int32_t, std::uint32_t> m_index;  // index of a rank in m_places
  StepOpColumns m_ops;
};

}  // namespace

double WhatIfCoverage::ratio() const {
  const double of_workers = workers_expected && *workers_expected > 0
                                ? std::min(1.0, static_cast<double>(workers) / static_cast<double>(*workers_expected))
                                : 1.0;
  const std::size_t all = steps + gaps.left_out_steps();
  return all == 0 ? 0 : of_workers * static_cast<double>(steps) / static_cast<double>(all);
}

std::optional<double> WhatIfData::wastedGpuHours() const {
  if (what_if.status != WhatIfStatus::kOk || gpus <= 0) return std::nullopt;
  const double ns = (what_if.t_ns - what_if.t_ideal_ns) * static_cast<double>(what_if.steps.size());
  return ns * gpus / (3600.0 * kNsPerSecond);
}

double WhatIfData::confidence() const {
  constexpr double kMax = 0.95, kStepsToBeSure = 20;
  if (what_if.status != WhatIfStatus::kOk) return 0;
  return std::min(kMax, static_cast<double>(what_if.steps.size()) / kStepsToBeSure) *
         (1 - what_if.sim_error_ratio / kMaxSimulationError / 2) * std::sqrt(coverage.ratio());
}

std::int32_t modelChunkIn(const std::string& args) {
  for (const std::string_view key : {"\"model_chunk\"", "\"model_chunk_id\"", "\"chunk\""}) {
    std::size_t at = args.find(key);
    if (at == std::string::npos) continue;
    at = args.find_first_not_of(" \t:", at + key.size());
    if (at == std::string::npos) return -1;
    std::int32_t chunk = -1;
    const auto parsed = std::from_chars(args.data() + at, args.data() + args.size(), chunk);
    return parsed.ec == std::errc() && chunk >= 0 ? chunk : -1;
  }
  return -1;
}

Result<WhatIfData> readWhatIf(Reader& reader, const Attempt& attempt, std::stop_token stop) {
  return WhatIfReader(reader, attempt, std::move(stop)).read();
}

Result<WhatIfData> readNewestWhatIf(Reader& reader, RunId run, std::stop_token stop) {
  RG_ASSIGN(const auto attempts, reader.attempts(run));
  if (attempts.empty()) return Status(Code::kNotFound, "run " + std::to_string(run.value) + " has no attempt");
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {
    RG_ASSIGN(const auto tracks, reader.tracks(attempt->id));
    if (!tracks.empty()) return readWhatIf(reader, *attempt, stop);
  }
  return readWhatIf(reader, attempts.back(), stop);
}

}  // namespace runglass
