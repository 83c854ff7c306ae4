// SPDX-License-Identifier: Apache-2.0
// Ranks are read one at a time: its devices' spans and its threads' activities are held until its steps are tallied.
#include "analysis/gpu_idle/idle_spans.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <unordered_map>

#include "analysis/steps/attempt_steps.h"
#include "model/time_ranges.h"

namespace runglass {
namespace {

constexpr TimeNs kHighest = std::numeric_limits<TimeNs>::max();
constexpr DurNs kFromAfar = kHighest / 4;  // so wide a pixel that summaries suffice
constexpr DurNs kMargin = 200 * kNsPerMs;  // for launches and spans that overlap a step's edges
constexpr double kRounding = 1e-4;         // of a step: the precision of its stored length
constexpr std::int32_t kNoRank = -1;

bool isDeviceTrack(const Track& track) { return track.key.kind == "gpu_stream" || track.key.kind == "accel_queue"; }

// "GPU 0 stream 7" belongs to "GPU 0"; streams with other names belong to one device.
std::string deviceOf(const Track& track) {
  const std::size_t at = track.key.name.find(" stream ");
  return at == std::string::npos ? std::string() : track.key.name.substr(0, at);
}

std::optional<std::int64_t> numberIn(const std::string& args, std::string_view key) {
  const std::size_t at = args.find(key);
  if (at == std::string::npos) return std::nullopt;
  const char* const begin = args.data() + at + key.size();
  std::int64_t value = 0;
  if (std::from_chars(begin, args.data() + args.size(), value).ec != std::errc()) return std::nullopt;
  return value;
}

bool overlaps(TimeRange a, TimeRange b) { return a.t0 < b.t1 && b.t0 < a.t1; }

TimeRange extentOf(const std::vector<RankStep>& steps) {
  TimeRange range{kHighest, std::numeric_limits<TimeNs>::min()};
  for (const RankStep& step : steps) range = {std::min(range.t0, step.range.t0), std::max(range.t1, step.range.t1)};
  return range;
}

// The spans of one rank's tracks.
struct RankSpans {
  struct Kept {
    DeviceSpan span;
    std::int64_t correlation = kAbsent;
    std::uint32_t device = 0;
    bool exact = false;
  };
  struct Call {
    TimeNs begin;
    std::uint32_t track;
  };
  std::vector<std::string> devices;
  std::vector<Kept> device;
  std::vector<HostSpan> host;
  std::vector<bool> named;  // by host span: activity known from its name, not its category
  std::unordered_map<std::int64_t, Call> calls;
  bool has_calls = false;
  TimeRange extent{kHighest, std::numeric_limits<TimeNs>::min()};  // of all recorded spans

  void cover(TimeNs t0, TimeNs t1) { extent = {std::min(extent.t0, t0), std::max(extent.t1, t1 == kHighest ? t0 : t1)}; }
  std::uint32_t deviceIndex(const std::string& name) {
    const auto at = static_cast<std::size_t>(std::ranges::find(devices, name) - devices.begin());
    if (at == devices.size()) devices.push_back(name);
    return static_cast<std::uint32_t>(at);
  }
};

class IdleReader {
 public:
  IdleReader(Reader& reader, AttemptId attempt, const IdleScope& scope, const std::stop_token& stop)
      : m_reader(reader), m_attempt(attempt), m_scope(scope), m_stop(stop) {}

  Result<SpanIdle> read(RankSteps steps) {
    RG_ASSIGN(m_tracks, m_reader.tracks(m_attempt));
    std::map<std::int32_t, std::vector<std::uint32_t>> of_rank;
    std::set<std::int32_t> with_device;
    for (std::uint32_t t = 0; t < m_tracks.size(); ++t) {
      const std::int32_t rank = m_tracks[t].key.rank.value_or(kNoRank);
      of_rank[rank].push_back(t);
      if (isDeviceTrack(m_tracks[t])) with_device.insert(rank);
    }
    std::erase_if(of_rank, [&](const auto& entry) { return !with_device.contains(entry.first); });
    std::erase_if(steps, [&](const auto& entry) { return !with_device.contains(entry.first); });
    RG_TRY(keepWhatCanBeRead(of_rank, steps));
    for (const auto& [rank, tracks] : of_rank) {
      const auto own = steps.find(rank);
      if (own == steps.end() && !steps.empty()) continue;  // this rank's steps are unknown while those of other ranks are known
      RG_TRY(readRank(rank, tracks, own == steps.end() ? std::vector<RankStep>() : own->second));
    }
    return std::move(m_out);
  }

 private:
  TimeRange rangeOf(const std::vector<RankStep>& steps) const {
    if (!steps.empty()) return widened(extentOf(steps), kMargin);
    return m_scope.time ? widened(*m_scope.time, kMargin) : TimeRange{};
  }

