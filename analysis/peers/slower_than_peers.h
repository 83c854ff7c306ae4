// SPDX-License-Identifier: Apache-2.0
// The one comparison of ranks with their peers, and its one threshold, for findings, commands and views; and that of the run's speed.
//
// A rank's peers are the other ranks of its pipeline stage, so that a stage with more layers blames no rank. A value is compared with the
// median of its peers' values; a rank is not its own peer: among few ranks it would pull the median towards itself. Comparing computing
// time over ranks follows MegaScale (Jiang et al., "MegaScale: Scaling Large Language Model Training to More Than 10,000 GPUs", NSDI '24,
// section 5.1); the median as the reference follows Leys et al., "Detecting outliers: Do not use standard deviation around the mean, use
// absolute deviation around the median", J. Exp. Soc. Psychol. 49 (2013).
//
// Threading:  pure.
// Units:      those of the values; ratios (0.05 = 5 % more than the peers). A value without a comparison is NaN or absent, never 0.
// Cost:       O(n log n).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "analysis/statistics/median.h"

namespace runglass {

// Healthy GPUs of one stage also differ by less than 5 %, due to clocks, temperature and sequence lengths. Steps of any length jitter by
// less than 5 ms.
inline constexpr double kSlowerThanPeers = 0.05, kSlowerByNs = 5e6;
// Of the whole run's throughput or step time: a smaller change is normal, and neither a finding nor a sentence reports it.
inline constexpr double kMinThroughputChange = 0.03;
// For a verdict; a plot, which only shows a rank's position, may use one peer.
inline constexpr std::size_t kMinPeers = 3;

inline bool isSlower(double ratio) { return ratio >= kSlowerThanPeers; }
inline bool isSlower(double ratio, double excess_ns) { return isSlower(ratio) && excess_ns >= kSlowerByNs; }

// Healthy ranks differ too, and the slowest of many differs more than that of few. The limits grow with the number of ranks so that a
// healthy job expects fewer than kFalsePerRunDay findings per day, for normal noise of any size.
inline constexpr double kFalsePerRunDay = 0.1;
// For a lasting value, such as a rank's median over many steps; evaluated 24 times a day, about as often as temperatures change it.
double outlierSigmas(std::size_t ranks);
// For single steps, of which at least 16 of 20 must be above: one-second steps are 86,400 a day.
double outlierSigmasOfSteps(std::size_t ranks);
inline constexpr double kOfNormal = 1.4826;  // x the median absolute deviation: the standard deviation of normal values
// Robust against a few outliers. 0 for an empty input.
double robustSigma(std::vector<double> values);

// For the values of one group, the median of each one's peers. NaN where the value is not finite, or too few others are.
template <class T>
std::vector<T> peerMedians(std::span<const T> values, std::size_t min_peers = kMinPeers) {
  struct Placed {
    T value;
    std::size_t index;
  };
  std::vector<T> out(values.size(), std::numeric_limits<T>::quiet_NaN());
  std::vector<Placed> placed;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isfinite(values[i])) placed.push_back({values[i], i});
  if (placed.size() <= std::max<std::size_t>(min_peers, 1)) return out;
  std::ranges::sort(placed, {}, &Placed::value);
  for (std::size_t i = 0; i < placed.size(); ++i) out[placed[i].index] = medianWithout(placed, i);
  return out;
}

// One value for each rank, GPU or node of one job.
inline constexpr std::int32_t kNoRole = -1;                                       // the pipeline stage is unknown: all ranks are peers
inline constexpr std::int32_t kNoJob = std::numeric_limits<std::int32_t>::min();  // no rank: not a peer of ranks
struct PeerValue {
  std::optional<double> value;
  std::int32_t role = kNoRole;  // pipeline stage
};
struct PeerRule {
  std::size_t min_peers = kMinPeers;
  bool join_small_stages = false;  // where all stages are too small to compare, all ranks of the job are peers
};
// For each value, its excess over the median of the others of its role (0.05: 5 %). Absent without a value or with too few others.
std::vector<std::optional<double>> againstPeers(std::span<const PeerValue> values, const PeerRule& rule = {});

}  // namespace runglass
