// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/prometheus_recording.h"

#include <cstdio>
#include <utility>

#include "app/cli/scraping.h"
#include "storage/open_store.h"

namespace runglass {

void RecordingArguments::declare(Options options) {
  m_service.declare(options);
  options.add("--prometheus-interval", m_interval_s, "Hub: seconds between queries of --prometheus").range(0.1, 3'600.0).defaultShown();
}

Result<std::optional<PrometheusSelection>> RecordingArguments::selection() const {
  const ServiceQuestion& question = m_service.question();
  if (question.url.empty()) return std::optional<PrometheusSelection>();
  PrometheusSelection selection{.match = question.match, .interval = static_cast<DurNs>(m_interval_s * kNsPerSecond)};
  RG_ASSIGN(selection.access, accessOf(question));
  RG_ASSIGN(selection.places, placesOf(question));
  return std::optional(std::move(selection));
}

std::unique_ptr<MetricRecording> startMetricRecording(Hub& hub, const std::string& store,
                                                      const std::optional<PrometheusSelection>& selection) {
  if (!selection) return nullptr;
  MetricRecordingOptions options{.access = selection->access,
                                 .places = selection->places,
                                 .match = selection->match,
                                 .interval = selection->interval,
                                 .reader = [&hub, store] { return openStore(store).reader(hub.readerOptions()); },
                                 .node_uuid = nodeUuids(hub, store),
                                 .report = [](const std::string& words) { std::fprintf(stderr, "runglass: %s\n", words.c_str()); }};
  return std::make_unique<MetricRecording>(std::move(options),
                                           [&hub](std::function<void(Writer&)> action) { hub.post(std::move(action)); });
}

}  // namespace runglass
