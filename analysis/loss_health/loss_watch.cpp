// SPDX-License-Identifier: Apache-2.0
// Invariants: 1. A feed's AttemptLoss has received every point below feed.next, of repeated steps the newest. 2. feeds are read in reverse
// order of kRoles, the loss last, so that settings precede the losses that depend on them.
#include "analysis/loss_health/loss_watch.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>
#include <unordered_map>

#include "model/series_extent.h"

namespace runglass {
namespace {

constexpr std::int64_t kSlicePoints = 1 << 18;
constexpr std::size_t kLossAt = 0;
constexpr std::array kRoles = {Role::kLoss, Role::kGradNorm, Role::kLearningRate, Role::kBatchSize, Role::kEpoch, Role::kLossScale};
constexpr std::int64_t kLooksBetween = 16;
constexpr std::size_t kMaxByName = 16;        // metrics queried one by one
constexpr std::int64_t kReplayMost = 20'000;  // steps of two attempts that are compared

bool inSamples(const Series& series) { return series.key.labels.find("\"x\":\"samples\"") != std::string::npos; }

void feedPoint(AttemptLoss& health, Role role, std::int64_t step, double value) {
  switch (role) {
    case Role::kLoss:
      return health.loss(step, value);
    case Role::kGradNorm:
      return health.gradNorm(step, value);
    case Role::kLearningRate:
      return health.settings().learningRate(step, value);
    case Role::kBatchSize:
      return health.settings().batchSize(step, value);
    case Role::kEpoch:
      return health.settings().epoch(step, value);
    case Role::kLossScale:
      return health.lossScale(step, value);
    default:
      return;
  }
}

// The current stored series; nullopt: it no longer exists.
Result<std::optional<Series>> fresh(Reader& reader, const Series& known) {
  SeriesFilter filter;
  filter.run = known.run;
  filter.attempt = known.key.attempt;
  filter.metric = known.key.metric;
  RG_ASSIGN(const auto all, reader.series(filter));
  for (const Series& one : all)
    if (one.id == known.id) return std::optional(one);
  return std::optional<Series>();
}

// The current stored versions of the unjudged series.
Result<std::vector<Series>> freshBeside(Reader& reader, RunId run, const WatchedAttempt& one) {
  SeriesFilter filter{.run = run, .attempt = one.attempt.id, .kind = SeriesKind::kScalar};
  std::set<std::string> metrics;
  for (const FiniteFeed& feed : one.beside) metrics.insert(feed.series.key.metric);
  if (metrics.size() > kMaxByName) return reader.series(filter);
  std::vector<Series> all;
  for (const std::string& metric : metrics) {
    filter.metric = metric;
    RG_ASSIGN(auto named, reader.series(filter));
    all.insert(all.end(), std::make_move_iterator(named.begin()), std::make_move_iterator(named.end()));
  }
  return all;
}

// In slices, so that a stop takes effect soon and two million points are never in memory at once. Calls `each` with step and value, of
// repeated steps the newest; returns the number of points.
template <class Each>
Result<std::int64_t> readPoints(Reader& reader, const Series& series, std::int64_t from, std::int64_t read, const std::stop_token& stop,
                                Each each) {
  const std::int64_t end = endOf(series), slices = (series.sample_count - read) / kSlicePoints + 1;
  std::int64_t count = 0;
  if (from >= end) return count;
  const std::uint64_t width = (static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(from)) / static_cast<std::uint64_t>(slices) + 1;
  while (from < end) {
    if (stop.stop_requested()) return Status(Code::kCancelled, "loss health: stopped");
    const std::uint64_t left = static_cast<std::uint64_t>(end) - static_cast<std::uint64_t>(from);
    const std::int64_t to = left <= width ? end : from + static_cast<std::int64_t>(width);
    RG_ASSIGN(const ScalarColumns points, reader.scalars(series.id, from, to, stop));
    for (std::size_t i = 0; i < points.size(); ++i)
      if (i + 1 == points.size() || points.step[i + 1] != points.step[i]) each(points.step[i], points.value[i]);
    count += static_cast<std::int64_t>(points.size());
    from = to;
  }
  return count;
}

Status readFinite(Reader& reader, FiniteFeed& feed, const Series& now, const std::stop_token& stop) {
  // Points before the end were added: the series is read again from its start.
  if (now.last_x < feed.next) feed = {.series = now};
  const std::int64_t from = feed.read == 0 ? now.first_x : feed.next, end = endOf(now);
  feed.series = now;
  RG_ASSIGN(const auto bins, reader.bins(now.id, Axis::kX, from, end, 1, stop));
  const bool finite = std::ranges::all_of(
      bins, [](const Bin& bin) { return bin.nan_count == 0 && (bin.count == 0 || (std::isfinite(bin.min) && std::isfinite(bin.max))); });
  if (finite && !feed.watch.isOpen()) {
    feed.watch.finite(from, now.sample_count - feed.read, feed.found);
  } else {
    RG_TRY(readPoints(reader, now, from, feed.read, stop, [&](std::int64_t step, double value) {
             if (std::isfinite(value))
               feed.watch.finite(step, 1, feed.found);
             else
               feed.watch.notFinite(step, value, std::numeric_limits<double>::quiet_NaN(), feed.found);
           }).status());
  }
  feed.next = end;
  feed.read = now.sample_count;
  return {};
}

}  // namespace

const Series* WatchedAttempt::series(Role role) const {
  for (const LossFeed& feed : feeds)
    if (feed.role == role && feed.series) return &*feed.series;
  return nullptr;
}

// Lists the attempt's series: the judged ones if `choose_feeds`, and the unjudged ones.
Status LossWatch::list(Reader& reader, WatchedAttempt& one, bool choose_feeds) {
  RG_ASSIGN(const auto all, reader.series({.run = m_run, .attempt = one.attempt.id, .kind = SeriesKind::kScalar}));
  if (choose_feeds) RG_TRY(choose(reader, one, all));
  std::vector<FiniteFeed> beside;
  for (const Series& series : all) {
    const bool judged = std::ranges::any_of(one.feeds, [&](const LossFeed& feed) { return feed.series && feed.series->id == series.id; });
    if (judged || series.sample_count == 0 || !isLossOrGradient(series.key.metric)) continue;
    const auto known = std::ranges::find(one.beside, series.id, [](const FiniteFeed& feed) { return feed.series.id; });
    beside.push_back(known != one.beside.end() ? std::move(*known) : FiniteFeed{.series = series});
  }
  one.beside = std::move(beside);
  return {};
}

// Chooses the series to judge. Repeated when the loss has twice the points: a gradient norm may be logged later, or a loss with a better
// known name.
Status LossWatch::choose(Reader& reader, WatchedAttempt& one, std::vector<Series> all) {
  const Series* loss = pickSeries(all, Role::kLoss);
  if (loss == nullptr) return {};
  const Series chosen = *loss;
  one.reinforcement = std::ranges::any_of(all, [](const Series& series) { return isReinforcement(series.key.metric); });
  const Series* known = one.series(Role::kLoss);
  if (known == nullptr || known->id != chosen.id) {
    one.health = AttemptLoss();
    for (LossFeed& feed : one.feeds) feed = {};
  }
  std::erase_if(all, [&](const Series& series) { return inSamples(series) != inSamples(chosen); });
  bool changed = false;
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    one.feeds[i].role = kRoles[i];
    const Series* found = i == kLossAt ? &chosen : pickSeries(all, kRoles[i]);
    if (found == nullptr || (one.feeds[i].series && one.feeds[i].series->id == found->id)) continue;
    changed = changed || one.feeds[kLossAt].read > 0;
    one.feeds[i].series = *found;
  }
  // A late series belongs before the losses that were judged without it.
  if (changed) {
    one.health = AttemptLoss();
    for (LossFeed& feed : one.feeds) feed.next = feed.read = 0;
  }
  one.counts_steps = !inSamples(chosen);
  one.picked_at = chosen.sample_count;
  RG_ASSIGN(const auto facts, reader.facts(one.attempt.id));
  one.health.setClip(clipValueOf(facts));
  return {};
}

