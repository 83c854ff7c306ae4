// SPDX-License-Identifier: Apache-2.0
#include "analysis/loss_health/loss_findings.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "analysis/words/sentences.h"
#include "model/number_text.h"

namespace runglass {
namespace {

using Json = nlohmann::ordered_json;
using words::Arg;
using words::Message;

constexpr std::int64_t kDeadPoints = 10;  // consecutive points that are not finite
constexpr std::int64_t kScalerNear = 10;  // steps from a non-finite value to the step skipped for it: a log interval
constexpr double kScoreMost = 20;         // robust sigma that give a score of 1

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(numberText(value)); }

class FindingList {
 public:
  explicit FindingList(const WatchedAttempt& attempt)
      : m_attempt(attempt), m_health(attempt.health), m_rises(attempt.health.rises(attempt.counts_steps)) {
    m_subject = "attempt:" + std::to_string(attempt.attempt.number);
  }

  std::vector<LossFinding> all() {
    addSpikes();
    addRises();
    addNotFinite(m_health.spikes(), "loss", Role::kLoss);
    addGradSpikes();
    addNotFinite(m_health.gradSpikes(), "grad_norm", Role::kGradNorm);
    addBeside();
    addLog();
    addScale();
    addDivergences();
    addRestart();
    addClip();
    std::ranges::stable_sort(m_out, {}, &LossFinding::start_step);
    return std::move(m_out);
  }

 private:
  const std::string* tagOf(Role role) const {
    const Series* series = m_attempt.series(role);
    return series == nullptr ? nullptr : &series->key.metric;
  }

  LossFinding make(const char* kind, const std::string& of, Severity severity, std::int64_t first, std::int64_t last) const {
    LossFinding out;
    out.finding.kind = kind;
    out.finding.subject = m_subject + " " + of;
    out.finding.severity = m_attempt.reinforcement ? Severity::kInfo : severity;
    out.finding.first_step = first;
    out.finding.last_step = last;
    out.start_step = first;
    if (!m_attempt.newest) out.end_step = last;
    return out;
  }

  void add(LossFinding finding, Json evidence) {
    if (m_attempt.superseded_from && finding.start_step >= *m_attempt.superseded_from)
      evidence["superseded_from"] = *m_attempt.superseded_from;
    if (m_attempt.reinforcement) evidence["reinforcement_learning"] = true;
    finding.finding.evidence = evidence.dump(-1, ' ', false, Json::error_handler_t::replace);
    m_out.push_back(std::move(finding));
  }

  static Json describe(const LossSpike& spike) {
    Json json = {{"rule", ruleName(spike.rule)}, {"verdict", verdictName(spike.verdict)}, {"peak", number(spike.peak)},
                 {"peak_step", spike.peak_step}, {"baseline", number(spike.baseline)},    {"z", spike.z},
                 {"points", spike.points},       {"longest_points", spike.longest},       {"longest_steps", spike.longest_steps}};
    if (spike.level) json["level"] = *spike.level;
    if (spike.recovered_step) json["recovered_step"] = *spike.recovered_step;
    return json;
  }

  // The change of settings that explains it.
  const Regime* regimeOf(std::int64_t step) const { return regimeNear(m_health.regimes(), step); }
  static Json describe(const Regime& regime) {
    return {{"what", std::string(regime.what)}, {"step", regime.step}, {"from", regime.from}, {"to", regime.to}};
  }
  static Message regimeMessage(const Regime& regime) {
    std::string what(regime.what);
    std::ranges::replace(what, '_', ' ');
    return Message{
        "loss_regime",
        {{"what", words::Term{what}}, {"from", words::number(regime.from)}, {"to", words::number(regime.to)}, {"step", regime.step}}};
  }

  void addSpikes() {
    std::vector<const LossSpike*> blips;
    const auto close = [&] {
      if (!blips.empty()) addBlips(blips);
      blips.clear();
    };
    for (const LossSpike& spike : m_health.spikes()) {
      if (spike.rule == SpikeRule::kNonFinite) continue;
      const LossSpike* grad = gradSpikeWith(spike, m_health.gradSpikes());
      const SpikeWeight weight = weightOf(spike, grad != nullptr, m_attempt.counts_steps);
      if (weight != SpikeWeight::kBlip) {
        addSpike(spike, weight, grad);
      } else if (spike.recovered_step) {  // an open spike may still become more severe
        if (!blips.empty() && stepsBetween(blips.back()->last_step, spike.first_step) > kBlipsTogether) close();
        blips.push_back(&spike);
      }
    }
    close();
  }

