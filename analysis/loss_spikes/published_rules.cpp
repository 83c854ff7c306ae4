// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_spikes/published_rules.h"

#include <algorithm>
#include <cmath>

namespace runglass {
namespace {

constexpr double kTiny = 1e-9;  // of the mean: a smaller difference counts as equal

// Mean and standard deviation of the newest `window` values. Sums about a pivot are recomputed once per window, so that rounding errors do
// not accumulate.
class RollingMoments {
 public:
  explicit RollingMoments(std::size_t window) : m_ring(window) {}
  void push(double value) {
    if (m_size == m_ring.size()) {
      take(m_ring[m_next], -1);
    } else {
      if (m_size == 0) m_pivot = value;
      ++m_size;
    }
    m_ring[m_next] = value;
    take(value, 1);
    m_next = (m_next + 1) % m_ring.size();
    if (m_next == 0) renew();
  }
  std::size_t size() const { return m_size; }
  double mean() const { return m_pivot + m_sum / static_cast<double>(m_size); }
  double deviation() const {
    if (m_size < 2) return 0;
    const double count = static_cast<double>(m_size), mean = m_sum / count;
    return std::sqrt(std::max(0.0, (m_squares - count * mean * mean) / (count - 1)));
  }
  const std::vector<double>& values() const { return m_ring; }

 private:
  void take(double value, double sign) {
    m_sum += sign * (value - m_pivot);
    m_squares += sign * (value - m_pivot) * (value - m_pivot);
  }
  void renew() {
    m_pivot = mean();
    m_sum = m_squares = 0;
    for (std::size_t i = 0; i < m_size; ++i) take(m_ring[i], 1);
  }
  std::vector<double> m_ring;
  std::size_t m_size = 0, m_next = 0;
  double m_pivot = 0, m_sum = 0, m_squares = 0;
};

bool above(double value, double mean) { return value - mean > kTiny * std::abs(mean); }

class Curve {
 public:
  Curve(std::span<const std::int64_t> steps, std::span<const double> values) : m_steps(steps), m_values(values) {
    m_hits.points = static_cast<std::int64_t>(values.size());
  }
  // `spiky(value)` returns whether the rule fires, and adds the value to its state; absent: it does not judge yet.
  template <class Rule>
  RuleHits run(Rule spiky, bool not_finite_strikes = false) {
    for (std::size_t i = 0; i < m_values.size(); ++i) {
      const bool finite = std::isfinite(m_values[i]);
      const std::optional<bool> strikes = finite ? spiky(m_values[i]) : std::optional(not_finite_strikes);
      if (finite && strikes) ++m_hits.judged;
      if (!finite && not_finite_strikes) ++m_hits.judged;
      if (strikes && *strikes) m_hits.steps.push_back(m_steps[i]);
    }
    return std::move(m_hits);
  }

