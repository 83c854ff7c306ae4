// SPDX-License-Identifier: Apache-2.0
// The tables of answers. One invalid row makes the whole table invalid.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "collectors/wire/answer_columns.h"
#include "collectors/wire/answer_message.h"
#include "collectors/wire/wrapping.h"
#include "model/spans.h"

namespace runglass {
namespace {

using Ints = std::vector<std::int64_t>;

Status damaged(const char* what) { return {Code::kDataLoss, std::string("answer: ") + what + ": not as a hub writes it"}; }

std::int64_t orAbsent(const auto& value) { return value ? static_cast<std::int64_t>(*value) : kAbsent; }
std::optional<std::int32_t> rankOf(std::int64_t value) {
  return value == kAbsent ? std::nullopt : std::optional(static_cast<std::int32_t>(value));
}
// True if each column was read.
bool all(std::initializer_list<bool> read) {
  return std::ranges::all_of(read, [](bool one) { return one; });
}
bool within(const Ints& values, std::int64_t end) {
  return std::ranges::all_of(values, [end](std::int64_t value) { return value >= 0 && value < end; });
}

// Positions of series in a question.
class Places {
 public:
  explicit Places(std::span<const SeriesId> asked) {
    for (std::size_t i = 0; i < asked.size(); ++i) m_places.try_emplace(asked[i].value, static_cast<std::int64_t>(i));
  }
  std::int64_t of(SeriesId id) const { return m_places.at(id.value); }

 private:
  std::unordered_map<std::uint64_t, std::int64_t> m_places;
};

class Dictionary {
 public:
  std::int64_t of(const std::string& text) {
    const auto [it, fresh] = m_index.try_emplace(text, static_cast<std::int64_t>(m_texts.size()));
    if (fresh) m_texts.push_back(text);
    return it->second;
  }
  const std::vector<std::string>& texts() const { return m_texts; }