  void addBlips(const std::vector<const LossSpike*>& blips) {
    const LossSpike& highest = **std::ranges::max_element(blips, {}, [](const LossSpike* spike) { return spike->z; });
    const LossSpike &first = *blips.front(), &last = *blips.back();
    LossFinding out = make("loss_spike", "loss", Severity::kInfo, first.first_step, last.last_step);
    out.end_step = last.recovered_step;
    out.finding.score = std::min(1.0, highest.z / kScoreMost);
    std::int64_t points = 0;
    for (const LossSpike* spike : blips) points += spike->points;
    const Arg peak = words::number(highest.peak), baseline = words::number(highest.baseline);
    if (points == 1)
      words::setMessage(out.finding, Message{"loss_blip", {{"peak", peak}, {"baseline", baseline}, {"step", highest.peak_step}}});
    else
      words::setMessage(out.finding, Message{"loss_blips",
                                             {{"points", points},
                                              {"first", first.first_step},
                                              {"last", last.last_step},
                                              {"within", kBlipPoints},
                                              {"peak", peak},
                                              {"baseline", baseline},
                                              {"step", highest.peak_step}}});
    Json evidence = {{"tag", *tagOf(Role::kLoss)}, {"bunches", blips.size()}};
    evidence.update(describe(highest));
    evidence["points"] = points;
    add(std::move(out), std::move(evidence));
  }

  void addSpike(const LossSpike& spike, SpikeWeight weight, const LossSpike* grad) {
    const Regime* regime = regimeOf(spike.first_step);
    static constexpr std::array kSeverity = {Severity::kInfo, Severity::kInfo, Severity::kWarning, Severity::kError};
    LossFinding out = make("loss_spike", "loss", regime != nullptr ? Severity::kInfo : kSeverity[static_cast<std::size_t>(weight)],
                           spike.first_step, spike.last_step);
    if (spike.recovered_step) out.end_step = spike.recovered_step;
    out.finding.score = std::min(1.0, spike.z / kScoreMost);
    words::setMessage(out.finding, spikeMessage(spike, grad, regime));
    Json evidence = {{"tag", *tagOf(Role::kLoss)}};
    evidence.update(describe(spike));
    if (grad != nullptr) {
      evidence["grad_norm"] = describe(*grad);
      evidence["grad_norm"]["tag"] = *tagOf(Role::kGradNorm);
      evidence["grad_norm"]["lead_steps"] = stepsBetween(grad->first_step, spike.first_step);
    }
    if (regime != nullptr) evidence["regime"] = describe(*regime);
    add(std::move(out), std::move(evidence));
  }

  static Message spikeMessage(const LossSpike& spike, const LossSpike* grad, const Regime* regime) {
    const Arg peak = words::number(spike.peak), baseline = words::number(spike.baseline);
    const Arg gradient = grad != nullptr ? Arg(leadMessage(stepsBetween(grad->first_step, spike.first_step))) : Arg();
    const Arg changed = regime != nullptr ? Arg(regimeMessage(*regime)) : Arg();
    if (spike.level)
      return Message{"loss_jump",
                     {{"peak", peak},
                      {"baseline", baseline},
                      {"step", spike.peak_step},
                      {"within", kSpikePersistence},
                      {"level", words::number(*spike.level)},
                      {"back", spike.recovered_step},
                      {"gradient", gradient},
                      {"regime", changed}}};
    if (spike.recovered_step)
      return Message{"loss_spike_back",
                     {{"peak", peak},
                      {"baseline", baseline},
                      {"step", spike.peak_step},
                      {"back", *spike.recovered_step},
                      {"points", spike.longest},
                      {"gradient", gradient},
                      {"regime", changed}}};
    return Message{"loss_spike",
                   {{"peak", peak},
                    {"baseline", baseline},
                    {"step", spike.peak_step},
                    {"points", spike.points},
                    {"gradient", gradient},
                    {"regime", changed}}};
  }

