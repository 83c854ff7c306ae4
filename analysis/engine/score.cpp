// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/score.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace runglass {
namespace {

constexpr DurNs kSlack = 60 * kNsPerSecond;  // an analysis may need so long to say it, and may say it begins a little earlier

struct Pair {
  std::string_view label, finding;
};
// Other names of the same thing.
constexpr std::array kSameAs = {Pair{"xid", "hardware_fault"},
                                Pair{"heartbeat_loss", "hardware_fault"},
                                Pair{"nic_flap", "slow_link"},
                                Pair{"nic_flap", "hardware_fault"},
                                Pair{"nan", "non_finite"},
                                Pair{"missing_rank", "hardware_fault"},
                                Pair{"agent_restart", "hardware_fault"}};
// Names under which a label is found, although something else was to be said of it.
constexpr std::array kFoundAs = {
    Pair{"slow_rank", "slow_node"},        Pair{"slow_rank", "host_bound"},      Pair{"slow_node", "slow_rank"},
    Pair{"slow_link", "slow_node"},        Pair{"slow_link", "hardware_fault"},  Pair{"host_bound", "slow_rank"},
    Pair{"host_bound", "slow_node"},       Pair{"data_bound", "slow_rank"},      Pair{"data_bound", "slow_node"},
    Pair{"loss_divergence", "loss_spike"}, Pair{"loss_spike", "loss_divergence"}};
// What else a labelled fault brings about, anywhere.
constexpr std::array kFollows = {Pair{"hardware_fault", "hang"},
                                 Pair{"hardware_fault", "stall"},
                                 Pair{"xid", "hang"},
                                 Pair{"xid", "stall"},
                                 Pair{"hang", "stall"},
                                 Pair{"heartbeat_loss", "hang"},
                                 Pair{"nic_flap", "stall"},
                                 Pair{"missing_rank", "hang"},
                                 Pair{"slow_rank", "throughput_shift"},
                                 Pair{"slow_node", "throughput_shift"},
                                 Pair{"slow_link", "throughput_shift"},
                                 Pair{"nic_flap", "throughput_shift"},
                                 Pair{"stage_imbalance", "throughput_shift"},
                                 Pair{"sequence_imbalance", "throughput_shift"},
                                 Pair{"host_bound", "throughput_shift"},
                                 Pair{"data_bound", "throughput_shift"},
                                 Pair{"gc_jitter", "throughput_shift"},
                                 Pair{"thermal_throttle", "throughput_shift"},
                                 Pair{"nan", "loss_spike"},
                                 Pair{"nan", "loss_divergence"},
                                 Pair{"non_finite", "loss_spike"},
                                 Pair{"non_finite", "loss_divergence"}};
// What it brings about where it is.
constexpr std::array kFollowsThere = {Pair{"thermal_throttle", "slow_rank"}, Pair{"thermal_throttle", "slow_node"}};
// Labels of trouble with the data, not with the run: no finding is due.
constexpr std::array<std::string_view, 3> kNotDue = {"clock_skew", "missing_rank", "agent_restart"};
// Of a whole node or nobody: to blame one rank of it is to say less than is so.
constexpr std::array<std::string_view, 8> kOfAll = {"slow_node", "host_bound",         "data_bound",      "gc_jitter",
                                                    "slow_link", "sequence_imbalance", "stage_imbalance", "throughput_shift"};

bool listed(std::span<const Pair> pairs, std::string_view label, std::string_view finding) {
  return std::ranges::any_of(pairs, [&](const Pair& pair) { return pair.label == label && pair.finding == finding; });
}
bool isSameKind(const Finding& finding, const Label& label) {
  return finding.kind == label.kind || listed(kSameAs, label.kind, finding.kind);
}

bool sameTime(const Finding& finding, const Label& label) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max(), kLeast = std::numeric_limits<std::int64_t>::min();
  if (finding.start && label.start)
    return *finding.start - kSlack < label.end.value_or(kMost) && finding.end.value_or(kMost - kSlack) + kSlack > *label.start;
  if (finding.first_step && label.first_step)
    return *finding.first_step <= label.last_step.value_or(kMost) && finding.last_step.value_or(kMost) >= label.first_step.value_or(kLeast);
  return true;
}

// Names no other place.
bool fitsPlace(const Finding& finding, const Truth& truth) {
  const Label& label = truth.label;
  if (finding.rank && label.rank && *finding.rank != *label.rank) return false;
  if (truth.stage && finding.pp && *finding.pp != *truth.stage) return false;
  return !finding.node || !label.node || finding.node == label.node;
}

// Names this place and no less.
bool isPlace(const Finding& finding, const Truth& truth) {
  const Label& label = truth.label;
  const bool of_all = std::ranges::find(kOfAll, label.kind) != kOfAll.end();
  if (label.rank) return finding.rank == label.rank;
  if (label.node) return finding.node == label.node && !(of_all && finding.rank);
  if (truth.stage) return finding.pp == truth.stage && !finding.rank && !finding.node;
  return !of_all || (!finding.rank && !finding.node && !finding.pp);
}

