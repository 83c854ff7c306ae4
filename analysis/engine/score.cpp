// SPDX-License-Identifier: Apache-2.0
#include "analysis/engine/score.h"
#include "model/number_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

namespace runglass {
namespace {

constexpr DurNs kSlack = 60 * kNsPerSecond;  // an analysis may report this late, and its start may be this early

struct Pair {
  std::string_view label, finding;
};
// Equivalent kinds.
constexpr std::array kSameAs = {Pair{"xid", "hardware_fault"},
                                Pair{"heartbeat_loss", "hardware_fault"},
                                Pair{"nic_flap", "slow_link"},
                                Pair{"nic_flap", "hardware_fault"},
                                Pair{"nan", "non_finite"},
                                Pair{"missing_rank", "hardware_fault"},
                                Pair{"agent_restart", "hardware_fault"}};
// Kinds that count as a hit for a label although another kind was expected.
constexpr std::array kFoundAs = {
    Pair{"slow_rank", "slow_node"},        Pair{"slow_rank", "host_bound"},      Pair{"slow_node", "slow_rank"},
    Pair{"slow_link", "slow_node"},        Pair{"slow_link", "hardware_fault"},  Pair{"host_bound", "slow_rank"},
    Pair{"host_bound", "slow_node"},       Pair{"data_bound", "slow_rank"},      Pair{"data_bound", "slow_node"},
    Pair{"loss_divergence", "loss_spike"}, Pair{"loss_spike", "loss_divergence"}};
// Consequences of a labelled fault, at any place.
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
// Consequences at the place of the fault.
constexpr std::array kFollowsThere = {Pair{"thermal_throttle", "slow_rank"}, Pair{"thermal_throttle", "slow_node"}};
// Labels of faults in the data, not in the run: no finding is expected.
constexpr std::array<std::string_view, 3> kNotDue = {"clock_skew", "missing_rank", "agent_restart"};
// Kinds that concern a whole node or the whole run: blaming a single rank understates them.
constexpr std::array<std::string_view, 10> kOfAll = {"slow_node",          "host_bound",      "data_bound",       "gc_jitter", "slow_link",
                                                     "sequence_imbalance", "stage_imbalance", "throughput_shift", "hang",      "stall"};

bool listed(std::span<const Pair> pairs, std::string_view label, std::string_view finding) {
  return std::ranges::any_of(pairs, [&](const Pair& pair) { return pair.label == label && pair.finding == finding; });
}
bool isSameKind(const Finding& finding, const Label& label) {
  return finding.kind == label.kind || listed(kSameAs, label.kind, finding.kind);
}

bool notifies(const Finding& finding) { return finding.severity > Severity::kInfo; }
nlohmann::json evidenceOf(const Finding& finding) {
  nlohmann::json evidence = nlohmann::json::parse(finding.evidence, nullptr, false);
  return evidence.is_object() ? std::move(evidence) : nlohmann::json::object();
}
// The port in the evidence of a slow link; "" where the finding names none.
std::string portOf(const Finding& finding) {
  const nlohmann::json evidence = evidenceOf(finding);
  const auto port = evidence.find("port");
  return port != evidence.end() && port->is_object() ? port->value("port", "") : "";
}

bool sameTime(const Finding& finding, const Label& label) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max(), kMin = std::numeric_limits<std::int64_t>::min();
  if (finding.start && label.start)
    return *finding.start - kSlack < label.end.value_or(kMax) && finding.end.value_or(kMax - kSlack) + kSlack > *label.start;
  if (finding.first_step && label.first_step)
    return *finding.first_step <= label.last_step.value_or(kMax) && finding.last_step.value_or(kMax) >= label.first_step.value_or(kMin);
  return true;
}

// Whether the finding names no other place.
bool fitsPlace(const Finding& finding, const Truth& truth) {
  const Label& label = truth.label;
  if (finding.rank && label.rank && *finding.rank != *label.rank) return false;
  if (truth.stage && finding.pp && *finding.pp != *truth.stage) return false;
  return !finding.node || !label.node || finding.node == label.node;
}

// Whether the finding names exactly this place.
bool isPlace(const Finding& finding, const Truth& truth) {
  const Label& label = truth.label;
  const bool of_all = std::ranges::find(kOfAll, label.kind) != kOfAll.end();
  if (!truth.port.empty() && !portOf(finding).empty() && portOf(finding) != truth.port) return false;
  // A rank's link is the port that it uses on its node.
  if (label.rank && label.kind == "slow_link" && !finding.rank) return label.node && finding.node == label.node;
  if (label.rank) return finding.rank == label.rank;
  if (label.node) return finding.node == label.node && !(of_all && finding.rank);
  if (truth.stage) return finding.pp == truth.stage && !finding.rank && !finding.node;
  return !of_all || (!finding.rank && !finding.node && !finding.pp);
}

bool isHit(const Finding& finding, const Truth& truth) {
  const Label& label = truth.label;
  if (!sameTime(finding, label) || !fitsPlace(finding, truth)) return false;
  // Under an alternative kind, an equal place makes it the same fault.
  return isSameKind(finding, label) || (listed(kFoundAs, label.kind, finding.kind) && (!label.node || finding.node == label.node) &&
                                        (label.node || (!finding.rank && !finding.node)));
}
bool isAttributed(const Finding& finding, const Truth& truth) {
  return isHit(finding, truth) && isSameKind(finding, truth.label) && isPlace(finding, truth);
}

bool isStrict(const Finding& finding, const Truth& truth) { return notifies(finding) && isAttributed(finding, truth); }

std::optional<std::int64_t> onsetOf(const Finding& finding, const Label& label) {
  if (!finding.first_step || !label.first_step) return std::nullopt;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(*finding.first_step) - static_cast<std::uint64_t>(*label.first_step));
}

