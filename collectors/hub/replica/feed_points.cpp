// SPDX-License-Identifier: Apache-2.0
// Feed: series and tracks, and the points of replicated series.
// Invariants:
// 1. A series' position moves with its points; points of a series with unknown position at the target wait.
#include <algorithm>

#include "collectors/hub/replica/feed.h"
#include "model/recorder_fields.h"

namespace runglass {
namespace {

constexpr std::size_t kBlock = 8'192, kTracks = 1'024;

// Index of the first point that a target lacks, according to its count and last step: the first after that step, or 0 if the count differs.
std::size_t lacking(const ScalarColumns& all, std::int64_t count, std::int64_t last_step) {
  const auto behind = static_cast<std::size_t>(std::ranges::upper_bound(all.step, last_step) - all.step.begin());
  return static_cast<std::int64_t>(behind) == count ? behind : 0;
}

ScalarColumns block(const ScalarColumns& all, std::size_t from, std::size_t to) {
  const auto cut = [&](const auto& column) {
    using Column = std::remove_cvref_t<decltype(column)>;
    const auto at = [&](std::size_t i) { return column.begin() + static_cast<std::ptrdiff_t>(i); };
    return column.empty() ? Column() : Column(at(from), at(to));
  };
  return {cut(all.step), cut(all.time), cut(all.value)};
}

}  // namespace

Status Feed::loadSeries() {
  if (changed(StorePart::kSeries)) {
    RG_ASSIGN(const auto fresh, m_changes->series(m_last_series));
    for (const Series& one : fresh) {
      bool missing = false;
      SeriesKey key = translated(one.key, missing);
      if (missing) {
        m_reported_parts[static_cast<std::size_t>(StorePart::kSeries)] = ~m_parts[static_cast<std::size_t>(StorePart::kSeries)];
        break;
      }
      if (m_asked.size() >= kMaxAsked) {
        m_reported_parts[static_cast<std::size_t>(StorePart::kSeries)] = ~m_parts[static_cast<std::size_t>(StorePart::kSeries)];
        break;
      }
      m_last_series = one.id;
      if (m_series.size() <= one.id.value) m_series.resize(std::max(one.id.value + 1, m_series.size() * 2));
      SeriesState& state = m_series[one.id.value];
      state.over_time = key.kind != SeriesKind::kScalar;
      if (state.over_time) {
        m_others.push_back({.id = one.id, .key = std::move(key), .run = {}, .first_time = {}, .last_time = {}});
        continue;
      }
      state.target = m_target.series(key);
      m_names->pair(one.id, state.target);
      state.of_steps = key.metric.starts_with("step_");
      state.stage = SeriesState::kAsked;
      m_asked.emplace(state.target.value, one.id);
    }
  }
  std::vector<SeriesId> grown;
  RG_ASSIGN(m_growth, m_changes->grown(m_growth, grown));
  for (const SeriesId id : grown) {
    // A series whose row is not committed yet is sent from its beginning later.
    if (id.value < m_series.size() && m_series[id.value].stage == SeriesState::kReady && !m_series[id.value].over_time) queue(id);
  }
  return {};
}

// Series that are not replicated are named, so that they can be requested.
Result<bool> Feed::tellNames() {
  while (!m_others.empty()) {
    if (m_asked.size() >= kMaxAsked) return true;
    const SeriesId source = m_others.front().id;
    SeriesState& state = m_series[source.value];
    state.target = m_target.series(m_others.front().key);
    m_names->pair(source, state.target);
    state.stage = SeriesState::kAsked;
    m_asked.emplace(state.target.value, source);
    m_others.pop_front();
    if (m_full()) return true;  // checked after one item, so that each call makes progress
  }
  if (!changed(StorePart::kTracks) && !m_more_tracks) return false;
  RG_ASSIGN(const auto fresh, m_changes->tracks(m_last_track, kTracks));
  m_more_tracks = fresh.size() == kTracks;
  for (const Track& one : fresh) {
    bool missing = false;
    const TrackKey key = translated(one.key, missing);
    if (missing) {
      m_reported_parts[static_cast<std::size_t>(StorePart::kTracks)] = ~m_parts[static_cast<std::size_t>(StorePart::kTracks)];
      m_more_tracks = false;
      break;
    }
    m_names->pair(one.id, m_target.track(key));
    m_last_track = one.id;
  }
  return m_more_tracks;
}

void Feed::queue(SeriesId source) {
  SeriesState& state = m_series[source.value];
  if (std::exchange(state.queued, true)) return;
  (state.over_time ? m_blocks : state.of_steps ? m_steps : m_loss).push_back(source);
}

void Feed::answer(std::span<const Have> have, SeriesId through) {
  for (const Have& one : have) {
    const auto asked = m_asked.find(one.series.value);
    if (asked == m_asked.end()) continue;
    const SeriesId source = asked->second;
    m_asked.erase(asked);
    SeriesState& state = m_series[source.value];
    state.stage = SeriesState::kReady;
    state.summaries = one.summaries;
    state.rest = state.over_time;  // including the incomplete block: the series may never grow again
    if (!state.over_time && one.count > 0 && !place(source, one).ok()) m_whole.reset();
    queue(source);
  }
  std::erase_if(m_asked, [&](const auto& asked) {
    if (asked.first > through.value) return false;
    SeriesState& state = m_series[asked.second.value];
    state.stage = SeriesState::kReady;
    state.rest = state.over_time;
    queue(asked.second);
    return true;
  });
}

// Sets the position to continue from, or marks the series for a comparison of points.
Status Feed::place(SeriesId source, const Have& have) {
  SeriesState& state = m_series[source.value];
  state.have = {-1 - have.count, have.last_step};  // to be compared, unless the target has all points
  RG_ASSIGN(const PointPosition end, m_changes->end(source));
  if (end.main + end.late == have.count) state.have = end;
  return {};
}

Result<bool> Feed::tellPoints(std::deque<SeriesId>& queue) {
  do {
    if (m_whole) {
      RG_TRY(tellWhole());
      continue;
    }
    if (queue.empty()) return false;
    const SeriesId id = queue.front();
    SeriesState& state = m_series[id.value];
    NewPoints found{.unclear = true};
    if (state.have.main >= 0) {
      RG_ASSIGN(found, m_changes->points(id, state.have));
    }
    if (found.unclear) {
      RG_ASSIGN(WholeSeries whole, m_changes->whole(id));
      m_whole = Whole{id, std::move(whole), 0};
      m_whole->at = state.have.main < 0 ? lacking(m_whole->series.points, -1 - state.have.main, state.have.late) : 0;
    } else {
      for (const ScalarColumns& piece : found.pieces) m_target.scalars(state.target, piece.step, piece.time, piece.value);
      state.have = found.next;
    }
    if (found.more) continue;
    state.queued = false;
    queue.pop_front();
  } while (!m_full());
  return m_whole || !queue.empty();
}

// Sends one block; points with equal steps stay together.
Status Feed::tellWhole() {
  Whole& whole = *m_whole;
  const ScalarColumns& all = whole.series.points;
  std::size_t to = std::min(all.size(), whole.at + kBlock);
  while (to < all.size() && to > 0 && all.step[to] == all.step[to - 1]) ++to;
  SeriesState& state = m_series[whole.source.value];
  if (to > whole.at) {
    const ScalarColumns part = block(all, whole.at, to);
    m_target.complete(state.target, part.step.front(), part.step.back(), part);
  }
  whole.at = to;
  if (to < all.size()) return {};
  state.have = whole.series.next;
  m_whole.reset();
  return {};
}

// Queues the series that grew since the last look, and unchanged ones with samples that do not fill a block.
Status Feed::lookForSummaries(TimeNs now, DurNs monotonic) {
  if (monotonic < m_next_blocks || !m_blocks.empty()) return {};
  m_next_blocks = monotonic + m_options.summaries;
  m_blocks_begin = now;
  for (std::size_t id = 0; id < m_series.size(); ++id)
    if (m_series[id].over_time && m_series[id].stage == SeriesState::kReady && m_series[id].rest) queue(SeriesId{id});
  std::vector<SeriesId> grown;
  RG_ASSIGN(m_blocks_growth, m_changes->grown(m_blocks_growth, grown));
  for (const SeriesId id : grown) {
    if (id.value >= m_series.size() || !m_series[id.value].over_time || m_series[id.value].stage != SeriesState::kReady) continue;
    m_series[id.value].rest = false;  // still growing: the incomplete block will be completed
    queue(id);
  }
  return {};
}

Result<bool> Feed::tellSummaries() {
  while (!m_blocks.empty()) {
    const SeriesId id = m_blocks.front();
    SeriesState& state = m_series[id.value];
    RG_ASSIGN(NewSummaries found, m_changes->summaries(id, state.summaries, state.rest));
    if (found.reported) {
      m_target.summaries(state.target, *found.reported);
      state.summaries = found.reported->next;
    }
    state.rest = found.rest;
    state.queued = false;
    m_blocks.pop_front();
    if (m_full() || !spare()) return true;  // checked after one item, so that each call makes progress
  }
  if (m_blocks_begin) {
    m_mark.summarised = std::exchange(m_blocks_begin, std::nullopt);
    m_target.mark(m_mark);
  }
  return false;
}

}  // namespace runglass