  Result<std::size_t> count(const std::vector<std::uint32_t>& tracks, TimeRange range) {
    if (m_stop.stop_requested()) return Status(Code::kCancelled, "cancelled");
    std::vector<TrackId> ids;
    for (const std::uint32_t t : tracks) ids.push_back(m_tracks[t].id);
    RG_ASSIGN(const SpanPicture coarse, m_reader.spanPicture(ids, range, kFromAfar, m_stop));
    std::size_t spans = 0;
    for (const auto& lane : coarse.lanes)
      for (const SpanBar& bar : lane.bars) spans += bar.count;
    return spans;
  }

  // Drops older steps, then ranks, until the rest is within kMaxIdleSpans.
  Status keepWhatCanBeRead(std::map<std::int32_t, std::vector<std::uint32_t>>& of_rank, RankSteps& steps) {
    std::size_t spans = 0;
    std::map<std::int32_t, std::size_t> by_rank;
    for (const auto& [rank, tracks] : of_rank) {
      const auto own = steps.find(rank);
      if (own == steps.end() && !steps.empty()) continue;
      RG_ASSIGN(by_rank[rank], count(tracks, rangeOf(own == steps.end() ? std::vector<RankStep>() : own->second)));
      spans += by_rank[rank];
    }
    if (spans <= kMaxIdleSpans) return {};
    std::set<std::int64_t> all;
    for (const auto& [rank, own] : steps)
      for (const RankStep& step : own)
        if (step.step) all.insert(*step.step);
    if (all.size() > 1) {
      const std::size_t kept = std::max<std::size_t>(all.size() * kMaxIdleSpans / spans, 1);
      m_out.left_out = all.size() - kept;
      const std::int64_t first = *std::next(all.begin(), static_cast<std::ptrdiff_t>(m_out.left_out));
      for (auto& [rank, own] : steps) std::erase_if(own, [&](const RankStep& step) { return step.step && *step.step < first; });
      spans = spans * kept / all.size();
    }
    for (const auto& [rank, n] : by_rank) {
      if (spans <= kMaxIdleSpans || of_rank.size() <= 1) break;
      spans -= std::min(spans, std::max<std::size_t>(1, m_out.left_out > 0 ? n / all.size() : n));
      of_rank.erase(rank);
      steps.erase(rank);
      ++m_out.ranks_left_out;
    }
    return {};
  }

  Status readRank(std::int32_t rank, const std::vector<std::uint32_t>& tracks, std::vector<RankStep> steps) {
    RankSpans spans;
    for (const std::uint32_t t : tracks) {
      if (m_stop.stop_requested()) return {Code::kCancelled, "cancelled"};
      RG_ASSIGN(const SpanColumns columns, m_reader.spans(m_tracks[t].id, rangeOf(steps), m_stop));
      for (std::size_t i = 0; i < columns.size(); ++i) spans.cover(columns.start[i], endOf(columns, i));
      if (isDeviceTrack(m_tracks[t]))
        keepDevice(t, columns, spans);
      else
        keepHost(t, columns, spans);
    }
    if (spans.device.empty()) return {};
    for (std::uint32_t d = 0; d < spans.devices.size(); ++d) tallyDevice(rank, d, spans, steps);
    return {};
  }

  void keepDevice(std::uint32_t t, const SpanColumns& columns, RankSpans& out) {
    const std::uint32_t device = out.deviceIndex(deviceOf(m_tracks[t]));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns.category[i] > SpanCategory::kMemset) continue;
      RankSpans::Kept kept{.span = {.t0 = columns.start[i], .t1 = endOf(columns, i), .category = columns.category[i], .track = t},
                           .device = device};
      if (!columns.correlation.empty()) kept.correlation = columns.correlation[i];
      if (!columns.args.empty() && !columns.args[i].empty()) {
        if (const auto delay = numberIn(columns.args[i], "\"launch_delay_ns\":"); delay && *delay >= 0)
          if (__builtin_sub_overflow(kept.span.t0, *delay, &kept.span.launched)) kept.span.launched = kAbsent;
        kept.exact = columns.args[i].find("\"exact\":true") != std::string::npos;
      }
      out.device.push_back(kept);
    }
  }

  static TimeNs endOf(const SpanColumns& columns, std::size_t i) {
    TimeNs end = kHighest;
    if (columns.dur[i] == kAbsent || __builtin_add_overflow(columns.start[i], columns.dur[i], &end)) return kHighest;
    return end;
  }