  static Message leadMessage(std::int64_t lead) {
    if (lead == 0) return Message{"loss_gradient_with", {}};
    return Message{lead > 0 ? "loss_gradient_before" : "loss_gradient_after", {{"steps", std::abs(lead)}}};
  }

  static Message riseMessage(const LossSpike& rise) {
    const Arg peak = words::number(rise.peak), baseline = words::number(rise.baseline), step = rise.peak_step, z = words::number(rise.z),
              points = rise.points;
    // Where the level itself rose in the meantime, no point was ever far above it.
    if (rise.z > kLossLimits.z && rise.peak >= kLossLimits.ratio * rise.baseline)
      return Message{"loss_rise_gradual", {{"peak", peak}, {"baseline", baseline}, {"step", step}, {"z", z}, {"points", points}}};
    return Message{"loss_rise",
                   {{"peak", peak},
                    {"baseline", baseline},
                    {"step", step},
                    {"z", z},
                    {"points", points},
                    {"limit_z", words::number(kLossLimits.z)},
                    {"limit_percent", words::number(100 * (kLossLimits.ratio - 1))}}};
  }

  // A rise that is a spike because the gradient norm has one as well.
  const LossSpike* gradWith(const LossSpike& rise) const {
    if (rise.z <= kTogetherZ || rise.peak < kLossLimits.ratio * rise.baseline) return nullptr;
    return gradSpikeWith(rise, m_health.gradSpikes());
  }

  // Published after their end: an open rise may become a spike.
  void addRises() {
    for (const LossSpike& rise : m_rises) {
      if (const LossSpike* grad = gradWith(rise)) {
        addSpike(rise, weightOf(rise, true, m_attempt.counts_steps), grad);
        continue;
      }
      if (!rise.recovered_step && !rise.level) continue;
      LossFinding out = make("loss_spike", "loss", Severity::kInfo, rise.first_step, rise.last_step);
      if (rise.recovered_step) out.end_step = rise.recovered_step;
      out.finding.score = std::min(1.0, rise.z / kScoreMost);
      words::setMessage(out.finding, riseMessage(rise));
      Json evidence = {{"tag", *tagOf(Role::kLoss)}, {"below_limit", true}};
      evidence.update(describe(rise));
      add(std::move(out), std::move(evidence));
    }
  }

  static bool cameWith(const LossSpike& grad, const LossSpike& loss) {
    return stepsBetween(grad.last_step, loss.first_step) <= kGradLead && grad.first_step <= loss.last_step;
  }

  // A gradient spike alone means rough training, not a worse model: info.
  void addGradSpikes() {
    for (const LossSpike& spike : m_health.gradSpikes()) {
      if (spike.rule == SpikeRule::kNonFinite || spike.longest <= kBlipPoints) continue;
      const bool is_reported = std::ranges::any_of(
          m_health.spikes(), [&](const LossSpike& loss) { return loss.rule != SpikeRule::kNonFinite && cameWith(spike, loss); });
      if (is_reported) continue;
      if (std::ranges::any_of(m_rises, [&](const LossSpike& rise) { return gradWith(rise) == &spike; })) continue;
      const auto rise = std::ranges::find_if(m_rises, [&](const LossSpike& loss) { return cameWith(spike, loss); });
      LossFinding out = make("loss_spike", "grad_norm", Severity::kInfo, spike.first_step, spike.last_step);
      if (spike.recovered_step) out.end_step = spike.recovered_step;
      out.finding.score = std::min(1.0, spike.z / kScoreMost);
      const Arg peak = words::number(spike.peak), baseline = words::number(spike.baseline), step = spike.peak_step;
      if (rise == m_rises.end())
        words::setMessage(out.finding, Message{"loss_gradient_spike", {{"peak", peak}, {"baseline", baseline}, {"step", step}}});
      else
        words::setMessage(out.finding, Message{"loss_gradient_spike_rise",
                                               {{"peak", peak},
                                                {"baseline", baseline},
                                                {"step", step},
                                                {"loss_peak", words::number(rise->peak)},
                                                {"loss_baseline", words::number(rise->baseline)}}});
      Json evidence = {{"tag", *tagOf(Role::kGradNorm)}};
      evidence.update(describe(spike));
      add(std::move(out), std::move(evidence));
    }
  }

