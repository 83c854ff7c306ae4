// SPDX-License-Identifier: Apache-2.0
// Invariants: when a batch is passed on, its optional columns are empty or as long as its start column, and arguments are JSON objects.
#include "collectors/sources/client/span_gatherer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "collectors/sources/client/record_payload.h"
#include "model/pair_group.h"

namespace runglass {
namespace {
constexpr std::uint32_t kMaxArgs = 2048;  // a valid one has at most a quarter; a hostile ring's brackets must not exhaust the stack
constexpr std::size_t kMaxPairs = 4096;   // per rank
}  // namespace

SpanColumns& SpanGatherer::append(Recorder& out, const rgr_span& span, int category, int depth) {
  auto [track, fresh] = m_tracks.try_emplace(span.track);
  if (fresh) {
    const std::string_view text = m_names(span.track);
    const std::size_t cut = text.find('\x1f');
    const bool named = cut != std::string_view::npos;
    track->second = out.track({.attempt = m_attempt,
                               .rank = m_rank,
                               .kind = std::string(named ? text.substr(0, cut) : "thread"),
                               .name = std::string(named ? text.substr(cut + 1) : text)});
  }
  Pending& pending = m_pending[track->second];
  SpanColumns& columns = pending.columns;
  auto [name, new_name] = pending.names.try_emplace(span.name, static_cast<std::uint32_t>(columns.names.size()));
  if (new_name) columns.names.emplace_back(m_names(span.name));
  columns.start.push_back(m_clock(span.start));
  columns.dur.push_back(std::max<DurNs>(span.dur, 0));
  columns.name.push_back(name->second);
  columns.category.push_back(category < kSpanCategoryCount ? static_cast<SpanCategory>(category) : SpanCategory::kOther);
  columns.depth.push_back(depth);
  columns.step.push_back(span.step);
  columns.microbatch.push_back(span.microbatch == INT32_MIN ? kAbsent : span.microbatch);
  columns.group.push_back(span.group);
  if (const auto pair = pairOf(span.group); pair && m_pairs.size() < kMaxPairs && m_pairs.insert(span.group).second)
    out.group({.attempt = m_attempt, .id = span.group, .kind = "p2p", .name = pairName(*pair), .ranks = {pair->from, pair->to}});
  columns.seq.push_back(span.seq);
  columns.bytes.push_back(span.bytes);
  return columns;
}

void SpanGatherer::add(Recorder& out, const rgr_span& span, int category, int depth) { append(out, span, category, depth); }

bool SpanGatherer::addGpu(Recorder& out, std::string_view payload, int category, int depth) {
  const auto gpu = fixedPart<rgr_gpu_span>(payload);
  if (gpu.fixed_bytes < sizeof(gpu)) return false;
  SpanColumns& columns = append(out, gpu.span, category, depth);
  columns.correlation.resize(columns.size() - 1, kAbsent);
  columns.correlation.push_back(gpu.correlation);
  nlohmann::json args = nlohmann::json::parse(textAt(payload, gpu.fixed_bytes, std::min(gpu.args_bytes, kMaxArgs)), nullptr, false);
  if (!args.is_object()) args = nlohmann::json::object();
  if (gpu.launched != kAbsent && gpu.launched <= gpu.span.start)
    args["launch_delay_ns"] = static_cast<std::uint64_t>(gpu.span.start) - static_cast<std::uint64_t>(gpu.launched);
  columns.args.resize(columns.size() - 1);
  columns.args.push_back(args.empty() ? "" : args.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace));
  return true;
}

void SpanGatherer::owner(AttemptId attempt, std::int32_t rank) {
  m_attempt = attempt;
  m_rank = rank;
}

void SpanGatherer::handOver(Recorder& out) {
  for (auto& [track, pending] : m_pending) {
    SpanColumns& columns = pending.columns;
    if (!columns.correlation.empty()) columns.correlation.resize(columns.size(), kAbsent);
    if (!columns.args.empty()) columns.args.resize(columns.size());
    if (columns.size() > 0) out.spans(track, columns);
  }
  m_pending.clear();
}

}  // namespace runglass