 private:
  std::unordered_map<std::string, std::int64_t> m_index;
  std::vector<std::string> m_texts;
};

}  // namespace

v1::SampleTable messageOf(const std::vector<SampleColumns>& of_series) {
  v1::SampleTable table;
  SampleColumns all;
  for (const SampleColumns& one : of_series) {
    all.time.insert(all.time.end(), one.time.begin(), one.time.end());
    all.value.insert(all.value.end(), one.value.begin(), one.value.end());
  }
  table.set_rows(static_cast<std::uint32_t>(all.size()));
  table.set_time(packInts(all.time));
  table.set_value(packDoubles(all.value));
  table.set_series(static_cast<std::uint32_t>(of_series.size()));
  table.set_rows_of_series(intsOf(of_series, [](const SampleColumns& one) { return one.size(); }));
  if (std::ranges::any_of(of_series, [](const SampleColumns& one) { return one.summarised > 0; }))
    table.set_summarised(intsOf(of_series, [](const SampleColumns& one) { return one.summarised; }));
  return table;
}

Result<std::vector<SampleColumns>> samplesOf(const v1::SampleTable& table) {
  SampleColumns all;
  Ints rows;
  if (table.rows() > kMaxPoints || table.series() > kMaxPoints || !unpackInts(table.time(), table.rows(), all.time) ||
      !unpackDoubles(table.value(), table.rows(), all.value) || !unpackInts(table.rows_of_series(), table.series(), rows))
    return damaged("samples");
  std::vector<SampleColumns> of_series;
  std::int64_t at = 0;
  for (const std::int64_t some : rows) {
    if (some < 0 || some > static_cast<std::int64_t>(all.size()) - at) return damaged("samples");
    of_series.push_back(
        {.time = {all.time.begin() + at, all.time.begin() + at + some}, .value = {all.value.begin() + at, all.value.begin() + at + some}});
    at += some;
  }
  if (at != static_cast<std::int64_t>(all.size())) return damaged("samples");
  Ints summarised;
  if (!table.summarised().empty()) {
    if (!unpackInts(table.summarised(), of_series.size(), summarised)) return damaged("samples");
    for (std::size_t i = 0; i < of_series.size(); ++i) of_series[i].summarised = std::max<std::int64_t>(0, summarised[i]);
  }
  return of_series;
}

v1::BinTable messageOf(const std::vector<Bin>& bins) {
  v1::BinTable table;
  table.set_rows(static_cast<std::uint32_t>(bins.size()));
  table.set_x0(intsOf(bins, [](const Bin& bin) { return bin.x0; }));
  table.set_x1(intsOf(bins, [](const Bin& bin) { return bin.x1; }));
  table.set_first(doublesOf(bins, [](const Bin& bin) { return bin.first; }));
  table.set_last(doublesOf(bins, [](const Bin& bin) { return bin.last; }));
  table.set_min(doublesOf(bins, [](const Bin& bin) { return bin.min; }));
  table.set_max(doublesOf(bins, [](const Bin& bin) { return bin.max; }));
  table.set_sum(doublesOf(bins, [](const Bin& bin) { return bin.sum; }));
  table.set_count(intsOf(bins, [](const Bin& bin) { return bin.count; }));
  table.set_nan_count(intsOf(bins, [](const Bin& bin) { return bin.nan_count; }));
  return table;
}

Result<std::vector<Bin>> binsOf(const v1::BinTable& table) {
  const std::size_t rows = table.rows();
  Ints x0, x1, count, nan_count;
  std::vector<double> first, last, min, max, sum;
  if (rows > kMaxBins || !all({unpackInts(table.x0(), rows, x0), unpackInts(table.x1(), rows, x1), unpackInts(table.count(), rows, count),
                               unpackInts(table.nan_count(), rows, nan_count), unpackDoubles(table.first(), rows, first),
                               unpackDoubles(table.last(), rows, last), unpackDoubles(table.min(), rows, min),
                               unpackDoubles(table.max(), rows, max), unpackDoubles(table.sum(), rows, sum)}))
    return damaged("bins");
  std::vector<Bin> bins(rows);
  for (std::size_t i = 0; i < rows; ++i) bins[i] = {x0[i], x1[i], first[i], last[i], min[i], max[i], sum[i], count[i], nan_count[i]};
  return bins;
}

v1::LatestTable messageOf(const std::vector<LatestSample>& samples, std::span<const SeriesId> asked) {
  const Places places(asked);
  v1::LatestTable table;
  table.set_rows(static_cast<std::uint32_t>(samples.size()));
  table.set_at(intsOf(samples, [&](const LatestSample& one) { return places.of(one.series); }));
  table.set_x(intsOf(samples, [](const LatestSample& one) { return one.x; }));
  table.set_time_after_x(intsOf(samples, [](const LatestSample& one) { return one.time ? wire::difference(*one.time, one.x) : kAbsent; }));
  table.set_value(doublesOf(samples, [](const LatestSample& one) { return one.value; }));
  if (std::ranges::any_of(samples, [](const LatestSample& one) { return one.mean.has_value(); }))
    table.set_mean(doublesOf(samples, [](const LatestSample& one) { return one.mean.value_or(std::nan("")); }));
  return table;
}

Result<std::vector<LatestSample>> latestOf(const v1::LatestTable& table, std::span<const SeriesId> asked) {
  const std::size_t rows = table.rows();
  Ints at, x, time;
  std::vector<double> value;
  if (rows > asked.size() || !all({unpackInts(table.at(), rows, at), unpackInts(table.x(), rows, x),
                                   unpackInts(table.time_after_x(), rows, time), unpackDoubles(table.value(), rows, value)}))
    return damaged("newest samples");
  std::vector<double> mean(rows, std::nan(""));
  if (!within(at, static_cast<std::int64_t>(asked.size())) || (!table.mean().empty() && !unpackDoubles(table.mean(), rows, mean)))
    return damaged("newest samples");
  std::vector<LatestSample> samples(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    samples[i] = {.series = asked[static_cast<std::size_t>(at[i])], .x = x[i], .time = {}, .value = value[i]};
    if (time[i] != kAbsent) samples[i].time = wire::sum(x[i], time[i]);
    if (!std::isnan(mean[i])) samples[i].mean = mean[i];
  }
  return samples;
}

v1::ExtentTable extentsOf(const std::vector<Series>& series, std::span<const SeriesId> asked) {
  const Places places(asked);
  v1::ExtentTable table;
  table.set_rows(static_cast<std::uint32_t>(series.size()));
  table.set_at(intsOf(series, [&](const Series& one) { return places.of(one.id); }));
  table.set_count(intsOf(series, [](const Series& one) { return one.sample_count; }));
  table.set_first_x(intsOf(series, [](const Series& one) { return one.first_x; }));
  table.set_length_x(intsOf(series, [](const Series& one) { return wire::difference(one.last_x, one.first_x); }));
  table.set_first_time(intsOf(series, [](const Series& one) { return orAbsent(one.first_time); }));
  table.set_last_time(intsOf(series, [](const Series& one) { return orAbsent(one.last_time); }));
  return table;
}

Result<std::vector<Series>> extentsOf(const v1::ExtentTable& table, std::span<const SeriesId> asked) {
  const std::size_t rows = table.rows();
  Ints at, count, first_x, length, first_time, last_time;
  if (rows > asked.size() || !all({unpackInts(table.at(), rows, at), unpackInts(table.count(), rows, count),
                                   unpackInts(table.first_x(), rows, first_x), unpackInts(table.length_x(), rows, length),
                                   unpackInts(table.first_time(), rows, first_time), unpackInts(table.last_time(), rows, last_time)}))
    return damaged("extents");
  if (!within(at, static_cast<std::int64_t>(asked.size()))) return damaged("extents");
  std::vector<Series> series(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    series[i].id = asked[static_cast<std::size_t>(at[i])];
    series[i].sample_count = count[i];
    series[i].first_x = first_x[i];
    series[i].last_x = wire::sum(first_x[i], length[i]);
    series[i].first_time = unlessAbsent(first_time[i]);
    series[i].last_time = unlessAbsent(last_time[i]);
  }
  return series;
}

v1::SpanTable messageOf(const SpanColumns& spans) {
  v1::SpanTable table;
  table.set_rows(static_cast<std::uint32_t>(spans.size()));
  table.set_id(packInts(spans.id));
  table.set_start(packInts(spans.start));
  table.set_dur(packInts(spans.dur));
  table.set_name(intsOf(spans.name, [](std::uint32_t name) { return name; }));
  table.set_category(intsOf(spans.category, [](SpanCategory category) { return category; }));
  table.set_depth(intsOf(spans.depth, [](std::int32_t depth) { return depth; }));
  table.set_step(packInts(spans.step));
  table.set_microbatch(packInts(spans.microbatch));
  table.set_group(packInts(spans.group));
  table.set_seq(packInts(spans.seq));
  table.set_bytes(packInts(spans.bytes));
  table.set_correlation(packInts(spans.correlation));
  table.set_external_id(packInts(spans.external_id));
  *table.mutable_args() = packTexts(spans.args);
  *table.mutable_names() = packTexts(spans.names);
  return table;
}

v1::SpanTable messageOf(const StoredSpans& stored, Crossing& crossing) {
  v1::SpanTable table = messageOf(stored.spans);
  table.set_track(static_cast<std::uint32_t>(crossing.out(stored.track)));
  table.set_first(stored.first);
  table.set_end(stored.end);
  return table;
}

Result<SpanColumns> spansOf(const v1::SpanTable& table) {
  const std::size_t rows = table.rows();
  const auto optional = [rows](const std::string& bytes, Ints& column) {
    column.clear();
    return bytes.empty() || unpackInts(bytes, rows, column);
  };
  SpanColumns spans;
  Ints name, category, depth;
  if (rows > kMaxSpans ||
      !all({unpackInts(table.id(), rows, spans.id), unpackInts(table.start(), rows, spans.start), unpackInts(table.dur(), rows, spans.dur),
            unpackInts(table.name(), rows, name), unpackInts(table.category(), rows, category), optional(table.depth(), depth),
            optional(table.step(), spans.step), optional(table.microbatch(), spans.microbatch), optional(table.group(), spans.group),
            optional(table.seq(), spans.seq), optional(table.bytes(), spans.bytes), optional(table.correlation(), spans.correlation),
            optional(table.external_id(), spans.external_id), unpackTexts(table.args(), rows, spans.args),
            unpackTexts(table.names(), rows, spans.names)}))
    return damaged("spans");
  if (!within(name, static_cast<std::int64_t>(spans.names.size())) || !within(category, kSpanCategoryCount) ||
      (!spans.args.empty() && spans.args.size() != rows))
    return damaged("spans");
  spans.name.assign(name.begin(), name.end());
  for (const std::int64_t one : category) spans.category.push_back(static_cast<SpanCategory>(one));
  spans.depth.assign(depth.begin(), depth.end());
  return spans;
}

Result<StoredSpans> storedSpansOf(const v1::SpanTable& table, Crossing& crossing) {
  RG_ASSIGN(SpanColumns spans, spansOf(table));
  return StoredSpans{.track = crossing.in<TrackId>(table.track()), .first = table.first(), .end = table.end(), .spans = std::move(spans)};
}

v1::Picture messageOf(const SpanPicture& picture, Crossing& crossing) {
  v1::Picture message;
  const auto& lanes = picture.lanes;
  std::vector<SpanBar> bars;
  for (const auto& lane : lanes) bars.insert(bars.end(), lane.bars.begin(), lane.bars.end());
  message.set_lanes(static_cast<std::uint32_t>(lanes.size()));
  message.set_track(intsOf(lanes, [&](const auto& lane) { return crossing.out(lane.track); }));
  message.set_depth(intsOf(lanes, [](const auto& lane) { return lane.depth; }));
  message.set_overflow(intsOf(lanes, [](const auto& lane) { return lane.overflow; }));
  message.set_bars_of_lane(intsOf(lanes, [](const auto& lane) { return lane.bars.size(); }));
  message.set_bars(static_cast<std::uint32_t>(bars.size()));
  message.set_t0(intsOf(bars, [](const SpanBar& bar) { return bar.t0; }));
  message.set_t1(intsOf(bars, [](const SpanBar& bar) { return bar.t1; }));
  message.set_id(intsOf(bars, [](const SpanBar& bar) { return bar.id; }));
  message.set_name(intsOf(bars, [](const SpanBar& bar) { return bar.name == SpanBar::kNoName ? -1 : std::int64_t{bar.name}; }));
  message.set_count(intsOf(bars, [](const SpanBar& bar) { return bar.count; }));
  message.set_category(intsOf(bars, [](const SpanBar& bar) { return bar.category; }));
  Ints busy;
  for (std::size_t i = 0; i < kSpanClassCount; ++i)
    for (const SpanBar& bar : bars) busy.push_back(std::bit_cast<std::uint32_t>(bar.busy[i]));
  message.set_busy(packInts(busy));
  *message.mutable_names() = packTexts(picture.names);
  message.set_exact(picture.exact);
  return message;
}

Result<SpanPicture> pictureOf(const v1::Picture& message, Crossing& crossing) {
  const std::size_t lanes = message.lanes(), bars = message.bars();
  Ints track, depth, overflow, of_lane, t0, t1, id, name, count, category, busy;
  SpanPicture picture;
  picture.exact = message.exact();
  if (lanes > kMaxLanes || bars > kMaxBars ||
      !all({unpackInts(message.track(), lanes, track), unpackInts(message.depth(), lanes, depth),
            unpackInts(message.overflow(), lanes, overflow), unpackInts(message.bars_of_lane(), lanes, of_lane),
            unpackInts(message.t0(), bars, t0), unpackInts(message.t1(), bars, t1), unpackInts(message.id(), bars, id),
            unpackInts(message.name(), bars, name), unpackInts(message.count(), bars, count),
            unpackInts(message.category(), bars, category), unpackInts(message.busy(), bars * kSpanClassCount, busy),
            unpackTexts(message.names(), kMaxBars, picture.names)}))
    return damaged("picture of spans");
  const auto names = static_cast<std::int64_t>(picture.names.size());
  if (!within(category, kSpanCategoryCount) || !std::ranges::all_of(name, [names](std::int64_t one) { return one >= -1 && one < names; }))
    return damaged("picture of spans");
  std::size_t at = 0;
  for (std::size_t i = 0; i < lanes; ++i) {
    SpanPicture::Lane& lane = picture.lanes.emplace_back();
    lane.track = crossing.in<TrackId>(track[i]);
    lane.depth = static_cast<std::int32_t>(depth[i]);
    lane.overflow = static_cast<std::int32_t>(overflow[i]);
    if (of_lane[i] < 0 || static_cast<std::uint64_t>(of_lane[i]) > bars - at) return damaged("picture of spans");
    for (const std::size_t end = at + static_cast<std::size_t>(of_lane[i]); at < end; ++at) {
      SpanBar bar{.t0 = t0[at], .t1 = t1[at], .id = id[at], .name = name[at] < 0 ? SpanBar::kNoName : static_cast<std::uint32_t>(name[at])};
      bar.count = static_cast<std::uint32_t>(count[at]);
      bar.category = static_cast<SpanCategory>(category[at]);
      for (std::size_t c = 0; c < kSpanClassCount; ++c) bar.busy[c] = std::bit_cast<float>(static_cast<std::uint32_t>(busy[c * bars + at]));
      lane.bars.push_back(bar);
    }
  }
  if (at != bars) return damaged("picture of spans");
  return picture;
}

v1::LogTable messageOf(const std::vector<LogHit>& lines, Crossing& crossing) {
  v1::LogTable table;
  Dictionary streams;
  std::vector<std::string> texts;
  texts.reserve(lines.size());
  for (const LogHit& hit : lines) texts.push_back(hit.line.text);
  table.set_rows(static_cast<std::uint32_t>(lines.size()));
  table.set_key_time(intsOf(lines, [](const LogHit& hit) { return hit.key.time; }));
  table.set_id(intsOf(lines, [](const LogHit& hit) { return hit.key.id; }));
  table.set_time(intsOf(lines, [](const LogHit& hit) { return orAbsent(hit.line.time); }));
  table.set_attempt(intsOf(lines, [&](const LogHit& hit) { return crossing.out(hit.line.attempt); }));
  table.set_node(intsOf(lines, [&](const LogHit& hit) { return crossing.out(hit.line.node); }));
  table.set_rank(intsOf(lines, [](const LogHit& hit) { return orAbsent(hit.line.rank); }));
  table.set_stream(intsOf(lines, [&](const LogHit& hit) { return streams.of(hit.line.stream); }));
  table.set_severity(intsOf(lines, [](const LogHit& hit) { return hit.line.severity; }));
  *table.mutable_streams() = packTexts(streams.texts());
  *table.mutable_text() = packTexts(texts);
  return table;
}

Result<std::vector<LogHit>> linesOf(const v1::LogTable& table, Crossing& crossing) {
  const std::size_t rows = table.rows();
  Ints key_time, id, time, attempt, node, rank, stream, severity;
  std::vector<std::string> streams, text;
  if (rows > kMaxLines ||
      !all({unpackInts(table.key_time(), rows, key_time), unpackInts(table.id(), rows, id), unpackInts(table.time(), rows, time),
            unpackInts(table.attempt(), rows, attempt), unpackInts(table.node(), rows, node), unpackInts(table.rank(), rows, rank),
            unpackInts(table.stream(), rows, stream), unpackInts(table.severity(), rows, severity),
            unpackTexts(table.streams(), rows, streams), unpackTexts(table.text(), rows, text)}))
    return damaged("log lines");
  if (text.size() != rows || !within(stream, static_cast<std::int64_t>(streams.size())) || !within(severity, kSeverityCount))
    return damaged("log lines");
  std::vector<LogHit> lines(rows);
  for (std::size_t i = 0; i < rows; ++i)
    lines[i] = {.key = {key_time[i], id[i]},
                .line = {.time = unlessAbsent(time[i]),
                         .attempt = crossing.in<AttemptId>(attempt[i]),
                         .node = crossing.in<NodeId>(node[i]),
                         .rank = rankOf(rank[i]),
                         .stream = streams[static_cast<std::size_t>(stream[i])],
                         .severity = static_cast<Severity>(severity[i]),
                         .text = std::move(text[i])}};
  return lines;
}

v1::Density densityOf(const std::vector<SeverityCounts>& logs) {
  v1::Density message;
  Ints counts;
  for (const SeverityCounts& part : logs) counts.insert(counts.end(), part.begin(), part.end());
  message.set_parts(static_cast<std::uint32_t>(logs.size()));
  message.set_logs(packInts(counts));
  return message;
}

Result<std::vector<SeverityCounts>> densityOf(const v1::Density& message) {
  Ints counts;
  if (message.parts() > kMaxParts || !unpackInts(message.logs(), message.parts() * kSeverityCount, counts) ||
      !within(counts, std::int64_t{1} << 32))
    return damaged("density of log lines");
  std::vector<SeverityCounts> parts(message.parts());
  for (std::size_t i = 0; i < counts.size(); ++i) parts[i / kSeverityCount][i % kSeverityCount] = static_cast<std::uint32_t>(counts[i]);
  return parts;
}

v1::CaptureTable messageOf(const std::vector<Capture>& captures, Crossing& crossing) {
  v1::CaptureTable table;
  table.set_rows(static_cast<std::uint32_t>(captures.size()));
  table.set_id(intsOf(captures, [](const Capture& one) { return one.id; }));
  table.set_time(intsOf(captures, [](const Capture& one) { return one.time; }));
  table.set_attempt(intsOf(captures, [&](const Capture& one) { return crossing.out(one.attempt); }));
  table.set_node(intsOf(captures, [&](const Capture& one) { return crossing.out(one.node); }));
  table.set_rank(intsOf(captures, [](const Capture& one) { return orAbsent(one.rank); }));
  table.set_size(intsOf(captures, [](const Capture& one) { return one.bytes; }));
  table.set_truncated(intsOf(captures, [](const Capture& one) { return one.truncated_bytes; }));
  const auto texts = [&](std::string Capture::*text) {
    std::vector<std::string> column;
    for (const Capture& one : captures) column.push_back(one.*text);
    return packTexts(column);
  };
  *table.mutable_kind() = texts(&Capture::kind);
  *table.mutable_source() = texts(&Capture::source);
  *table.mutable_reason() = texts(&Capture::reason);
  *table.mutable_text() = texts(&Capture::text);
  return table;
}

Result<std::vector<Capture>> capturesOf(const v1::CaptureTable& table, Crossing& crossing) {
  const std::size_t rows = table.rows();
  Ints id, time, attempt, node, rank, size, truncated;
  std::vector<std::string> kind, source, reason, text;
  if (rows > kMaxCaptures ||
      !all({unpackInts(table.id(), rows, id), unpackInts(table.time(), rows, time), unpackInts(table.attempt(), rows, attempt),
            unpackInts(table.node(), rows, node), unpackInts(table.rank(), rows, rank), unpackInts(table.size(), rows, size),
            unpackInts(table.truncated(), rows, truncated), unpackTexts(table.kind(), rows, kind),
            unpackTexts(table.source(), rows, source), unpackTexts(table.reason(), rows, reason), unpackTexts(table.text(), rows, text)}))
    return damaged("captures");
  if (kind.size() != rows || source.size() != rows || reason.size() != rows || text.size() != rows) return damaged("captures");
  std::vector<Capture> captures(rows);
  for (std::size_t i = 0; i < rows; ++i)
    captures[i] = {.id = id[i],
                   .time = time[i],
                   .attempt = crossing.in<AttemptId>(attempt[i]),
                   .node = crossing.in<NodeId>(node[i]),
                   .rank = rankOf(rank[i]),
                   .kind = std::move(kind[i]),
                   .source = std::move(source[i]),
                   .reason = std::move(reason[i]),
                   .text = std::move(text[i]),
                   .bytes = size[i],
                   .truncated_bytes = truncated[i]};
  return captures;
}

v1::Usage messageOf(const StoreUsage& usage) {
  v1::Usage message;
  message.set_sample_bytes(usage.sample_bytes);
  message.set_span_count(usage.span_count);
  message.set_span_bytes(usage.span_bytes);
  message.set_event_count(usage.event_count);
  message.set_log_count(usage.log_count);
  return message;
}

StoreUsage usageOf(const v1::Usage& message) {
  return {.sample_bytes = message.sample_bytes(),
          .span_count = message.span_count(),
          .span_bytes = message.span_bytes(),
          .event_count = message.event_count(),
          .log_count = message.log_count()};
}

}  // namespace runglass
