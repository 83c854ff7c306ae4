// SPDX-License-Identifier: Apache-2.0
// HttpClient: one bounded HTTP request at a time, for scraped endpoints and webhooks.
//
// Threading:  one thread per client; request() blocks until the answer, the timeout or the stop.
// Ownership:  owns its connections, which are reused for requests to the same host.
// Units:      ns; bytes of the decompressed body.
// Errors:     INVALID_ARGUMENT not an http(s) URL; UNAVAILABLE no connection, a broken one, or a timeout; RESOURCE_EXHAUSTED body or
//             headers exceed their limit; CANCELLED stopped. Any HTTP status is an answer. Messages leave out the URL's user, password and
//             query.
// Cost:       the body is held in memory; no redirects, no cookies, no proxy unless the request asks for the environment's.
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
  std::string ca_file;         // PEM; empty: the system's bundle
  std::string user, password;  // HTTP basic authentication; empty user: none
  bool secret_path = false;    // messages name the scheme and host only
  // Use http_proxy, https_proxy, all_proxy and no_proxy of the environment, as curl does; never for loopback addresses of this host.
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

// The URL without user, password and query.
std::string shownUrl(const std::string& url);
// Also without the path: a webhook's path is a secret.
std::string shownHost(const std::string& url);

}  // namespace runglass
