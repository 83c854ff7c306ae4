// SPDX-License-Identifier: GPL-3.0-or-later
// The options of a command line that name a service which already has a cluster's data, and the recording of its metrics into a hub's
// store.
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

class ServiceArguments {
 public:
  // --prometheus, --prometheus-access, --match, --nodes.
  void declare(Options options);
  bool prometheus() const { return !m_url.empty(); }
  bool nodesGiven() const { return !m_nodes.empty(); }
  Result<PrometheusAccess> access() const { return prometheusAccess(m_url, m_access); }
  Result<QueriedPlaces> places() const;
  const std::string& match() const { return m_match; }

 private:
  std::string m_url, m_access, m_match, m_nodes;
};

// "2026-11-20T21:43:07Z", without a zone UTC, or ns since 1970.
std::optional<TimeNs> timeArgument(const std::string& text);

}  // namespace runglass
