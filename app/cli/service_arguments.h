// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a command line that name a service which already has a cluster's data.
//
// Threading:  main thread.
// Ownership:  declared options point into this object.
// Errors:     INVALID_ARGUMENT names the option or the file.
#pragma once

#include <optional>
#include <string>

#include "collectors/services/prometheus/prometheus_access.h"
#include "collectors/services/prometheus/queried_series.h"

namespace runglass {

class Options;

// As entered on a command line or in the console.
struct ServiceQuestion {
  std::string url, access_file, match, nodes;
  std::string from, to;  // "": an hour before `to`; now
  std::optional<std::int64_t> job;
};
Result<PrometheusAccess> accessOf(const ServiceQuestion& question);
Result<QueriedPlaces> placesOf(const ServiceQuestion& question);
Result<TimeRange> windowOf(const ServiceQuestion& question);

class ServiceArguments {
 public:
  // --prometheus, --prometheus-access, --match, --nodes.
  void declare(Options options);
  // --from, --to, --slurm. Their check: wrongWindow().
  void declareWindow(Options options);
  std::string wrongWindow() const;
  bool windowGiven() const { return !m_question.from.empty() || !m_question.to.empty(); }
  const ServiceQuestion& question() const { return m_question; }

 private:
  ServiceQuestion m_question;
};

// "2026-11-20T21:43:07Z", without a zone UTC, or ns since 1970.
std::optional<TimeNs> timeArgument(const std::string& text);

}  // namespace runglass
