// SPDX-License-Identifier: Apache-2.0
// Invariant: spans of a device are sorted by time and more than kThrottleGap apart.
#include "analysis/hardware_faults/throttle.h"

#include <algorithm>
#include <cmath>

#include "model/series_extent.h"

namespace runglass {
namespace {

constexpr std::size_t kBins = 256;

std::uint32_t bitsOf(double value) { return value >= 0 && value < 4294967296.0 ? static_cast<std::uint32_t>(value) & kThrottleBits : 0; }

void extend(std::vector<ThrottleSpan>& spans, const ThrottleSpan& span) {
  if (!spans.empty() && span.t0 - spans.back().t1 <= kThrottleGap) {
    spans.back().t1 = std::max(spans.back().t1, span.t1);
    spans.back().bits |= span.bits;
  } else {
    spans.push_back(span);
  }
}

}  // namespace

std::vector<ThrottleSpan> throttleSpans(const SampleColumns& samples) {
  std::vector<ThrottleSpan> spans;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (const std::uint32_t bits = bitsOf(samples.value[i]); bits != 0) extend(spans, {samples.time[i], samples.time[i], bits});
  return spans;
}

Status ThrottleWatch::read(Reader& reader, const std::map<NodeId, std::string>& nodes, std::stop_token stop) {
  SeriesFilter filter;
  filter.metric = "clock_event_reasons";
  RG_ASSIGN(const auto all, reader.series(filter));
  for (const Series& series : all) {
    if (stop.stop_requested()) return {Code::kCancelled, "cancelled"};
    if (!series.key.device || series.sample_count == 0 || series.key.metric != filter.metric || !nodes.contains(series.key.node)) continue;
    RG_TRY(readDevice(reader, series, stop));
  }
  return {};
}

Status ThrottleWatch::readDevice(Reader& reader, const Series& series, std::stop_token stop) {
  DeviceThrottle& device = m_devices[series.key.device];
  const TimeNs from = device.device ? device.last + 1 : series.first_x, to = endOf(series);
  device.device = series.key.device, device.node = series.key.node;
  if (from >= to) return {};
  const std::size_t count = std::min<std::size_t>(kBins, static_cast<std::size_t>((to - from) / kNsPerMs) + 1);
  RG_ASSIGN(const auto bins, reader.bins(series.id, Axis::kTime, from, to, count, stop));
  for (std::size_t i = 0; i < bins.size();) {
    const Bin& bin = bins[i];
    if (bin.count == 0 || bin.max < kHwSlowdown) {
      ++i;
      continue;
    }
    if (bin.min == bin.max) {
      if (const std::uint32_t bits = bitsOf(bin.max); bits != 0)
        extend(device.spans, {std::max(bin.x0, from), std::min(bin.x1, to) - 1, bits});
      ++i;
      continue;
    }
    std::size_t end = i + 1;
    while (end < bins.size() && bins[end].count > 0 && bins[end].max >= kHwSlowdown && bins[end].min != bins[end].max) ++end;
    RG_ASSIGN(const auto samples, reader.samples(series.id, {std::max(bin.x0, from), std::min(bins[end - 1].x1, to)}, stop));
    for (const ThrottleSpan& span : throttleSpans(samples)) extend(device.spans, span);
    i = end;
  }
  device.last = series.last_x;
  return {};
}

}  // namespace runglass
