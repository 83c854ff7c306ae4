// SPDX-License-Identifier: Apache-2.0
// AskingReader: series. Those of steps are in the replica, those over time at the source hub.
#include <algorithm>
#include <iterator>

#include "collectors/hub/replica/asking_reader.h"
#include "collectors/hub/replica/followed_reader.h"
#include "model/mutex.h"

namespace runglass {
namespace {

constexpr DurNs kSettled = 30 * kNsPerSecond;         // this long before the last complete round, data counts as the past
constexpr DurNs kExtentsEvery = 2 * kNsPerSecond;     // and at most a twentieth of the connection's time
constexpr DurNs kUsageDeadline = 300 * kNsPerSecond;  // reads the hub's whole file

using Of = HubQuestions::Of;

}  // namespace

std::unique_ptr<Reader> followedReader(std::unique_ptr<Reader> mirror, std::shared_ptr<HubQuestions> hub) {
  return std::make_unique<AskingReader>(std::move(mirror), std::move(hub), false);
}

Status AskingReader::ask(const HubQuestions::Fill& fill, const HubQuestions::Take& take, const std::stop_token& stop, Of of,
                         DurNs deadline) {
  return m_hub->ask(
      [&](v1::Question& question, Crossing& crossing) -> Status {
        question.set_unaligned(m_unaligned);
        return fill(question, crossing);
      },
      take, stop, of, deadline);
}

Of AskingReader::ofRange(TimeNs end) const {
  const std::optional<TimeNs> complete = m_hub->complete();
  return complete && end <= *complete - kSettled ? Of::kPast : Of::kNow;
}

Status AskingReader::lacking(const Status& status, const std::string& what) {
  if (status.code() != Code::kUnavailable) return status;
  return {Code::kUnavailable, status.message() + "; the copy has no " + what};
}

Status AskingReader::lacking(const Status& status, SeriesId series, const std::string& what) {
  if (status.code() != Code::kUnavailable) return status;
  const Result<std::vector<Series>> all = inner().series({});
  if (!all.ok()) return lacking(status, what);
  const auto known = std::ranges::find(*all, series, &Series::id);
  return lacking(status, known == all->end() ? what : what + " of " + known->key.metric);
}

Result<std::unique_ptr<Reader>> AskingReader::unaligned() {
  RG_ASSIGN(std::unique_ptr<Reader> other, inner().unaligned());
  return std::unique_ptr<Reader>(std::make_unique<AskingReader>(std::move(other), m_hub, true));
}

Result<StoreUsage> AskingReader::usage(std::stop_token stop) {
  StoreUsage usage;
  const Status status = ask([](v1::Question& q, Crossing&) -> Status { return q.mutable_usage(), Status(); },
                            [&](const v1::Answer& answer, Crossing&) -> Status {
                              usage = usageOf(answer.usage());
                              return {};
                            },
                            stop, Of::kNow, kUsageDeadline);
  if (status.code() == Code::kUnavailable) return inner().usage(std::move(stop));
  RG_TRY(status);
  return usage;
}

void AskingReader::noteKinds(const std::vector<Series>& all) {
  for (const Series& one : all) {
    if (m_kinds.size() <= one.id.value) m_kinds.resize(one.id.value + 1, Kind::kUnknown);
    m_kinds[one.id.value] = isOverTime(one) ? Kind::kRemote : Kind::kHere;
  }
}

Result<bool> AskingReader::isRemote(SeriesId id) {
  if (kindOf(id) == Kind::kUnknown) {
    RG_ASSIGN(const std::vector<Series> all, inner().series({}));
    noteKinds(all);
  }
  return kindOf(id) == Kind::kRemote;
}

Result<std::vector<Series>> AskingReader::series(const SeriesFilter& filter) {
  RG_ASSIGN(std::vector<Series> all, inner().series(filter));
  noteKinds(all);
  if (std::ranges::none_of(all, isOverTime)) return all;
  refreshExtents();
  HubQuestions::Known& known = m_hub->known();
  const MutexLock lock(known.mutex);
  for (Series& one : all) {
    const auto extent = isOverTime(one) ? known.extents.find(one.id) : known.extents.end();
    if (extent == known.extents.end()) continue;
    const Series& has = extent->second;
    one.sample_count = has.sample_count;
    one.first_x = has.first_x, one.last_x = has.last_x;
    one.first_time = has.first_time, one.last_time = has.last_time;
  }
  return all;
}

void AskingReader::refreshExtents() {
  HubQuestions::Known& known = m_hub->known();
  const MutexLock refreshing(known.refreshing);
  std::vector<SeriesId> ids;
  for (std::size_t id = 0; id < m_kinds.size(); ++id)
    if (m_kinds[id] == Kind::kRemote) ids.push_back({id});
  const std::uint64_t generation = m_hub->generation();
  const DurNs now = monotonicNow();
  {
    const MutexLock lock(known.mutex);
    if (ids.size() <= known.asked && (known.generation == generation || now - known.refreshed < std::max(kExtentsEvery, 20 * known.took)))
      return;
  }
  Result<std::vector<Series>> extents = askExtents(ids, {});
  const MutexLock lock(known.mutex);
  known.refreshed = monotonicNow();
  known.took = known.refreshed - now;
  if (!extents.ok()) return;  // the previous extents stay
  known.asked = ids.size();
  known.generation = generation;
  for (Series& one : *extents) known.extents.insert_or_assign(one.id, std::move(one));
}

Result<std::vector<Series>> AskingReader::askExtents(std::span<const SeriesId> ids, const std::stop_token& stop) {
  std::vector<Series> extents;
  for (std::size_t at = 0; at < ids.size(); at += kMaxAsked) {
    const auto some = ids.subspan(at, std::min(kMaxAsked, ids.size() - at));
    std::vector<Series> found;
    RG_TRY(ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          setDeltas(question.mutable_extents()->mutable_series_delta(), some, crossing);
          return {};
        },
        [&](const v1::Answer& answer, Crossing&) -> Status {
          RG_ASSIGN(found, extentsOf(answer.extents(), some));
          return {};
        },
        stop, Of::kNow));
    std::ranges::move(found, std::back_inserter(extents));
  }
  return extents;
}

