// SPDX-License-Identifier: Apache-2.0
// Who is slower than its peers: the one comparison, and the one threshold, of findings, commands and views.
//
// A rank's peers are the other ranks of its pipeline stage, so that a stage with more layers blames nobody. A value is compared with the
// median of its peers' values; a rank is never among its own peers: with few ranks it would pull the median towards itself. Comparing
// computing time over ranks is MegaScale's way (Jiang et al., "MegaScale: Scaling Large Language Model Training to More Than 10,000 GPUs",
// NSDI '24, section 5.1); the median as what is usual follows Leys et al., "Detecting outliers: Do not use standard deviation around the
// mean, use absolute deviation around the median", J. Exp. Soc. Psychol. 49 (2013).
//
// Threading: pure.
// Units:     those of the values; ratios (0.05 = 5 % more than the peers). What was not compared is NaN or absent, never 0.
// Cost:      O(n log n).
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

// Below 5 % healthy GPUs of one stage differ, too: by clocks, temperature and the lengths of sequences. Below 5 ms a step jitters, whatever
// its length.
inline constexpr double kSlowerThanPeers = 0.05, kSlowerByNs = 5e6;
// For a judgement; a picture, which only shows where somebody is, may ask for one.
inline constexpr std::size_t kMinPeers = 3;

inline bool isSlower(double ratio) { return ratio >= kSlowerThanPeers; }
inline bool isSlower(double ratio, double excess_ns) { return isSlower(ratio) && excess_ns >= kSlowerByNs; }

// Healthy ranks differ, too, and of many the slowest differs more than of few. The limits grow with the number of ranks so that a healthy
// job expects less than kFalsePerRunDay findings, for normal noise of any size.
inline constexpr double kFalsePerRunDay = 0.1;
// Of a lasting value, as a rank's median over many steps; looked at anew 24 times a day: as often as temperatures move it.
double outlierSigmas(std::size_t ranks);
// Of single steps, of which at least 16 of 20 have to be above: steps of a second are 86,400 a day.
double outlierSigmasOfSteps(std::size_t ranks);
inline constexpr double kOfNormal = 1.4826;  // x the median absolute deviation: the standard deviation, of normal values
// Whatever a few outliers are. 0 of nothing.
double robustSigma(std::vector<double> values);

// Of the values of one group: for each the median of its peers. NaN where it is not finite itself, or too few others are.
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

// Ranks, GPUs or nodes of one job with one value each.
inline constexpr std::int32_t kNoRole = -1;  // the pipeline stage is not known: every rank is everybody's peer
inline constexpr std::int32_t kNoJob = std::numeric_limits<std::int32_t>::min();  // no rank: no peer of those that are one
struct PeerValue {
  std::optional<double> value;
  std::int32_t role = kNoRole;  // pipeline stage
};
struct PeerRule {
  std::size_t min_peers = kMinPeers;
  bool join_small_stages = false;  // where all stages are too small to compare, all ranks of the job are peers
};
// Of each value: how much it is above the median of the others of its role (0.05: 5 %). Absent without a value or with too few others.
std::vector<std::optional<double>> againstPeers(std::span<const PeerValue> values, const PeerRule& rule = {});

}  // namespace runglass