  static bool isNear(std::int64_t step, std::int64_t first, std::int64_t last) {
    return stepsBetween(step, first) <= kScalerNear && stepsBetween(last, step) <= kScalerNear;
  }

  // fp16 training finds its loss scale by overflowing, many times in a row in its first steps and occasionally later: the optimizer skips
  // the step or lowers the scale, and the model is unaffected. ScaleWatch judges how often is too often.
  bool scalerAt(const LossSpike& spike, const Series* of) const {
    const auto near = [&](std::int64_t step) { return isNear(step, spike.first_step, spike.last_step); };
    const bool lowered = std::ranges::any_of(m_health.scale().halvings(), near) ||
                         std::ranges::any_of(m_attempt.skips, [&](const Event& event) { return event.step && near(*event.step); });
    const bool searches = of != nullptr && stepsBetween(of->first_x, spike.last_step) < ScaleWatch::kSearch;
    return lowered && (spike.longest <= kBlipPoints || searches);
  }

  bool lossNotFinite(const LossSpike& spike) const {
    return std::ranges::any_of(m_health.spikes(), [&](const LossSpike& loss) {
      return loss.rule == SpikeRule::kNonFinite && loss.first_step <= spike.last_step && spike.first_step <= loss.last_step;
    });
  }

  static bool isOver(const LossSpike& spike) { return spike.recovered_step && spike.longest <= kBlipPoints; }
  static bool isDead(const LossSpike& spike) { return !spike.recovered_step && spike.longest >= kDeadPoints; }

  // The origin of the values, from series of single ranks and the trainer's checks in its log.
  struct Origin {
    std::optional<std::int32_t> rank;
    std::string layer;
  };
  Origin originOf(const LossSpike& spike) const {
    const LossSpike* first = nullptr;
    Origin out;
    for (const FiniteFeed& feed : m_attempt.beside)
      for (const LossSpike& one : feed.found) {
        if (!feed.series.key.rank || !isNear(one.first_step, spike.first_step, spike.last_step)) continue;
        if (first != nullptr && one.first_step >= first->first_step) continue;
        first = &one;
        out.rank = feed.series.key.rank;
      }
    for (const Event& event : m_attempt.non_finites) {
      // A value printed in the log is not a check: its line only identifies the rank that printed it.
      if (event.code.empty() || !event.step || !isNear(*event.step, spike.first_step, spike.last_step)) continue;
      out.layer = event.code;
      if (event.rank) out.rank = event.rank;
      break;
    }
    return out;
  }
  // The common arguments of the sentences about values that are not finite.
  struct NotFinite {
    NotFinite(const LossSpike& spike, const Origin& origin)
        : value(words::number(spike.peak)),
          first(spike.first_step),
          points(spike.points > 1 ? Arg(spike.points) : Arg()),
          last(spike.points > 1 ? Arg(spike.last_step) : Arg()),
          back(spike.recovered_step),
          lasting(spike.recovered_step ? Arg() : Arg(Message{"loss_lasting", {}})),
          rank(origin.rank),
          layer(origin.layer.empty() ? Arg() : Arg(origin.layer)) {}
    Arg value, first, points, last, back, lasting, rank, layer;
  };
  static Message notFiniteMessage(const NotFinite& one, bool grad, bool scaler) {
    if (!grad)
      return Message{"loss_not_finite",
                     {{"value", one.value},
                      {"first", one.first},
                      {"points", one.points},
                      {"last", one.last},
                      {"back", one.back},
                      {"lasting", one.lasting},
                      {"rank", one.rank},
                      {"layer", one.layer}}};
    return Message{"loss_gradient_not_finite",
                   {{"value", one.value},
                    {"first", one.first},
                    {"points", one.points},
                    {"last", one.last},
                    {"back", one.back},
                    {"lasting", one.lasting},
                    {"scaler", scaler ? Arg(Message{"loss_scale_lowered", {}}) : Arg()},
                    {"rank", one.rank},
                    {"layer", one.layer}}};
  }
  static void addOrigin(const Origin& origin, Json& evidence) {
    if (origin.rank) evidence["first_rank"] = *origin.rank;
    if (!origin.layer.empty()) evidence["layer"] = origin.layer;
  }