Status LossWatch::readFeed(Reader& reader, LossFeed& feed, AttemptLoss& health, const std::stop_token& stop) {
  const Series& series = *feed.series;
  if (series.sample_count == 0) return {};
  RG_ASSIGN(const std::int64_t count, readPoints(reader, series, feed.read == 0 ? series.first_x : feed.next, feed.read, stop,
                                                 [&](std::int64_t step, double value) { feedPoint(health, feed.role, step, value); }));
  feed.read += count;
  feed.next = std::max(feed.next, endOf(series));
  return {};
}

Status LossWatch::readBeside(Reader& reader, WatchedAttempt& one, const std::stop_token& stop, bool& grew) {
  if (one.beside.empty()) return {};
  RG_ASSIGN(const auto all, freshBeside(reader, m_run, one));
  std::unordered_map<SeriesId, const Series*> by_id;
  for (const Series& series : all) by_id[series.id] = &series;
  for (FiniteFeed& feed : one.beside) {
    const auto now = by_id.find(feed.series.id);
    if (now == by_id.end() || now->second->sample_count == feed.read) continue;
    grew = true;
    RG_TRY(readFinite(reader, feed, *now->second, stop));
  }
  return {};
}

// Events in the log about skipped steps and values that are not finite.
Status LossWatch::readEvents(Reader& reader) {
  for (WatchedAttempt& one : m_attempts) one.skips.clear(), one.non_finites.clear();
  for (const bool skips : {true, false}) {
    RG_ASSIGN(const auto newest_first, reader.events({.range = {}, .run = m_run, .kind = skips ? "skipped_iteration" : "non_finite"}));
    for (auto event = newest_first.rbegin(); event != newest_first.rend(); ++event)
      for (WatchedAttempt& one : m_attempts)
        if (one.attempt.id == event->attempt) (skips ? one.skips : one.non_finites).push_back(*event);
  }
  return {};
}