bool isHit(const Finding& finding, const Truth& truth) {
  const Label& label = truth.label;
  if (!sameTime(finding, label) || !fitsPlace(finding, truth)) return false;
  // Under another name the place alone makes it the same thing.
  return isSameKind(finding, label) || (listed(kFoundAs, label.kind, finding.kind) && (!label.node || finding.node == label.node) &&
                                        (label.node || (!finding.rank && !finding.node)));
}
bool isAttributed(const Finding& finding, const Truth& truth) {
  return isHit(finding, truth) && isSameKind(finding, truth.label) && isPlace(finding, truth);
}

void scoreTruth(std::span<const Finding> findings, const Truth& truth, KindScore& score) {
  const Label& label = truth.label;
  ++score.labels;
  const Finding* const best = findingOf(findings, truth);
  const auto hits = std::ranges::count_if(findings, [&](const Finding& finding) { return isHit(finding, truth); });
  ++(best != nullptr ? score.hits : score.misses);
  score.repeats += std::max(0, static_cast<int>(hits) - 1);
  if (best == nullptr) {
    if (label.first_step) score.missed.push_back("from step " + std::to_string(*label.first_step));
    return;
  }
  score.attributed += isAttributed(*best, truth) ? 1 : 0;
  if (best->first_step && label.first_step) score.onset_steps.push_back(*best->first_step - *label.first_step);
}

}  // namespace

const Finding* findingOf(std::span<const Finding> findings, const Truth& truth) {
  const Finding* best = nullptr;
  const auto late = [&](const Finding& finding) {
    return finding.first_step && truth.label.first_step
               ? std::fabs(static_cast<double>(*finding.first_step) - static_cast<double>(*truth.label.first_step))
               : std::numeric_limits<double>::max();
  };
  for (const Finding& finding : findings) {
    if (!isHit(finding, truth)) continue;
    const auto better = [&] {
      const bool is = isAttributed(finding, truth), was = isAttributed(*best, truth);
      return is != was ? is : late(finding) < late(*best);
    };
    if (best == nullptr || better()) best = &finding;
  }
  return best;
}

std::vector<Truth> truthsOf(std::span<const Label> labels, std::span<const Fact> facts) {
  std::vector<Truth> truths;
  for (const Label& label : labels) {
    Truth truth{.label = label, .stage = {}};
    const std::string key = "label/" + label.kind + "/" + std::to_string(label.first_step.value_or(0));
    for (const Fact& fact : facts) {
      std::int32_t stage = 0;
      if (label.rank || label.node || fact.attempt != label.attempt || fact.key != key || !fact.value.starts_with("stage:")) continue;
      const char* const end = fact.value.data() + fact.value.size();
      if (std::from_chars(fact.value.data() + 6, end, stage).ptr == end) truth.stage = stage;
    }
    truths.push_back(std::move(truth));
  }
  return truths;
}

std::optional<std::int64_t> KindScore::medianOnset() const {
  if (onset_steps.empty()) return std::nullopt;
  std::vector<std::int64_t> sorted = onset_steps;
  std::ranges::sort(sorted);
  return sorted[(sorted.size() - 1) / 2];
}

void KindScore::add(const KindScore& other) {
  labels += other.labels, hits += other.hits, misses += other.misses, attributed += other.attributed;
  findings += other.findings, false_alarms += other.false_alarms, explained += other.explained, info += other.info;
  repeats += other.repeats, notifications += other.notifications;
  onset_steps.insert(onset_steps.end(), other.onset_steps.begin(), other.onset_steps.end());
  missed.insert(missed.end(), other.missed.begin(), other.missed.end());
  false_found.insert(false_found.end(), other.false_found.begin(), other.false_found.end());
}

void addScores(Scores& to, const Scores& from) {
  for (const auto& [kind, score] : from) to[kind].add(score);
}

Scores scoreFindings(std::span<const Finding> findings, std::span<const Truth> truths) {
  Scores scores;
  for (const Truth& truth : truths)
    if (std::ranges::find(kNotDue, truth.label.kind) == kNotDue.end()) scoreTruth(findings, truth, scores[truth.label.kind]);
  for (const Finding& finding : findings) {
    KindScore& score = scores[finding.kind];
    ++score.findings;
    score.notifications += finding.severity > Severity::kInfo ? 1 : 0;
    if (std::ranges::any_of(truths, [&](const Truth& truth) { return isHit(finding, truth); })) continue;
    const auto follows = [&](const Truth& truth) {
      return sameTime(finding, truth.label) && (listed(kFollows, truth.label.kind, finding.kind) ||
                                                (listed(kFollowsThere, truth.label.kind, finding.kind) && fitsPlace(finding, truth)));
    };
    if (std::ranges::any_of(truths, follows)) {
      ++score.explained;
    } else if (finding.severity <= Severity::kInfo) {
      ++score.info;
    } else {
      ++score.false_alarms;
      score.false_found.push_back(finding.subject + ": " + finding.summary);
    }
  }
  return scores;
}

Scores scoreFindings(std::span<const Finding> findings, std::span<const Label> labels) {
  return scoreFindings(findings, truthsOf(labels, {}));
}

}  // namespace runglass