 private:
  std::span<const std::int64_t> m_steps;
  std::span<const double> m_values;
  RuleHits m_hits;
};

RuleHits sigmaRule(Curve curve, std::size_t window, std::size_t fewest, double sigmas, bool or_equal) {
  RollingMoments before(window);
  return curve.run([&](double value) {
    std::optional<bool> strikes;
    if (before.size() >= fewest) {
      const double mean = before.mean(), away = value - mean, limit = sigmas * before.deviation();
      strikes = above(value, mean) && (or_equal ? away >= limit : away > limit);
    }
    before.push(value);
    return strikes;
  });
}

// A spike enters the averages with its clipped value.
RuleHits zClip(Curve curve) {
  constexpr double kAlpha = 0.97, kZ = 2.5;
  constexpr std::size_t kWarmUp = 25;
  RollingMoments first(kWarmUp);
  double mean = 0, variance = 0;
  return curve.run([&](double value) {
    if (first.size() < kWarmUp) {
      first.push(value);
      mean = first.mean();
      const auto count = static_cast<double>(first.size());
      variance = first.deviation() * first.deviation() * (count - 1) / count;  // as in the original: of a population
      return std::optional<bool>();
    }
    const double sigma = std::sqrt(variance), z = sigma > 0 ? (value - mean) / sigma : above(value, mean) ? HUGE_VAL : 0;
    const bool strikes = z > kZ && above(value, mean);
    if (strikes) value = mean + kZ * kZ / z * sigma;
    mean = kAlpha * mean + (1 - kAlpha) * value;
    variance = kAlpha * variance + (1 - kAlpha) * (value - mean) * (value - mean);
    return std::optional(strikes);
  });
}

RuleHits megatronRerun(Curve curve) {
  constexpr double kFactor = 10;
  constexpr int kFirst = 100;
  int seen = 0;
  double largest = 0;
  return curve.run([&](double value) {
    value = std::abs(value);  // as in the original: rewards and losses of reinforcement learning may be negative
    if (seen < kFirst) {
      largest = seen++ == 0 ? value : std::max(largest, value);
      return std::optional<bool>();
    }
    return std::optional(largest > 0 && value >= kFactor * largest);
  });
}

RuleHits llmFoundry(Curve curve) {
  constexpr std::size_t kWindow = 100, kHighFrom = 200;
  constexpr double kOutlier = 2, kCap = 10;
  constexpr int kPatience = 4;
  RollingMoments last(kWindow);
  std::size_t seen = 0, high = 0;
  int in_row = 0;
  return curve.run([&](double value) {
    const auto isHigh = [](double one) { return one > kCap ? std::size_t{1} : std::size_t{0}; };
    if (seen >= kWindow) high -= isHigh(last.values()[seen % kWindow]);
    high += isHigh(value);
    last.push(value);
    if (++seen < kWindow) return std::optional<bool>();
    in_row = above(value, last.mean()) && value >= kOutlier * last.mean() ? in_row + 1 : 0;
    return std::optional(in_row > kPatience || (seen >= kHighFrom && 2 * high >= kWindow));
  });
}

RuleHits lightning(Curve curve) {
  constexpr std::size_t kWindow = 10;
  constexpr double kRelative = 2;
  RollingMoments last(kWindow);
  return curve.run(
      [&](double value) {
        std::optional<bool> strikes;
        if (last.size() > 0) strikes = above(value, last.mean()) && value - last.mean() >= kRelative * std::abs(last.mean());
        last.push(value);
        return strikes;
      },
      true);
}

}  // namespace

const std::array<PublishedRuleInfo, 6>& publishedRules() {
  static constexpr std::array<PublishedRuleInfo, 6> kAll{{
      {PublishedRule::kOlmoScore, "olmo_spike_score", "OLMo spike score", "at least 7 sigma above the mean of the 1,000 points before",
       1'000},
      {PublishedRule::kSkipStep, "skip_step", "OLMo-core SkipStep", "more than 6 sigma above the mean of the 128 points before", 64},
      {PublishedRule::kZClip, "zclip", "ZClip", "z above 2.5 against averages that decay with 0.97", 25},
      {PublishedRule::kMegatronRerun, "megatron_rerun", "Megatron rerun", "at least 10 times the largest of the first 100 points", 100},
      {PublishedRule::kLlmFoundry, "llm_foundry", "llm-foundry KillLossSpike",
       "at least twice the mean of 100 points, more than 4 times in a row; or half of them above 10", 99},
      {PublishedRule::kLightning, "lightning", "Lightning SpikeDetection", "above the mean of 10 points by twice that mean, or not finite",
       1},
  }};
  return kAll;
}

RuleHits applyRule(PublishedRule rule, std::span<const std::int64_t> steps, std::span<const double> values) {
  Curve curve(steps, values);
  switch (rule) {
    case PublishedRule::kOlmoScore:
      return sigmaRule(curve, 1'000, 1'000, 7, true);
    case PublishedRule::kSkipStep:
      return sigmaRule(curve, 128, 64, 6, false);
    case PublishedRule::kZClip:
      return zClip(curve);
    case PublishedRule::kMegatronRerun:
      return megatronRerun(curve);
    case PublishedRule::kLlmFoundry:
      return llmFoundry(curve);
    case PublishedRule::kLightning:
      return lightning(curve);
  }
  return {};
}

}  // namespace runglass
