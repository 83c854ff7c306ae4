// SPDX-License-Identifier: Apache-2.0
// HttpClient: one bounded HTTP request at a time, for endpoints that are scraped and webhooks that are told.
//
// Threading:  one thread per client; request() blocks until the answer, the time-out or the stop.
// Ownership:  owns its connections, which are kept for the next request to the same host.
// Units:      ns, bytes (of the body as it is after unpacking).
// Errors:     INVALID_ARGUMENT not an http(s) URL; UNAVAILABLE no connection, one that broke, or no answer in time; RESOURCE_EXHAUSTED the
//             body or the headers are larger than allowed; CANCELLED stopped. Any HTTP status is an answer. Messages name the URL without
//             its user, password and query.
// Cost:       a body in memory; no redirects, no cookies, no proxy unless the request asks for that of the environment.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "model/result.h"
#include "model/time.h"

namespace runglass {

struct HttpRequest {
  std::string url;
  std::string method = "GET";
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  DurNs timeout = 10 * kNsPerSecond;
  std::size_t most_bytes = 32U << 20;
  std::string ca_file;       // PEM; empty: the system's
  bool secret_path = false;  // messages name scheme and host only
  // Use http_proxy, https_proxy, all_proxy and no_proxy of the environment, as curl does; never for this host's loopback addresses.
  bool environment_proxy = false;
};

struct HttpAnswer {
  int status = 0;
  std::string content_type;
  std::string body;
};

class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  Result<HttpAnswer> request(const HttpRequest& request, std::stop_token stop = {});

 private:
  struct Handle;
  std::unique_ptr<Handle> m_handle;
};

// The URL without what must not be shown: user, password, query.
std::string shownUrl(const std::string& url);
// Without its path too: who knows the path of a webhook may use it.
std::string shownHost(const std::string& url);

}  // namespace runglass
