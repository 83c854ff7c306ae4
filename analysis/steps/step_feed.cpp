// SPDX-License-Identifier: Apache-2.0
// Invariants:
//  1. Every step is returned at most once, in increasing order; m_next is the first that was not.
//  2. Data about a step that arrives after the step was returned is in no frame: it stays in the store.
#include "analysis/steps/step_feed.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "analysis/layout/layout_reading.h"

namespace runglass {
namespace {

constexpr int kListEvery = 10;          // calls: new series are rare
constexpr std::size_t kVeryLate = 64;   // number of later steps after which missing ranks are no longer waited for
constexpr std::size_t kMinAhead = 2;    // ranks beyond a gap of a live run: a single one may have a wrong step number
constexpr std::size_t kHeardKept = 20;  // frames
constexpr std::size_t kLengthsKept = 200;
constexpr std::int64_t kMaxStep = std::numeric_limits<std::int64_t>::max() - (std::int64_t{1} << 40);
constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();

// If a step was recorded twice, the later value counts.
bool isSuperseded(const ScalarColumns& points, std::size_t i) { return i + 1 < points.size() && points.step[i + 1] == points.step[i]; }

// The waiting in data, collections and saves is part of their cost.
bool mayWaitForPeers(StepColumn column) { return column <= StepColumn::kTransfer; }

}  // namespace

std::size_t StepFeed::indexOf(std::int32_t rank) {
  const auto [at, added] = m_index.try_emplace(rank, m_ranks.size());
  if (added) m_ranks.push_back({.attempt = m_attempt, .rank = rank, .node = {}, .device = {}});
  return at->second;
}

Status StepFeed::list(Reader& reader) {
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, m_attempt,
                                                 {StepSeries::kTime, StepSeries::kPhase, StepSeries::kPart, StepSeries::kPartWait,
                                                  StepSeries::kRunDelay, StepSeries::kCpu}));
  const auto& durations = steps.of(StepSeries::kTime);
  std::vector<std::int32_t> timed;
  for (const Series& series : durations) timed.push_back(*series.key.rank);
  RG_ASSIGN(const auto ranks, placedRanks(reader, m_attempt, timed));
  for (const Rank& rank : ranks) m_ranks[indexOf(rank.rank)] = rank;
  m_durations.clear(), m_lasts.clear();
  for (const Series& series : durations) addDurations(series, indexOf(*series.key.rank), false);
  if (const Series* logged = steps.logged()) addDurations(*logged, 0, true);
  std::ranges::sort(m_lasts, std::greater());
  m_phases = steps.of(StepSeries::kPhase);
  RG_ASSIGN(m_own_work, readOwnWork(reader, m_attempt));
  listParts(steps);
  return {};
}

void StepFeed::addDurations(const Series& series, std::size_t rank, bool at_end) {
  m_lasts.push_back(series.last_x);
  m_durations.push_back({.id = series.id, .wait = {}, .rank = rank, .at_end = at_end});
  if (!m_span) m_span = Span{series.first_x, series.last_x};
  m_span->first = std::min(m_span->first, series.first_x), m_span->last = std::max(m_span->last, series.last_x);
}

void StepFeed::listParts(const AttemptSteps& steps) {
  m_parts.clear();
  for (const Series& series : steps.of(StepSeries::kPart)) {
    const auto meaning = stepColumnOf(partOf(series.key.labels));
    if (!meaning) continue;
    Column column{.id = series.id, .wait = {}, .rank = indexOf(*series.key.rank), .column = *meaning};
    if (const Series* wait = steps.waitOf(series)) column.wait = wait->id;
    m_parts.push_back(column);
  }
  for (const auto& [kind, column] : {std::pair{StepSeries::kRunDelay, StepColumn::kRunDelay}, {StepSeries::kCpu, StepColumn::kCpu}})
    for (const Series& series : steps.of(kind))
      m_parts.push_back({.id = series.id, .wait = {}, .rank = indexOf(*series.key.rank), .column = column});
}

