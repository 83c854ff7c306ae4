// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/timeline/timeline_data.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "analysis/collectives/bus_reading.h"
#include "analysis/collectives/communicating_tracks.h"
#include "analysis/incident/finding_place.h"
#include "analysis/layout/layout_reading.h"
#include "analysis/ranking/slow_verdict.h"
#include "analysis/run_summary/open_finding.h"
#include "analysis/run_summary/roles.h"
#include "analysis/views/finding_order.h"
#include "model/crc32c.h"
#include "model/metric_catalog.h"
#include "widgets/core/label_text.h"
#include "widgets/core/language.h"
#include "widgets/core/run_words.h"
#include "widgets/core/units.h"

namespace runglass {
namespace {

constexpr std::size_t kMaxBands = 4'000;
constexpr std::size_t kMaxStripPixels = 16'384;
constexpr std::size_t kProbedSpans = 4'000;          // of a rank, to determine whether its collectives record their sizes
constexpr std::size_t kMaxBandwidths = 4;            // lanes
constexpr std::size_t kMaxBandwidthSpans = 100'000;  // on screen, of all members

// By number, so that the newest is last; an attempt without a start does not end the previous one.
bool chooseAttempt(const std::vector<Attempt>& attempts, AttemptId wanted, std::optional<TimeNs> seen, TimelineCatalog& catalog) {
  if (attempts.empty()) return false;
  const auto named = std::ranges::find(attempts, wanted, &Attempt::id);
  catalog.attempt = named != attempts.end() ? *named : attempts.front();
  if (named != attempts.end()) return true;
  for (const Attempt& attempt : attempts) {
    if (seen && attempt.start && *attempt.start > *seen) {
      catalog.chosen_for.t1 = *attempt.start;
      break;
    }
    if (attempt.start && attempt.id != attempts.front().id) catalog.chosen_for.t0 = *attempt.start;
    catalog.attempt = attempt;
  }
  return true;
}

constexpr std::size_t kMaxRowsOfMetric = 4;
// The communicators of the rank whose calls record their sizes, by their newest calls.
Status findBandwidths(Reader& reader, TimelineCatalog& catalog, const TimelineRank& rank) {
  if (!rank.rank || !catalog.extent) return {};
  RG_ASSIGN(const auto tracks, communicatingTracks(reader, catalog.attempt.id, {*rank.rank}, *catalog.extent, {}));
  if (tracks.empty()) return {};
  std::set<std::int64_t> measured;
  const TimeRange newest = newestPart(tracks, *catalog.extent, kProbedSpans);
  for (const CommunicatingTrack& track : tracks) {
    RG_ASSIGN(const SpanColumns spans, reader.spans(track.track, newest, {}));
    for (const CollectiveCall& call : callsOf(*rank.rank, track.track, spans))
      if (call.group != kAbsent && call.bytes >= kMinBusBytes) measured.insert(call.group);
  }
  RG_ASSIGN(const auto groups, reader.groups(catalog.attempt.id));
  std::size_t shown = 0;
  for (const CommGroup& group : groups)
    if (measured.contains(group.id) && group.ranks.size() > 1 && shown++ < kMaxBandwidths)
      catalog.metrics.push_back(
          {.series = {},
           .title = TimelineText::tr("Bus bandwidth, %1").arg(screenText(group.kind.empty() ? group.name : group.kind, 40)),
           .unit = "bytes_per_s",
           .group = group.id});
  return {};
}

// One bin for each pixel in which collectives started.
Status readBandwidth(Reader& reader, const TimelineQuestion& question, std::int64_t group, RowPicture& made, const std::stop_token& stop) {
  RG_ASSIGN(const auto attempts, reader.attempts(question.run));
  const auto attempt = std::ranges::find(attempts, question.attempt, &Attempt::number);
  if (attempt == attempts.end()) return {};
  RG_ASSIGN(const auto groups, reader.groups(attempt->id));
  const auto known = std::ranges::find(groups, group, &CommGroup::id);
  if (known == groups.end()) return {};
  RG_ASSIGN(auto ranks, reader.ranks(attempt->id));
  std::erase_if(ranks, [&](const Rank& rank) { return std::ranges::find(known->ranks, rank.rank) == known->ranks.end(); });
  RG_ASSIGN(const auto tracks, communicatingTracks(reader, attempt->id, {known->ranks.begin(), known->ranks.end()}, question.range, stop));
  std::size_t spans = 0;
  for (const CommunicatingTrack& track : tracks) spans += track.spans;
  if (spans > kMaxBandwidthSpans) {
    made.note = TimelineText::tr("zoom in");
    return {};
  }
  RG_ASSIGN(const BusReading reading, readBus(reader, question.run, attempt->id, {{group, known->ranks}}, ranks, question.range, stop));
  const DurNs pixel = std::max<DurNs>(question.pixel, 1);
  for (const BusSample& sample : reading.bus.samples) {
    const double value = sample.bytes_per_s;
    if (made.bins.empty() || sample.t0 / pixel != made.bins.back().x0 / pixel)
      made.bins.push_back({.x0 = sample.t0, .x1 = sample.t0, .first = value, .last = value, .min = value, .max = value});
    Bin& bin = made.bins.back();
    bin.x1 = sample.t0, bin.last = value;
    bin.min = std::min(bin.min, value), bin.max = std::max(bin.max, value);
    bin.sum += value, ++bin.count;
  }
  return {};
}

// The metrics of a rank's device and node, below the run's loss.
Status findMetrics(Reader& reader, TimelineCatalog& catalog, std::optional<std::int32_t> rank) {
  SeriesFilter filter;
  filter.attempt = catalog.attempt.id;
  RG_ASSIGN(const auto of_run, reader.series(filter));
  if (const Series* loss = pickSeries(of_run, Role::kLoss); loss != nullptr && loss->first_time)
    catalog.metrics.push_back({loss->id, screenText(loss->key.metric, 60), loss->key.unit});
  if (!rank) rank = catalog.slowest;
  const auto chosen = std::ranges::find_if(catalog.ranks, [&](const TimelineRank& r) { return !rank || r.rank == rank; });
  if (chosen == catalog.ranks.end()) return {};
  const auto add = [&](const SeriesFilter& owner, const char* metric) -> Status {
    SeriesFilter wanted = owner;
    wanted.metric = metric;
    RG_ASSIGN(const auto found, reader.series(wanted));
    const MetricInfo* info = findMetric(metric);
    const QString title = info != nullptr ? termText(info->title) : QString::fromLatin1(metric);
    // An idle interface is not the node's traffic: each interface that carries traffic has its name, and a row.
    std::size_t added = 0;
    for (const Series& one : found) {
      if (one.sample_count == 0 || added == kMaxRowsOfMetric) continue;
      if (found.size() > 1) {
        RG_ASSIGN(const auto whole, reader.bins(one.id, Axis::kTime, one.first_x, one.last_x + 1, 1, {}));
        if (whole.empty() || !(whole.front().max > 0)) continue;
      }
      const QString name = found.size() > 1 ? labelText(one.key.labels) : QString();
      catalog.metrics.push_back({one.id, name.isEmpty() ? title : title + u' ' + name, one.key.unit});
      ++added;
    }
    return {};
  };
  RG_TRY(findBandwidths(reader, catalog, *chosen));
  if (chosen->place.device) {
    SeriesFilter device;
    device.device = chosen->place.device;
    for (const char* metric : {"sm_clock_hertz", "power_watts"}) RG_TRY(add(device, metric));
  }
  if (chosen->place.node) {
    SeriesFilter node;
    node.node = chosen->place.node;
    for (const char* metric : {"rdma_transmit_bytes_per_s", "net_transmit_bytes_per_s"}) RG_TRY(add(node, metric));
  }
  return {};
}

// Streams before queues before threads; equal kinds by the numbers in their names.
bool comesBefore(const Track& a, const Track& b) {
  const auto order = [](const TrackKey& key) {
    return key.kind == "gpu_stream" ? 0 : isDeviceTrack(key) ? 1 : key.kind == "thread" ? 3 : 2;
  };
  const int left = order(a.key), right = order(b.key);
  if (left != right) return left < right;
  const auto numbers = [](const std::string& text) {
    std::vector<std::int64_t> found;
    std::int64_t value = -1;
    for (const char c : text) {
      if (c >= '0' && c <= '9' && value < std::numeric_limits<std::int64_t>::max() / 10 - 10)
        value = std::max<std::int64_t>(value, 0) * 10 + (c - '0');
      else if (value >= 0)
        found.push_back(std::exchange(value, -1));
    }
    if (value >= 0) found.push_back(value);
    return found;
  };
  return std::pair(numbers(a.key.name), a.key.name) < std::pair(numbers(b.key.name), b.key.name);
}

Status readSteps(Reader& reader, const TimelineQuestion& question, TimelinePicture& out, const std::stop_token& stop) {
  if (!question.step_rank) return {};
  const std::string sql = "SELECT step, start_ns, dur_ns FROM step WHERE run_id = " + std::to_string(question.run.value) +
                          " AND attempt = " + std::to_string(question.attempt) + " AND rank = " + std::to_string(*question.step_rank);
  Reader::SqlSink sink;
  sink.columns = [](const std::vector<std::string>&) {};
  sink.row = [&](const std::vector<SqlValue>& row) {
    const auto *step = std::get_if<std::int64_t>(&row[0]), *start = std::get_if<std::int64_t>(&row[1]),
               *dur = std::get_if<std::int64_t>(&row[2]);
    if (step == nullptr || start == nullptr || dur == nullptr) return true;
    if (*start >= question.range.t1 || *start + *dur <= question.range.t0) return true;
    if (out.steps.size() == kMaxBands) {
      out.steps_too_many = true;
      return false;
    }
    out.steps.push_back({.step = *step, .t0 = *start, .t1 = *start + *dur});
    return true;
  };
  RG_TRY(reader.query(sql, sink, stop));
  if (out.steps_too_many) out.steps.clear();
  std::vector<double> lengths;
  for (const StepBand& band : out.steps) lengths.push_back(static_cast<double>(band.t1 - band.t0));
  const auto usual = median(lengths);
  for (StepBand& band : out.steps) band.slow = usual && static_cast<double>(band.t1 - band.t0) > 1.1 * *usual && lengths.size() > 2;
  return {};
}

// Findings of an attempt that has ended are open if they lasted to its end.
Status findFindingRanks(Reader& reader, TimelineCatalog& catalog) {
  RG_ASSIGN(std::vector<Finding> findings, reader.findings(catalog.run.id));
  sortByUrgency(findings);
  const TimeNs at = catalog.attempt.end.value_or(std::numeric_limits<TimeNs>::max());
  for (const Finding& finding : findings) {
    if (finding.severity < Severity::kWarning || finding.attempt != catalog.attempt.id || !isOpen(finding, at)) continue;
    const FindingPlace place = placeOf(finding, {});
    catalog.finding_ranks = place.ranks;
    for (const TimelineRank& rank : catalog.ranks)
      if (place.ranks.empty() && rank.rank && std::ranges::find(place.nodes, rank.place.node) != place.nodes.end())
        catalog.finding_ranks.push_back(*rank.rank);
    if (catalog.finding_ranks.empty()) continue;
    if (catalog.finding_ranks.size() > kMaxFindingRanks) catalog.finding_ranks.resize(kMaxFindingRanks);
    break;
  }
  return {};
}

}  // namespace

std::uint64_t TimelineCatalog::tracks() const {
  std::uint64_t count = 0;
  for (const TimelineRank& rank : ranks) count += rank.tracks.size();
  return count;
}

Result<TimelineCatalog> readTimelineCatalog(Reader& reader, RunId run, AttemptId attempt, std::optional<std::int32_t> rank,
                                            std::stop_token stop, std::optional<TimeNs> seen, SharedSlowVerdict* memory) {
  TimelineCatalog catalog;
  RG_ASSIGN(catalog.run, chooseRun(reader, run));
  RG_ASSIGN(const auto attempts, reader.attempts(catalog.run.id));
  catalog.attempts = attempts.size();
  if (!chooseAttempt(attempts, attempt, seen, catalog)) return catalog;
  RG_ASSIGN(const auto ranks, placedRanks(reader, catalog.attempt.id));
  RG_ASSIGN(const auto nodes, reader.nodes());
  RG_ASSIGN(const auto tracks, reader.tracks(catalog.attempt.id));
  std::map<std::int64_t, TimelineRank> found;  // -1: no rank
  for (const Track& track : tracks) {
    TimelineRank& rank = found[track.key.rank ? *track.key.rank : -1];
    rank.rank = track.key.rank;
    rank.tracks.push_back(track);
    rank.has_device |= isDeviceTrack(track.key);
  }
  for (const Rank& place : ranks) {
    // A rank without spans is a row as well: its absence may be the finding.
    TimelineRank& rank = found[place.rank];
    rank.rank = place.rank;
    rank.place = place;
    const auto node = std::ranges::find(nodes, place.node, &Node::id);
    if (node != nodes.end()) rank.node = screenText(node->name, 80);
  }
  for (auto& [number, rank] : found) {
    std::ranges::sort(rank.tracks, comesBefore);
    catalog.ranks.push_back(std::move(rank));
  }
  RG_ASSIGN(catalog.extent, reader.spanExtent(catalog.run.id));
  if (!catalog.extent && catalog.tracks() > 0) {
    RG_ASSIGN(const StoreInfo info, reader.info());
    if (info.mirror) catalog.spans_at = info.mirror->from;
  }
  std::map<NodeId, std::optional<DurNs>> errors;
  for (TimelineRank& rank : catalog.ranks) {
    if (!rank.place.node || !catalog.extent) continue;
    const auto [known, fresh] = errors.try_emplace(rank.place.node);
    if (fresh) {
      RG_ASSIGN(known->second, reader.clockError(rank.place.node, catalog.extent->t1));
    }
    rank.clock_error = known->second;
  }
  RG_ASSIGN(catalog.alignment, reader.alignment(catalog.attempt.id));
  if (catalog.alignment) {
    std::map<std::int32_t, DurNs> aligned;  // the last one of each rank
    for (const ClockShift& shift : catalog.alignment->shifts) aligned[shift.rank] = shift.error;
    for (TimelineRank& rank : catalog.ranks)
      if (const auto found = rank.rank ? aligned.find(*rank.rank) : aligned.end(); found != aligned.end()) rank.clock_error = found->second;
  }
  RG_ASSIGN(const SlowVerdict verdict, readSlowVerdict(memory, reader, catalog.run.id, catalog.attempt.id, ranks, stop));
  for (const std::int32_t slow : verdict.slow) catalog.slow[slow] = verdict.ranks.at(slow).slower;
  if (!verdict.slow.empty()) catalog.slowest = verdict.slow.front();
  RG_TRY(findFindingRanks(reader, catalog));
  RG_TRY(findMetrics(reader, catalog, rank));
  return catalog;
}

QString shortSpanName(std::string_view name) {
  QString text = screenText(name, 200);
  for (const char* prefix : {"void ", "at::native::", "(anonymous namespace)::", "anonymous namespace::", "at::cuda::", "c10d::",
                             "cutlass::", "at_cuda_detail::"})
    while (text.startsWith(QLatin1String(prefix))) text.remove(0, static_cast<qsizetype>(std::char_traits<char>::length(prefix)));
  return text;
}

namespace {

using Shares = std::vector<std::array<float, kSpanClassCount>>;

// Calls `take` for each pixel with the busy share of a lane, in order of pixels.
template <class Take>
void eachPixel(const SpanPicture::Lane& lane, TimeRange range, DurNs pixel, std::size_t pixels, Take take) {
  const auto width = static_cast<float>(pixel);
  for (const SpanBar& bar : lane.bars) {
    const TimeNs from = std::max(bar.t0, range.t0), to = std::min(bar.t1, range.t1);
    if (to <= from) continue;
    auto x = static_cast<std::size_t>((from - range.t0) / pixel);
    for (TimeNs left = from; left < to && x < pixels; ++x) {
      const TimeNs right = std::min<TimeNs>(to, range.t0 + static_cast<TimeNs>(x + 1) * pixel);
      take(x, static_cast<float>(right - left) / width, bar);
      left = right;
    }
  }
}

// On a device's queue the host class contains ranges drawn around kernels: they are no work.
void addQueue(const SpanPicture::Lane& lane, TimeRange range, DurNs pixel, Shares& busy) {
  eachPixel(lane, range, pixel, busy.size(), [&](std::size_t x, float share, const SpanBar& bar) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(SpanClass::kHost); ++c) busy[x][c] += share * bar.busy[c];
  });
}

