// SPDX-License-Identifier: GPL-3.0-or-later
// How good the diagnoses are, and what they cost. `diagnosis/NAME` plays one scenario of tests/suite into a store and scores what every
// registered analysis says; the end prints tables. `--benchmark_filter=NAME$` prints labels and findings of the one scenario. `live/...` is
// what a round of LiveAnalyses costs per step of 1,024 ranks with spans and parts, early in the run and late.
#include <benchmark/benchmark.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "app/watch/live_analyses.h"
#include "collectors/sim/simulator.h"
#include "tests/bench/calibration.h"
#include "tests/suite/suite_play.h"

namespace runglass {
namespace {

struct Totals {
  Scores faulty, calm;
  std::map<std::string, double> seconds;  // by analysis
  std::vector<std::string> calm_said, lines;
  int played = 0, calm_played = 0, calm_notifications = 0, expected = 0, given = 0, given_unexpected = 0;
  double play_seconds = 0;
  std::string last;
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
    addScores(all.faulty, answer.scores);
  }
  if (one.insufficient) ++all.expected;
  if (answer.insufficient > 0) ++(one.insufficient ? all.given : all.given_unexpected);
  for (const auto& [kind, score] : answer.scores) {
    for (const std::string& missed : score.missed) all.lines.push_back("missed       " + one.scenario.name + ": " + kind + " " + missed);
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

// After all scenarios: the sums as counters, for the JSON.
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

// 1,024 ranks, one step a second with about 40 spans a rank and all parts, and a slow rank, so that there is something to say. A round
// after every step, as the watch of a hub does; what it costs on average over the 50 steps up to each of two points of the run.
void liveRounds(benchmark::State& state) {
  const char* wanted = std::getenv("RUNGLASS_BENCH_STEPS");
  const std::int64_t early = 200, late = wanted != nullptr ? std::atoll(wanted) : 2000;
  constexpr std::int64_t kWindow = 50;
  const std::string path =
      (std::filesystem::temp_directory_path() / ("rg-bench-diagnosis-" + std::to_string(::getpid()) + ".rgl")).string();
  sim::Scenario s;
  s.name = "live";
  s.steps = late;
  s.nodes = 128;
  s.tp = 8, s.pp = 8, s.dp = 16;
  s.step_seconds = 1, s.metrics_hertz = 0;
  s.micro_batches = 8;
  s.part_noise_ratio = 0.05, s.heavy_tails = true, s.host_ratio = 0.01, s.host_cpu = true;
  s.spans = sim::SpanDetail::kCoarse;
  s.faults = {{"slow_rank", {.kind = sim::Target::Kind::kRank, .index = 700}, 100, late, 1.2}};
  for (auto _ : state) {
    auto opened = Writer::open(path);
    RG_CHECK(opened.ok());
    Writer& writer = **opened;
    DueRecorder out(writer);
    auto reader = Reader::open(path, {.live = writer.liveTail()});
    RG_CHECK(reader.ok());
    LiveAnalyses live(analyses());
    std::int64_t step = 0;
    double cost = 0, worst = 0, early_cost = 0, late_cost = 0;
    std::size_t findings = 0;
    const auto look = [&] {
      ++step;
      const double begin = threadSeconds();
      const auto round = live.round(**reader, out.newest() + 2 * kNsPerSecond, {});
      RG_CHECK(round.ok());
      const double took = threadSeconds() - begin;
      for (const FindingChange& change : round->changes) findings += change.what == FindingChange::What::kNew ? 1 : 0;
      if ((step > early - kWindow && step <= early) || (step > late - kWindow && step <= late)) cost += took, worst = std::max(worst, took);
      if (step == early) early_cost = std::exchange(cost, 0) / kWindow;
      if (step == late) late_cost = cost / kWindow;
    };
    const TimeNs begin = monotonicNow();
    RG_CHECK(sim::play(s, out, {.start = 1'790'000'000'000'000'000, .speed = 0, .after_flush = look}).ok());
    state.counters["early_ms_per_step"] = early_cost * 1e3;
    state.counters["late_ms_per_step"] = late_cost * 1e3;
    state.counters["late_over_early"] = late_cost / early_cost;
    state.counters["worst_ms"] = worst * 1e3;
    state.counters["findings"] = static_cast<double>(findings);
    state.counters["spans_per_step"] = static_cast<double>(out.spanCount()) / static_cast<double>(late);
    state.counters["steps_per_s"] = static_cast<double>(late) / (static_cast<double>(monotonicNow() - begin) / kNsPerSecond);
    reader->reset();
    RG_CHECK(writer.close().ok());
  }
  std::filesystem::remove(path);
}
BENCHMARK(liveRounds)->Name("live/round_per_step/1024")->Iterations(1)->Unit(benchmark::kSecond);

void printTables() {
  const Totals& all = totals();
  if (all.played == 0) return;
  if (all.played == 1) {
    std::printf("\n%s", all.last.c_str());
    return;
  }
  std::printf("\n%d scenarios with faults or healthy, played in %.1f s\n%s", all.played - all.calm_played, all.play_seconds,
              scoreTable(all.faulty).c_str());
  std::printf("insufficient evidence: expected %d, given %d, given elsewhere %d\n", all.expected, all.given, all.given_unexpected);
  std::printf("calm weeks: %d, notifications %d\n", all.calm_played, all.calm_notifications);
  for (const std::string& line : all.calm_said) std::printf("  %s\n", line.substr(0, 220).c_str());
  for (const auto& [name, seconds] : all.seconds) std::printf("%-22s %8.2f s in all\n", name.c_str(), seconds);
  for (const std::string& line : all.lines) std::printf("%s\n", line.substr(0, 220).c_str());
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
  benchmark::RegisterBenchmark("diagnosis_total/faulty", [](benchmark::State& state) { sumOf(state, &totals().faulty); })->Iterations(1);
  benchmark::RegisterBenchmark("diagnosis_total/calm", [](benchmark::State& state) { sumOf(state, &totals().calm); })->Iterations(1);
  benchmark::Initialize(&count, arguments);
  if (benchmark::ReportUnrecognizedArguments(count, arguments)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  printTables();
  benchmark::Shutdown();
  return 0;
}