  void keepHost(std::uint32_t t, const SpanColumns& columns, RankSpans& out) {
    // There are thousands of names but millions of spans: the activity is cached by name.
    std::vector<std::array<std::optional<HostActivity>, kSpanCategoryCount>> known(columns.names.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const SpanCategory category = columns.category[i];
      auto& activity = known[columns.name[i]][static_cast<std::size_t>(category)];
      if (!activity) activity = hostActivity(category, columns.names[columns.name[i]]);
      if (category == SpanCategory::kRuntime) {
        out.has_calls = true;
        if (!columns.correlation.empty() && columns.correlation[i] != kAbsent)
          out.calls.try_emplace(columns.correlation[i], RankSpans::Call{columns.start[i], t});
      }
      if (*activity == HostActivity::kNone) continue;
      out.host.push_back({.t0 = columns.start[i], .t1 = endOf(columns, i), .activity = *activity, .track = t});
      out.named.push_back(category != SpanCategory::kDataload && category != SpanCategory::kCheckpoint && category != SpanCategory::kGc);
    }
  }

  void tallyDevice(std::int32_t rank, std::uint32_t device, RankSpans& spans, std::vector<RankStep> steps) {
    std::vector<DeviceSpan> own;
    std::set<std::uint32_t> launchers;
    std::vector<TimeNs> exact;
    for (RankSpans::Kept& kept : spans.device) {
      if (kept.device != device) continue;
      if (const auto call = spans.calls.find(kept.correlation); kept.correlation != kAbsent && call != spans.calls.end()) {
        kept.span.launched = call->second.begin;
        launchers.insert(call->second.track);
      }
      if (kept.exact) exact.push_back(kept.span.t0);
      own.push_back(kept.span);
    }
    if (steps.empty()) steps.push_back({std::nullopt, workOf(own)});
    if (!spans.has_calls) keepExact(exact, steps);
    keepRecorded(own, spans.extent, steps);
    if (steps.empty() || own.empty()) {
      m_out.partial |= !own.empty();
      return;
    }
    std::vector<HostSpan> host;
    for (std::size_t i = 0; i < spans.host.size(); ++i) {
      // Named activities on threads that launch nothing (pinning memory, waiting for collectives) do not delay the device.
      if (spans.named[i] && !launchers.empty() && !launchers.contains(spans.host[i].track)) continue;
      host.push_back(spans.host[i]);
      m_out.seen[static_cast<std::size_t>(spans.host[i].activity)] = true;
    }
    tally(rank, own, host, steps);
  }

  TimeRange workOf(const std::vector<DeviceSpan>& own) const {
    TimeRange range{kHighest, std::numeric_limits<TimeNs>::min()};
    for (const DeviceSpan& span : own) range = {std::min(range.t0, span.t0), std::max(range.t1, span.t1 == kHighest ? span.t0 : span.t1)};
    if (m_scope.time) range = {std::max(range.t0, m_scope.time->t0), std::min(range.t1, m_scope.time->t1)};
    return range;
  }

  // Among the CUDA tracer's steps only exact ones include all work of the device.
  static void keepExact(std::vector<TimeNs>& exact, std::vector<RankStep>& steps) {
    std::ranges::sort(exact);
    std::erase_if(steps, [&](const RankStep& step) {
      const auto first = std::ranges::lower_bound(exact, step.range.t0);
      return first == exact.end() || *first >= step.range.t1;
    });
  }

  // A trace covers few of a run's steps, and those at its edges partly: unrecorded time is not idle time.
  static void keepRecorded(const std::vector<DeviceSpan>& own, TimeRange extent, std::vector<RankStep>& steps) {
    std::vector<TimeNs> begins;
    for (const DeviceSpan& span : own) begins.push_back(span.t0);
    std::ranges::sort(begins);
    std::erase_if(steps, [&](const RankStep& step) {
      if (step.range.t0 >= step.range.t1) return true;
      const auto first = std::ranges::lower_bound(begins, step.range.t0);
      const auto slack = static_cast<DurNs>(kRounding * (static_cast<double>(step.range.t1) - static_cast<double>(step.range.t0)));
      return step.range.t0 < extent.t0 - slack || step.range.t1 - slack > extent.t1 || first == begins.end() || *first >= step.range.t1;
    });
  }

