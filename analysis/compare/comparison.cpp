// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/comparison.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/statistics/median.h"
#include "model/number_text.h"
#include "model/time_text.h"

namespace runglass {
namespace {

using words::Arg;
using words::Message;

constexpr double kNormal = 1.959964;    // two-sided 95 %
constexpr std::int64_t kMinSteps = 10;  // fewer give no interval
constexpr double kLongerWork = 0.02;
constexpr const char* kRest = "not in a part";

struct Moments {
  double mean = 0, variance = 0;
  std::int64_t count = 0;
  Moments times(double factor) const { return {mean * factor, variance * factor * factor, count}; }
};

Moments momentsOf(const std::map<std::int64_t, std::pair<double, std::int64_t>>& steps) {
  Moments m;
  double squares = 0;
  for (const auto& [step, sum] : steps) {
    const double value = sum.first / static_cast<double>(sum.second);
    ++m.count;
    const double before = m.mean;
    m.mean += (value - before) / static_cast<double>(m.count);
    squares += (value - before) * (value - m.mean);
  }
  if (m.count > 1) m.variance = squares / static_cast<double>(m.count - 1);
  return m;
}

std::optional<double> medianOf(const std::map<std::int64_t, std::pair<double, std::int64_t>>& steps) {
  std::vector<double> values;
  for (const auto& [step, sum] : steps) values.push_back(sum.first / static_cast<double>(sum.second));
  return median(std::move(values));
}

struct SideMeans {
  std::optional<double> step;
  std::map<std::string, double> parts;
  bool reported = false;
};

// Two-sided 95 % quantile of Student's t: Cornish and Fisher's expansion (Abramowitz and Stegun 26.7.5), within 0.001 for at least nine
// degrees of freedom.
double studentOf(double degrees) {
  const double z = kNormal, z2 = z * z;
  return z * (1 + (z2 + 1) / (4 * degrees) + ((5 * z2 + 16) * z2 + 3) / (96 * degrees * degrees) +
              (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * degrees * degrees * degrees));
}

// Half the width of Welch's interval of the difference of two means.
double marginOf(const Moments& a, const Moments& b) {
  const auto count_a = static_cast<double>(a.count), count_b = static_cast<double>(b.count);
  const double of_a = a.variance / count_a, of_b = b.variance / count_b, both = of_a + of_b;
  if (!(both > 0)) return 0;
  return studentOf(both * both / (of_a * of_a / (count_a - 1) + of_b * of_b / (count_b - 1))) * std::sqrt(both);
}

// Over all steps of all ranks; if any rank records parts, over the ranks that do.
SideMeans meansOf(const CompareSide& side, bool parts) {
  SideMeans out;
  double sum = 0;
  std::int64_t steps = 0;
  for (const RankMeans& rank : side.ranks) {
    if (rank.steps == 0 || (parts && rank.parts_ns.empty())) continue;
    sum += rank.sum_ns, steps += rank.steps;
    for (const auto& [part, value] : rank.parts_ns) out.parts[part] += value;
  }
  if (steps == 0) return out;
  out.step = sum / static_cast<double>(steps);
  double rest = *out.step;
  for (auto& [part, value] : out.parts) rest -= value /= static_cast<double>(steps);
  out.reported = !out.parts.empty();
  if (out.reported) out.parts[kRest] = rest;
  return out;
}

std::optional<double> workOf(const RankMeans& rank) {
  if (rank.steps == 0) return std::nullopt;
  return (rank.sum_ns - rank.waited_ns) / static_cast<double>(rank.steps);
}

void sortByChange(std::vector<WorkDelta>& list) {
  std::ranges::stable_sort(list, [](const WorkDelta& x, const WorkDelta& y) {
    return std::abs(x.change().value_or(-1e-300)) > std::abs(y.change().value_or(-1e-300));
  });
  std::ranges::stable_partition(list, [](const WorkDelta& one) { return one.change().has_value(); });
}

void compareWork(const CompareSide& a, const CompareSide& b, Comparison& out) {
  std::map<std::int32_t, WorkDelta> ranks;
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> nodes;
  bool waits_a = false, waits_b = false;
  for (const RankMeans& rank : a.ranks) waits_a |= rank.waits_reported;
  for (const RankMeans& rank : b.ranks) waits_b |= rank.waits_reported;
  out.work_is_whole_step = !waits_a || !waits_b;
  for (const bool first : {true, false})
    for (const RankMeans& rank : (first ? a : b).ranks) {
      const auto work = workOf(rank);
      if (!work || rank.rank < 0) continue;
      WorkDelta& delta = ranks[rank.rank];
      delta.rank = rank.rank;
      (first ? delta.a_ns : delta.b_ns) = work;
      if (!rank.node.empty()) {
        delta.node = rank.node;
        (first ? nodes[rank.node].first : nodes[rank.node].second).push_back(*work);
      }
    }
  const auto mean = [](const std::vector<double>& values) -> std::optional<double> {
    if (values.empty()) return std::nullopt;
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
  };
  for (const auto& [name, values] : nodes) {
    out.nodes.push_back({.node = name, .rank = {}, .a_ns = mean(values.first), .b_ns = mean(values.second)});
    if (values.first.empty()) out.nodes_in.push_back(name);
    if (values.second.empty()) out.nodes_out.push_back(name);
  }
  for (auto& [number, delta] : ranks) out.ranks.push_back(std::move(delta));
  sortByChange(out.nodes);
  sortByChange(out.ranks);
}

void compareRegimes(const Regime& a, const Regime& b, const Moments& moments_a, const Moments& moments_b, Comparison& out) {
  const auto differ = [](const std::optional<double>& x, const std::optional<double>& y) { return x && y && *x != *y; };
  if (differ(a.world, b.world))
    out.warnings.emplace_back(Message{"compare_world", {{"a", formulaNumber(*a.world)}, {"b", formulaNumber(*b.world)}}});
  if (differ(a.global_batch, b.global_batch))
    out.warnings.emplace_back(
        Message{"compare_global_batch", {{"a", formulaNumber(*a.global_batch)}, {"b", formulaNumber(*b.global_batch)}}});
  if (differ(a.sequence, b.sequence))
    out.warnings.emplace_back(Message{"compare_sequence", {{"a", formulaNumber(*a.sequence)}, {"b", formulaNumber(*b.sequence)}}});
  const auto tokens_a = a.tokensPerStep(), tokens_b = b.tokensPerStep();
  if (!out.warnings.empty() && (!tokens_a || !tokens_b)) out.warnings.emplace_back(Message{"compare_no_token", {}});
  if (tokens_a && out.mean_a_ns) out.token_a_ns = *out.mean_a_ns / *tokens_a;
  if (tokens_b && out.mean_b_ns) out.token_b_ns = *out.mean_b_ns / *tokens_b;
  if (!out.token_a_ns || !out.token_b_ns || out.steps_a < kMinSteps || out.steps_b < kMinSteps) return;
  const double margin = marginOf(moments_a.times(1 / *tokens_a), moments_b.times(1 / *tokens_b));
  out.token_differs = std::abs(*out.token_b_ns - *out.token_a_ns) > margin;
}

// All ranks wait for the one that works longer: where waiting was measured, its own work identifies it.
Arg longerWorker(const Comparison& c) {
  if (c.work_is_whole_step || !c.delta_ns || *c.delta_ns <= 0) return {};
  const WorkDelta* worst = nullptr;
  for (const WorkDelta& rank : c.ranks)
    if (rank.change() && (worst == nullptr || *rank.b_ns - *rank.a_ns > *worst->b_ns - *worst->a_ns)) worst = &rank;
  if (worst == nullptr || *worst->change() < kLongerWork || *worst->b_ns - *worst->a_ns < *c.delta_ns / 2) return {};
  return Message{"compare_longer_work",
                 {{"rank", *worst->rank},
                  {"node", worst->node.empty() ? Arg() : Arg(worst->node)},
                  {"change", percentText(std::abs(*worst->change()), 1)}}};
}

std::string length(double ns) { return preciseText(std::abs(ns), "ns"); }
std::string signedLength(double ns) { return (ns < 0 ? "−" : "+") + length(ns); }

}  // namespace

std::optional<double> Regime::tokensPerStep() const {
  if (!global_batch || !sequence || !(*global_batch > 0) || !(*sequence > 0)) return std::nullopt;
  return *global_batch * *sequence;
}

std::optional<double> WorkDelta::change() const {
  if (!a_ns || !b_ns || !(*a_ns > 0)) return std::nullopt;
  return *b_ns / *a_ns - 1;
}

Comparison compareSides(const CompareSide& a, const CompareSide& b) {
  Comparison out;
  out.steps_a = static_cast<std::int64_t>(a.by_step.size()), out.steps_b = static_cast<std::int64_t>(b.by_step.size());
  out.median_a_ns = medianOf(a.by_step), out.median_b_ns = medianOf(b.by_step);
  out.parts_reported = meansOf(a, true).reported && meansOf(b, true).reported;
  const SideMeans means_a = meansOf(a, out.parts_reported), means_b = meansOf(b, out.parts_reported);
  out.mean_a_ns = means_a.step, out.mean_b_ns = means_b.step;
  const Moments ma = momentsOf(a.by_step), mb = momentsOf(b.by_step);
  if (out.mean_a_ns && out.mean_b_ns) {
    out.delta_ns = *out.mean_b_ns - *out.mean_a_ns;
    if (ma.count >= kMinSteps && mb.count >= kMinSteps) {
      const double margin = marginOf(ma, mb);
      out.low_ns = *out.delta_ns - margin, out.high_ns = *out.delta_ns + margin;
    }
  }
  if (out.parts_reported && out.delta_ns) {
    std::set<std::string> names;
    for (const auto& [part, value] : means_a.parts) names.insert(part);
    for (const auto& [part, value] : means_b.parts) names.insert(part);
    for (const std::string& part : names) {
      PartDelta delta{.part = part, .a_ns = {}, .b_ns = {}};
      if (const auto found = means_a.parts.find(part); found != means_a.parts.end()) delta.a_ns = found->second;
      if (const auto found = means_b.parts.find(part); found != means_b.parts.end()) delta.b_ns = found->second;
      out.parts.push_back(std::move(delta));
    }
    std::ranges::stable_sort(out.parts,
                             [](const PartDelta& x, const PartDelta& y) { return std::abs(x.delta_ns()) > std::abs(y.delta_ns()); });
  }
  compareRegimes(a.regime, b.regime, ma, mb, out);
  compareWork(a, b, out);
  return out;
}

Message comparisonSentence(const Comparison& c, const SideName& a, const SideName& b) {
  if (!c.mean_a_ns || !c.mean_b_ns) return Message{"compare_no_steps", {{"name", (c.mean_a_ns ? b : a).first}}};
  const bool other = !c.warnings.empty();
  if (other && c.token_a_ns && c.token_b_ns && c.low_ns) {
    const Arg token_a = formulaNumber(*c.token_a_ns), token_b = formulaNumber(*c.token_b_ns);
    if (!c.token_differs)
      return Message{"compare_same_per_token", {{"a", a.inside}, {"b", b.inside}, {"token_a", token_a}, {"token_b", token_b}}};
    const double change = *c.token_b_ns / *c.token_a_ns - 1;
    return Message{
        change > 0 ? "compare_token_longer" : "compare_token_less",
        {{"b", b.first}, {"change", percentText(std::abs(change), 1)}, {"a", a.inside}, {"token_a", token_a}, {"token_b", token_b}}};
  }
  if (other) return Message{"compare_not_comparable", {{"a", a.inside}, {"b", b.inside}, {"reason", c.warnings.front().message}}};
  if (!c.low_ns) return Message{"compare_few_steps", {{"steps_a", c.steps_a}, {"steps_b", c.steps_b}}};
  if (!c.differs())
    return Message{"compare_same",
                   {{"mean_a", length(*c.mean_a_ns)},
                    {"mean_b", length(*c.mean_b_ns)},
                    {"low", signedLength(*c.low_ns)},
                    {"high", signedLength(*c.high_ns)}}};
  const double change = *c.delta_ns / *c.mean_a_ns;
  Arg part;
  if (!c.parts.empty() && c.parts.front().delta_ns() * *c.delta_ns > 0)
    part = Message{"compare_part",
                   {{"part", words::Term{c.parts.front().part}},
                    {"delta", signedLength(c.parts.front().delta_ns())},
                    {"whole", signedLength(*c.delta_ns)}}};
  return Message{change > 0 ? "compare_slower" : "compare_faster",
                 {{"b", b.first},
                  {"change", percentText(std::abs(change), 1)},
                  {"a", a.inside},
                  {"mean_a", length(*c.mean_a_ns)},
                  {"mean_b", length(*c.mean_b_ns)},
                  {"part", part},
                  {"longer", longerWorker(c)}}};
}

}  // namespace runglass
