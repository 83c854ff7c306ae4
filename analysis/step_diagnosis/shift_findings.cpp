// SPDX-License-Identifier: Apache-2.0
#include "analysis/step_diagnosis/shift_findings.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/engine/cost_severity.h"
#include "analysis/words/sentences.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr double kHoursPerDay = 24;
constexpr double kGoodCoverage = 0.8;
constexpr std::int64_t kSameOnset = 30;  // steps
constexpr double kExplains = 0.5;        // minimum share of a shift

words::Quantity ms(double ns) { return words::shortDuration(static_cast<DurNs>(ns)); }

// Including causes of the same extent.
double costOf(const Finding& finding) {
  const auto evidence = Json::parse(finding.evidence, nullptr, false);
  return evidence.is_object() ? evidence.value("cost_together_ratio", evidence.value("cost_ratio", 0.0)) : 0;
}

bool namesSomebody(const Finding& finding) { return finding.rank || finding.node || finding.pp || finding.dp; }

// In the form of a subject.
Arg placeOf(const Finding& finding) {
  if (finding.rank) return Message{"cause_rank", {{"rank", *finding.rank}}};
  if (finding.subject.starts_with("node:")) return finding.subject.substr(std::string_view("node:").size());
  if (finding.pp) return Message{"cause_stage", {{"stage", *finding.pp}}};
  if (finding.dp) return Message{"cause_replica", {{"replica", *finding.dp}}};
  return Message{"cause_all_ranks", {}};
}

Message causeOf(const Finding& finding) {
  const std::string_view port = finding.subject;
  if (finding.kind == "host_bound") return Message{"cause_host", {{"who", placeOf(finding)}}};
  if (finding.kind == "data_bound") return Message{"cause_data", {{"who", placeOf(finding)}}};
  if (finding.kind == "gc_jitter") return Message{"cause_collections", {}};
  if (finding.kind == "sequence_imbalance" && !finding.dp) return Message{"cause_loads", {}};
  if (finding.kind == "slow_link" && port.starts_with("nic:"))
    return Message{"cause_link", {{"port", std::string(port.substr(std::string_view("nic:").size()))}}};
  if (finding.kind == "slow_link") return Message{"cause_links", {}};
  return Message{"cause_computing", {{"who", placeOf(finding)}}};
}

bool overlaps(const Finding& finding, const ThroughputShift& shift) {
  return finding.first_step && *finding.first_step <= shift.last_step && finding.last_step.value_or(shift.last_step) >= shift.first_step;
}

Json partsOf(const ThroughputShift& shift) {
  Json parts = Json::object();
  for (std::size_t c = 0; c < kStepColumnCount; ++c) {
    if (std::isnan(shift.parts_before[c]) || std::isnan(shift.parts_after[c])) continue;
    parts[stepColumnName(static_cast<StepColumn>(c))] = {{"before_ns", std::llround(shift.parts_before[c])},
                                                         {"after_ns", std::llround(shift.parts_after[c])}};
  }
  return parts;
}

Message sentenceOf(const ThroughputShift& shift, Arg cause) {
  const Arg change = words::ratio(std::fabs(shift.change())), before = ms(shift.before), after = ms(shift.after);
  const Arg restart = shift.across_restart ? Arg(Message{"shift_restart", {}}) : Arg();
  const bool longer = shift.change() > 0;
  if (shift.open)
    return Message{longer ? "shift_longer_now" : "shift_less_now",
                   {{"change", change},
                    {"first", shift.first_step},
                    {"restart", restart},
                    {"before", before},
                    {"after", after},
                    {"cause", std::move(cause)}}};
  return Message{longer ? "shift_longer_past" : "shift_less_past",
                 {{"change", change},
                  {"first", shift.first_step},
                  {"restart", restart},
                  {"last", shift.last_step},
                  {"before", before},
                  {"after", after},
                  {"cause", std::move(cause)}}};
}

}  // namespace

std::vector<Finding> findingsOf(const std::vector<ThroughputShift>& shifts, const std::vector<const AttemptWatch*>& attempts,
                                const std::vector<Finding>& explaining) {
  std::vector<Finding> out;
  std::vector<std::optional<double>> costs(explaining.size());  // parsed on demand, once each
  const auto cost_of = [&](const Finding& one) {
    std::optional<double>& cost = costs[static_cast<std::size_t>(&one - explaining.data())];
    if (!cost) cost = costOf(one);
    return *cost;
  };
  for (const ThroughputShift& shift : shifts) {
    Finding finding;
    const AttemptWatch* own = attempts.front();
    for (const AttemptWatch* one : attempts)
      if (one->attempt().id == shift.attempt) own = one;
    finding.attempt = own->attempt().id;
    finding.kind = "throughput_shift", finding.subject = "run";
    finding.start = shift.start, finding.end = shift.end;
    finding.first_step = shift.first_step, finding.last_step = shift.last_step;
    finding.score = shift.change();
    finding.coverage = 1, finding.confidence = 0.95;
    // A log's steps have no ranks.
    const double world = own->ranks().empty() ? own->attempt().layout.world : static_cast<double>(own->ranks().size());
    const double hours = shift.change() / (1 + shift.change()) * world * kHoursPerDay;
    // Where the number of ranks is not recorded, the cost is not known, which is no reason to call it low.
    const bool costs = world > 0;
    finding.severity = shift.change() < 0 ? Severity::kInfo : costs ? severityOfCost(hours) : Severity::kWarning;
    Json evidence = {{"before_ns", std::llround(shift.before)}, {"after_ns", std::llround(shift.after)},
                     {"change_ratio", shift.change()},          {"error_ratio", shift.error},
                     {"steps_before", shift.steps_before},      {"steps_after", shift.steps_after},
                     {"across_restart", shift.across_restart},  {"parts", partsOf(shift)}};
    if (costs) evidence["gpu_hours_per_day"] = std::max(0.0, hours);
    const double lost = shift.change() / (1 + shift.change());  // of a step, as the costs
    const Finding *because = nullptr, *named = nullptr;
    for (const Finding& one : explaining) {
      if (one.attempt != finding.attempt || !one.first_step || !(lost > 0)) continue;
      if (std::abs(*one.first_step - shift.first_step) <= kSameOnset && cost_of(one) >= kExplains * lost &&
          (because == nullptr || std::pair(one.severity, cost_of(one)) > std::pair(because->severity, cost_of(*because))))
        because = &one;
      if (namesSomebody(one) && overlaps(one, shift) && (named == nullptr || cost_of(one) > cost_of(*named))) named = &one;
    }
    Arg cause;
    if (because != nullptr) {
      // One cause is published once. A cause of severity info does not suppress the shift.
      if (because->severity > Severity::kInfo) finding.severity = Severity::kInfo;
      evidence["explained_by"] = {{"kind", because->kind}, {"subject", because->subject}, {"first_step", *because->first_step}};
      cause = Message{"shift_explained", {{"cause", causeOf(*because)}}};
    } else if (named != nullptr) {
      cause = Message{"shift_partly", {{"cause", causeOf(*named)}, {"cost", words::ratio(cost_of(*named))}}};
    } else if (shift.change() > 0 && own->stepsWithParts() > 0) {
      cause = own->coverage() < kGoodCoverage ? Message{"shift_no_rank_of_few", {{"coverage", words::ratio(own->coverage())}}}
                                              : Message{"shift_no_rank", {}};
    }
    words::setMessage(finding, sentenceOf(shift, std::move(cause)));
    finding.evidence = evidence.dump();
    out.push_back(std::move(finding));
  }
  return out;
}

}  // namespace runglass