  void addNotFinite(const std::vector<LossSpike>& spikes, const std::string& of, Role role) {
    const bool grad = role == Role::kGradNorm;
    for (const LossSpike& spike : spikes) {
      if (spike.rule != SpikeRule::kNonFinite) continue;
      // If the loss is not finite either, the loss is the finding.
      const bool scaler = grad && scalerAt(spike, m_attempt.series(role));
      Severity severity = isOver(spike) ? Severity::kWarning : Severity::kCritical;
      if (scaler || (grad && lossNotFinite(spike))) severity = Severity::kInfo;
      LossFinding out = make("non_finite", of, severity, spike.first_step, spike.last_step);
      if (spike.recovered_step) out.end_step = spike.recovered_step;
      // The meaning of a reinforcement learning loss is unclear; one that stays non-finite means that the job has stopped learning.
      if (!grad && isDead(spike)) out.finding.severity = severity;
      const Origin origin = originOf(spike);
      words::setMessage(out.finding, notFiniteMessage({spike, origin}, grad, scaler));
      Json evidence = {{"tag", *tagOf(role)}};
      evidence.update(describe(spike));
      if (grad) evidence["loss_scale_lowered"] = scaler;
      addOrigin(origin, evidence);
      add(std::move(out), std::move(evidence));
    }
  }

  // Unjudged losses and gradients: those that become non-finite within a cooldown of each other are one finding, of the first of them.
  void addBeside() {
    struct Hit {
      const FiniteFeed* feed;
      const LossSpike* spike;
    };
    std::vector<Hit> hits;
    for (const FiniteFeed& feed : m_attempt.beside)
      for (const LossSpike& spike : feed.found) hits.push_back({&feed, &spike});
    std::ranges::sort(hits, {}, [](const Hit& hit) {
      const SeriesKey& key = hit.feed->series.key;
      return std::tuple(hit.spike->first_step, key.rank.value_or(-1), std::string_view(key.metric), hit.feed->series.id);
    });
    for (std::size_t begin = 0, end = 0; begin < hits.size(); begin = end) {
      const FiniteFeed& first = *hits[begin].feed;
      LossSpike all = *hits[begin].spike;
      bool evaluation = true, lasting = false;
      std::set<std::string_view> tags;
      for (end = begin; end < hits.size() && stepsBetween(all.last_step, hits[end].spike->first_step) <= kSpikeCooldown; ++end) {
        const LossSpike& one = *hits[end].spike;
        all.last_step = std::max(all.last_step, one.last_step);
        all.longest = std::max(all.longest, one.longest);
        lasting = lasting || !one.recovered_step;
        if (one.recovered_step && all.recovered_step) all.recovered_step = std::max(*all.recovered_step, *one.recovered_step);
        evaluation = evaluation && isEvaluation(hits[end].feed->series.key);
        tags.insert(hits[end].feed->series.key.metric);
      }
      if (lasting) all.recovered_step.reset();
      addBeside(first, all, evaluation, tags);
    }
  }

  void addBeside(const FiniteFeed& first, const LossSpike& all, bool evaluation, const std::set<std::string_view>& tags) {
    const bool scaler = scalerAt(all, &first.series);
    Severity severity = isDead(all) ? Severity::kCritical : Severity::kWarning;
    if (evaluation) severity = isDead(all) ? Severity::kWarning : Severity::kInfo;
    if (isOver(all) || scaler || lossNotFinite(all)) severity = Severity::kInfo;
    LossFinding out = make("non_finite", "scalar", severity, all.first_step, all.last_step);
    out.clock = &first.series;
    if (all.recovered_step) out.end_step = all.recovered_step;
    if (isDead(all)) out.finding.severity = severity;
    const Origin origin = originOf(all);
    const NotFinite one(all, origin);
    words::setMessage(out.finding, Message{"scalar_not_finite",
                                           {{"tag", first.series.key.metric},
                                            {"value", one.value},
                                            {"first", one.first},
                                            {"points", one.points},
                                            {"last", one.last},
                                            {"back", one.back},
                                            {"lasting", one.lasting},
                                            {"scaler", scaler ? Arg(Message{"loss_step_skipped", {}}) : Arg()},
                                            {"more", tags.size() > 1 ? Arg(tags.size() - 1) : Arg()},
                                            {"rank", one.rank},
                                            {"layer", one.layer}}});
    Json evidence = {{"tag", first.series.key.metric}, {"tags", tags.size()}};
    evidence.update(describe(all));
    evidence["loss_scale_lowered"] = scaler;
    addOrigin(origin, evidence);
    add(std::move(out), std::move(evidence));
  }

