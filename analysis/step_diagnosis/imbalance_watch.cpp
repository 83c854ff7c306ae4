// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/imbalance_watch.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/peers/slower_than_peers.h"

namespace runglass {
namespace {

constexpr double kTouched = 0.5;                       // share of the steps in which a rank was slower
constexpr double kPlanned = 0.8;                       // share of the ranks that collect in the same step
constexpr double kCollectionCost = 0.01, kEnds = 0.5;  // kEnds: of the cost at its start
constexpr std::size_t kMinCollections = 3;
// A pause: a forward pass longer by this share of the step, without a backward pass longer by more than this share of that excess.
constexpr float kPauseOfStep = 0.05F, kMinPauseNs = 20e6F, kPauseBackward = 1.0F / 3;
constexpr std::size_t kTouchesKept = 16;
constexpr double kLikeBefore = 0.5;         // of the share of touched steps
constexpr std::int64_t kFromTheStart = 20;  // steps: an imbalance that begins in them existed before: starts are that imprecise
constexpr double kMinDeviation = 0.01;      // of a pass: values near the median correlate with nothing

// Maximum share of the touched steps for one unit; above it, the slowness is its own. Halfway between an even share and all: of two units,
// one has more than half by chance.
double mostOfOne(std::size_t units) { return (1 + 1 / static_cast<double>(std::max<std::size_t>(units, 1))) / 2; }

// Medians over the members of their excess over their stage's median, as a share of it.
std::vector<float> passDeviations(const StepFrame& frame, const Roles& roles, StepColumn column) {
  std::vector<float> usual;
  for (const auto& members : roles.by_stage) {
    std::vector<float> values;
    for (const std::size_t rank : members)
      if (rank < frame.dur.size()) values.push_back(frame.at(column, rank));
    usual.push_back(medianOf(std::move(values)));
  }
  std::vector<float> out;
  for (const auto& members : roles.by_replica) {
    std::vector<float> ratios;
    for (const std::size_t rank : members)
      if (rank < frame.dur.size()) ratios.push_back(frame.at(column, rank) / usual[roles.stage_of[rank]] - 1);
    out.push_back(medianOf(std::move(ratios)));
  }
  return out;
}

struct Pause {
  std::size_t rank = 0;
  float ns = 0;
};
Pause longestOf(const std::vector<float>& gc, const std::vector<std::size_t>& members) {
  Pause longest;
  for (const std::size_t rank : members)
    if (rank < gc.size() && gc[rank] > longest.ns) longest = {rank, gc[rank]};
  return longest;
}

// The longest forward pass without a longer backward pass, compared with the stage.
Pause longestPause(const StepFrame& frame, const std::vector<std::size_t>& members, const std::vector<bool>& known_slow, double dur) {
  std::vector<float> forward, backward;
  for (const std::size_t rank : members)
    if (rank < frame.dur.size())
      forward.push_back(frame.at(StepColumn::kForward, rank)), backward.push_back(frame.at(StepColumn::kBackward, rank));
  if (forward.size() <= kMinPeers) return {};
  const float usual_forward = medianOf(std::move(forward)), usual_backward = medianOf(std::move(backward));
  Pause longest;
  for (const std::size_t rank : members) {
    if (rank >= frame.dur.size() || (rank < known_slow.size() && known_slow[rank])) continue;
    const float more = frame.at(StepColumn::kForward, rank) - usual_forward, back = frame.at(StepColumn::kBackward, rank) - usual_backward;
    const bool alone = more >= kPauseOfStep * dur && more >= kMinPauseNs && !(back > more * kPauseBackward);
    if (alone && more > longest.ns) longest = {rank, more};
  }
  return longest;
}

}  // namespace

void ImbalanceWatch::push(const StepFrame& frame, const Roles& roles, const std::vector<float>& compute,
                          const std::vector<Deviation>& deviations, const std::vector<bool>& known_slow) {
  const auto dur = frame.longest();
  if (!dur || *dur <= 0) return;
  Step step{.step = frame.step, .when = frame.when, .passes = {}};
  const bool by_replica = roles.by_replica.size() > 1;
  m_units = by_replica ? roles.by_replica.size() : compute.size();
  for (std::size_t unit = 0; unit < m_units; ++unit) {
    std::vector<float> excess;
    const std::vector<std::size_t> one = {unit};
    for (const std::size_t rank : by_replica ? roles.by_replica[unit] : one) {
      if (rank >= deviations.size() || !deviations[rank].compared || (rank < known_slow.size() && known_slow[rank])) continue;
      excess.push_back(deviations[rank].above ? deviations[rank].own_ns - deviations[rank].usual_ns : 0);
    }
    const float middle = medianOf(std::move(excess));
    if (std::isnan(middle) || middle / *dur <= step.excess) continue;
    step.excess = middle / *dur, step.culprit = unit;
  }
  if (by_replica) {
    const auto forward = passDeviations(frame, roles, StepColumn::kForward), backward = passDeviations(frame, roles, StepColumn::kBackward);
    for (std::size_t i = 0; i < forward.size(); ++i)
      if (!std::isnan(forward[i]) && !std::isnan(backward[i]) && std::max(std::fabs(forward[i]), std::fabs(backward[i])) > kMinDeviation)
        step.passes.emplace_back(forward[i], backward[i]);
  }
  findCollection(frame, roles, known_slow, *dur, step);
  if (step.collected > step.excess / 2) step.excess = 0;  // a pause is not an imbalanced load
  // Earlier pauses of a rank that turned out to be slow were not collections either.
  for (Step& one : m_steps)
    if (!one.reported && one.collected > 0 && one.collector < known_slow.size() && known_slow[one.collector]) one.collected = 0;
  m_steps.push_back(std::move(step));
  if (m_steps.size() > kWindow) m_steps.pop_front();
  ++m_seen;
  if (m_steps.size() < kMinSteps) return;
  judgeWandering();
  judgeCollections();
}

std::optional<double> ImbalanceWatch::correlation() const {
  double n = 0, f = 0, b = 0, ff = 0, bb = 0, fb = 0;
  for (const Step& step : m_steps)
    for (const auto& [forward, backward] : step.passes) {
      const double x = forward, y = backward;
      ++n, f += x, b += y, ff += x * x, bb += y * y, fb += x * y;
      if (n >= static_cast<double>(kMaxPoints)) break;
    }
  if (n < 20) return std::nullopt;
  const double vf = ff - f * f / n, vb = bb - b * b / n;
  if (vf <= 0 || vb <= 0) return std::nullopt;
  return (fb - f * b / n) / std::sqrt(vf * vb);
}

// Stages that pause at different times delay their replica each time: the longest pause of each stage is added.
void ImbalanceWatch::findCollection(const StepFrame& frame, const Roles& roles, const std::vector<bool>& known_slow, double dur,
                                    Step& step) {
  const auto& gc = frame.columns[static_cast<std::size_t>(StepColumn::kGc)];
  const auto collecting = static_cast<std::size_t>(std::ranges::count_if(gc, [](float ns) { return ns > 0; }));
  if (collecting > 0 && static_cast<double>(collecting) >= kPlanned * static_cast<double>(frame.ranks_heard)) return;
  if (collecting == 0 && frame.columns[static_cast<std::size_t>(StepColumn::kForward)].empty()) return;
  step.reported = collecting > 0;
  float longest = 0;
  for (const auto& members : roles.by_stage) {
    const auto [rank, pause] = step.reported ? longestOf(gc, members) : longestPause(frame, members, known_slow, dur);
    step.collected += pause / dur;
    if (pause > longest) longest = pause, step.collector = rank;
  }
}

template <class Share, class Culprit>
ImbalanceWatch::Sum ImbalanceWatch::sumOf(Share share, Culprit culprit) const {
  Sum sum;
  std::map<std::size_t, std::size_t> culprits;
  for (const Step& step : m_steps) {
    const double part = share(step);
    if (part <= 0) continue;
    sum.cost += part / static_cast<double>(m_steps.size());
    ++sum.touched;
    sum.most_of_one = std::max(sum.most_of_one, ++culprits[culprit(step)]);
  }
  sum.culprits = culprits.size();
  return sum;
}

// It begins where the sum of shares, less half of the usual share per step, was lowest: an occasional slower step before that is noise.
template <class Share>
void ImbalanceWatch::begin(std::vector<Imbalance>& list, Following& following, const Sum& sum, Share share) const {
  double above = 0, lowest = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i < m_steps.size(); ++i) {
    if (above < lowest) lowest = above, start = i;
    above += share(m_steps[i]) - sum.cost / 2;
  }
  while (start + 1 < m_steps.size() && share(m_steps[start]) <= 0) ++start;
  if (list.size() >= kMaxKept) list.erase(list.begin());
  Imbalance& one = list.emplace_back();
  const Step& first = m_steps[start];
  one.first_step = first.step;
  if (first.when) one.start = first.when->t0;
  following = {.settled = {.usual = sum.cost}, .newest = {}, .through = m_seen - static_cast<std::int64_t>(m_steps.size() - start)};
  // If the window includes the attempt's first steps: whether the steps before the start were touched about as often, only by smaller
  // shares.
  const auto touched = std::count_if(m_steps.begin(), m_steps.begin() + static_cast<std::ptrdiff_t>(start),
                                     [&](const Step& step) { return share(step) > 0; });
  const bool like_before = following.through == static_cast<std::int64_t>(start) &&
                           static_cast<double>(touched) * static_cast<double>(m_steps.size()) >=
                               kLikeBefore * static_cast<double>(start) * static_cast<double>(sum.touched);
  one.since_before = following.through < kFromTheStart || like_before;
}

