// SPDX-License-Identifier: Apache-2.0
// Invariants:
// 1. A share is learned only from bins in which it is not low, so that a fault does not become the baseline; after an hour it does
//    nevertheless.
// 2. One verdict per episode: kStopped or kFaded, then kResumed.
#include "collectors/sources/rdma/traffic_watch.h"

#include <algorithm>
#include <numeric>

namespace runglass {
namespace {
constexpr double kStoppedShare = 0.01, kLowShare = 0.5, kGoodShare = 0.8;  // relative to the usual share
constexpr int kStoppedBins = 3, kLowBins = 4, kGoodBins = 2, kMaxReported = 120;
constexpr int kForgetIdle = 2;  // bins without traffic and without known trainers: the job has ended
constexpr DurNs kLongestPause = 600 * kNsPerSecond;

double medianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}
void keep(std::deque<double>& values, double value, std::size_t most) {
  values.push_back(value);
  if (values.size() > most) values.pop_front();
}
}  // namespace

void TrafficWatch::forget(std::size_t ports) {
  m_ports.assign(ports, Port{});
  m_totals.clear();
  m_idle = m_longest_idle = 0;
  m_stopped = false;
}

std::vector<TrafficWatch::Verdict> TrafficWatch::add(std::span<const double> bytes_per_s, std::optional<std::uint64_t> trainers) {
  std::vector<Verdict> out;
  if (m_ports.size() != bytes_per_s.size() || m_trainers != trainers) forget(bytes_per_s.size());
  m_trainers = trainers;
  const double total = std::accumulate(bytes_per_s.begin(), bytes_per_s.end(), 0.0);
  if (total < kBusyBytesPerS) {
    idle(trainers.has_value(), out);
    return out;
  }
  if (m_idle > 0) {
    if (m_stopped) out.push_back({.change = Change::kResumed, .now = total, .usual = total, .since = m_idle * kBin});
    m_stopped = false;
    m_longest_idle = std::max(m_longest_idle, m_idle);
    m_idle = 0;
    return out;  // only a part of this bin had traffic
  }
  for (std::size_t i = 0; i < m_ports.size(); ++i) judgePort(i, bytes_per_s[i] / total, total, out);
  judgeNode(total, out);
  return out;
}

void TrafficWatch::idle(bool trainers, std::vector<Verdict>& out) {
  ++m_idle;
  if (!trainers) {
    if (m_idle >= kForgetIdle) forget(m_ports.size());
    return;
  }
  if (m_stopped || m_totals.size() < kLearn || m_idle * kBin < std::max(kLongestPause, 3 * m_longest_idle * kBin)) return;
  m_stopped = true;
  out.push_back({.change = Change::kStopped, .usual = medianOf({m_totals.begin(), m_totals.end()}), .since = m_idle * kBin});
}

void TrafficWatch::judgePort(std::size_t index, double share, double total, std::vector<Verdict>& out) {
  Port& port = m_ports[index];
  const bool known = port.shares.size() >= kLearn;
  const double usual = known ? medianOf({port.shares.begin(), port.shares.end()}) : 0;
  // A port that never carried a fair share of the traffic is not judged.
  if (!known || usual < 0.2 / static_cast<double>(m_ports.size())) return keep(port.shares, share, kKeep);
  port.stopped = share < kStoppedShare * usual ? port.stopped + 1 : 0;
  port.low = share < kLowShare * usual ? port.low + 1 : 0;
  port.back = share >= kGoodShare * usual ? port.back + 1 : 0;
  if (port.low == 0) keep(port.shares, share, kKeep);
  const auto tell = [&](Change change, int bins) {
    out.push_back({.change = change, .port = index, .now = share * total, .usual = usual * total, .since = bins * kBin});
  };
  if (port.reported) {
    ++port.reported_bins;
    if (port.reported == Change::kFaded && port.stopped == kStoppedBins) {
      port.reported = Change::kStopped;
      tell(Change::kStopped, port.stopped);
    } else if (port.back >= kGoodBins) {
      tell(Change::kResumed, port.reported_bins);
      port.reported.reset();
    } else if (port.reported_bins >= kMaxReported) {
      port = Port{};  // the new normal
    }
  } else if (port.stopped >= kStoppedBins || port.low >= kLowBins) {
    const bool stopped = port.stopped >= kStoppedBins;
    port.reported = stopped ? Change::kStopped : Change::kFaded;
    port.reported_bins = 0;
    tell(*port.reported, stopped ? port.stopped : port.low);
  }
}

// All ports carry less than before: as often a change of the job as a fault, so it is reported once and becomes the baseline.
void TrafficWatch::judgeNode(double total, std::vector<Verdict>& out) {
  keep(m_totals, total, kKeep);
  if (m_totals.size() < 3 * kRecent) return;
  const auto split = m_totals.end() - static_cast<std::ptrdiff_t>(kRecent);
  const double usual = medianOf({m_totals.begin(), split}), now = medianOf({split, m_totals.end()});
  if (now >= kLowShare * usual) return;
  out.push_back({.change = Change::kFaded, .now = now, .usual = usual, .since = static_cast<DurNs>(kRecent) * kBin});
  m_totals.erase(m_totals.begin(), split);
}

}  // namespace runglass