Outcome outcomeOf(std::span<const Finding> findings, const Truth& truth) {
  Outcome best = Outcome::kMissed;
  for (const Finding& finding : findings) {
    if (!sameTime(finding, truth.label)) continue;
    Outcome outcome = Outcome::kMissed;
    if (isSameKind(finding, truth.label))
      outcome = isStrict(finding, truth)       ? Outcome::kStrict
                : isAttributed(finding, truth) ? Outcome::kAtInfo
                : notifies(finding)            ? Outcome::kWrongPlace
                                               : Outcome::kMissed;
    else if (notifies(finding) && (isHit(finding, truth) || isPlace(finding, truth)))
      outcome = Outcome::kOtherKind;
    best = std::min(best, outcome);
  }
  return best;
}

std::string whereOf(const Truth& truth) {
  const Label& label = truth.label;
  std::string where = label.rank    ? "rank " + std::to_string(*label.rank)
                      : label.node  ? "node #" + std::to_string(label.node.value)
                      : truth.stage ? "stage " + std::to_string(*truth.stage)
                                    : "run";
  if (!truth.port.empty()) where += " port " + truth.port;
  return where + (label.first_step ? ", from step " + std::to_string(*label.first_step) : "");
}

void scoreTruth(std::span<const Finding> findings, const Truth& truth, KindScore& score) {
  const Label& label = truth.label;
  ++score.labels;
  LabelScore one{.kind = label.kind, .strength = label.strength, .outcome = outcomeOf(findings, truth), .where = whereOf(truth)};
  const auto repeats = std::ranges::count_if(findings, [&](const Finding& finding) { return notifies(finding) && isHit(finding, truth); });
  score.repeats += std::max(0, static_cast<int>(repeats) - 1);
  const Finding* const best = findingOf(findings, truth);
  ++(best != nullptr ? score.hits : score.misses);
  if (best == nullptr) {
    if (label.first_step) score.missed.push_back("from step " + std::to_string(*label.first_step));
  } else {
    score.attributed += isAttributed(*best, truth) ? 1 : 0;
    one.onset_steps = onsetOf(*best, label);
    if (one.onset_steps) score.onset_steps.push_back(*one.onset_steps);
    const nlohmann::json evidence = evidenceOf(*best);
    if (const auto cost = evidence.find("cost_ratio"); truth.cost_ratio && cost != evidence.end() && cost->is_number())
      one.cost = CostScore{.truth = *truth.cost_ratio, .stated = cost->get<double>()};
  }
  score.outcomes.push_back(std::move(one));
}

}  // namespace

const Finding* findingOf(std::span<const Finding> findings, const Truth& truth) {
  const Finding* best = nullptr;
  const auto rank = [&](const Finding& finding) { return isStrict(finding, truth) ? 2 : isAttributed(finding, truth) ? 1 : 0; };
  const auto late = [&](const Finding& finding) {
    return finding.first_step && truth.label.first_step
               ? std::fabs(static_cast<double>(*finding.first_step) - static_cast<double>(*truth.label.first_step))
               : std::numeric_limits<double>::max();
  };
  for (const Finding& finding : findings) {
    if (!isHit(finding, truth)) continue;
    if (best == nullptr || rank(finding) > rank(*best) || (rank(finding) == rank(*best) && late(finding) < late(*best))) best = &finding;
  }
  return best;
}

