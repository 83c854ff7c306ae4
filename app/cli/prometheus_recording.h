// SPDX-License-Identifier: GPL-3.0-or-later
// The --prometheus options of a hub, and the recording of that service's metrics into the hub's store.
//
// Threading:  main thread, or the one that starts the hub.
// Ownership:  the recording borrows the hub: it must be destroyed before the hub stops.
// Errors:     see MetricRecording; what it reports is printed to stderr.
// Cost:       one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/cli/options.h"
#include "app/cli/service_arguments.h"
#include "collectors/hub/server/hub.h"
#include "collectors/services/prometheus/metric_recording.h"

namespace runglass {

// What to record.
struct PrometheusSelection {
  PrometheusAccess access;
  QueriedPlaces places;
  std::string match;
  DurNs interval = 0;
};

class RecordingArguments {
 public:
  void declare(Options options);
  void declareWindow(Options options) { m_service.declareWindow(options); }
  const ServiceArguments& service() const { return m_service; }
  Result<std::optional<PrometheusSelection>> selection() const;  // none without --prometheus

 private:
  ServiceArguments m_service;
  double m_interval_s = 15;
};

// Null without a selection.
std::unique_ptr<MetricRecording> startMetricRecording(Hub& hub, const std::string& store,
                                                      const std::optional<PrometheusSelection>& selection);

}  // namespace runglass