  void tally(std::int32_t rank, const std::vector<DeviceSpan>& own, const std::vector<HostSpan>& host, const std::vector<RankStep>& steps) {
    std::vector<TimeRange> ranges;
    for (const RankStep& step : steps) ranges.push_back(step.range);
    const DeviceIdle idle = deviceIdle(own, host, ranges);
    const std::size_t unit = m_out.tally.units;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const StepIdle& of = idle.steps[s];
      if (of.window <= 0) continue;
      StepSample sample{.unit = unit,
                        .rank = rank == kNoRank ? std::nullopt : std::optional(rank),
                        .step = steps[s].step,
                        .window = static_cast<double>(of.window)};
      for (std::size_t c = 0; c < of.causes.size(); ++c) {
        const CauseTally& cause = of.causes[c];
        sample.ns[c] = static_cast<double>(cause.ns);
        CauseSum& sum = m_out.tally.causes[c];
        sum.stretches += cause.count;
        const auto length = static_cast<double>(cause.longest.t1 - cause.longest.t0);
        if (length <= sum.longest_ns) continue;
        sum.longest_ns = length, sum.longest = cause.longest, sum.rank = sample.rank, sum.track = m_tracks[cause.track].id;
      }
      m_out.tally.add(sample);
      m_out.tally.cover(steps[s].range);
      m_out.compute += static_cast<double>(of.compute), m_out.comm += static_cast<double>(of.comm);
      m_out.copy += static_cast<double>(of.copy), m_out.overlapped += static_cast<double>(of.overlapped_comm);
    }
    LaunchStats& launches = m_out.launches;
    launches.kernels += idle.kernels, launches.short_kernels += idle.short_kernels;
    m_kernel_ns += static_cast<double>(idle.kernel_ns), m_short_ns += static_cast<double>(idle.short_kernel_ns);
    launches.short_share = m_kernel_ns > 0 ? m_short_ns / m_kernel_ns : 0;
    if (idle.launches_known > m_most_launches) m_most_launches = idle.launches_known, launches.median_delay = idle.median_delay;
    launches.launches_known += idle.launches_known, launches.starved += idle.starved;
  }

  Reader& m_reader;
  const AttemptId m_attempt;
  const IdleScope& m_scope;
  const std::stop_token& m_stop;
  std::vector<Track> m_tracks;
  double m_kernel_ns = 0, m_short_ns = 0;
  std::size_t m_most_launches = 0;
  SpanIdle m_out;
};

}  // namespace

Result<RankSteps> readRankSteps(Reader& reader, AttemptId attempt, const IdleScope& scope, const std::stop_token& stop) {
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, attempt, {StepSeries::kTime, StepSeries::kPhase}));
  std::vector<Series> times = steps.of(StepSeries::kTime);
  times.insert(times.end(), steps.unranked().begin(), steps.unranked().end());
  constexpr std::int64_t kMaxStep = std::numeric_limits<std::int64_t>::max() - 1;
  std::int64_t last = std::numeric_limits<std::int64_t>::min() + kIdleSteps;
  for (const Series& series : times) last = std::max(last, std::min(series.last_x, kMaxStep));
  if (scope.last_step) last = std::clamp(*scope.last_step, std::numeric_limits<std::int64_t>::min() + kIdleSteps, kMaxStep);
  const bool wide = scope.time || scope.first_step;
  std::int64_t first = wide ? std::numeric_limits<std::int64_t>::min() : last - kIdleSteps + 1;
  if (scope.first_step) first = std::min(*scope.first_step, last);
  // The phases of the first rank that recorded them apply to all ranks.
  RG_ASSIGN(const StepPhases phases, StepPhases::read(reader, steps.of(StepSeries::kPhase), first, last + 1, stop));
  RankSteps out;
  for (const Series& series : times) {
    RG_ASSIGN(const auto points, reader.scalars(series.id, first, last + 1, stop));
    auto& own = out[series.key.rank.value_or(kNoRank)];
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto range = stepRange(points, i);
      const StepPhase phase = phases.at(points.step[i]);
      if (!range || !(points.value[i] > 0) || (phase != StepPhase::kSteady && phase != StepPhase::kCheckpoint)) continue;
      if (scope.time && !overlaps(*range, *scope.time)) continue;
      own.push_back({points.step[i], *range});
    }
    if (own.size() > static_cast<std::size_t>(kIdleSteps)) own.erase(own.begin(), own.end() - kIdleSteps);
  }
  std::erase_if(out, [](const auto& entry) { return entry.second.empty(); });
  return out;
}

Result<std::optional<TimeRange>> readDeviceExtent(Reader& reader, AttemptId attempt, const std::stop_token& stop) {
  RG_ASSIGN(const auto tracks, reader.tracks(attempt));
  std::vector<TrackId> ids;
  for (const Track& track : tracks)
    if (isDeviceTrack(track)) ids.push_back(track.id);
  std::optional<TimeRange> extent;
  if (ids.empty()) return extent;
  RG_ASSIGN(const SpanPicture coarse, reader.spanPicture(ids, {}, kFromAfar, stop));
  for (const auto& lane : coarse.lanes)
    for (const SpanBar& bar : lane.bars) {
      const TimeNs end = bar.t1 == kHighest ? bar.t0 : bar.t1;
      extent = extent ? TimeRange{std::min(extent->t0, bar.t0), std::max(extent->t1, end)} : TimeRange{bar.t0, end};
    }
  return extent;
}

Result<SpanIdle> readSpanIdle(Reader& reader, AttemptId attempt, const RankSteps& steps, const IdleScope& scope,
                              const std::stop_token& stop) {
  return IdleReader(reader, attempt, scope, stop).read(steps);
}

}  // namespace runglass
