// SPDX-License-Identifier: Apache-2.0
// Invariant: cached data is of m_attempt; another attempt starts over.
#include "analysis/ranking/ranking.h"

#include <algorithm>
#include <limits>

#include "analysis/layout/layout_reading.h"
#include "analysis/ranking/restarts.h"
#include "analysis/run_summary/run_summary.h"
#include "analysis/steps/attempt_steps.h"
#include "analysis/what_if/what_if_data.h"

namespace runglass {
namespace {

constexpr int kRest = 20;  // pause, as a multiple of the time that reading spans took
constexpr std::int64_t kStepsAfter = 20;

// Whether a store has any data about an attempt's ranks.
Result<bool> tells(Reader& reader, AttemptId attempt) {
  RG_ASSIGN(const auto steps, AttemptSteps::list(reader, attempt, {StepSeries::kTime, StepSeries::kPart}));
  if (!steps.of(StepSeries::kTime).empty() || !steps.of(StepSeries::kPart).empty()) return true;
  RG_ASSIGN(const auto tracks, reader.tracks(attempt));
  return !tracks.empty();
}

Result<std::optional<WhatIfScores>> whatIfScores(Reader& reader, const Attempt& attempt, const std::vector<Rank>& places,
                                                 const std::stop_token& stop) {
  RG_ASSIGN(const WhatIfData data, readWhatIf(reader, attempt, stop));
  if (data.what_if.status != WhatIfStatus::kOk) return std::optional<WhatIfScores>();
  WhatIfScores out{.s = {}, .coverage = data.coverage.ratio(), .confidence = data.confidence(), .first_step = {}, .last_step = {}};
  out.first_step = data.coverage.first_step, out.last_step = data.coverage.last_step;
  std::map<std::pair<std::int32_t, std::int32_t>, double> workers;
  for (std::size_t w = 0; w < data.graph->workers.size(); ++w) {
    const StepWorker& worker = data.graph->workers[w];
    const double s = data.what_if.exact_by_worker[w].value_or(data.what_if.by_worker[w]);
    workers[{worker.dp, worker.pp}] = s;
    out.s[worker.rank] = s;
  }
  // Ranks of a tensor- or context-parallel group are indistinguishable: each has its worker's score.
  for (const Rank& place : places) {
    const auto worker = workers.find({place.dp.value_or(0), place.pp.value_or(0)});
    if (worker != workers.end() && (place.dp || place.pp)) out.s[place.rank] = worker->second;
  }
  return std::optional(std::move(out));
}

std::string whyNothing(const Ranking& ranking) {
  switch (ranking.relative.status) {
    case SlowRanksStatus::kTooFewPeers:
      return "too few peers: a rank is compared with at least " + std::to_string(kMinPeers) + " others of its pipeline stage";
    case SlowRanksStatus::kTooFewSteps:
      return "too few steps: " + std::to_string(ranking.relative.steps.size()) + " are known, " + std::to_string(kMinSteps) + " are needed";
    default:
      return "no rank recorded steps, step parts or collectives";
  }
}

}  // namespace

std::optional<TimeNs> Ranking::lastTime() const {
  std::optional<TimeNs> last;
  for (const auto& range : when)
    if (range) last = std::max(last.value_or(range->t1), range->t1);
  return over && attempt.end ? attempt.end : last;
}

std::int32_t Ranking::gpus() const { return attempt.layout.world > 0 ? attempt.layout.world : static_cast<std::int32_t>(places.size()); }

void RankingFeed::Rested::took(std::uint64_t now, std::chrono::steady_clock::duration length) {
  generation = now, asked = true;
  until = std::chrono::steady_clock::now() + length * kRest;
}

Result<Attempt> RankingFeed::chooseAttempt(Reader& reader, const std::vector<Attempt>& attempts) {
  if (const auto wanted = std::ranges::find(attempts, m_wanted, &Attempt::id); m_wanted && wanted != attempts.end()) return *wanted;
  for (auto attempt = attempts.rbegin(); attempt != attempts.rend(); ++attempt) {
    // An attempt that had data still has it.
    if (attempt->id == m_attempt && m_table) return *attempt;
    RG_ASSIGN(const bool any, tells(reader, attempt->id));
    if (any) return *attempt;
  }
  return attempts.back();
}

Result<Ranking> RankingFeed::read(Reader& reader, const std::vector<Finding>* findings, const std::stop_token& stop) {
  Ranking out;
  RG_ASSIGN(out.run, chooseRun(reader, m_run));
  RG_ASSIGN(const auto attempts, reader.attempts(out.run.id));
  if (attempts.empty()) {
    out.reason = "the run has no attempt";
    return out;
  }
  RG_ASSIGN(out.attempt, chooseAttempt(reader, attempts));
  if (out.attempt.id != m_attempt)
    *this = [&] {
      RankingFeed fresh(m_run, m_wanted);
      fresh.m_attempt = out.attempt.id;
      return fresh;
    }();
  out.over = out.attempt.id != attempts.back().id || out.attempt.end ||
             (out.run.state != RunState::kRunning && out.run.state != RunState::kStalled);
  RG_ASSIGN(out.places, placedRanks(reader, out.attempt.id));
  RG_ASSIGN(const auto nodes, reader.nodes());
  for (const Node& node : nodes) out.nodes[node.id] = node;
  std::vector<Finding> stored;
  if (findings == nullptr) {
    RG_ASSIGN(stored, reader.findings(out.run.id));
    findings = &stored;
  }
  out.suspects = suspectsOf(*findings, out.attempt.id, out.attempt.last_step);
  RG_TRY(readSteps(reader, out, stop));
  RG_TRY(readSpans(reader, out, stop));
  RankSources sources{.places = out.places, .relative = &out.relative, .nvrx = &out.nvrx, .votes = &out.votes.ranks};
  sources.what_if = out.what_if ? &*out.what_if : nullptr;
  sources.suspects = &out.suspects;
  out.kind = scoreKindOf(sources);
  if (!out.kind) out.reason = whyNothing(out);
  static const SlowRanks kNotRanked;
  out.verdict = judgeSlowness(out.kind == ScoreKind::kRelative && !out.past ? out.relative : kNotRanked, out.suspects, out.places);
  sources.verdict = &out.verdict;
  RG_TRY(readEarlier(reader, attempts, out, stop));
  sources.earlier = out.earlier ? &*out.earlier : nullptr;
  if (m_restarts_of != attempts.size()) {
    RG_ASSIGN(m_restart, readRestartTime(reader, attempts, stop));
    m_restarts_of = attempts.size();
  }
  out.restart = m_restart;
  out.rows = rankRows(sources);
  return out;
}

Status RankingFeed::readSteps(Reader& reader, Ranking& out, const std::stop_token& stop) {
  // For an ended attempt, the steps in which the worst suspect was slow.
  std::optional<std::int64_t> newest;
  if (out.over && out.suspects.worst() == nullptr)
    for (const Suspect& suspect : out.suspects.all)
      if (suspect.blamesRanks() && suspect.last_step && !newest) newest = *suspect.last_step + kStepsAfter;
  if (!m_table || newest != m_newest) {
    m_table = std::make_unique<StepTableFeed>(out.attempt.id, StepTableFeed::Options{.newest = newest});
    m_compared.reset();
  }
  m_newest = newest;
  out.past = newest.has_value();
  RG_ASSIGN(auto table, m_table->read(reader, out.places, stop));
  if (stop.stop_requested()) return {Code::kCancelled, "cancelled"};
  if (!m_compared || m_compared->revision != m_table->revision())
    m_compared = Compared{m_table->revision(), rankBySlowness(table.table), nvrxScores(table.table)};
  out.relative = m_compared->relative;
  out.nvrx = m_compared->nvrx;
  out.when = std::move(table.when);
  out.has_parts = table.has_parts;
  out.span_waits_known = table.span_waits_known;
  return {};
}

Status RankingFeed::readSpans(Reader& reader, Ranking& out, const std::stop_token& stop) {
  const std::uint64_t generation = reader.generation();
  const auto begin = std::chrono::steady_clock::now();
  if (m_votes_rest.due(generation)) {
    // Votes from before or after a slowness would outvote it.
    std::optional<TimeRange> within;
    for (const Suspect& suspect : out.suspects.all)
      if (!within && suspect.blamesRanks() && suspect.start)
        within = TimeRange{*suspect.start, suspect.holds ? std::numeric_limits<TimeNs>::max() : suspect.end.value_or(*suspect.start)};
    RG_ASSIGN(m_votes, readWaitVotes(reader, out.run.id, out.attempt.id, out.places, within, stop));
    m_votes_rest.took(generation, std::chrono::steady_clock::now() - begin);
  }
  out.votes = m_votes;
  if (out.has_parts) return {};
  const auto asked = std::chrono::steady_clock::now();
  if (m_what_if_rest.due(generation)) {
    RG_ASSIGN(m_what_if, whatIfScores(reader, out.attempt, out.places, stop));
    m_what_if_rest.took(generation, std::chrono::steady_clock::now() - asked);
  }
  out.what_if = m_what_if;
  return {};
}

Status RankingFeed::readEarlier(Reader& reader, const std::vector<Attempt>& attempts, Ranking& out, const std::stop_token& stop) {
  const auto at = std::ranges::find(attempts, out.attempt.id, &Attempt::id);
  if (at == attempts.begin() || at == attempts.end()) return {};
  if (!m_earlier || m_earlier_kind != out.kind) {
    const Attempt& before = *(at - 1);
    EarlierAttempt earlier{.number = before.number, .kind = out.kind.value_or(ScoreKind::kRelative), .score = {}, .nodes = {}};
    RG_ASSIGN(const auto places, placedRanks(reader, before.id));
    for (const Rank& place : places)
      if (place.node) earlier.nodes.insert(place.node);
    if (out.kind == ScoreKind::kRelative) {
      RG_ASSIGN(const auto table, readStepTable(reader, before.id, places, stop));
      // Only with the same basis: whole steps do not measure own work.
      if (table.table.basis == out.relative.basis)
        for (const RankScore& score : rankBySlowness(table.table).ranks)
          if (score.score) earlier.score[score.rank] = 1 + *score.score;
    } else if (out.kind == ScoreKind::kWhatIf) {
      RG_ASSIGN(auto scores, whatIfScores(reader, before, places, stop));
      if (scores) earlier.score = std::move(scores->s);
    }
    m_earlier = std::move(earlier);
    m_earlier_kind = out.kind;
  }
  out.earlier = m_earlier;
  return {};
}

}  // namespace runglass
