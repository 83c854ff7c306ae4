// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. Points of a series keep their order: the table of whole numbers is written before the other, so a series with points in the other gets
//    none in the first until both are written.
// 2. A mark is written after everything that preceded it.
#include "collectors/wire/feed_encoder.h"

#include <bit>
#include <cmath>

#include "collectors/wire/judgement_message.h"
#include "collectors/wire/record_message.h"
#include "collectors/wire/wire_writer.h"
#include "collectors/wire/wrapping.h"
#include "storage/codec/pyramid.h"

namespace runglass {
namespace {

using Wire = v1::Payload;
constexpr std::size_t kPointBytes = 6, kProgressBytes = 16;  // estimate, in a table
constexpr std::size_t kNamesPack = 8;

// Differences to the previous value.
class Deltas {
 public:
  std::int64_t next(std::int64_t value) { return wire::difference(value, std::exchange(m_last, value)); }
  std::uint64_t nextOrAbsent(const std::optional<std::int64_t>& value) { return value ? wire::zigzag(next(*value)) + 1 : 0; }

 private:
  std::int64_t m_last = 0;
};

bool isWhole(double value) {
  constexpr double kMax = 9'007'199'254'740'992;  // 2^53
  if (!(std::abs(value) < kMax)) return false;
  return std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(value))) == std::bit_cast<std::uint64_t>(value);
}

class Texts {
 public:
  std::uint32_t of(const std::string& text, v1::ProgressTable& table) {
    const auto [it, fresh] = m_index.try_emplace(text, static_cast<std::uint32_t>(m_index.size()));
    if (fresh) table.add_texts(text);
    return it->second;
  }

 private:
  std::unordered_map<std::string, std::uint32_t> m_index;
};

}  // namespace

template <class Message>
void FeedEncoder::put(std::uint32_t field, const Message& message) {
  wire::appendTag(m_open, field, 2);
  wire::appendVarint(m_open, message.ByteSizeLong());
  message.AppendToString(&m_open);
}

std::size_t FeedEncoder::pendingBytes() const {
  // Names resemble each other and compress well.
  return m_open.size() + (m_dictionary.size() - m_definitions_taken) / kNamesPack + (m_whole.size() + m_other.size()) * kPointBytes +
         m_progress.size() * kProgressBytes;
}

std::string FeedEncoder::takeDefinitions() {
  std::string records = m_dictionary.recordsFrom(m_definitions_taken);
  m_definitions_taken += records.size();
  return records;
}

std::string FeedEncoder::takePayload() {
  putTables();
  return std::exchange(m_open, {});
}

NodeId FeedEncoder::node(const Node& node) {
  const NodeId id = m_dictionary.node(node);
  put(Wire::kNodeFieldNumber, messageOf(id, node));
  return id;
}
DeviceId FeedEncoder::device(const Device& device) {
  const DeviceId id = m_dictionary.device(device);
  put(Wire::kDeviceFieldNumber, messageOf(id, device));
  return id;
}
RunId FeedEncoder::run(const Run& run) {
  const RunId id = m_dictionary.run(run);
  put(Wire::kRunFieldNumber, messageOf(id, run));
  return id;
}
AttemptId FeedEncoder::attempt(const Attempt& attempt) {
  const AttemptId id = m_dictionary.attempt(attempt);
  put(Wire::kAttemptFieldNumber, messageOf(id, attempt));
  return id;
}
void FeedEncoder::rank(const Rank& rank) { put(Wire::kRankFieldNumber, messageOf(rank)); }
void FeedEncoder::fact(const Fact& fact) { put(Wire::kFactFieldNumber, messageOf(fact)); }
void FeedEncoder::checkpoint(const Checkpoint& checkpoint) { put(Wire::kCheckpointFieldNumber, messageOf(checkpoint)); }
void FeedEncoder::group(const CommGroup& group) { put(Wire::kGroupFieldNumber, messageOf(group)); }
void FeedEncoder::event(const Event& event) { put(Wire::kEventFieldNumber, messageOf(event)); }
void FeedEncoder::log(const LogLine& line) { put(Wire::kLogFieldNumber, messageOf(line)); }
void FeedEncoder::issue(const Issue& issue) { put(Wire::kIssueFieldNumber, messageOf(issue)); }
void FeedEncoder::total(const Issue& issue) { put(Wire::kIssueTotalFieldNumber, messageOf(issue)); }
void FeedEncoder::label(const Label& label) { put(Wire::kLabelFieldNumber, messageOf(label)); }
void FeedEncoder::clock(const ClockReading& reading) { put(Wire::kClockFieldNumber, messageOf(reading)); }
void FeedEncoder::judge(const Judgements& judgements) { put(Wire::kJudgementsFieldNumber, messageOf(judgements)); }

void FeedEncoder::mark(const MirrorMark& mark) {
  putTables();
  put(Wire::kMarkFieldNumber, messageOf(mark));
}