Status LossWatch::readAttempt(Reader& reader, WatchedAttempt& one, const std::stop_token& stop, bool& grew) {
  const std::int64_t before = one.feeds[kLossAt].read;
  for (LossFeed& feed : one.feeds) {
    if (!feed.series) continue;
    RG_ASSIGN(auto now, fresh(reader, *feed.series));
    if (now) feed.series = std::move(now);
  }
  const Series* loss = one.series(Role::kLoss);
  // The catalogue of thousands of ranks is expensive to read: it is read at increasing intervals.
  const std::int64_t look = ++one.looks;
  const bool again = (look & (look - 1)) == 0 || look % kLooksBetween == 0;
  const bool choose_feeds = loss == nullptr || loss->sample_count >= 2 * one.picked_at;
  if (again || (loss != nullptr && choose_feeds)) RG_TRY(list(reader, one, choose_feeds));
  RG_TRY(readBeside(reader, one, stop, grew));
  loss = one.series(Role::kLoss);
  if (loss == nullptr) return {};
  const auto readAll = [&]() -> Status {
    for (std::size_t i = kRoles.size(); i-- > 0;)
      if (one.feeds[i].series) RG_TRY(readFeed(reader, one.feeds[i], one.health, stop));
    return {};
  };
  RG_TRY(readAll());
  const bool odd = std::ranges::any_of(one.feeds, [](const LossFeed& f) { return f.series && f.read != f.series->sample_count; });
  if (odd && loss->sample_count * 8 >= one.reread_at * 9) {  // points were added before the end
    one.reread_at = loss->sample_count;
    const auto clip = one.health.clipValue();
    one.health = AttemptLoss();
    one.health.setClip(clip);
    for (LossFeed& feed : one.feeds) feed.next = feed.read = 0;
    one.times.clear();
    RG_TRY(readAll());
    grew = true;
  }
  grew = grew || one.feeds[kLossAt].read != before;
  return {};
}

Status LossWatch::read(Reader& reader, RunId run, bool live, std::stop_token stop) {
  m_run = run;
  RG_ASSIGN(const auto attempts, reader.attempts(run));
  for (const Attempt& attempt : attempts) {
    auto known = std::ranges::find(m_attempts, attempt.id, [](const WatchedAttempt& one) { return one.attempt.id; });
    if (known == m_attempts.end()) known = m_attempts.insert(m_attempts.end(), WatchedAttempt{});
    known->attempt = attempt;
    known->newest = attempt.id == attempts.back().id;
  }
  std::ranges::sort(m_attempts, {}, [](const WatchedAttempt& one) { return one.attempt.number; });
  for (WatchedAttempt& one : m_attempts) {
    if (one.settled) continue;
    bool grew = false;
    RG_TRY(readAttempt(reader, one, stop, grew));
    one.settled = !one.newest && !grew;
  }
  RG_TRY(readEvents(reader));
  supersede();
  for (std::size_t i = 1; i < m_attempts.size(); ++i) RG_TRY(compare(reader, i, live, stop));
  return {};
}

