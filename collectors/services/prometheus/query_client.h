// SPDX-License-Identifier: Apache-2.0
// QueryClient: bounded questions to a Prometheus query API.
//
// Threading:  one thread; a question blocks until its answer, the timeout, or the stop.
// Ownership:  owns its connection.
// Units:      TimeNs; the API has milliseconds.
// Errors:     UNAVAILABLE: no connection or no answer in time; RESOURCE_EXHAUSTED: the answer, or the work for it, is beyond a limit of
// ours
//             or of the server, so that a smaller question may succeed; PERMISSION_DENIED: 401, 403; INVALID_ARGUMENT: the server refuses
//             the question; CANCELLED. Each names URL, status and the server's words.
// Cost:       an answer of up to kMaxBytes in memory. 429 and 503, and connections lost after the first answer, are asked again up to
//             kTries times, with growing pauses.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "collectors/services/prometheus/prometheus_access.h"
#include "collectors/services/prometheus/query_answer.h"
#include "net/http_client.h"

namespace runglass {

class QueryClient {
 public:
  static constexpr std::size_t kMaxBytes = 64U << 20;
  static constexpr int kTries = 7;

  struct Patience {
    DurNs timeout = 60 * kNsPerSecond;
    DurNs first_pause = kNsPerSecond / 2;  // doubles with each try
  };
  QueryClient(PrometheusAccess access, Patience patience, std::stop_token stop = {});

  // Names of metrics that have samples in the range, of series that `match` selects ("": all).
  Result<QueryAnswer> metricNames(const std::string& match, TimeRange range);
  // Label sets that have samples in the range; the server may add some near it.
  Result<QueryAnswer> series(const std::string& selector, TimeRange range);
  // Samples as scraped, with their own times, in the range: neither look-back nor interpolation.
  Result<QueryAnswer> samples(const std::string& selector, TimeRange range);
  Result<QueryAnswer> metricTypes();

  const std::string& url() const { return m_access.url; }

 private:
  using Fields = std::vector<std::pair<std::string, std::string>>;
  Result<QueryAnswer> ask(QueryKind kind, const std::string& path, bool post, const Fields& fields);

  const PrometheusAccess m_access;
  const Patience m_patience;
  const std::stop_token m_stop;
  HttpClient m_http;
  bool m_answered = false;  // whether the server has answered once: a lost connection is then worth another try
};

// A text in a selector: gpu-01 -> "gpu-01" with quotes and escapes.
std::string quotedForQuery(std::string_view text);
// A regular expression that matches exactly these texts.
std::string anyOfForQuery(const std::vector<std::string>& texts);

}  // namespace runglass
