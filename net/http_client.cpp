// SPDX-License-Identifier: Apache-2.0
#include "net/http_client.h"

#include <algorithm>
#include <utility>

#include "net/transfer.h"

namespace runglass {

struct HttpClient::Handle {
  CurlHandle curl = makeCurl();
};

HttpClient::HttpClient() : m_handle(std::make_unique<Handle>()) {}
HttpClient::~HttpClient() = default;

Result<HttpAnswer> HttpClient::request(const HttpRequest& request, std::stop_token stop) {
  CURL* const curl = m_handle->curl.get();
  if (curl == nullptr) return Status(Code::kResourceExhausted, "http: no memory for a client");
  std::string body;
  const auto keep = [&body](const HttpAnswer&, std::string_view piece) {
    body.append(piece);
    return true;
  };
  Transfer transfer(curl, request, keep, std::move(stop));
  Result<HttpAnswer> answer = transfer.outcome(curl_easy_perform(curl));
  if (answer.ok()) answer->body = std::move(body);
  return answer;
}

std::string shownUrl(const std::string& url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t path = std::min(url.find_first_of("/?#", host), url.size());
  const std::size_t at = url.rfind('@', path);
  const std::size_t begin = at != std::string::npos && at >= host ? at + 1 : host;
  return url.substr(0, host) + url.substr(begin, std::min(url.find_first_of("?#", begin), url.size()) - begin);
}

std::string shownHost(const std::string& url) {
  std::string shown = shownUrl(url);
  const std::size_t scheme = shown.find("://");
  const std::size_t path = shown.find('/', scheme == std::string::npos ? 0 : scheme + 3);
  return path == std::string::npos ? shown : shown.substr(0, path) + "/...";
}

}  // namespace runglass