bool ImbalanceWatch::Reach::extend(const Step& step, double share) {
  taken += share, above += share - usual / 2, ++steps;
  if (above < highest) return false;
  highest = above;
  last_step = step.step;
  if (step.when) end = step.when->t1;
  cost = taken / static_cast<double>(steps);
  return true;
}

void ImbalanceWatch::end(Imbalance& one, const Following& following) {
  one.holds = false;
  one.last_step = following.newest.last_step, one.end = following.newest.end;
}

template <class Share>
bool ImbalanceWatch::follow(Imbalance& one, Following& following, const Sum& sum, Share share) const {
  constexpr std::int64_t kUnsettled = 25;
  const std::int64_t first = m_seen - static_cast<std::int64_t>(m_steps.size());
  const auto at = [&](std::int64_t seen) -> const Step& { return m_steps[static_cast<std::size_t>(seen - first)]; };
  following.settled.usual = std::max(following.settled.usual, sum.cost);
  for (; following.through < m_seen - kUnsettled; ++following.through)
    following.settled.extend(at(following.through), share(at(following.through)));
  following.newest = following.settled;
  bool reached = false;
  for (std::int64_t seen = following.through; seen < m_seen; ++seen) reached = following.newest.extend(at(seen), share(at(seen)));
  one.last_step = m_steps.back().step;
  one.cost = following.newest.cost;
  reached |= one.steps == 0;
  if (reached) one.steps = m_steps.size(), one.touched = sum.touched, one.culprits = sum.culprits;
  return reached;
}