Result<Series> AskingReader::extentOf(SeriesId series, const std::stop_token& stop) {
  RG_ASSIGN(const std::vector<Series> found, askExtents({&series, 1}, stop));
  return found.empty() ? Series{.id = series} : found.front();
}

Result<SampleColumns> AskingReader::samples(SeriesId series, TimeRange range, std::stop_token stop) {
  RG_ASSIGN(const bool remote, isRemote(series));
  if (!remote) return inner().samples(series, range, std::move(stop));
  SampleColumns all;
  if (range.t0 >= range.t1) return all;
  Status status = askAhead(m_samples_ahead, {.x0 = range.t0, .x1 = range.t1}, series, all,
                           [&](std::span<const SeriesId> ids, auto& found) { return askSamples(ids, range, found, stop); });
  if (status.code() == Code::kOutOfRange) {
    // Limited to the series' extent, in halves.
    RG_ASSIGN(const Series extent, extentOf(series, stop));
    if (extent.sample_count == 0) return all;
    const TimeRange reached{std::max(range.t0, extent.first_x), std::min(range.t1, std::max(extent.last_x, extent.last_x + 1))};
    status = halved(reached, 0, [&](TimeRange part) -> Status {
      std::vector<SampleColumns> some;
      RG_TRY(askSamples({&series, 1}, part, some, stop));
      all.time.insert(all.time.end(), some[0].time.begin(), some[0].time.end());
      all.value.insert(all.value.end(), some[0].value.begin(), some[0].value.end());
      return {};
    });
  }
  if (status.code() == Code::kUnavailable) {
    Result<SampleColumns> copied = inner().samples(series, range, stop);
    if (copied.ok() && copied->size() + static_cast<std::size_t>(copied->summarised) > 0) return copied;
  }
  RG_TRY(lacking(status, series, "samples"));
  return all;
}

Status AskingReader::askSamples(std::span<const SeriesId> ids, TimeRange range, std::vector<SampleColumns>& found,
                                const std::stop_token& stop) {
  return ask(
      [&](v1::Question& question, Crossing& crossing) -> Status {
        v1::AskSamples& message = *question.mutable_samples();
        for (const SeriesId id : ids) message.add_series(static_cast<std::uint32_t>(crossing.out(id)));
        message.set_t0(range.t0), message.set_t1(range.t1);
        return {};
      },
      [&](const v1::Answer& answer, Crossing&) -> Status {
        RG_ASSIGN(found, samplesOf(answer.samples()));
        return found.size() == ids.size() ? Status() : Status(Code::kDataLoss, "answer: of other series than were asked for");
      },
      stop, ofRange(range.t1));
}

Result<std::vector<Bin>> AskingReader::bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t bins,
                                            std::stop_token stop) {
  RG_ASSIGN(const bool remote, isRemote(series));
  if (!remote || bins == 0 || x0 >= x1) return inner().bins(series, axis, x0, x1, bins, std::move(stop));
  std::vector<Bin> one;
  const Status status = askAhead(m_bins_ahead, {.axis = axis, .x0 = x0, .x1 = x1, .bins = bins}, series, one,
                                 [&](std::span<const SeriesId> ids, auto& found) {
                                   return askBins(ids, {.axis = axis, .x0 = x0, .x1 = x1, .bins = bins}, found, stop);
                                 });
  if (status.code() == Code::kUnavailable) {
    Result<std::vector<Bin>> copied = inner().bins(series, axis, x0, x1, bins, stop);
    if (copied.ok() && std::ranges::any_of(*copied, [](const Bin& bin) { return bin.count + bin.nan_count > 0; })) return copied;
  }
  RG_TRY(lacking(status, series, "samples"));
  return one;
}