  // Values reported in the log but in no series: trainers may stop on NaN before they log it.
  void addLog() {
    std::vector<const Event*> alone;
    for (const Event& event : m_attempt.non_finites)
      if (!isShown(event)) alone.push_back(&event);
    for (std::size_t begin = 0, end = 0; begin < alone.size(); begin = end) {
      const Event* first = alone[begin];
      const auto step = [&](std::size_t i) { return alone[i]->step.value_or(first->step.value_or(0)); };
      bool check = false, skipped = true;
      for (end = begin; end < alone.size() && (end == begin || stepsBetween(step(end - 1), step(end)) <= kBlipsTogether); ++end) {
        check = check || !alone[end]->code.empty();
        skipped = skipped && std::ranges::any_of(m_attempt.skips,
                                                 [&](const Event& skip) { return skip.step && isNear(*skip.step, step(end), step(end)); });
      }
      const Severity severity = skipped ? Severity::kInfo : check ? Severity::kError : Severity::kWarning;
      LossFinding out = make("non_finite", "log", severity, step(begin), step(end - 1));
      if (!first->step) out.finding.first_step.reset(), out.finding.last_step.reset();
      out.finding.start = first->time;
      out.finding.end = alone[end - 1]->time;
      words::setMessage(out.finding,
                        Message{"loss_log", {{"line", first->message}, {"lines", end - begin > 1 ? Arg(end - begin) : Arg()}}});
      Json evidence = {{"line", first->message}, {"lines", end - begin}, {"loss_scale_lowered", skipped}};
      if (first->rank) evidence["first_rank"] = *first->rank;
      if (!first->code.empty()) evidence["layer"] = first->code;
      add(std::move(out), std::move(evidence));
    }
  }

  // Whether a series has a value that is not finite at the event.
  bool isShown(const Event& event) const {
    const auto shows = [&](const LossSpike& spike) {
      return spike.rule == SpikeRule::kNonFinite && (!event.step || isNear(*event.step, spike.first_step, spike.last_step));
    };
    return std::ranges::any_of(m_health.spikes(), shows) || std::ranges::any_of(m_health.gradSpikes(), shows) ||
           std::ranges::any_of(m_attempt.beside, [&](const FiniteFeed& feed) { return std::ranges::any_of(feed.found, shows); });
  }

  void addScale() {
    for (const ScaleCollapse& one : m_health.scale().found()) {
      LossFinding out =
          make("non_finite", "loss_scale", one.lowest < 1 ? Severity::kError : Severity::kWarning, one.first_step, one.last_step);
      if (one.recovered_step) out.end_step = one.recovered_step;
      words::setMessage(out.finding, Message{"loss_scale",
                                             {{"halvings", one.halvings},
                                              {"first", one.first_step},
                                              {"last", one.last_step},
                                              {"from", words::number(one.from)},
                                              {"lowest", words::number(one.lowest)}}});
      add(std::move(out), {{"tag", *tagOf(Role::kLossScale)}, {"halvings", one.halvings}, {"from", one.from}, {"lowest", one.lowest}});
    }
  }

  static Message driftMessage(const Divergence& one) {
    const Arg best = words::number(one.best), worst = words::number(one.worst);
    if (one.recovered_step)
      return Message{
          "loss_divergence_back",
          {{"best", best}, {"best_step", one.best_step}, {"first", one.first_step}, {"worst", worst}, {"back", *one.recovered_step}}};
    return Message{
        "loss_divergence",
        {{"best", best}, {"best_step", one.best_step}, {"first", one.first_step}, {"worst", worst}, {"level", words::number(one.level)}}};
  }

