// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/analyze_parts.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "analysis/loss_health/loss_findings.h"
#include "analysis/loss_spikes/published_rules.h"
#include "app/cli/json_value.h"
#include "app/cli/output.h"
#include "model/number_text.h"
#include "model/series_extent.h"

namespace runglass::ctl {
namespace {

Json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

Json toJson(const LossSpike& spike, const WatchedAttempt& attempt) {
  const auto lead = gradLead(spike, attempt.health);
  const bool superseded = attempt.superseded_from && spike.first_step >= *attempt.superseded_from;
  return {{"attempt", attempt.attempt.number},
          {"first_step", spike.first_step},
          {"last_step", spike.last_step},
          {"rule", ruleName(spike.rule)},
          {"verdict", verdictName(spike.verdict)},
          {"peak_step", spike.peak_step},
          {"peak", number(spike.peak)},
          {"baseline", number(spike.baseline)},
          {"z", spike.z},
          {"points", spike.points},
          {"longest_points", spike.longest},
          {"level", spike.level ? Json(*spike.level) : Json()},
          {"recovered_step", spike.recovered_step ? Json(*spike.recovered_step) : Json()},
          {"grad_norm_lead_steps", lead ? Json(*lead) : Json()},
          {"superseded", superseded}};
}

Json regimesOf(const WatchedAttempt& attempt) {
  Json regimes = Json::array();
  for (const Regime& regime : attempt.health.regimes())
    regimes.push_back({{"attempt", attempt.attempt.number},
                       {"step", regime.step},
                       {"what", std::string(regime.what)},
                       {"from", regime.from},
                       {"to", regime.to}});
  return regimes;
}

// Of the newest attempt that has a loss.
Status addRules(Reader& reader, const Series& loss, AnalyzePart& part) {
  RG_ASSIGN(const auto points, reader.scalars(loss.id, loss.first_x, endOf(loss)));
  Json rules = Json::array();
  std::string text;
  for (const PublishedRuleInfo& info : publishedRules()) {
    const RuleHits hits = applyRule(info.rule, points.step, points.value);
    const auto score = hits.score();
    rules.push_back({{"rule", std::string(info.id)},
                     {"title", std::string(info.title)},
                     {"hits", hits.steps.size()},
                     {"judged", hits.judged},
                     {"score", score ? Json(*score) : Json()},
                     {"first_hit", hits.steps.empty() ? Json() : Json(hits.steps.front())}});
    if (!score || hits.steps.empty()) continue;
    text +=
        (text.empty() ? "" : ", ") + std::string(info.title) + " " + std::to_string(hits.steps.size()) + " (" + percentText(*score) + ")";
  }
  part.json["rules"] = std::move(rules);
  part.text += "    published rules: " + (text.empty() ? std::string("no hit") : text) + "\n";
  return {};
}

Result<AnalyzePart> judgeLoss(Reader& reader, const Run& run) {
  LossWatch watch;
  RG_TRY(watch.read(reader, run.id, false, {}));
  AnalyzePart part;
  part.json = {{"spikes", Json::array()}, {"status", "insufficient"}};
  const Series* newest = nullptr;
  std::int64_t points = 0, short_ones = 0, malignant = 0, not_finite = 0, regimes = 0;
  Json changes = Json::array();
  for (const WatchedAttempt& attempt : watch.attempts()) {
    const Series* loss = attempt.series(Role::kLoss);
    if (loss == nullptr) continue;
    newest = loss;
    points += attempt.health.points();
    for (const LossSpike& spike : attempt.health.spikes()) {
      part.json["spikes"].push_back(toJson(spike, attempt));
      ++(spike.rule == SpikeRule::kNonFinite ? not_finite : spike.level ? malignant : short_ones);
    }
    for (Json& regime : regimesOf(attempt)) changes.push_back(std::move(regime)), ++regimes;
  }
  if (newest == nullptr) {
    RG_ASSIGN(const auto all, reader.series({.run = run.id, .kind = SeriesKind::kScalar}));
    part.json["reason"] = noLossText(all);
    if (!all.empty()) part.text = "  loss: " + oneLine(noLossText(all)) + "\n";
    return part;
  }
  if (points < static_cast<std::int64_t>(kSpikeFirst)) {
    part.json["reason"] = "fewer than 10 points of a training loss";
    return part;
  }
  part.json["status"] = "ok";
  part.json["tag"] = newest->key.metric;
  part.json["points"] = points;
  part.json["regimes"] = std::move(changes);
  part.text = "  loss \"" + oneLine(newest->key.metric) + "\": " + std::to_string(points) + " points, " + std::to_string(short_ones) +
              " spikes that came back, " + std::to_string(malignant) + " that did not, " + std::to_string(not_finite) +
              " times not finite, " + std::to_string(regimes) + " changes of settings\n";
  RG_TRY(addRules(reader, *newest, part));
  return part;
}

}  // namespace

Result<AnalyzePart> lossPart(Reader& reader, const Run& run, std::span<const Finding> /*findings*/) {
  RG_ASSIGN(AnalyzePart part, judgeLoss(reader, run));
  return AnalyzePart{{{"loss", std::move(part.json)}}, std::move(part.text)};
}

}  // namespace runglass::ctl
