// SPDX-License-Identifier: Apache-2.0
// Records that only a store sends to its replica: tables of progress and points, totals, judgements, marks. Columns of different lengths
// end the payload; a row with an undefined id is dropped.
#include <algorithm>
#include <type_traits>

#include "collectors/wire/judgement_message.h"
#include "collectors/wire/payload_guard.h"
#include "collectors/wire/payload_session.h"
#include "collectors/wire/wrapping.h"
#include "model/judgement_fields.h"
#include "storage/codec/pyramid.h"

namespace runglass {
namespace {

using Wire = v1::Payload;

// Decodes columns of differences.
class Sums {
 public:
  std::int64_t next(std::int64_t delta) { return m_last = wire::sum(m_last, delta); }
  std::optional<std::int64_t> nextOrAbsent(std::uint64_t coded) {
    return coded == 0 ? std::nullopt : std::optional(next(unzigzag(coded - 1)));
  }

 private:
  std::int64_t m_last = 0;
};

template <class Message>
bool parse(std::string_view bytes, Message& message) {
  // The parts of an edit are nested deepest. A column is one field of any length.
  constexpr std::size_t kMaxParts = 262'144;
  constexpr int kLevels = std::is_same_v<Message, v1::Judgements> ? 3 : 1;
  return fewParts(bytes, kMaxParts, kLevels) && message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

template <class... Field>
bool equalLength(int rows, const Field&... fields) {
  return ((fields.size() == rows) && ...);
}

// A Recorder accepts times for all points or for none.
void sayPoints(Recorder& out, SeriesId series, const ScalarColumns& points) {
  const auto timed = [&](std::size_t i) { return points.time[i] != kAbsent; };
  for (std::size_t from = 0, to = 0; from < points.size(); from = to) {
    while (to < points.size() && timed(to) == timed(from)) ++to;
    const std::size_t n = to - from;
    out.scalars(series, {points.step.data() + from, n}, timed(from) ? std::span(points.time.data() + from, n) : std::span<const TimeNs>(),
                {points.value.data() + from, n});
  }
}

}  // namespace

bool PayloadSession::progressTable(std::string_view bytes) {
  v1::ProgressTable table;
  if (!parse(bytes, table)) return false;
  const int rows = table.attempt_delta_size();
  if (!equalLength(rows, table.rank_delta(), table.time_delta_ns(), table.step(), table.microbatch(), table.group(), table.seq(),
                   table.phase(), table.op(), table.since_before_ns()))
    return false;
  Sums attempt, rank, time, step, microbatch, group, seq;
  const auto text = [&](std::uint32_t index) {
    return index < static_cast<std::uint32_t>(table.texts_size()) ? table.texts(static_cast<int>(index)) : std::string();
  };
  for (int i = 0; i < rows; ++i) {
    Progress one;
    one.attempt = look(attempts, static_cast<std::uint32_t>(attempt.next(table.attempt_delta(i))));
    one.rank = static_cast<std::int32_t>(rank.next(table.rank_delta(i)));
    one.time = time.next(table.time_delta_ns(i));
    one.step = step.nextOrAbsent(table.step(i));
    one.microbatch = microbatch.nextOrAbsent(table.microbatch(i));
    one.group = group.nextOrAbsent(table.group(i));
    one.seq = seq.nextOrAbsent(table.seq(i));
    one.phase = text(table.phase(i));
    one.op = text(table.op(i));
    if (const std::uint64_t before = table.since_before_ns(i); before != 0)
      one.since = static_cast<TimeNs>(static_cast<std::uint64_t>(one.time) - static_cast<std::uint64_t>(unzigzag(before - 1)));
    ++counts.records;
    if (one.attempt) out->progress(one);
  }
  return true;
}

bool PayloadSession::pointTable(std::string_view bytes) {
  v1::PointTable table;
  if (!parse(bytes, table)) return false;
  const int rows = table.series_delta_size();
  const bool whole = table.value_size() == 0;
  if (!equalLength(rows, table.step_delta(), table.time_ns(), table.kind()) ||
      (whole ? table.whole_delta_size() != rows : table.value_size() != rows))
    return false;
  std::vector<Sums> kinds;
  Sums series_sum, step, time;
  ScalarColumns run;
  SeriesId of;
  const auto hand = [&] {
    if (of) sayPoints(*out, of, run);
    run.step.clear(), run.time.clear(), run.value.clear();
  };
  for (int i = 0; i < rows; ++i) {
    const SeriesId id = look(series, static_cast<std::uint32_t>(series_sum.next(table.series_delta(i))));
    if (id != of) hand();
    of = id;
    const std::uint32_t kind = table.kind(i);
    if (kind > static_cast<std::uint32_t>(i)) return false;  // they are numbered in order of appearance
    if (kind >= kinds.size()) kinds.resize(kind + 1);
    run.step.push_back(step.next(table.step_delta(i)));
    run.time.push_back(time.nextOrAbsent(table.time_ns(i)).value_or(kAbsent));
    run.value.push_back(whole ? static_cast<double>(kinds[kind].next(table.whole_delta(i))) : table.value(i));
  }
  hand();
  counts.samples += rows;
  return true;
}

bool PayloadSession::completeSeries(std::string_view bytes) {
  v1::CompleteSeries message;
  if (!parse(bytes, message)) return false;
  const int rows = message.step_delta_size();
  if (!equalLength(rows, message.time_ns(), message.value())) return false;
  ScalarColumns points;
  Sums step, time;
  for (int i = 0; i < rows; ++i) {
    points.step.push_back(step.next(message.step_delta(i)));
    points.time.push_back(time.nextOrAbsent(message.time_ns(i)).value_or(kAbsent));
    points.value.push_back(message.value(i));
  }
  if (!std::ranges::is_sorted(points.step)) return false;
  counts.samples += rows;
  if (const SeriesId id = look(series, message.series())) mirror->complete(id, message.step0(), message.step1(), points);
  return true;
}

bool PayloadSession::summary(std::string_view bytes) {
  v1::SeriesSummary message;
  if (!parse(bytes, message)) return false;
  Summaries reported{.from = optionalOf(message.has_from(), message.from()), .blocks = {}, .next = positionOf(message.next())};
  Pyramid row;
  for (const std::string& blocks : message.blocks()) {
    row.clear();
    if (!decodePyramid(blocks, row)) return false;
    for (std::size_t i = 0; i < row.size(); ++i) reported.blocks.push_back(blockOf(row, i));
  }
  std::int64_t before = reported.from.value_or(std::numeric_limits<std::int64_t>::min());
  for (const Bin& block : reported.blocks) {
    if (block.x0 < before || block.count + block.nan_count > static_cast<std::int64_t>(kPyramidRadix)) return false;
    before = block.x0;
  }
  ++counts.records;
  if (const SeriesId id = look(series, message.series())) mirror->summaries(id, reported);
  return true;
}

bool PayloadSession::judgements(std::string_view bytes) {
  v1::Judgements message;
  if (!parse(bytes, message)) return false;
  std::int64_t unreadable = 0;
  Judgements all = judgementsOf(message, unreadable);
  const auto known = [this](auto id, FieldRole) { return this->look(this->idsOf(id), static_cast<std::uint32_t>(id.value)); };
  for (Finding& finding : all.findings) mapIds(finding, known);
  std::erase_if(all.findings, [](const Finding& finding) { return !finding.run; });
  for (Alert& alert : all.alerts) mapIds(alert, known);
  if (unreadable > 0) issue("mirror.refused", "notes, incidents or alignments that cannot be read", unreadable);
  ++counts.records;
  mirror->judge(all);
  return true;
}

bool PayloadSession::feedEntry(std::uint32_t field, std::string_view bytes) {
  if (mirror == nullptr) {
    issue("wire.not_an_agents", "field " + std::to_string(field));
    return true;
  }
  switch (field) {
    case Wire::kProgressTableFieldNumber:
      return progressTable(bytes);
    case Wire::kPointTableFieldNumber:
      return pointTable(bytes);
    case Wire::kCompleteSeriesFieldNumber:
      return completeSeries(bytes);
    case Wire::kSummaryFieldNumber:
      return summary(bytes);
    case Wire::kJudgementsFieldNumber:
      return judgements(bytes);
    case Wire::kIssueTotalFieldNumber: {
      v1::Issue wire;
      if (!parse(bytes, wire)) return false;
      mirror->total(recordOf(wire));
      return true;
    }
    default: {
      v1::Mark wire;
      if (!parse(bytes, wire)) return false;
      MirrorMark mark = markOf(wire);
      mark.from.clear();  // the hub's address as seen from here is unknown to it, and it must not choose the destination of edits
      mirror->mark(mark);
      return true;
    }
  }
}

}  // namespace runglass