  void addDivergences() {
    for (const Divergence& one : m_health.divergences()) {
      const Severity severity = one.worst >= kDivergenceSevere * one.best ? Severity::kError : Severity::kWarning;
      LossFinding out = make("loss_divergence", "loss", severity, one.first_step, one.last_step);
      if (one.recovered_step) out.end_step = one.recovered_step;
      out.finding.score = std::min(1.0, one.worst / one.best - 1);
      words::setMessage(out.finding, driftMessage(one));
      Json evidence = {{"tag", *tagOf(Role::kLoss)}, {"rule", "level"},    {"best", one.best},
                       {"best_step", one.best_step}, {"level", one.level}, {"worst", one.worst}};
      if (one.recovered_step) evidence["recovered_step"] = *one.recovered_step;
      add(std::move(out), std::move(evidence));
    }
  }

  void addRestart() {
    const Series* loss = m_attempt.series(Role::kLoss);
    if (loss == nullptr) return;
    const std::int64_t first = loss->first_x;
    if (m_attempt.restart && isWorse(*m_attempt.restart)) {
      const LevelChange& change = *m_attempt.restart;
      const Regime* regime = regimeOf(first);
      LossFinding out = make("loss_divergence", "restart", regime != nullptr ? Severity::kInfo : Severity::kWarning, first, first);
      out.end_step = first;
      words::setMessage(out.finding, Message{"loss_restart",
                                             {{"first", first},
                                              {"after", words::number(change.after)},
                                              {"points", kLevelAfter},
                                              {"before", words::number(change.before)},
                                              {"regime", regime != nullptr ? Arg(regimeMessage(*regime)) : Arg()}}});
      Json evidence = {
          {"tag", loss->key.metric}, {"rule", "restart"}, {"before", change.before}, {"after", change.after}, {"sigma", change.sigma}};
      if (regime != nullptr) evidence["regime"] = describe(*regime);
      add(std::move(out), std::move(evidence));
    }
    if (m_attempt.replay) {
      const BaselineDivergence& worse = *m_attempt.replay;
      LossFinding out = make("loss_divergence", "replay", Severity::kWarning, worse.first_step, worse.last_step);
      out.end_step = worse.last_step;
      words::setMessage(out.finding,
                        Message{"loss_replay", {{"worse", words::number(100 * (worse.ratio - 1))}, {"first", worse.first_step}}});
      add(std::move(out), {{"tag", loss->key.metric}, {"rule", "replay"}, {"ratio", worse.ratio}, {"common_steps", worse.common}});
    }
  }

  void addClip() {
    const auto& clip = m_health.clip();
    if (!clip) return;
    const ClipValue& value = *m_health.clipValue();
    LossFinding out = make("clip_pressure", "grad_norm", Severity::kInfo, clip->first_step, clip->last_step);
    out.end_step = clip->last_step;
    out.finding.score = clip->share;
    words::setMessage(out.finding, Message{"loss_clipped",
                                           {{"share", words::number(100 * clip->share)},
                                            {"window", ClipWatch::kWindow},
                                            {"clip", words::number(value.value)},
                                            {"first", clip->first_step},
                                            {"last", clip->last_step}}});
    add(std::move(out), {{"tag", *tagOf(Role::kGradNorm)}, {"clip", value.value}, {"clip_source", value.source}, {"share", clip->share}});
  }

  const WatchedAttempt& m_attempt;
  const AttemptLoss& m_health;
  const std::vector<LossSpike> m_rises;
  std::string m_subject;
  std::vector<LossFinding> m_out;
};

}  // namespace

const char* verdictName(SpikeVerdict verdict) {
  static constexpr std::array kNames = {"unknown", "benign", "malignant"};
  return kNames[static_cast<std::size_t>(verdict)];
}

const char* ruleName(SpikeRule rule) {
  static constexpr std::array kNames = {"robust_z", "warm_up", "non_finite"};
  return kNames[static_cast<std::size_t>(rule)];
}

std::optional<std::int64_t> gradLead(const LossSpike& spike, const AttemptLoss& health) {
  if (spike.rule == SpikeRule::kNonFinite) return std::nullopt;
  const LossSpike* grad = gradSpikeWith(spike, health.gradSpikes());
  return grad == nullptr ? std::nullopt : std::optional(stepsBetween(grad->first_step, spike.first_step));
}

std::vector<LossFinding> lossFindings(const WatchedAttempt& attempt) { return FindingList(attempt).all(); }

}  // namespace runglass