Result<std::vector<StepFrame>> StepFeed::next(Reader& reader, bool ended, std::stop_token stop) {
  if (m_calls_since_list-- <= 0) {
    RG_TRY(list(reader));
    m_calls_since_list = kListEvery;
  }
  if (!m_span || m_durations.empty()) return std::vector<StepFrame>();
  if (!m_next) m_next = firstToRead();
  for (;;) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "steps: stopped");
    RG_ASSIGN(const bool is_new, anythingNew(reader, stop));
    std::vector<StepFrame> frames;
    if (is_new || *m_next <= m_span->last) {
      RG_ASSIGN(frames, read(reader, stop));
    }
    if (frames.empty()) {
      RG_ASSIGN(const bool more, skipGap(reader, ended, stop));
      if (!more) return frames;
      continue;
    }
    // A full window is followed by more steps: only its last steps may be incomplete.
    const std::size_t count = ended ? frames.size() : complete(frames);
    frames.resize(count);
    for (StepFrame& frame : frames) {
      m_heard.push_back(frame.ranks_heard);
      judge(frame);
    }
    if (m_heard.size() > kHeardKept) m_heard.erase(m_heard.begin(), m_heard.end() - static_cast<std::ptrdiff_t>(kHeardKept));
    if (!frames.empty()) m_next = frames.back().step + 1;
    return frames;
  }
}

void StepFeed::judge(StepFrame& frame) {
  const auto longest = frame.longest();
  frame.disturbed = m_own_work.covers(frame.step, frame.when);
  if (!longest || !frame.isSteady()) return;
  const auto length = static_cast<DurNs>(*longest);
  m_lengths.push_back(length);
  if (m_lengths.size() > kLengthsKept) m_lengths.pop_front();
  frame.stalled = usualLength({m_lengths.begin(), m_lengths.end()}).isStalled(length);
}

std::int64_t StepFeed::firstToRead() {
  const std::int64_t first = std::clamp(m_span->first, -kMaxStep, kMaxStep);
  if (!m_look_back) return first;
  const std::int64_t last = std::clamp(reachedBy(kMinAhead), -kMaxStep, kMaxStep);
  const std::int64_t from = std::max(last, *m_look_back - kMaxStep) - *m_look_back;
  if (from > first) m_started = from;
  return std::max(first, from);
}

Result<bool> StepFeed::anythingNew(Reader& reader, const std::stop_token& stop) const {
  // A few ranks represent all: it is unlikely that all of them failed.
  const std::size_t asked = std::min<std::size_t>(m_durations.size(), 3);
  for (std::size_t i = 0; i < asked; ++i) {
    const Column& column = m_durations[i * (m_durations.size() - 1) / std::max<std::size_t>(asked - 1, 1)];
    RG_ASSIGN(const auto points, reader.scalars(column.id, *m_next, *m_next + kFrames, stop));
    if (points.size() > 0) return true;
  }
  return false;
}

std::int64_t StepFeed::reachedBy(std::size_t ranks) const { return m_lasts[std::clamp<std::size_t>(ranks, 1, m_lasts.size()) - 1]; }

std::size_t StepFeed::expected() const { return m_heard.empty() ? m_durations.size() : *std::ranges::max_element(m_heard); }

Result<bool> StepFeed::skipGap(Reader& reader, bool ended, const std::stop_token& stop) {
  const std::int64_t from = *m_next + kFrames;
  const std::int64_t last = std::min(ended ? m_span->last : reachedBy(std::min(kMinAhead, expected())), kMaxStep);
  if (from > last) return false;
  std::int64_t nearest = last + 1;
  for (const Column& column : m_durations) {
    // Unsigned: the distance between the limits of int64 exceeds it.
    std::uint64_t width = kFrames;
    while (from < nearest) {
      const std::uint64_t left = static_cast<std::uint64_t>(nearest) - static_cast<std::uint64_t>(from);
      const std::int64_t to = width < left ? static_cast<std::int64_t>(static_cast<std::uint64_t>(from) + width) : nearest;
      RG_ASSIGN(const auto points, reader.scalars(column.id, from, to, stop));
      if (points.size() > 0) nearest = points.step.front();
      if (points.size() > 0 || width >= left) break;
      width = width < left / 2 ? width * 2 : left;
    }
    if (stop.stop_requested()) return Status(Code::kCancelled, "steps: stopped");
  }
  if (nearest > last) return false;
  m_next = nearest;
  return true;
}

Result<std::vector<StepFrame>> StepFeed::read(Reader& reader, const std::stop_token& stop) const {
  std::vector<StepFrame> frames(static_cast<std::size_t>(kFrames));
  for (std::size_t i = 0; i < frames.size(); ++i) {
    frames[i].step = *m_next + static_cast<std::int64_t>(i);
    frames[i].dur.assign(std::max<std::size_t>(m_ranks.size(), 1), kNothing);
  }
  RG_TRY(readDurations(reader, frames, stop));
  if (std::ranges::all_of(frames, [](const StepFrame& frame) { return frame.ranks_heard == 0; })) return std::vector<StepFrame>();
  RG_TRY(readPhases(reader, frames, stop));
  for (const Column& source : m_parts) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "steps: stopped");
    RG_TRY(readPart(reader, source, frames, stop));
  }
  std::erase_if(frames, [](const StepFrame& frame) { return frame.ranks_heard == 0; });
  return frames;
}