// A thread's spans nest: the host's busy share of a class is that of the lane with the largest share. Ranges drawn around spans are no
// work.
void raiseToThread(const SpanPicture::Lane& lane, TimeRange range, DurNs pixel, Shares& busy) {
  std::array<float, kSpanClassCount> here{};
  std::size_t at = busy.size();
  const auto raise = [&] {
    for (std::size_t c = 0; at < busy.size() && c < here.size(); ++c) busy[at][c] = std::max(busy[at][c], here[c]);
  };
  eachPixel(lane, range, pixel, busy.size(), [&](std::size_t x, float share, const SpanBar& bar) {
    if (bar.category == SpanCategory::kAnnotation) return;
    if (x != at) raise(), here = {}, at = x;
    for (std::size_t c = 0; c < here.size(); ++c) here[c] += share * bar.busy[c];
  });
  raise();
}

}  // namespace

BusyStrip busyStrip(const std::vector<SpanPicture::Lane>& lanes, const RowQuestion& question, TimeRange range, DurNs pixel) {
  BusyStrip strip{.t0 = range.t0, .pixel = std::max<DurNs>(pixel, 1), .columns = {}};
  const auto pixels = std::min<std::size_t>(static_cast<std::size_t>((range.t1 - range.t0) / strip.pixel + 1), kMaxStripPixels);
  Shares busy(pixels), host(pixels);
  std::unordered_map<std::uint64_t, bool> hosts;
  for (std::size_t i = 0; i < question.tracks.size(); ++i) hosts[question.tracks[i].value] = i < question.host.size() && question.host[i];
  for (const auto& lane : lanes) {
    if (hosts[lane.track.value])
      raiseToThread(lane, range, strip.pixel, host);
    else
      addQueue(lane, range, strip.pixel, busy);
  }
  strip.columns.resize(pixels);
  for (std::size_t x = 0; x < pixels; ++x)
    for (std::size_t c = 0; c < busy[x].size(); ++c) {
      const float share = busy[x][c] + host[x][c];
      // Any busy time at all is at least 1.
      strip.columns[x][c] = share <= 0 ? 0 : static_cast<std::uint8_t>(std::clamp(share * 255 + 0.5F, 1.0F, 255.0F));
    }
  return strip;
}

