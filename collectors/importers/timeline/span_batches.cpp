// SPDX-License-Identifier: Apache-2.0
#include "collectors/importers/timeline/span_batches.h"

#include <algorithm>

namespace runglass {

void SpanBatches::add(TrackId track, const LooseSpan& span, std::string_view name, std::string args) {
  Waiting& waiting = m_waiting[track];
  SpanColumns& columns = waiting.columns;
  const std::string& admitted = m_names.admit(name);
  m_renamed += admitted != name;
  const auto [known, fresh] = waiting.names.try_emplace(&admitted, static_cast<std::uint32_t>(columns.names.size()));
  if (fresh) {
    columns.names.push_back(admitted);
    m_bytes += admitted.size() + 64;
  }
  m_bytes += args.size() + sizeof(LooseSpan) + sizeof(std::string);
  columns.start.push_back(span.start);
  columns.dur.push_back(span.dur);
  columns.name.push_back(known->second);
  columns.category.push_back(span.category);
  columns.group.push_back(span.group);
  columns.seq.push_back(span.seq);
  columns.bytes.push_back(span.bytes);
  columns.correlation.push_back(span.correlation);
  columns.args.push_back(std::move(args));
  if (m_bytes > kMaxBytes) flush();
}

void SpanBatches::flush() {
  for (auto& [track, waiting] : m_waiting) {
    SpanColumns& columns = waiting.columns;
    for (auto* column : {&columns.group, &columns.seq, &columns.bytes, &columns.correlation})
      if (std::ranges::all_of(*column, [](std::int64_t value) { return value == kAbsent; })) column->clear();
    if (std::ranges::all_of(columns.args, [](const std::string& args) { return args.empty(); })) columns.args.clear();
    m_out.spans(track, columns);
  }
  m_waiting.clear();
  m_bytes = 0;
}

}  // namespace runglass
