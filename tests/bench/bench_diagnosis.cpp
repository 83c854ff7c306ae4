// SPDX-License-Identifier: GPL-3.0-or-later
// The quality and cost of the diagnoses. `diagnosis/NAME` plays one scenario of tests/suite into a store and scores the findings of every
// registered analysis; tables are printed at the end. `--benchmark_filter=^diagnosis/NAME/` prints labels and findings of that scenario.
// `watched/NAME` plays it again while LiveAnalyses runs, for delays and for findings published too early. `paced/calm` plays twenty calm
// ones synchronously with the wall clock. `live/...` is the cost of a round of LiveAnalyses per step of 1,024 ranks with spans and parts,
// early in the run and late.
#include <benchmark/benchmark.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "collectors/hub/watch/live_analyses.h"
#include "collectors/sim/simulator.h"
#include "model/mutex.h"
#include "tests/bench/calibration.h"
#include "tests/suite/suite_play.h"
#include "tests/support/printed_percent.h"
#include "tests/support/temp_store.h"

namespace runglass {
namespace {

constexpr double kCostClose = 0.2;  // of the truth

struct Totals {
  Scores faulty, calm, undecidable;       // undecidable: no evidence of the fault was recorded
  std::map<std::string, double> seconds;  // by analysis
  std::vector<std::string> calm_said, lines;
  int played = 0, calm_played = 0, calm_notifications = 0, expected = 0, given = 0, given_unexpected = 0;
  double play_seconds = 0;
  std::string last;
  Scores live, calm_live;
  int watched = 0, calm_live_notifications = 0;
  std::vector<std::string> calm_reported;
};
Totals& totals() {
  static Totals all;
  return all;
}

void note(const SuiteCase& one, const SuiteAnswer& answer) {
  Totals& all = totals();
  ++all.played;
  all.play_seconds += answer.play_seconds;
  for (const auto& [name, seconds] : answer.analysis_seconds) all.seconds[name] += seconds;
  if (one.calm) {
    ++all.calm_played;
    all.calm_notifications += answer.notifications;
    addScores(all.calm, answer.scores);
    for (const Finding& finding : answer.findings)
      if (finding.severity > Severity::kInfo)
        all.calm_said.push_back(one.scenario.name + ": " + finding.kind + " " + finding.subject + ": " + finding.summary);
  } else {
    addScores(one.insufficient ? all.undecidable : all.faulty, answer.scores);
  }
  for (const Finding& finding : answer.findings)
    for (const std::string& wrong : wrongPercentages(finding.summary))
      all.lines.push_back("percentage   " + one.scenario.name + ": " + wrong + ": " + finding.summary);
  if (one.insufficient) ++all.expected;
  if (answer.insufficient > 0) ++(one.insufficient ? all.given : all.given_unexpected);
  for (const auto& [kind, score] : answer.scores) {
    for (const LabelScore& label : score.outcomes) {
      const std::string line = "  " + one.scenario.name + ": " + kind + " " + label.where;
      if (label.outcome != Outcome::kStrict) all.lines.push_back(std::string(outcomeName(label.outcome)) + line);
      if (label.cost && !label.cost->isWithin(kCostClose)) {
        char costs[64];
        std::snprintf(costs, sizeof costs, ": %.2f %%, stated %.2f %%", 100 * label.cost->truth, 100 * label.cost->stated);
        all.lines.push_back("wrong cost" + line + costs);
      }
    }
    for (const std::string& cried : score.false_found) all.lines.push_back("false alarm  " + one.scenario.name + ": " + kind + " " + cried);
  }
  all.last = one.scenario.name + "\n" + describe(answer);
}

void playCase(benchmark::State& state, const SuiteCase& one) {
  for (auto _ : state) {
    const Result<SuiteAnswer> answer = playSuiteCase(one, analyses());
    if (!answer.ok()) return state.SkipWithError(answer.status().message().c_str());
    note(one, *answer);
    KindScore sum;
    for (const auto& [kind, score] : answer->scores) sum.add(score);
    state.counters["labels"] = sum.labels;
    state.counters["hits"] = sum.hits;
    state.counters["attributed"] = sum.attributed;
    state.counters["misses"] = sum.misses;
    state.counters["false_alarms"] = sum.false_alarms;
    state.counters["notifications"] = answer->notifications;
    state.counters["play_s"] = answer->play_seconds;
  }
}

// After all scenarios: the sums as counters, for the JSON output.
void sumOf(benchmark::State& state, const Scores* scores) {
  for (auto _ : state) {
    KindScore sum;
    for (const auto& [kind, score] : *scores) {
      sum.add(score);
      for (const auto& [name, value] : {std::pair{"labels", score.labels},
                                        {"hits", score.hits},
                                        {"attributed", score.attributed},
                                        {"false_alarms", score.false_alarms}})
        if (score.labels + score.false_alarms > 0) state.counters[kind + "." + name] = value;
      if (score.medianOnset()) state.counters[kind + ".onset_steps"] = static_cast<double>(*score.medianOnset());
    }
    state.counters["labels"] = sum.labels;
    state.counters["hits"] = sum.hits;
    state.counters["attributed"] = sum.attributed;
    state.counters["false_alarms"] = sum.false_alarms;
    state.counters["notifications"] = sum.notifications;
  }
}

double threadSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// A scenario played with a round of LiveAnalyses every `every` steps, like the watch of a hub.
class LivePlay {
 public:
  explicit LivePlay(const sim::Scenario& scenario) : m_scenario(scenario) {}
  // `judged` is called with the CPU seconds of this thread and the result of each round.
  Status play(std::int64_t every, const std::function<void(std::int64_t step, double seconds, const LiveRound&)>& judged) {
    RG_ASSIGN(const auto writer, m_store.writer());
    DueRecorder out(*writer);
    RG_ASSIGN(auto reader, m_store.reader({.live = writer->liveTail()}));
    LiveAnalyses live(analyses());
    sim::PlayState at;
    std::int64_t last = 0;
    Status failed;
    const auto look = [&](std::int64_t step, TimeNs now) {
      failed = writer->flush();  // at this speed, none is due by the clock
      if (!failed.ok()) return;
      const double begin = threadSeconds();
      const Result<LiveRound> round = live.round(*reader, now, {});
      if (!round.ok()) failed = round.status();
      if (failed.ok()) judged(step, threadSeconds() - begin, *round);
    };
    TimeNs looked = 0;
    const auto after_flush = [&] {  // also while a step is stalled
      const bool moved = at.step != std::exchange(last, at.step);
      if (!failed.ok() || (moved ? at.step % every != 0 : out.newest() - looked < 15 * kNsPerSecond)) return;
      looked = out.newest();
      look(at.step, looked + kNsPerSecond);
    };
    RG_TRY(sim::play(m_scenario, out, {.start = 1'790'000'000'000'000'000, .speed = 0, .state = &at, .after_flush = after_flush}));
    look(at.step + 1, out.newest() + kNsPerSecond);  // after the end of the run
    RG_TRY(failed);
    RG_ASSIGN(const auto runs, reader->runs());
    RG_ASSIGN(m_truths, readTruths(*reader, runs.front().id));
    m_spans = out.spanCount();
    reader.reset();  // a store only folds while it has no readers
    return writer->close();
  }
  // Synchronous with the wall clock, `speed` times as fast, with a round every two seconds like the watch of a hub; it ends now.
  Status playPaced(double speed, const std::function<void(const LiveRound&)>& judged) {
    constexpr DurNs kEvery = 2 * kNsPerSecond;
    RG_ASSIGN(const auto writer, m_store.writer());
    DueRecorder out(*writer);
    RG_ASSIGN(auto reader, m_store.reader({.live = writer->liveTail()}));
    LiveAnalyses live(analyses());
    Status failed;
    const auto look = [&] {
      failed = writer->flush();
      if (!failed.ok()) return;
      const Result<LiveRound> round = live.round(*reader, wallNow(), {});
      if (!round.ok()) failed = round.status();
      if (failed.ok()) judged(*round);
    };
    TimeNs looked = monotonicNow();
    const auto after_flush = [&] {
      if (!failed.ok() || monotonicNow() - looked < kEvery) return;
      looked = monotonicNow();
      look();
    };
    const auto length = static_cast<double>(sim::scenarioLength(m_scenario));
    RG_TRY(sim::play(m_scenario, out,
                     {.start = wallNow() - static_cast<DurNs>(length * (1 - 1 / speed)), .speed = speed, .after_flush = after_flush}));
    look();
    RG_TRY(failed);
    reader.reset();
    return writer->close();
  }
  const std::vector<Truth>& truths() const { return m_truths; }
  std::size_t spanCount() const { return m_spans; }