Result<TimelinePicture> readTimeline(Reader& reader, const TimelineQuestion& question, std::stop_token stop) {
  TimelinePicture out{.range = question.range, .pixel = question.pixel};
  std::vector<TrackId> tracks;
  for (const RowQuestion& row : question.rows) tracks.insert(tracks.end(), row.tracks.begin(), row.tracks.end());
  std::ranges::sort(tracks);
  const auto doubles = std::ranges::unique(tracks);
  tracks.erase(doubles.begin(), doubles.end());
  RG_ASSIGN(SpanPicture picture, reader.spanPicture(tracks, question.range, question.pixel, stop));
  out.exact = picture.exact;
  for (const std::string& name : picture.names) {
    out.names.push_back(shortSpanName(name));
    out.shades.push_back(static_cast<std::uint8_t>(crc32c(name)));
  }
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> lanes;  // by track
  for (std::size_t i = 0; i < picture.lanes.size(); ++i) lanes[picture.lanes[i].track.value].push_back(i);
  for (const RowQuestion& row : question.rows) {
    RowPicture& made = out.rows.emplace_back();
    made.question = row;
    if (row.group != 0) {
      RG_TRY(readBandwidth(reader, question, row.group, made, stop));
      continue;
    }
    if (row.series) {
      const auto pixels = static_cast<std::size_t>((question.range.t1 - question.range.t0) / std::max<DurNs>(question.pixel, 1));
      RG_ASSIGN(made.bins, reader.bins(row.series, Axis::kTime, question.range.t0, question.range.t1,
                                       std::clamp<std::size_t>(pixels, 16, kMaxStripPixels), stop));
      continue;
    }
    for (const TrackId track : row.tracks)
      if (const auto found = lanes.find(track.value); found != lanes.end())
        for (const std::size_t i : found->second) made.lanes.push_back(picture.lanes[i]);
    if (row.folded && made.lanes.size() > 1) made.lanes.resize(1);
    if (!row.strip) continue;
    made.strip = busyStrip(made.lanes, row, question.range, question.pixel);
    made.lanes.clear();
  }
  RG_TRY(readSteps(reader, question, out, stop));
  return out;
}

}  // namespace runglass