Status StepFeed::readDurations(Reader& reader, std::vector<StepFrame>& frames, const std::stop_token& stop) const {
  for (const Column& source : m_durations) {
    if (stop.stop_requested()) return {Code::kCancelled, "steps: stopped"};
    RG_ASSIGN(const auto points, reader.scalars(source.id, *m_next, *m_next + kFrames, stop));
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (!isStepDuration(points.value[i])) continue;
      StepFrame& frame = frames[static_cast<std::size_t>(points.step[i] - *m_next)];
      if (std::isnan(frame.dur[source.rank])) ++frame.ranks_heard;
      frame.dur[source.rank] = static_cast<float>(points.value[i]);
      auto range = stepRange(points, i);
      if (!range) continue;
      if (source.at_end) {
        const TimeNs end = range->t0;
        if (__builtin_sub_overflow(end, range->t1 - end, &range->t0)) continue;
        range->t1 = end;
      }
      frame.when = frame.when ? TimeRange{std::min(frame.when->t0, range->t0), std::max(frame.when->t1, range->t1)} : *range;
    }
  }
  return {};
}

// The phases of the lowest rank with phases apply to all ranks.
Status StepFeed::readPhases(Reader& reader, std::vector<StepFrame>& frames, const std::stop_token& stop) const {
  if (m_phases.empty()) return {};
  RG_ASSIGN(const StepPhases phases, StepPhases::read(reader, std::span(m_phases).first(1), *m_next, *m_next + kFrames, stop));
  for (StepFrame& frame : frames) frame.phase = phases.at(frame.step);
  return {};
}

Status StepFeed::readPart(Reader& reader, const Column& source, std::vector<StepFrame>& frames, const std::stop_token& stop) const {
  RG_ASSIGN(const auto points, reader.scalars(source.id, *m_next, *m_next + kFrames, stop));
  if (points.size() == 0) return {};
  const auto add = [&](StepColumn column, std::int64_t step, double value) {
    StepFrame& frame = frames[static_cast<std::size_t>(step - *m_next)];
    auto& values = frame.columns[static_cast<std::size_t>(column)];
    if (values.empty()) values.assign(m_ranks.size(), kNothing);
    float& cell = values[source.rank];
    cell = (std::isnan(cell) ? 0 : cell) + static_cast<float>(value);
    frame.has_parts |= static_cast<std::size_t>(column) < kStepPartColumns;
  };
  const bool transfer = source.column == StepColumn::kTransfer;
  if (transfer && !source.wait) return {};
  ScalarColumns waits;
  if (source.wait && mayWaitForPeers(source.column)) {
    RG_ASSIGN(waits, reader.scalars(*source.wait, *m_next, *m_next + kFrames, stop));
  }
  for (std::size_t i = 0, w = 0; i < points.size(); ++i) {
    while (w < waits.size() && (waits.step[w] < points.step[i] || (waits.step[w] == points.step[i] && isSuperseded(waits, w)))) ++w;
    if (isSuperseded(points, i) || !isStepDuration(points.value[i])) continue;
    const bool known = w < waits.size() && waits.step[w] == points.step[i] && isStepDuration(waits.value[w]);
    if (transfer && !known) continue;
    const double wait = known ? waits.value[w] : 0;
    add(source.column, points.step[i], std::max(0.0, points.value[i] - wait));
    if (known) add(StepColumn::kWait, points.step[i], wait);
  }
  return {};
}

std::size_t StepFeed::complete(const std::vector<StepFrame>& frames) const {
  const std::size_t all = expected();
  const std::int64_t reached = reachedBy((all + 1) / 2);
  std::size_t count = 0, settled = 0;  // frames before `settled` are so far behind that missing ranks are no longer waited for
  const auto settle = [&](std::int64_t step) {
    while (settled < frames.size() && frames[settled].step + kLate <= step) ++settled;
  };
  settle(reached);
  for (const StepFrame& frame : frames)
    if (frame.ranks_heard * 2 >= all) settle(frame.step);
  if (frames.size() > kVeryLate) settled = std::max(settled, frames.size() - kVeryLate);
  for (; count < frames.size(); ++count)
    if (count >= settled && frames[count].ranks_heard < all) break;
  return count;
}

}  // namespace runglass
