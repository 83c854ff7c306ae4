// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/service_import.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "app/cli/store_access.h"
#include "collectors/importers/session/counting_recorder.h"
#include "collectors/services/prometheus/metric_source.h"
#include "collectors/services/slurm/slurm_service.h"
#include "model/time_text.h"
#include "storage/open_store.h"

namespace runglass {
namespace {

constexpr std::int64_t kPointsPerCommit = 1'000'000;
constexpr const char* kAttempt = "prometheus";

// The store with its samples.
struct OpenStore {
  std::unique_ptr<Writer> writer;
  std::unique_ptr<Reader> reader;
  std::optional<StoredSeries> stored;

  Status open(const std::string& path) {
    RG_ASSIGN(writer, openStore(path).writer(writerOptions()));
    if (const auto& mirror = writer->mirror())
      return {Code::kFailedPrecondition, "cannot import into " + path + ": it is a replica of the hub at " + mirror->from};
    RG_ASSIGN(reader, openStore(path).reader({.live = writer->liveTail()}));
    stored.emplace(*reader);
    return stored->load();
  }
  Status close() {
    stored.reset();
    reader.reset();
    return writer->close();
  }
};

// Associates the nodes with the run, because metrics have no ranks.
RunId recordRun(const ServiceImport& wanted, const std::vector<QueriedSeries::Place>& places, Recorder& out) {
  const RunId run = out.run({.name = wanted.run_name, .time_domain = TimeDomain::kUtc, .start = wanted.range.t0, .end = wanted.range.t1});
  const AttemptId attempt = out.attempt({.run = run, .key = kAttempt, .start = wanted.range.t0, .end = wanted.range.t1});
  for (const QueriedSeries::Place& place : places)
    out.fact({.attempt = attempt, .node = out.node(place.node), .key = "telemetry_source", .value = wanted.prometheus.url});
  return run;
}

}  // namespace

Result<ServiceImport> serviceImport(const ServiceQuestion& question) {
  ServiceImport wanted{.match = question.match};
  RG_TRY(checkMatch(question.match));
  if (!question.url.empty()) {
    RG_ASSIGN(wanted.prometheus, accessOf(question));
  }
  RG_ASSIGN(wanted.places, placesOf(question));
  RG_ASSIGN(wanted.range, windowOf(question));
  return wanted;
}

Result<MetricSource::Extent> findFromServices(const ServiceImport& wanted) {
  QueryClient client(wanted.prometheus, {}, wanted.stop);
  QueriedSeries series(wanted.prometheus.url, wanted.places, nullptr);
  MetricSource source(client, series, wanted.match);
  RG_TRY(source.find(wanted.range));
  return source.extent();
}

Result<FileResult> importFromServices(const ServiceImport& wanted) {
  FileResult result{.path = wanted.prometheus.url, .kind = "prometheus", .reason = {}, .status = ImportStatus::kOk};
  OpenStore store;
  std::error_code error;
  const bool exists = std::filesystem::exists(wanted.store, error);
  if (exists) RG_TRY(store.open(wanted.store));
  QueryClient client(wanted.prometheus, {}, wanted.stop);
  QueriedSeries series(wanted.prometheus.url, wanted.places, store.stored ? &*store.stored : nullptr);
  MetricSource source(client, series, wanted.match);
  const Status found = source.find(wanted.range);
  if (!found.ok() || source.metrics() == 0) {
    if (exists) RG_TRY(store.close());
    if (!found.ok()) return found;
    return Status(Code::kNotFound, "prometheus: " + wanted.prometheus.url + ": no metrics of GPUs, hosts, ports or collectives from " +
                                       utcText(wanted.range.t0) + " to " + utcText(wanted.range.t1) +
                                       (wanted.places.nodes.empty() && wanted.match.empty() ? "" : " of these nodes"));
  }
  if (!exists) RG_TRY(store.open(wanted.store));
  CountingRecorder out(*store.writer, store.writer.get());
  std::int64_t committed = 0;
  const Status read = source.read(wanted.range, [&](ExporterPart part) -> Status {
    ExporterBatch batch;
    batch.add(std::move(part));
    batch.apply(out);
    if (wanted.on_progress) wanted.on_progress(source.metricsRead(), source.metrics());
    if (out.points - committed < kPointsPerCommit) return {};
    committed = out.points;
    return out.flush();
  });
  for (const std::string& node : series.silentNodes())
    out.issue({.code = "prometheus.silent_node", .source = wanted.prometheus.url, .detail = node});
  if (!wanted.run_name.empty()) result.run = recordRun(wanted, series.places(), out);
  const Status flushed = out.flush();
  result.points = out.points, result.events = out.event_count, result.issues = out.issue_counts;
  if (out.issue_counts.contains("prometheus.partial_answer")) result.status = ImportStatus::kPartial;
  RG_TRY(store.close());
  RG_TRY(read);
  RG_TRY(flushed);
  return result;
}

std::vector<AttemptMetrics> attemptsWithMetrics(const SlurmJob& job) {
  std::vector<AttemptMetrics> all;
  for (const SlurmAttempt& attempt : job.attempts) {
    if (!attempt.start || attempt.nodes.empty()) continue;
    const TimeRange range{*attempt.start, attempt.end.value_or(wallNow())};
    if (range.t0 < range.t1) all.push_back({range, {.nodes = attempt.nodes, .gpus = attempt.gpus}});
  }
  return all;
}

Result<std::vector<FileResult>> importSlurmJob(const SlurmJob& job, ServiceImport wanted) {
  const auto started = [](const SlurmAttempt& attempt) { return attempt.start.has_value(); };
  if (std::ranges::none_of(job.attempts, started)) {
    const SlurmAttempt& last = job.attempts.back();
    return Status(Code::kFailedPrecondition,
                  "slurm: job " + std::to_string(job.id) + " has not started: " + last.state +
                      (last.reason.empty() ? "" : ", " + last.reason) +
                      (job.queue_position ? ", position " + std::to_string(*job.queue_position) + " in the queue" : ""));
  }
  std::vector<FileResult> results;
  for (const AttemptMetrics& attempt : attemptsWithMetrics(job)) {
    if (wanted.prometheus.url.empty()) break;
    wanted.range = attempt.range;
    wanted.places = attempt.places;
    Result<FileResult> metrics = importFromServices(wanted);
    // An attempt without metrics is still one.
    if (metrics.status().code() == Code::kNotFound)
      metrics = FileResult{
          .path = wanted.prometheus.url, .kind = "prometheus", .reason = metrics.status().message(), .status = ImportStatus::kSkipped};
    if (!metrics.ok()) return metrics.status();
    results.push_back(std::move(*metrics));
  }
  OpenStore store;
  RG_TRY(store.open(wanted.store));
  CountingRecorder out(*store.writer, store.writer.get());
  Result<RunId> run = recordSlurmJob(job, *store.reader, out);
  const Status flushed = out.flush();
  RG_TRY(store.close());
  if (!run.ok()) return run.status();
  RG_TRY(flushed);
  FileResult result{.path = "job " + std::to_string(job.id), .kind = "slurm", .reason = {}, .status = ImportStatus::kOk, .run = *run};
  result.spans = out.span_count, result.events = out.event_count;
  results.push_back(std::move(result));
  return results;
}

}  // namespace runglass