SeriesId FeedEncoder::series(const SeriesKey& key) {
  const SeriesId id = m_dictionary.series(key);
  m_series_defined = std::max(m_series_defined, wireId(id.value));
  if (m_kind.size() <= id.value) m_kind.resize(id.value + 1), m_other_in.resize(id.value + 1);
  const std::string kind = key.metric + '\n' + key.source + '\n' + key.labels + '\n' + key.unit;
  m_kind[id.value] = m_kinds.try_emplace(kind, static_cast<std::uint32_t>(m_kinds.size())).first->second;
  return id;
}

void FeedEncoder::scalars(SeriesId series, std::span<const std::int64_t> step, std::span<const TimeNs> time,
                          std::span<const double> value) {
  bool whole = true;
  for (const double one : value) whole = whole && isWhole(one);
  if (whole && m_other_in[series.value] == m_table) putTables();
  if (!whole) m_other_in[series.value] = m_table;
  std::vector<Point>& table = whole ? m_whole : m_other;
  for (std::size_t i = 0; i < step.size(); ++i)
    table.push_back({series, step[i], time.empty() ? std::nullopt : std::optional(time[i]), value[i]});
}

void FeedEncoder::putTables() {
  putProgress();
  putPoints(m_whole, true);
  putPoints(m_other, false);
  ++m_table;
}

void FeedEncoder::putProgress() {
  if (m_progress.empty()) return;
  v1::ProgressTable table;
  Deltas attempt, rank, time, step, microbatch, group, seq;
  Texts texts;
  for (const Progress& one : m_progress) {
    table.add_attempt_delta(attempt.next(static_cast<std::int64_t>(one.attempt.value)));
    table.add_rank_delta(rank.next(one.rank));
    table.add_time_delta_ns(time.next(one.time));
    table.add_step(step.nextOrAbsent(one.step));
    table.add_microbatch(microbatch.nextOrAbsent(one.microbatch));
    table.add_group(group.nextOrAbsent(one.group));
    table.add_seq(seq.nextOrAbsent(one.seq));
    table.add_phase(texts.of(one.phase, table));
    table.add_op(texts.of(one.op, table));
    table.add_since_before_ns(one.since ? wire::zigzag(wire::difference(one.time, *one.since)) + 1 : 0);
  }
  m_progress.clear();
  put(Wire::kProgressTableFieldNumber, table);
}

void FeedEncoder::putPoints(std::vector<Point>& points, bool whole) {
  if (points.empty()) return;
  v1::PointTable table;
  Deltas series, step, time;
  std::unordered_map<std::uint32_t, std::uint32_t> kinds;  // numbering within this table, for small numbers
  std::vector<Deltas> values;
  for (const Point& point : points) {
    table.add_series_delta(series.next(static_cast<std::int64_t>(point.series.value)));
    table.add_step_delta(step.next(point.step));
    table.add_time_ns(time.nextOrAbsent(point.time));
    const std::uint32_t kind = kinds.try_emplace(m_kind[point.series.value], static_cast<std::uint32_t>(kinds.size())).first->second;
    table.add_kind(kind);
    values.resize(kinds.size());
    if (whole)
      table.add_whole_delta(values[kind].next(static_cast<std::int64_t>(point.value)));
    else
      table.add_value(point.value);
  }
  points.clear();
  put(Wire::kPointTableFieldNumber, table);
}

void FeedEncoder::summaries(SeriesId series, const Summaries& summaries) {
  v1::SeriesSummary message;
  message.set_series(wireId(series.value));
  if (summaries.from) message.set_from(*summaries.from);
  for (std::size_t at = 0; at < summaries.blocks.size(); at += kMaxPyramidEntries) {
    Pyramid row;
    for (std::size_t i = at; i < std::min(summaries.blocks.size(), at + kMaxPyramidEntries); ++i) appendBlock(summaries.blocks[i], row);
    message.add_blocks(encodePyramid(row));
  }
  *message.mutable_next() = messageOf(summaries.next);
  put(Wire::kSummaryFieldNumber, message);
}

void FeedEncoder::complete(SeriesId series, std::int64_t step0, std::int64_t step1, const ScalarColumns& points) {
  putTables();  // the points that it is compared with come first
  v1::CompleteSeries message;
  message.set_series(wireId(series.value));
  message.set_step0(step0);
  message.set_step1(step1);
  Deltas step, time;
  for (std::size_t i = 0; i < points.size(); ++i) {
    message.add_step_delta(step.next(points.step[i]));
    const bool timed = !points.time.empty() && points.time[i] != kAbsent;
    message.add_time_ns(time.nextOrAbsent(timed ? std::optional(points.time[i]) : std::nullopt));
    message.add_value(points.value[i]);
  }
  put(Wire::kCompleteSeriesFieldNumber, message);
}

}  // namespace runglass
