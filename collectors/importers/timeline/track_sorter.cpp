// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/timeline/track_sorter.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace runglass {
namespace {

TimeNs endOf(const TraceSpan& span) { return span.dur == kAbsent ? std::numeric_limits<TimeNs>::max() : span.start + span.dur; }

}  // namespace

void TrackSorter::add(TrackId track, const TraceSpan& span, std::string_view name, std::string_view args) {
  Waiting& waiting = m_tracks[track];
  auto known = waiting.known.find(name);
  const bool fresh = known == waiting.known.end();
  if (fresh) {
    known = waiting.known.emplace(name, static_cast<std::uint32_t>(waiting.dictionary.size())).first;
    const std::string& admitted = m_names.admit(name);
    waiting.dictionary.push_back({&admitted, admitted != name});
  }
  m_renamed += waiting.dictionary[known->second].renamed;
  waiting.args.append(args);
  waiting.spans.push_back({span, known->second, waiting.args.size()});
  m_bytes += sizeof(Waiting::Span) + args.size() + (fresh ? name.size() + 96 : 0);
}

std::int64_t TrackSorter::stepAt(TimeNs time) const {
  auto step = m_steps.upper_bound(time);
  if (step == m_steps.begin()) return kAbsent;
  --step;
  return time < step->second.first ? step->second.second : kAbsent;
}

void TrackSorter::record(TrackId track, Waiting& waiting) {
  const std::size_t n = waiting.spans.size();
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  // Of two that begin together the longer one encloses the other.
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const TraceSpan &l = waiting.spans[a].span, &r = waiting.spans[b].span;
    return l.start != r.start ? l.start < r.start : endOf(l) > endOf(r);
  });
  for (std::size_t from = 0; from < n; from += kBatchSpans)
    recordBatch(track, waiting, std::span(order).subspan(from, std::min(kBatchSpans, n - from)));
  std::vector<TimeNs> open = std::move(waiting.open);
  waiting = {};
  waiting.open = std::move(open);
}

void TrackSorter::recordBatch(TrackId track, Waiting& waiting, std::span<const std::uint32_t> order) {
  SpanColumns columns;
  const auto optional = [&](std::int64_t TraceSpan::*field, std::vector<std::int64_t>& column) {
    if (std::ranges::any_of(order, [&](std::uint32_t i) { return waiting.spans[i].span.*field != kAbsent; }))
      for (const std::uint32_t i : order) column.push_back(waiting.spans[i].span.*field);
  };
  optional(&TraceSpan::correlation, columns.correlation);
  optional(&TraceSpan::external_id, columns.external_id);
  optional(&TraceSpan::bytes, columns.bytes);
  optional(&TraceSpan::sequence, columns.seq);
  optional(&TraceSpan::group, columns.group);
  optional(&TraceSpan::microbatch, columns.microbatch);
  const auto has_args = [&](std::uint32_t i) { return !waiting.argsOf(i).empty(); };
  const bool has_steps =
      !m_steps.empty() || std::ranges::any_of(order, [&](std::uint32_t i) { return waiting.spans[i].span.step != kAbsent; });
  const bool any_args = std::ranges::any_of(order, has_args);
  std::unordered_map<std::uint32_t, std::uint32_t> names;  // of the track -> of the batch
  for (const std::uint32_t i : order) {
    const TraceSpan& span = waiting.spans[i].span;
    while (!waiting.open.empty() && waiting.open.back() <= span.start) waiting.open.pop_back();
    columns.start.push_back(span.start);
    columns.dur.push_back(span.dur);
    const auto [name, fresh] = names.try_emplace(waiting.spans[i].name, static_cast<std::uint32_t>(columns.names.size()));
    if (fresh) columns.names.push_back(*waiting.dictionary[name->first].text);
    columns.name.push_back(name->second);
    columns.category.push_back(span.category);
    columns.depth.push_back(static_cast<std::int32_t>(waiting.open.size()));
    if (has_steps) columns.step.push_back(span.step != kAbsent ? span.step : stepAt(span.start));
    if (any_args) columns.args.emplace_back(waiting.argsOf(i));
    if (waiting.open.empty() || endOf(span) <= waiting.open.back()) waiting.open.push_back(endOf(span));
  }
  m_out.spans(track, columns);
}

void TrackSorter::flush() {
  for (auto& [track, waiting] : m_tracks)
    if (!waiting.spans.empty()) record(track, waiting);
  m_bytes = 0;
}

}  // namespace runglass
