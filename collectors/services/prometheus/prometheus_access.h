// SPDX-License-Identifier: Apache-2.0
// Where a Prometheus query API is and how it lets us in; docs/operate/prometheus.md describes the file.
//
// Ownership:  plain values; they hold secrets and are never printed.
// Errors:     INVALID_ARGUMENT with file, line and cause; a file that other users can read is rejected.
#pragma once

#include <string>
#include <vector>

#include "model/result.h"

namespace runglass {

struct PrometheusAccess {
  std::string url;  // without /api/v1; may have a path prefix
  std::string token, user, password;
  std::string ca_file;               // PEM; "": the system's bundle
  std::vector<std::string> headers;  // "X-Scope-OrgID: team-a"
};

// `url`: http or https, without user, password and query. `file`: TOML with token or user and password, ca_file, headers; "": none.
Result<PrometheusAccess> prometheusAccess(const std::string& url, const std::string& file);

}  // namespace runglass