void ImbalanceWatch::judgeWandering() {
  const auto share = [](const Step& step) { return step.excess; };
  const Sum sum = sumOf(share, [](const Step& step) { return step.culprit; });
  const auto touched = static_cast<double>(sum.touched), steps = static_cast<double>(m_steps.size());
  const bool holds = !m_wandering.empty() && m_wandering.back().holds;
  if (!holds && touched >= kTouched * steps && sum.culprits >= 2 && static_cast<double>(sum.most_of_one) <= mostOfOne(m_units) * touched)
    begin(m_wandering, m_follow_wandering, sum, share);
  else if (holds && touched < kTouched * kEnds * steps)
    end(m_wandering.back(), m_follow_wandering);
  if (m_wandering.empty() || !m_wandering.back().holds) return;
  if (follow(m_wandering.back(), m_follow_wandering, sum, share)) m_wandering.back().correlation = correlation();
}

// Ranks that pause in most steps since their first pause: they are becoming slow, whereas collections are intermittent.
std::set<std::size_t> ImbalanceWatch::steadilyPausing() const {
  std::map<std::size_t, std::pair<std::size_t, std::size_t>> pauses;  // by rank: number of pauses, index of the first
  for (std::size_t i = 0; i < m_steps.size(); ++i)
    if (m_steps[i].collected > 0 && !m_steps[i].reported) ++pauses.try_emplace(m_steps[i].collector, 0, i).first->second.first;
  std::set<std::size_t> out;
  for (const auto& [rank, pause] : pauses)
    if (pause.first * 2 > m_steps.size() - pause.second) out.insert(rank);
  return out;
}

void ImbalanceWatch::judgeCollections() {
  const auto steady = steadilyPausing();
  const auto share = [&](const Step& step) { return !step.reported && steady.contains(step.collector) ? 0 : step.collected; };
  const Sum sum = sumOf(share, [](const Step& step) { return step.collector; });
  const bool holds = !m_collections.empty() && m_collections.back().holds;
  if (!holds && sum.cost >= kCollectionCost && sum.touched >= kMinCollections)
    begin(m_collections, m_follow_collections, sum, share);
  else if (holds && sum.cost < kCollectionCost * kEnds)
    end(m_collections.back(), m_follow_collections);
  if (m_collections.empty() || !m_collections.back().holds) return;
  Imbalance& one = m_collections.back();
  if (!follow(one, m_follow_collections, sum, share)) return;
  one.reported = 0;
  one.newest.clear();
  for (auto step = m_steps.rbegin(); step != m_steps.rend(); ++step) {
    if (step->collected <= 0 || (!step->reported && steady.contains(step->collector))) continue;
    one.reported += step->reported ? 1 : 0;
    if (one.newest.size() < kTouchesKept) one.newest.push_back({step->collector, step->when});
  }
}

}  // namespace runglass
