// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/timeline/track_sorter.h"

#include <algorithm>
#include <limits>

namespace runglass {
namespace {

TimeNs endOf(const TraceSpan& span) { return span.dur == kAbsent ? std::numeric_limits<TimeNs>::max() : span.start + span.dur; }

// Profilers round times to microseconds: a span may end that much after the one that encloses it.
bool isWithin(TimeNs end, TimeNs enclosing) { return end <= enclosing || (enclosing >= 0 && end - enclosing <= kNsPerUs); }

// Where the enclosing span has ended, one that ends a rounding error later has ended too.
bool hasEnded(const std::vector<TimeNs>& open, TimeNs start) {
  return open.back() <= start || (open.size() > 1 && open[open.size() - 2] <= start);
}

}  // namespace

void TrackSorter::add(TrackId track, const TraceSpan& span, std::string_view name, std::string_view args) {
  auto known = m_known.find(name);
  if (known == m_known.end()) {
    known = m_known.emplace(name, static_cast<std::uint32_t>(m_dictionary.size())).first;
    const std::string& admitted = m_names.admit(name);
    m_dictionary.push_back({&admitted, admitted != name});
    m_bytes += name.size() + 96;
  }
  m_renamed += m_dictionary[known->second].renamed;
  if (m_spans.empty()) {  // unused capacity is never touched
    m_spans.reserve(kMaxBytes / 2 / sizeof(Waiting));
    m_args.reserve(kMaxBytes / 2);
  }
  Row& row = m_rows[track];
  ++row.waiting;
  m_args.append(args);
  m_spans.push_back({span, &row, known->second, m_args.size()});
  m_bytes += sizeof(Waiting) + args.size();
}

std::int64_t TrackSorter::stepAt(TimeNs time) const {
  auto step = m_steps.upper_bound(time);
  if (step == m_steps.begin()) return kAbsent;
  --step;
  return time < step->second.first ? step->second.second : kAbsent;
}

void TrackSorter::flush() {
  m_order.resize(m_spans.size());
  std::size_t begin = 0;
  for (auto& [track, row] : m_rows) {
    row.end = begin;
    begin += row.waiting;
  }
  for (std::size_t i = 0; i < m_spans.size(); ++i) m_order[m_spans[i].row->end++] = static_cast<std::uint32_t>(i);
  // Of two spans with the same start the longer one encloses the other.
  const auto comes_before = [&](std::uint32_t a, std::uint32_t b) {
    const TraceSpan &l = m_spans[a].span, &r = m_spans[b].span;
    return l.start != r.start ? l.start < r.start : endOf(l) > endOf(r);
  };
  for (auto& [track, row] : m_rows) {
    const std::span order = std::span(m_order).subspan(row.end - row.waiting, row.waiting);
    if (!std::ranges::is_sorted(order, comes_before)) std::ranges::stable_sort(order, comes_before);
    for (std::size_t from = 0; from < order.size(); from += kBatchSpans)
      recordBatch(track, row, order.subspan(from, std::min(kBatchSpans, order.size() - from)));
    row.waiting = 0;
  }
  m_spans.clear();
  m_args.clear();
  m_known.clear();
  m_dictionary.clear();
  m_bytes = 0;
}

void TrackSorter::recordBatch(TrackId track, Row& row, std::span<const std::uint32_t> order) {
  SpanColumns& columns = m_batch;
  const std::size_t n = order.size();
  const auto optional = [&](std::int64_t TraceSpan::*field, std::vector<std::int64_t>& column) {
    column.clear();
    if (std::ranges::any_of(order, [&](std::uint32_t i) { return m_spans[i].span.*field != kAbsent; }))
      for (const std::uint32_t i : order) column.push_back(m_spans[i].span.*field);
  };
  optional(&TraceSpan::correlation, columns.correlation);
  optional(&TraceSpan::external_id, columns.external_id);
  optional(&TraceSpan::bytes, columns.bytes);
  optional(&TraceSpan::sequence, columns.seq);
  optional(&TraceSpan::group, columns.group);
  optional(&TraceSpan::microbatch, columns.microbatch);
  const auto has_step = [&](std::uint32_t i) { return m_spans[i].span.step != kAbsent; };
  columns.step.resize(!m_steps.empty() || std::ranges::any_of(order, has_step) ? n : 0);
  columns.args.resize(std::ranges::any_of(order, [&](std::uint32_t i) { return !argsOf(i).empty(); }) ? n : 0);
  columns.start.resize(n);
  columns.dur.resize(n);
  columns.name.resize(n);
  columns.category.resize(n);
  columns.depth.resize(n);
  columns.names.clear();
  ++m_batches;
  for (std::size_t at = 0; at < n; ++at) {
    const Waiting& waiting = m_spans[order[at]];
    const TraceSpan& span = waiting.span;
    while (!row.open.empty() && hasEnded(row.open, span.start)) row.open.pop_back();
    columns.start[at] = span.start;
    columns.dur[at] = span.dur;
    columns.name[at] = nameInBatch(m_dictionary[waiting.name]);
    columns.category[at] = span.category;
    columns.depth[at] = static_cast<std::int32_t>(row.open.size());
    if (!columns.step.empty()) columns.step[at] = span.step != kAbsent ? span.step : stepAt(span.start);
    if (!columns.args.empty()) columns.args[at] = argsOf(order[at]);
    if (row.open.empty() || isWithin(endOf(span), row.open.back())) row.open.push_back(endOf(span));
  }
  m_out.spans(track, columns);
}

std::uint32_t TrackSorter::nameInBatch(Name& name) {
  if (name.batch != m_batches) {
    name.batch = m_batches;
    name.at = static_cast<std::uint32_t>(m_batch.names.size());
    m_batch.names.push_back(*name.text);
  }
  return name.at;
}

}  // namespace runglass
