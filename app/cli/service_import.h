// SPDX-License-Identifier: GPL-3.0-or-later
// Imports what services of a cluster have about a time into a store.
//
// Threading:  the calling thread.
// Ownership:  opens and closes the store.
// Errors:     the store's and the service's; a store is created only once the service has answered. What was recorded before a failure
//             stays, and importing the same time again adds the rest.
// Cost:       a commit per kPointsPerCommit samples.
#pragma once

#include <functional>
#include <stop_token>
#include <string>

#include "app/cli/service_arguments.h"
#include "collectors/importers/session/import_session.h"
#include "collectors/services/prometheus/metric_source.h"
#include "collectors/services/prometheus/prometheus_access.h"
#include "collectors/services/prometheus/queried_series.h"
#include "collectors/services/slurm/slurm_job.h"

namespace runglass {

struct ServiceImport {
  std::string store;
  std::string run_name;  // "": the metrics of nodes and GPUs belong to no run
  PrometheusAccess prometheus;
  QueriedPlaces places;
  std::string match;
  TimeRange range;
  // With metrics already read, of all that were found.
  std::function<void(std::size_t read, std::size_t all)> on_progress;
  std::stop_token stop;
};

// Without store and run. The places and the window are ignored where there is a job.
Result<ServiceImport> serviceImport(const ServiceQuestion& question);
// What a Prometheus has of the nodes in the window.
Result<MetricSource::Extent> findFromServices(const ServiceImport& wanted);
Result<FileResult> importFromServices(const ServiceImport& wanted);
// The window, nodes and GPUs of each started attempt.
struct AttemptMetrics {
  TimeRange range;
  QueriedPlaces places;
};
std::vector<AttemptMetrics> attemptsWithMetrics(const SlurmJob& job);
// The job as a run; where `wanted` has a Prometheus, the metrics of each attempt's nodes and GPUs while it ran.
Result<std::vector<FileResult>> importSlurmJob(const SlurmJob& job, ServiceImport wanted);

}  // namespace runglass