void LossWatch::supersede() {
  for (std::size_t i = 0; i < m_attempts.size(); ++i) {
    const Series* own = m_attempts[i].series(Role::kLoss);
    m_attempts[i].superseded_from.reset();
    for (std::size_t later = i + 1; own != nullptr && later < m_attempts.size(); ++later) {
      const Series* other = m_attempts[later].series(Role::kLoss);
      if (other == nullptr || other->key.metric != own->key.metric || other->first_x > own->last_x) continue;
      auto& from = m_attempts[i].superseded_from;
      from = std::min(from.value_or(other->first_x), other->first_x);
    }
  }
}

// Only with an attempt from which this one resumed: it begins at earlier steps, and its loss has the same name.
Status LossWatch::compare(Reader& reader, std::size_t index, bool live, const std::stop_token& stop) {
  WatchedAttempt& one = m_attempts[index];
  const Series* own = one.series(Role::kLoss);
  if (own == nullptr || (one.compared && one.replayed)) return {};
  const WatchedAttempt* before = nullptr;
  for (std::size_t i = index; i-- > 0 && before == nullptr;) {
    const Series* other = m_attempts[i].series(Role::kLoss);
    if (other != nullptr && other->key.metric == own->key.metric && other->first_x < own->first_x) before = &m_attempts[i];
  }
  if (before == nullptr) return {};
  const Series& other = *before->series(Role::kLoss);
  if (!one.compared && one.health.firstLosses().size() == kLevelAfter) {
    one.compared = true;
    const std::int32_t was = before->attempt.layout.world, is = one.attempt.layout.world;
    if (was > 0 && is > 0 && was != is)
      one.health.settings().add(
          {.step = own->first_x, .what = "world_size", .from = static_cast<double>(was), .to = static_cast<double>(is)});
    // Twice the steps that 200 points need at its density: some may be missing.
    const double spacing =
        (static_cast<double>(other.last_x) - static_cast<double>(other.first_x) + 1) / static_cast<double>(other.sample_count);
    const auto reach = static_cast<std::int64_t>(std::min(2 * spacing * static_cast<double>(kLevelBefore), 1e18)) + 1;
    RG_ASSIGN(const auto points,
              reader.scalars(other.id, stepsBetween(other.first_x, own->first_x) <= reach ? other.first_x : own->first_x - reach,
                             own->first_x, stop));
    one.restart = compareLevels(points.value, one.health.firstLosses());
  }
  const bool complete = own->last_x >= other.last_x;
  if (one.replayed || (live && !complete) || other.last_x < own->first_x) return {};
  one.replayed = complete;
  return replay(reader, one, *before, stop);
}

Status LossWatch::replay(Reader& reader, WatchedAttempt& one, const WatchedAttempt& before, const std::stop_token& stop) {
  const Series &own = *one.series(Role::kLoss), &other = *before.series(Role::kLoss);
  const std::int64_t end =
      std::min({endOf(own), endOf(other), own.first_x > INT64_MAX - kReplayMost ? INT64_MAX : own.first_x + kReplayMost});
  RG_ASSIGN(const auto fresh_points, reader.scalars(own.id, own.first_x, end, stop));
  RG_ASSIGN(const auto old_points, reader.scalars(other.id, own.first_x, end, stop));
  one.replay = divergesFrom(fresh_points.step, fresh_points.value, old_points.step, old_points.value);
  return {};
}

Result<std::optional<TimeNs>> LossWatch::timeOf(Reader& reader, WatchedAttempt& attempt, std::int64_t step, const Series* clock) {
  if (clock == nullptr) clock = attempt.series(Role::kLoss);
  if (clock == nullptr || !clock->first_time) return std::optional<TimeNs>();
  const std::pair key(clock->id, step);
  if (const auto known = attempt.times.find(key); known != attempt.times.end()) return known->second;
  // A step may lack a loss where it has a gradient norm.
  constexpr std::int64_t kNear = 1'000;
  RG_ASSIGN(const auto points,
            reader.scalars(clock->id, step, step > INT64_MAX - kNear ? INT64_MAX : std::min(endOf(*clock), step + kNear)));
  std::optional<TimeNs> time;
  if (!points.time.empty()) time = points.time.front();
  attempt.times[key] = time;
  return time;
}

}  // namespace runglass
