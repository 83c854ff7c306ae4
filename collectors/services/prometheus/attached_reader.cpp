// SPDX-License-Identifier: Apache-2.0
#include "collectors/services/prometheus/attached_reader.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "storage/read/bin_points.h"
#include "storage/travel/forwarding_reader.h"

namespace runglass {
namespace {

// A run without an end whose data is older has ended without a report.
constexpr DurNs kContinuesFor = 300 * kNsPerSecond;

Result<AttachedTo> attachedTo(Reader& store) {
  AttachedTo to;
  RG_ASSIGN(to.nodes, store.nodes());
  RG_ASSIGN(to.devices, store.devices());
  RG_ASSIGN(const StoreInfo info, store.info());
  RG_ASSIGN(const std::vector<Run> runs, store.runs());
  std::optional<TimeRange> window;
  const TimeNs now = wallNow();
  for (const Run& run : runs) {
    if (run.time_domain.value_or(TimeDomain::kUtc) != TimeDomain::kUtc) continue;
    const std::optional<TimeNs> begin = run.start ? run.start : info.first;
    if (!begin) continue;
    const bool continues = !run.end && now - info.last.value_or(*begin) < kContinuesFor;
    const TimeNs end = continues ? now : std::min(now, run.end ? *run.end : info.last.value_or(*begin)) + kNsPerMs;  // the API's unit
    if (end <= *begin) continue;
    to.continues |= continues;
    window = window ? TimeRange{std::min(window->t0, *begin), std::max(window->t1, end)} : TimeRange{*begin, end};
  }
  if (window) to.window = {std::max<TimeNs>(0, window->t0), window->t1};
  return to;
}

class AttachedReader final : public ForwardingReader {
 public:
  AttachedReader(std::unique_ptr<Reader> inner, std::shared_ptr<AttachedMetrics> metrics)
      : ForwardingReader(std::move(inner)), m_metrics(std::move(metrics)) {}

  std::uint64_t generation() override { return ForwardingReader::generation() + m_metrics->generation(); }

  Result<std::unique_ptr<Reader>> unaligned() override {
    RG_ASSIGN(auto raw, ForwardingReader::unaligned());
    return attachedReader(std::move(raw), m_metrics);
  }

  Result<std::vector<Device>> devices() override {
    RG_ASSIGN(std::vector<Device> all, ForwardingReader::devices());
    RG_ASSIGN(const auto listing, list());
    all.insert(all.end(), listing->devices.begin(), listing->devices.end());
    return all;
  }

  Result<std::vector<Series>> series(const SeriesFilter& filter) override {
    RG_ASSIGN(std::vector<Series> all, ForwardingReader::series(filter));
    if (filter.run || filter.attempt) return all;
    RG_ASSIGN(const auto listing, list());
    std::vector<SeriesKey> stored;
    for (const Series& one : all)
      if (one.key.source.starts_with("prometheus")) stored.push_back(one.key);
    const auto wanted = [&](const Series& one) {
      const SeriesKey& key = one.key;
      return (!filter.node || *filter.node == key.node) && (!filter.device || *filter.device == key.device) &&
             (!filter.metric || *filter.metric == key.metric) && (!filter.kind || *filter.kind == key.kind) &&
             std::ranges::find(stored, key) == stored.end();
    };
    std::ranges::copy_if(listing->series, std::back_inserter(all), wanted);
    return all;
  }

  Result<std::vector<Issue>> issues() override {
    RG_ASSIGN(std::vector<Issue> all, ForwardingReader::issues());
    std::ranges::move(m_metrics->issues(), std::back_inserter(all));
    return all;
  }

  Result<SampleColumns> samples(SeriesId series, TimeRange range, std::stop_token stop) override {
    if (!AttachedMetrics::isAttached(series)) return ForwardingReader::samples(series, range, std::move(stop));
    RG_ASSIGN(auto columns, m_metrics->samples({&series, 1}, range, stop));
    return std::move(columns.front());
  }

  Result<ScalarColumns> scalars(SeriesId series, std::int64_t step0, std::int64_t step1, std::stop_token stop) override {
    if (!AttachedMetrics::isAttached(series)) return ForwardingReader::scalars(series, step0, step1, std::move(stop));
    return Status(Code::kInvalidArgument, "series " + std::to_string(series.value) + " has no steps: it is a metric");
  }

  Result<std::vector<Bin>> bins(SeriesId series, Axis axis, std::int64_t x0, std::int64_t x1, std::size_t count,
                                std::stop_token stop) override {
    if (!AttachedMetrics::isAttached(series)) return ForwardingReader::bins(series, axis, x0, x1, count, std::move(stop));
    if (count == 0 || count > kMaxBins || x0 >= x1) return Status(Code::kInvalidArgument, "bins: an empty range, or too many of them");
    RG_ASSIGN(const auto columns, m_metrics->samples({&series, 1}, {x0, x1}, stop));
    std::vector<Bin> bins = emptyBins(x0, x1, count);
    addPoints(bins, columns.front().time, columns.front().value);
    return bins;
  }

  Result<std::vector<Bin>> summaries(SeriesId series, TimeRange range) override {
    if (AttachedMetrics::isAttached(series)) return std::vector<Bin>();
    return ForwardingReader::summaries(series, range);
  }

  Result<std::vector<LatestSample>> latest(std::span<const SeriesId> series) override {
    return newest(series, std::numeric_limits<TimeNs>::max() - 1,
                  [this](std::span<const SeriesId> stored) { return ForwardingReader::latest(stored); }, {});
  }

  Result<std::vector<LatestSample>> latestAt(std::span<const SeriesId> series, TimeNs moment, std::stop_token stop) override {
    return newest(
        series, moment, [&](std::span<const SeriesId> stored) { return ForwardingReader::latestAt(stored, moment, stop); }, stop);
  }

 private:
  Result<std::shared_ptr<const AttachedMetrics::Listing>> list() {
    RG_ASSIGN(const AttachedTo to, attachedTo(inner()));
    return m_metrics->list(to, {});
  }

  // In the order of `series`.
  template <class OfStore>
  Result<std::vector<LatestSample>> newest(std::span<const SeriesId> series, TimeNs moment, const OfStore& of_store,
                                           const std::stop_token& stop) {
    std::vector<SeriesId> stored, attached;
    for (const SeriesId id : series) (AttachedMetrics::isAttached(id) ? attached : stored).push_back(id);
    RG_ASSIGN(std::vector<LatestSample> ours, of_store(stored));
    if (attached.empty()) return ours;
    RG_ASSIGN(const std::vector<LatestSample> theirs, m_metrics->latestAt(attached, moment, stop));
    std::vector<LatestSample> all;
    auto our = ours.begin();
    auto their = theirs.begin();
    for (const SeriesId id : series) {
      if (our != ours.end() && our->series == id)
        all.push_back(*our++);
      else if (their != theirs.end() && their->series == id)
        all.push_back(*their++);
    }
    return all;
  }

  const std::shared_ptr<AttachedMetrics> m_metrics;
};

}  // namespace

std::unique_ptr<Reader> attachedReader(std::unique_ptr<Reader> inner, std::shared_ptr<AttachedMetrics> metrics) {
  return std::make_unique<AttachedReader>(std::move(inner), std::move(metrics));
}

}  // namespace runglass