std::vector<Truth> truthsOf(std::span<const Label> labels, std::span<const Fact> facts, std::span<const Device> devices) {
  std::vector<Truth> truths;
  for (const Label& label : labels) {
    Truth truth{.label = label, .stage = {}};
    const std::string key = "label/" + label.kind + "/" + std::to_string(label.first_step.value_or(0));
    for (const Fact& fact : facts) {
      if (fact.attempt != label.attempt) continue;
      const char* const begin = fact.value.data();
      const char* const end = begin + fact.value.size();
      std::int32_t stage = 0;
      double cost = 0;
      if (fact.key == key && fact.value.starts_with("stage:") && !label.rank && !label.node &&
          std::from_chars(begin + 6, end, stage).ptr == end)
        truth.stage = stage;
      // Two faults of a kind may begin at the same step, at different places.
      if (fact.key == key + "/cost_ratio" && fact.rank == label.rank && (label.rank || fact.node == label.node) &&
          std::from_chars(begin, end, cost).ptr == end && cost > 0)
        truth.cost_ratio = cost;
    }
    const auto device = std::ranges::find(devices, label.device, &Device::id);
    if (label.device && device != devices.end() && device->kind == "nic") truth.port = device->model;
    truths.push_back(std::move(truth));
  }
  return truths;
}

Result<std::vector<Truth>> readTruths(Reader& reader, RunId run) {
  std::vector<Fact> facts;
  RG_ASSIGN(const auto attempts, reader.attempts(run));
  for (const Attempt& attempt : attempts) {
    RG_ASSIGN(const auto own, reader.facts(attempt.id));
    facts.insert(facts.end(), own.begin(), own.end());
  }
  RG_ASSIGN(const auto labels, reader.labels(run));
  RG_ASSIGN(const auto devices, reader.devices());
  return truthsOf(labels, facts, devices);
}

bool CostScore::isWithin(double share) const { return std::fabs(errorRatio()) <= share; }

std::string_view outcomeName(Outcome outcome) {
  constexpr std::array<std::string_view, 5> kNames = {"strict hit", "hit at info", "other kind", "wrong place", "missed"};
  return kNames[static_cast<std::size_t>(outcome)];
}

int KindScore::count(Outcome outcome) const { return static_cast<int>(std::ranges::count(outcomes, outcome, &LabelScore::outcome)); }

std::optional<double> KindScore::medianCostError() const {
  std::vector<double> errors;
  for (const LabelScore& one : outcomes)
    if (one.cost) errors.push_back(std::fabs(one.cost->errorRatio()));
  if (errors.empty()) return std::nullopt;
  std::ranges::sort(errors);
  return errors[(errors.size() - 1) / 2];
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
  outcomes.insert(outcomes.end(), other.outcomes.begin(), other.outcomes.end());
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
    score.notifications += notifies(finding) ? 1 : 0;
    if (std::ranges::any_of(truths, [&](const Truth& truth) { return isHit(finding, truth); })) continue;
    const auto follows = [&](const Truth& truth) {
      return sameTime(finding, truth.label) && (listed(kFollows, truth.label.kind, finding.kind) ||
                                                (listed(kFollowsThere, truth.label.kind, finding.kind) && fitsPlace(finding, truth)));
    };
    if (std::ranges::any_of(truths, follows)) {
      ++score.explained;
    } else if (!notifies(finding)) {
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

std::string strictTable(const Scores& scores) {
  char line[200];
  std::snprintf(line, sizeof line, "%-22s %6s %6s %7s %10s %11s %6s %12s %7s %13s %9s %6s %10s\n", "kind", "labels", "strict", "at info",
                "other kind", "wrong place", "missed", "false alarms", "repeats", "notifications", "explained", "onset", "cost error");
  std::string text = line;
  for (const auto& [kind, s] : scores) {
    std::string name = kind.substr(0, 40);  // a stored kind may be any text
    std::ranges::replace_if(
        name, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    const std::string onset = s.medianOnset() ? std::to_string(*s.medianOnset()) : "-";
    const auto error = s.medianCostError();
    const std::string cost = error ? percentText(*error, 0) : "-";
    std::snprintf(line, sizeof line, "%-22s %6d %6d %7d %10d %11d %6d %12d %7d %13d %9d %6s %10s\n", name.c_str(), s.labels,
                  s.count(Outcome::kStrict), s.count(Outcome::kAtInfo), s.count(Outcome::kOtherKind), s.count(Outcome::kWrongPlace),
                  s.count(Outcome::kMissed), s.false_alarms, s.repeats, s.notifications, s.explained, onset.c_str(), cost.c_str());
    text += line;
  }
  return text;
}

}  // namespace runglass