 private:
  const sim::Scenario& m_scenario;
  const TempStore m_store;
  std::vector<Truth> m_truths;
  std::size_t m_spans = 0;
};

// All findings published during the run, at their highest severity; first step: the step at the first publication.
void watchCase(benchmark::State& state, const SuiteCase& one) {
  const std::int64_t every = std::max<std::int64_t>(5, one.scenario.steps / 200);
  for (auto _ : state) {
    std::map<std::tuple<std::string, std::string, std::optional<std::int64_t>>, Finding> reported;
    LivePlay play(one.scenario);
    double cost = 0;
    const Status status = play.play(every, [&](std::int64_t step, double seconds, const LiveRound& round) {
      cost += seconds;
      for (const FindingChange& change : round.changes) {
        Finding finding = change.finding;
        const auto [known, fresh] = reported.try_emplace({finding.kind, finding.subject, finding.first_step}, finding);
        const bool notified = !fresh && known->second.severity > Severity::kInfo;
        finding.first_step = notified ? known->second.first_step : std::optional(step);
        finding.severity = std::max(finding.severity, known->second.severity);
        known->second = std::move(finding);
      }
    });
    if (!status.ok()) return state.SkipWithError(status.message().c_str());
    std::vector<Finding> findings;
    int notifications = 0;
    for (auto& [key, finding] : reported) {
      notifications += finding.severity > Severity::kInfo ? 1 : 0;
      if (one.calm && finding.severity > Severity::kInfo)
        totals().calm_reported.push_back(one.scenario.name + ": " + finding.kind + " " + finding.subject + ": " + finding.summary);
      findings.push_back(std::move(finding));
    }
    const Scores scores = scoreFindings(findings, play.truths());
    for (const auto& [kind, score] : scores)
      for (const std::string& cried : score.false_found)
        totals().lines.push_back("false alarm  watched " + one.scenario.name + ": " + kind + " " + cried);
    addScores(one.calm ? totals().calm_live : totals().live, scores);
    ++totals().watched;
    totals().calm_live_notifications += one.calm ? notifications : 0;
    KindScore sum;
    for (const auto& [kind, score] : scores) sum.add(score);
    state.counters["hits"] = sum.hits;
    state.counters["false_alarms"] = sum.false_alarms;
    state.counters["notifications"] = notifications;
    state.counters["rounds_cpu_s"] = cost;
  }
}

// 1,024 ranks, one step per second with 60 spans per rank and all parts, and a slow rank, so that there are findings. A round after every
// step; the result is the average cost over the 50 steps up to each of two points of the run.
void liveRounds(benchmark::State& state) {
  const char* wanted = std::getenv("RUNGLASS_BENCH_STEPS");
  const std::int64_t early = 200, late = wanted != nullptr ? std::atoll(wanted) : 2000;
  constexpr std::int64_t kWindow = 50;
  sim::Scenario s;
  s.name = "live";
  s.steps = late;
  s.nodes = 128;
  s.tp = 8, s.pp = 8, s.dp = 16;
  s.step_seconds = 1, s.metrics_hertz = 0;
  s.micro_batches = 10;
  s.part_noise_ratio = 0.05, s.heavy_tails = true, s.host_ratio = 0.01, s.host_cpu = true;
  s.spans = sim::SpanDetail::kCoarse;
  s.faults = {{"slow_rank", {.kind = sim::Target::Kind::kRank, .index = 700}, 100, late, 1.2}};
  for (auto _ : state) {
    double early_cost = 0, late_cost = 0, worst = 0;
    std::size_t findings = 0;
    LivePlay play(s);
    const TimeNs begin = monotonicNow();
    const Status status = play.play(1, [&](std::int64_t step, double seconds, const LiveRound& round) {
      for (const FindingChange& change : round.changes) findings += change.what == FindingChange::What::kNew ? 1 : 0;
      if (step > early - kWindow && step <= early) early_cost += seconds / kWindow;
      if (step > late - kWindow && step <= late) late_cost += seconds / kWindow, worst = std::max(worst, seconds);
    });
    if (!status.ok()) return state.SkipWithError(status.message().c_str());
    state.counters["early_ms_per_step"] = early_cost * 1e3;
    state.counters["late_ms_per_step"] = late_cost * 1e3;
    state.counters["late_over_early"] = late_cost / early_cost;
    state.counters["late_worst_ms"] = worst * 1e3;
    state.counters["findings"] = static_cast<double>(findings);
    state.counters["spans_per_step"] = static_cast<double>(play.spanCount()) / static_cast<double>(late);
    state.counters["steps_per_s"] = static_cast<double>(late) / (static_cast<double>(monotonicNow() - begin) / kNsPerSecond);
  }
}
BENCHMARK(liveRounds)->Name("live/round_per_step/1024")->Iterations(1)->Unit(benchmark::kSecond);

// Twenty calm plays in parallel, at 1 to 20 times real-time speed: every notification is a false alarm.
void pacedCalm(benchmark::State& state) {
  constexpr std::size_t kPlays = 20;
  constexpr double kSpeeds[] = {1, 2, 5, 10, 20}, kWallSeconds = 60;
  std::vector<SuiteCase> calm = diagnosisSuite();
  std::erase_if(calm, [](const SuiteCase& one) { return !one.calm || one.scenario.steps > 1000 || one.scenario.world() > 32; });
  for (auto _ : state) {
    const TimeNs begin = monotonicNow();
    Mutex mutex;
    std::vector<std::string> notified, failed;
    int rounds = 0;
    {
      std::vector<std::jthread> plays;
      for (std::size_t i = 0; i < kPlays; ++i) {
        sim::Scenario scenario = calm[i % calm.size()].scenario;
        const double speed = kSpeeds[i % std::size(kSpeeds)];
        const double shorter = kWallSeconds * speed / (scenario.step_seconds * static_cast<double>(scenario.steps));
        for (double* seconds : {&scenario.step_seconds, &scenario.eval_seconds, &scenario.checkpoint_seconds, &scenario.gc_seconds,
                                &scenario.epoch_pause_seconds})
          *seconds *= shorter;
        scenario.daily_swing_hours *= shorter;
        scenario.restart_step = 0;  // would take another half minute
        scenario.seed += i;
        plays.emplace_back([scenario, speed, &mutex, &notified, &failed, &rounds] {
          LivePlay play(scenario);
          const Status status = play.playPaced(speed, [&](const LiveRound& round) {
            const MutexLock lock(mutex);
            ++rounds;
            for (const FindingChange& change : round.changes)
              if (change.finding.severity > Severity::kInfo)
                notified.push_back(scenario.name + ": " + change.finding.kind + " " + change.finding.subject + ": " +
                                   change.finding.summary);
          });
          const MutexLock lock(mutex);
          if (!status.ok()) failed.push_back(scenario.name + ": " + status.message());
        });
      }
    }
    if (!failed.empty()) return state.SkipWithError(failed.front().c_str());
    state.counters["plays"] = kPlays;
    // A machine that cannot keep up delays the steps, and delayed steps are a stall.
    state.counters["behind_s"] = static_cast<double>(monotonicNow() - begin) / kNsPerSecond - kWallSeconds;
    state.counters["rounds"] = rounds;
    state.counters["false_alarms"] = static_cast<double>(notified.size());
    for (const std::string& one : notified) totals().lines.push_back("false alarm  paced " + one);
  }
}
BENCHMARK(pacedCalm)->Name("paced/calm")->Iterations(1)->Unit(benchmark::kSecond)->MeasureProcessCPUTime()->UseRealTime();

void printLive() {
  const Totals& all = totals();
  if (all.watched == 0) return;
  std::printf("\n%d scenarios watched live; onset: steps until it was told\n%s", all.watched, strictTable(all.live).c_str());
  std::printf("calm plays: notifications %d\n", all.calm_live_notifications);
  for (const std::string& line : all.calm_reported) std::printf("  %s\n", line.substr(0, 220).c_str());
}

// A label's strength as a share, where it is one; the other kinds are only present or absent.
std::optional<double> shareOf(const LabelScore& label) {
  constexpr std::array<std::string_view, 10> kShares = {"slow_rank",          "slow_node",  "stage_imbalance", "thermal_throttle",
                                                        "throughput_shift",   "host_bound", "data_bound",      "gc_jitter",
                                                        "sequence_imbalance", "slow_link"};
  return std::ranges::find(kShares, label.kind) != kShares.end() ? std::optional(label.strength - 1) : std::nullopt;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// Strict hits of labels per kind and strength, and the figures of docs/guide/findings.md.
void printBands(const Scores& scores) {
  struct Band {
    int strict = 0, labels = 0;
  };
  constexpr std::size_t kWeak = 0, kStrong = 1, kNoShare = 2;
  std::array<Band, 3> sums;
  KindScore sum;
  std::vector<double> onsets, costs;
  std::printf("%-22s %12s %12s %12s\n", "strict hits of", "4-8 %", ">= 8 %", "no strength");
  for (const auto& [kind, score] : scores) {
    sum.add(score);
    std::array<Band, 3> bands;
    for (const LabelScore& one : score.outcomes) {
      const std::optional<double> share = shareOf(one);
      const std::size_t band = !share ? kNoShare : *share >= 0.0799 ? kStrong : kWeak;
      for (Band* at : {&bands[band], &sums[band]}) ++at->labels, at->strict += one.outcome == Outcome::kStrict ? 1 : 0;
      if (one.onset_steps) onsets.push_back(std::fabs(static_cast<double>(*one.onset_steps)));
      if (one.cost) costs.push_back(std::fabs(one.cost->errorRatio()));
    }
    if (score.labels > 0)
      std::printf("%-22s %6d of %2d %6d of %2d %6d of %2d\n", kind.c_str(), bands[kWeak].strict, bands[kWeak].labels, bands[kStrong].strict,
                  bands[kStrong].labels, bands[kNoShare].strict, bands[kNoShare].labels);
  }
  const char* const names[] = {"4-8 %", ">= 8 %", "without a strength"};
  for (std::size_t band = 0; band < sums.size(); ++band)
    std::printf("strict hits, %s: %d of %d (%.1f %%)\n", names[band], sums[band].strict, sums[band].labels,
                100.0 * sums[band].strict / std::max(1, sums[band].labels));
  const auto right = std::ranges::count_if(costs, [](double error) { return error <= kCostClose; });
  std::printf("notifications per fault: %.2f; false alarms: %d; repeats: %d\n",
              static_cast<double>(sum.notifications) / std::max(1, sum.labels), sum.false_alarms, sum.repeats);
  std::printf(
      "onset, steps away: median %.0f, 90 %% within %.0f; cost: %td of %zu within 20 %%, median error %.0f %%, 90 %% within %.0f %%\n",
      quantile(onsets, 0.5), quantile(onsets, 0.9), right, costs.size(), 100 * quantile(costs, 0.5), 100 * quantile(costs, 0.9));
}

void printTables() {
  printLive();
  const Totals& all = totals();
  if (all.played == 0) return;
  if (all.played == 1) {
    std::printf("\n%s", all.last.c_str());
    return;
  }
  std::printf("\n%d scenarios with faults or healthy, played in %.1f s\n%s", all.played - all.calm_played, all.play_seconds,
              strictTable(all.faulty).c_str());
  printBands(all.faulty);
  std::printf("insufficient evidence: expected %d, given %d, given elsewhere %d\n", all.expected, all.given, all.given_unexpected);
  std::printf("calm plays: %d, notifications %d\n", all.calm_played, all.calm_notifications);
  for (const std::string& line : all.calm_said) std::printf("  %s\n", line.substr(0, 220).c_str());
  for (const auto& [name, seconds] : all.seconds) std::printf("%-22s %8.2f s in all\n", name.c_str(), seconds);
}

void printLines() {
  for (const std::string& line : totals().lines) std::printf("%s\n", line.substr(0, 300).c_str());
}

}  // namespace
}  // namespace runglass

int main(int count, char** arguments) {
  using namespace runglass;
  const std::vector<SuiteCase> suite = diagnosisSuite();
  for (const SuiteCase& one : suite)
    benchmark::RegisterBenchmark(("diagnosis/" + one.scenario.name).c_str(), [&one](benchmark::State& state) { playCase(state, one); })
        ->Iterations(1)
        ->Unit(benchmark::kSecond);
  for (const SuiteCase& one : suite) {
    if (one.scenario.world() > 64) continue;  // the same kinds on more ranks give no new information about delays
    benchmark::RegisterBenchmark(("watched/" + one.scenario.name).c_str(), [&one](benchmark::State& state) { watchCase(state, one); })
        ->Iterations(1)
        ->Unit(benchmark::kSecond);
  }
  benchmark::RegisterBenchmark("diagnosis_total/faulty", [](benchmark::State& state) { sumOf(state, &totals().faulty); })->Iterations(1);
  benchmark::RegisterBenchmark("diagnosis_total/calm", [](benchmark::State& state) { sumOf(state, &totals().calm); })->Iterations(1);
  benchmark::RegisterBenchmark("diagnosis_total/watched", [](benchmark::State& state) { sumOf(state, &totals().live); })->Iterations(1);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  printTables();
  printLines();
  benchmark::Shutdown();
  return 0;
}
