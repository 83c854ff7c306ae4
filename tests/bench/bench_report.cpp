// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a report of a run of 1,024 ranks: read with its figures, laid out, written as PDF and HTML.
#include <benchmark/benchmark.h>

#include <QApplication>

#include "analysis/engine/analysis.h"
#include "collectors/sim/simulator.h"
#include "storage/open_store.h"
#include "storage/writer.h"
#include "tests/bench/calibration.h"
#include "tests/bench/timed_application.h"
#include "tests/support/temp_store.h"
#include "widgets/report/export_report.h"
#include "widgets/report/report_charts.h"
#include "widgets/report/report_pdf.h"

namespace runglass {
namespace {

constexpr const char* kIncident = "11111111-2222-4333-8444-555555555555";
constexpr TimeNs kStart = 1'790'000'000LL * kNsPerSecond;

// 1,024 ranks, a slow one and a lost GPU, with the findings stored.
const std::string& storedRun() {
  static TempStore store;
  static const std::string path = [] {
    const std::string file = store.path();
    sim::Scenario job;
    job.name = "big", job.seed = 7, job.steps = 400;
    job.nodes = 128, job.gpus_per_node = 8, job.nodes_per_rack = 8, job.metrics_hertz = 0.1;
    job.tp = 8, job.pp = 8, job.dp = 16, job.step_seconds = 4, job.checkpoint_every_steps = 50;
    job.spans = sim::SpanDetail::kNone;
    job.faults.push_back({.kind = "slow_rank",
                          .target = {.kind = sim::Target::Kind::kRank, .index = 700, .gpu = 0, .nic = {}},
                          .first_step = 60,
                          .last_step = 200,
                          .strength = 1.3,
                          .xid = {}});
    job.faults.push_back({.kind = "hardware_fault",
                          .target = {.kind = sim::Target::Kind::kGpu, .index = 20, .gpu = 1, .nic = {}},
                          .first_step = 300,
                          .last_step = 300,
                          .strength = 600,
                          .xid = 79});
    auto writer = openStore(file).writer().value();
    if (!sim::play(job, *writer, {.start = kStart, .speed = 0}).ok() || !writer->flush().ok()) std::abort();
    {
      const auto reader = openStore(file).reader().value();
      const RunId run = reader->runs()->front().id;
      for (const AnalysisEntry& entry : analyses()) {
        auto found = entry.make()->look({.reader = *reader, .run = run, .now = {}, .stop = {}});
        if (!found.ok()) std::abort();
        for (Finding& one : *found) one.run = run, writer->finding(one);
      }
    }
    // Enough cards for about thirty pages.
    Incident incident{.uuid = kIncident, .run = RunId{1}, .title = "many cards", .range = TimeRange{kStart, kStart + 1'600 * kNsPerSecond}};
    for (int i = 0; i < 8; ++i)
      for (const char* kind : {"steps", "device", "loss", "log", "series"})
        incident.evidence.push_back(
            {.kind = kind,
             .title = {},
             .caption = {},
             .range = {},
             .select = "rank=" + std::to_string(100 * i) + (std::string_view(kind) == "series" ? ",metric=power_watts" : "")});
    if (!writer->incident(incident).ok()) std::abort();
    if (!writer->close().ok()) std::abort();
    return file;
  }();
  return path;
}

// All stages; `pages` is the number of pages.
void report(benchmark::State& state) {
  const auto reader = openStore(storedRun()).reader().value();
  ReportRequest request{.question = {}, .redact = {}};
  request.question.made = kStart;
  if (state.range(0) != 0)
    request.question.incident = kIncident;
  else
    request.question.run = reader->runs()->front().id;
  if (state.range(1) != 0)
    request.redact = {report::RedactClass::kHosts, report::RedactClass::kUsers, report::RedactClass::kPaths,
                      report::RedactClass::kAddresses, report::RedactClass::kTokens};
  double pages = 0;
  for (auto _ : state) {
    const TempStore out;
    const auto data = readReportData(*reader, request, {});
    if (!data.ok()) return state.SkipWithError(data.status().message().c_str());
    const auto charts = drawCharts(data->document);
    pages = static_cast<double>(ReportPages(data->document, {data->evidence, charts}, kA4).count());
    const auto paths =
        writeReport(*data, charts, {.formats = {ReportFormat::kPdf, ReportFormat::kHtml}, .paper = kA4, .folder = out.folder()}, {});
    if (!paths.ok()) return state.SkipWithError(paths.status().message().c_str());
  }
  state.counters["pages"] = pages;
}
BENCHMARK(report)
    ->Name("report/1024_ranks")
    ->ArgNames({"incident", "redacted"})
    ->Args({0, 0})
    ->Args({0, 1})
    ->Args({1, 0})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);

}  // namespace
}  // namespace runglass

int main(int argc, char** argv) { return runglass::runGuiBenchmarks(argc, argv); }