Status AskingReader::askBins(std::span<const SeriesId> ids, const ReadAhead<std::vector<Bin>>::Stretch& stretch,
                             std::vector<std::vector<Bin>>& found, const std::stop_token& stop) {
  std::vector<Bin> all;
  RG_TRY(ask(
      [&](v1::Question& question, Crossing& crossing) -> Status {
        v1::AskBins& message = *question.mutable_bins();
        for (const SeriesId id : ids) message.add_series(static_cast<std::uint32_t>(crossing.out(id)));
        message.set_of_time(stretch.axis == Axis::kTime);
        message.set_x0(stretch.x0), message.set_x1(stretch.x1);
        message.set_bins(static_cast<std::uint32_t>(std::min(stretch.bins, kMaxBins + 1)));
        return {};
      },
      [&](const v1::Answer& answer, Crossing&) -> Status {
        RG_ASSIGN(all, binsOf(answer.bins()));
        return all.size() == ids.size() * stretch.bins ? Status() : Status(Code::kDataLoss, "answer: not as many bins as were asked for");
      },
      stop, ofRange(stretch.x1)));
  found.clear();
  for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(stretch.bins))
    found.emplace_back(at, at + static_cast<std::ptrdiff_t>(stretch.bins));
  return {};
}

Result<std::vector<LatestSample>> AskingReader::latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) {
  return newest(series, moment, stop);
}

Result<std::vector<LatestSample>> AskingReader::newest(std::span<const SeriesId> series, std::optional<TimeNs> moment,
                                                       const std::stop_token& stop) {
  std::vector<SeriesId> here, there;
  for (const SeriesId id : series) {
    RG_ASSIGN(const bool remote, isRemote(id));
    (remote ? there : here).push_back(id);
  }
  std::unordered_map<SeriesId, LatestSample> found;
  if (!here.empty()) {
    Result<std::vector<LatestSample>> local = moment ? inner().latestAt(here, *moment, stop) : inner().latest(here);
    RG_TRY(local.status());
    for (const LatestSample& one : *local) found.emplace(one.series, one);
  }
  if (!there.empty()) RG_TRY(askNewest(there, moment, stop, found));
  std::vector<LatestSample> all;
  for (const SeriesId id : series)
    if (const auto one = found.find(id); one != found.end()) all.push_back(one->second);
  return all;
}

Status AskingReader::askNewest(std::span<const SeriesId> ids, std::optional<TimeNs> moment, const std::stop_token& stop,
                               std::unordered_map<SeriesId, LatestSample>& found) {
  std::vector<LatestSample> newest;
  Status status;
  for (std::size_t at = 0; at < ids.size() && status.ok(); at += kMaxAsked) {
    const auto some = ids.subspan(at, std::min(kMaxAsked, ids.size() - at));
    std::vector<LatestSample> part;
    status = ask(
        [&](v1::Question& question, Crossing& crossing) -> Status {
          setDeltas(question.mutable_latest()->mutable_series_delta(), some, crossing);
          if (moment) question.mutable_latest()->set_moment(*moment);
          return {};
        },
        [&](const v1::Answer& answer, Crossing&) -> Status {
          RG_ASSIGN(part, latestOf(answer.latest(), some));
          return {};
        },
        stop, moment ? ofRange(*moment) : Of::kNow);
    newest.insert(newest.end(), part.begin(), part.end());
  }
  // Values from the summaries; each has its time.
  Result<std::vector<LatestSample>> copied = std::vector<LatestSample>();
  if (status.code() == Code::kUnavailable) copied = moment ? inner().latestAt(ids, *moment, stop) : inner().latest(ids);
  HubQuestions::Known& known = m_hub->known();
  const MutexLock lock(known.mutex);
  if (status.ok()) {
    for (const LatestSample& one : newest) {
      found.insert_or_assign(one.series, one);
      if (!moment && !m_unaligned) known.newest.insert_or_assign(one.series, one);
    }
    return {};
  }
  if (status.code() != Code::kUnavailable) return lacking(status, "samples of these series");
  bool any = false;
  const auto take = [&](const LatestSample& one) {
    const auto [known_one, fresh] = found.try_emplace(one.series, one);
    if (!fresh && known_one->second.x < one.x) known_one->second = one;
    any = true;
  };
  if (copied.ok()) std::ranges::for_each(*copied, take);
  for (const SeriesId id : ids)
    if (const auto one = known.newest.find(id); !moment && one != known.newest.end()) take(one->second);
  return any ? Status() : lacking(status, "samples of these series");
}

}  // namespace runglass
